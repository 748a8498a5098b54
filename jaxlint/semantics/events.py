"""What the interpreter tells rules. Each event names the node where it happened, as a `Place`.

The same event may be told several times (a function is run once for each way it is called); reports are made once for
each code and node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.values import Func, Place, Trace, Value, Why

if TYPE_CHECKING:
    from jaxlint.knowledge.changes import Change


@dataclass(slots=True, eq=False)
class Event:
    """Something that happened at `place`."""

    place: Place


@dataclass(slots=True, eq=False)
class Use:
    """How a key was used up. how: "sample", "split", "fold", "call" (a callee of the project), "unknown" or "init".

    stack: the running calls from the outermost to the innermost, as (frame id, place in that frame).
    passes: the loops that were running, as (loop id, pass).
    definite: False when the value is not known to be a key and the callee is unknown.
    inner: the use inside the callee, when this one is a call. alone: the value was no one of several, by path.
    """

    value: Value
    how: str
    place: Place
    stack: tuple[tuple[int, Place], ...]
    passes: tuple[tuple[int, int], ...]
    detail: Any = None
    definite: bool = True
    inner: Use | None = None
    alone: bool = True


@dataclass(slots=True, eq=False)
class KeyReused(Event):
    """A key is consumed again on one path. loop: an earlier pass of a loop consumed it."""

    key: Value
    use: Use
    previous: Use
    previous_place: Place
    loop: bool


@dataclass(slots=True, eq=False)
class KeyCaptured(Event):
    """The body of a loop or map consumes a key that it captured. body: what runs it, such as `scan`."""

    key: Value
    body: str
    body_place: Place | None
    use: Use


@dataclass(slots=True, eq=False)
class GlobalKeyUsed(Event):
    """A function uses a key of its module. traced: the function is being traced."""

    key: Value
    name: str
    traced: bool
    defined: Place | None


@dataclass(slots=True, eq=False)
class KeyDiscarded(Event):
    """The result of making or deriving a key is dropped. function: which function made it."""

    function: str


@dataclass(slots=True, eq=False)
class SubkeyUnused(Event):
    """A derived key is never used while its parent, or what was rebound as the parent, is used again."""

    name: str
    parent_use: Use


@dataclass(slots=True, eq=False)
class TruthTested(Event):
    """The truth of a value is asked for. construct: "if", "while", "assert", "and", "max", …."""

    value: Value
    construct: str
    test: Place


@dataclass(slots=True, eq=False)
class Concretized(Event):
    """A Python number is asked of a value. by: "int", "float", "range", "math.sin", "list index", …."""

    value: Value
    by: str


@dataclass(slots=True, eq=False)
class ArgumentConcrete(Event):
    """A traced value is given where a library function needs a Python value. parameter: its name there.

    trace: of the part that is traced. position: where the parameter stands among positional ones.
    """

    function: str
    parameter: str
    value: Value
    trace: Trace
    position: int | None = None


@dataclass(slots=True, eq=False)
class ShapeUnknown(Event):
    """The shape of a library function's result depends on the numbers of a traced argument."""

    function: str
    parameter: str
    value: Value
    trace: Trace
    position: int | None


@dataclass(slots=True, eq=False)
class MaskIndexed(Event):
    """An array is indexed with a traced mask. position: which index of several; update: it is `x.at[mask]`."""

    trace: Trace
    position: int
    update: bool


@dataclass(slots=True, eq=False)
class SliceBoundTraced(Event):
    """A bound of a slice of an array is traced. bound: "lower", "upper" or "step"."""

    trace: Trace
    position: int
    bound: str


@dataclass(slots=True, eq=False)
class OptionMisfit(Event):
    """An option of a transformation does not fit the signature of its function.

    kind: "position", "name", "entries" or "overlap". value: the position, or a parameter's name. entries: how many an
    option has. count: how many positional parameters the function has.
    """

    transform: str
    inner: Value
    kind: str
    option: str
    value: str
    entries: int
    count: int


@dataclass(slots=True, eq=False)
class StaticUnhashable(Event):
    """A static argument of a compiled function has no hash. kind: what has none; inside: it is part of a tuple."""

    inner: Value
    parameter: str
    kind: str
    inside: bool


@dataclass(slots=True, eq=False)
class ArgumentNotArray(Event):
    """An argument of a compiled function that is not static is no array. kind: what it is; inside: a part of it."""

    inner: Value
    parameter: str
    kind: str
    inside: bool


@dataclass(slots=True, eq=False)
class HostSynced(Event):
    """A pass of a Python loop waits for the result of a jitted call of the same pass. by: what waits, as `float`."""

    value: Value
    by: str
    call: Place


@dataclass(slots=True, eq=False)
class TimingUnblocked(Event):
    """A clock is read a second time before the work since its first reading is done. work: the last of it."""

    first: Place
    work: Place


@dataclass(slots=True, eq=False)
class CompilationTimed(Event):
    """The first call of a jitted function lies between two readings of a clock; `place` is the call."""

    first: Place
    inner: Value


@dataclass(slots=True, eq=False)
class HostArrayIndexed(Event):
    """A NumPy array, which has numbers, is indexed with a traced value; position None: one is stored in it."""

    array: Value
    trace: Trace
    position: int | None


@dataclass(slots=True, eq=False)
class Mutated(Event):
    """State that outlives the running trace is changed.

    target: "global", "nonlocal", "closed-over", "self", "argument" or "object". stored: the value, None where there is
    none. shared: the argument is the caller's own object, no copy.
    """

    target: str
    name: str
    stored: Value | None
    why: Why | None
    transform: str
    reads: bool = False
    shared: bool = False


@dataclass(slots=True, eq=False)
class ItemAssigned(Event):
    """An item of a JAX array is assigned or deleted. op: "=", "del" or an operator."""

    array: Value
    op: str


@dataclass(slots=True, eq=False)
class DonatedRead(Event):
    """A value is read after the call that donated its buffer. name: what was read."""

    value: Value
    donation: Donation
    name: str
    loop: bool


@dataclass(slots=True, eq=False)
class Donation:
    """The call that gave a buffer away."""

    place: Place
    name: str
    passes: tuple[tuple[int, int], ...]
    value: Value


@dataclass(slots=True, eq=False)
class EmptyRead(Event):
    """Memory that `jnp.empty` did not initialise is read. read: where; how: "added to", "returned", "compared", …."""

    function: str
    read: Place
    how: str


@dataclass(slots=True, eq=False)
class ContextEntered(Event):
    """`with value:`; place is the with item."""

    value: Value
    statement: Place


@dataclass(slots=True, eq=False)
class Called(Event):
    """A function of a library is called under its qualified name, with evaluated arguments."""

    function: str
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    traced: bool
    why: Why | None


@dataclass(slots=True, eq=False)
class Transformed(Event):
    """A transformation is applied to a callable."""

    transform: str
    inner: Value
    function: Func | None
    options: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class WorldTouched(Event):
    """Traced code acts on the world or reads it, which happens while JAX traces.

    effect: "effect" or "impure". words: what kind, as in the function tables. shown: the first traced value that is
    handed over, by its trace; None where there is none. inside: the function that does it.
    """

    function: str
    effect: str
    words: tuple[str, ...]
    shown: Trace | None
    inside: str
    why: Why | None


@dataclass(slots=True, eq=False)
class StaleRead(Event):
    """A trace that JAX remembers has read a variable whose value is another one when the function is called again.

    name: the variable. function: the traced function. changed: where it was rebound or changed. mutated: its content
    changed. applied: where the function was transformed. bound: the variable is an attribute of the function's object.
    """

    name: str
    function: str
    changed: Place | None
    mutated: bool
    applied: Place
    bound: bool


@dataclass(slots=True, eq=False)
class MethodTraced(Event):
    """A compiling transformation is applied to a method whose `self` is an ordinary object of the project.

    how: "traced" (`self` is an argument), "static" or "bound". attribute: what the method reads and `changed` changes,
    both None where `self` is merely no valid argument.
    """

    method: str
    class_name: str
    how: str
    attribute: str | None
    changed: Place | None


@dataclass(slots=True, eq=False)
class UpdateDropped(Event):
    """The result of a functional update is dropped. kind: "at", "tree_map" or "call". function: its name."""

    function: str
    kind: str


@dataclass(slots=True, eq=False)
class CacheTraced(Event):
    """A function whose results are cached meets a trace. place: its decorator.

    argument: the parameter that is traced; None when it builds arrays under a trace. call: where it is called.
    """

    function: str
    argument: str | None
    call: Place


@dataclass(slots=True, eq=False)
class KeyRepeated(Event):
    """A key from a constant seed is made again and again, and used. how: "traced", "loop" or "call".

    function: where it is made. repeated: the call that repeats it, where it is another place.
    """

    function: str
    how: str
    repeated: Place | None


@dataclass(slots=True, eq=False)
class RawKeyMade(Event):
    """A key is made as a raw array of bits."""

    function: str


@dataclass(slots=True, eq=False)
class PrivateImported(Event):
    """A private module of JAX is imported, or names from it (`*` for all). guarded: an attempt, or conditional."""

    module: str
    names: tuple[str, ...]
    guarded: bool


@dataclass(slots=True, eq=False)
class ChangeMet(Event):
    """A program spells what the table of changes speaks of.

    how: "import", "attribute", "option", "argument", "position" (too many arguments by position) or "omitted" (an
    argument whose default changed is left out). spelling: the qualified name as the program spells it. guarded: the
    code runs on some versions only, or is an attempt.
    """

    change: Change
    how: str
    spelling: str
    guarded: bool


@dataclass(slots=True, eq=False)
class FormulaUnstable(Event):
    """A formula overflows, underflows or cancels where there is a stable function for it.

    kind: "overflow", "cancellation", "root" (its slope at zero is undefined, and it is differentiated) or "default".
    replacement: the stable function.
    """

    kind: str
    replacement: str


@dataclass(slots=True, eq=False)
class LoopDifferentiated(Event):
    """Reverse-mode differentiation goes through a loop with an unknown number of passes.

    transform: what differentiates. function: the name of what is differentiated, empty where it has none.
    """

    transform: str
    function: str


@dataclass(slots=True, eq=False)
class SlopeHidden(Event):
    """A selection hides the value of a side that has no finite slope there, and a derivative comes back through it.

    operation: the operator or function without a finite slope. inside: where it is applied.
    """

    operation: str
    inside: Place


@dataclass(slots=True, eq=False)
class WideDtypeAsked(Event):
    """JAX is asked for a 64-bit type where nothing in the project turns them on. truncated: what it gives instead."""

    function: str
    dtype: str
    truncated: str


@dataclass(slots=True, eq=False)
class DerivativeRuleMisfit(Event):
    """A function with custom derivatives has no rule, or a rule does not fit it.

    kind: "default" (there is no rule), "arity", "cotangents" or "pair". fields: what to name: function,
    transformation, rule, kind, taken, given, returned, owed.
    """

    kind: str
    fields: dict[str, str]


@dataclass(slots=True, eq=False)
class CompiledAnew(Event):
    """What is compiled is a new object each time, so its program is never found again.

    loop: each pass of a loop makes it; otherwise each call of the function around it. what: "lambda", "function",
    "partial", "method" or "wrapped" (by another transformation). name: of the function, method or transformation.
    function: the function around it.
    """

    transform: str
    loop: bool
    what: str
    name: str
    function: str


@dataclass(slots=True, eq=False)
class AxisUnbound(Event):
    """A collective names an axis that nothing around it binds. bound: the axes around it. within: whose call it is."""

    function: str
    axis: str
    bound: tuple[str, ...]
    within: str


@dataclass(slots=True, eq=False)
class SpecMisfit(Event):
    """A spec names an axis that its mesh lacks; the mesh has those in `bound`."""

    axis: str
    bound: tuple[str, ...]


@dataclass(slots=True, eq=False)
class SpecCountMisfit(Event):
    """`in_specs` has `given` entries, and the function takes `taken` arguments."""

    inner: Value
    given: int
    taken: int


@dataclass(slots=True, eq=False)
class ResultSpecMisfit(Event):
    """`out_specs` is no prefix of the result. given, returned: what they are, counts where `counted`."""

    inner: Value
    given: str
    returned: str
    counted: bool


@dataclass(slots=True, eq=False)
class ProcessesDiverge(Event):
    """What all processes have to do together is done in a branch that some of them take.

    how: "barrier", "compiled" (a program on arrays that span the processes) or "callee" (`function` is met inside the
    call). test: what decides; holds: which way it went.
    """

    function: str
    how: str
    test: Place
    holds: bool


@dataclass(slots=True, eq=False)
class LoopUnrolled(Event):
    """A Python loop over array work runs inside a trace.

    kind: what its passes are: "default" (a large number, `what`), "axis" (the length of one), "argument" (named
    `what`) or "rows" of an array. iterated: what the loop goes over. function: the function around it.
    """

    kind: str
    what: str
    iterated: Place
    function: str


@dataclass(slots=True, eq=False)
class CompiledForEach(Event):
    """A loop calls a compiled function with another static value or shape on each pass.

    kind: "default" (a static argument), "filter_jit" (a Python number, which is static there) or "shape". argument: its
    name or position. function: what is called.
    """

    kind: str
    argument: str
    function: str


@dataclass(slots=True, eq=False)
class ArrayCaptured(Event):
    """A traced function reads a concrete array of an outer scope. shape: where the program fixes it."""

    name: str
    function: str
    shape: tuple[int, ...] | None


@dataclass(slots=True, eq=False)
class RowsStacked(Event):
    """One function is applied to each row of an array, and the results are joined. loop: by a `for` statement.

    function, array: what is applied to what, as it is written.
    """

    loop: bool
    function: str
    array: str
