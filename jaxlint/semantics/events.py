"""What the interpreter tells rules. Each event names the node where it happened, as a `Place`.

The same event may be told several times (a function is run once for each way it is called); reports are made once for
each code and node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jaxlint.semantics.values import Func, Place, Trace, Value, Why


@dataclass(slots=True)
class Event:
    """Something that happened at `place`."""

    place: Place


@dataclass(slots=True)
class Use:
    """How a key was used up. how: "sample", "split", "fold", "call" (a callee of the project), "unknown" or "init".

    stack: the running calls from the outermost to the innermost, as (frame id, place in that frame).
    passes: the loops that were running, as (loop id, pass).
    definite: False when the value is not known to be a key and the callee is unknown.
    inner: the use inside the callee, when this one is a call.
    """

    value: Value
    how: str
    place: Place
    stack: tuple[tuple[int, Place], ...]
    passes: tuple[tuple[int, int], ...]
    detail: Any = None
    definite: bool = True
    inner: Use | None = None


@dataclass(slots=True)
class KeyReused(Event):
    """A key is consumed again on one path. loop: an earlier pass of a loop consumed it."""

    key: Value
    use: Use
    previous: Use
    previous_place: Place
    loop: bool


@dataclass(slots=True)
class KeyCaptured(Event):
    """The body of a loop or map consumes a key that it captured. body: what runs it, such as `scan`."""

    key: Value
    body: str
    body_place: Place | None
    use: Use


@dataclass(slots=True)
class GlobalKeyUsed(Event):
    """A function uses a key of its module. traced: the function is being traced."""

    key: Value
    name: str
    traced: bool
    defined: Place | None


@dataclass(slots=True)
class KeyDiscarded(Event):
    """The result of making or deriving a key is dropped. function: which function made it."""

    function: str


@dataclass(slots=True)
class SubkeyUnused(Event):
    """A derived key is never used while its parent, or what was rebound as the parent, is used again."""

    name: str
    parent_use: Use


@dataclass(slots=True)
class TruthTested(Event):
    """The truth of a value is asked for. construct: "if", "while", "assert", "and", "max", …."""

    value: Value
    construct: str
    test: Place


@dataclass(slots=True)
class Concretized(Event):
    """A Python number is asked of a value. by: "int", "float", "range", "math.sin", "list index", …."""

    value: Value
    by: str


@dataclass(slots=True)
class ArgumentConcrete(Event):
    """A traced value is given where a library function needs a Python value. parameter: its name there.

    trace: of the part that is traced. position: where the parameter stands among positional ones.
    """

    function: str
    parameter: str
    value: Value
    trace: Trace
    position: int | None = None


@dataclass(slots=True)
class ShapeUnknown(Event):
    """The shape of a library function's result depends on the numbers of a traced argument."""

    function: str
    parameter: str
    value: Value
    trace: Trace
    position: int | None


@dataclass(slots=True)
class MaskIndexed(Event):
    """An array is indexed with a traced mask. position: which index of several; update: it is `x.at[mask]`."""

    trace: Trace
    position: int
    update: bool


@dataclass(slots=True)
class SliceBoundTraced(Event):
    """A bound of a slice of an array is traced. bound: "lower", "upper" or "step"."""

    trace: Trace
    position: int
    bound: str


@dataclass(slots=True)
class HostArrayIndexed(Event):
    """A NumPy array, which has numbers, is indexed with a traced value."""

    array: Value
    trace: Trace
    position: int


@dataclass(slots=True)
class Mutated(Event):
    """State that outlives the running trace is changed.

    target: "global", "nonlocal", "closed-over", "self", "argument" or "object". stored: the value, None where there is
    none.
    """

    target: str
    name: str
    stored: Value | None
    why: Why | None
    transform: str
    reads: bool = False


@dataclass(slots=True)
class ItemAssigned(Event):
    """An item of a JAX array is assigned or deleted. op: "=", "del" or an operator."""

    array: Value
    op: str


@dataclass(slots=True)
class DonatedRead(Event):
    """A value is read after the call that donated its buffer. name: what was read."""

    value: Value
    donation: Donation
    name: str
    loop: bool


@dataclass(slots=True)
class Donation:
    """The call that gave a buffer away."""

    place: Place
    name: str
    passes: tuple[tuple[int, int], ...]
    value: Value


@dataclass(slots=True)
class EmptyRead(Event):
    """Memory that `jnp.empty` did not initialise is read. read: where; how: "added to", "returned", "compared", …."""

    function: str
    read: Place
    how: str


@dataclass(slots=True)
class ContextEntered(Event):
    """`with value:`; place is the with item."""

    value: Value
    statement: Place


@dataclass(slots=True)
class Called(Event):
    """A function of a library is called under its qualified name, with evaluated arguments."""

    function: str
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    traced: bool
    why: Why | None


@dataclass(slots=True)
class Transformed(Event):
    """A transformation is applied to a callable."""

    transform: str
    inner: Value
    function: Func | None
    options: dict[str, Value] = field(default_factory=dict)
