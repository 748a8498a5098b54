"""The abstract values that the interpreter follows.

Values are immutable; what changes (a list's elements, an object's attributes, whether a key is consumed) lives in the
`State` of a path, by identity. An identity is a `uid`, an integer that grows as values are made, so that a value is
known to be older than a traced body when its uid is smaller than the body's mark.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.semantics.project import ModuleEnv
    from jaxlint.syntax import ir

ABSTRACT = 1
"""Trace flag: no number is known, as under `jit` and in loop bodies."""
BATCHED = 2
"""Trace flag: the value is mapped by `vmap`, there is no single number."""
DIFF = 4
"""Trace flag: the value is differentiated; its primal is concrete."""
MAYBE = 8
"""Trace flag: perhaps not traced at all (a field of an object of unknown class, a join of paths)."""
FLOW = 32
"""Trace flag: a derivative comes back through the value in reverse mode."""
LOOPED = 64
"""Trace flag: on its way that derivative would have to go back through a loop that keeps no record of its passes."""
DEFAULTED = 16
"""Trace flag: perhaps a plain Python value: from a parameter that may be left at its default, in a run that no call of
the project asked for, or one that equinox's filters trace only where it is an array."""

CONTAINER_CHANGES = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "add",
        "discard",
        "appendleft",
    ]
)
"""Methods of Python's containers that change them in place."""

Place = tuple["ir.ModuleIR", int]
"""A node of a module."""

_counter = itertools.count(1)


fresh_uid: Callable[[], int] = _counter.__next__
"""Return the next identity."""


class Why:
    """One link of the chain that says why a value is traced; `parent` is what it follows from."""

    __slots__ = ("parent", "place", "text")

    def __init__(self, place: Place | None, text: str, parent: Why | None = None) -> None:
        self.place = place
        self.text = text
        self.parent = parent


class Trace:
    """That a value is traced: how (flags) and why."""

    __slots__ = ("flags", "why")

    def __init__(self, flags: int, why: Why | None) -> None:
        self.flags = flags
        self.why = why

    @property
    def certain(self) -> bool:
        """Whether the value is traced on every path that reaches here."""
        return not self.flags & MAYBE


_DOUBTS = MAYBE | DEFAULTED


def merge_traces(a: Trace | None, b: Trace | None) -> Trace | None:
    """The trace of a value computed from two others."""
    if a is None or a is b:
        return b
    if b is None:
        return a
    certain_a, certain_b = not a.flags & MAYBE, not b.flags & MAYBE
    flags = a.flags | b.flags
    if flags & _DOUBTS:
        flags &= ~_DOUBTS
        if not (certain_a or certain_b):
            flags |= MAYBE
        if (a.flags & _DOUBTS) and (b.flags & _DOUBTS):
            flags |= (a.flags | b.flags) & DEFAULTED
    if flags & ABSTRACT:
        flags &= ~(BATCHED | DIFF)  # nothing is left of a number
    first = a if certain_a or not certain_b else b
    return first if first.flags == flags else Trace(flags, first.why)


def weaken(trace: Trace | None) -> Trace | None:
    """The same trace, no longer certain."""
    if trace is None or trace.flags & MAYBE:
        return trace
    return Trace(trace.flags | MAYBE, trace.why)


class Made:
    """How a number was computed: the operator or function, its arguments by position and name, and where."""

    __slots__ = ("_args", "_kwargs", "_late", "_origin", "op", "place")

    def __init__(self, op: str, args: tuple[Value, ...], place: Place, kwargs: dict[str, Value] | None = None) -> None:
        self.op = op
        self.place = place
        self._args = args
        self._kwargs = kwargs
        self._origin: Made | None = None
        self._late: Callable[[Value], Value] | None = None

    def seen_from(self, late: Callable[[Value], Value]) -> Made:
        """The same in the terms of a caller: `late` translates the arguments, once they are asked for."""
        made = Made(self.op, (), self.place)
        made._origin, made._late = self, late
        return made

    @property
    def args(self) -> tuple[Value, ...]:
        """The positional arguments."""
        if self._origin is not None:
            self._translate()
        return self._args

    @property
    def kwargs(self) -> dict[str, Value]:
        """The arguments given by name."""
        if self._origin is not None:
            self._translate()
        return self._kwargs or {}

    def _translate(self) -> None:
        origin, late = self._origin, self._late
        self._origin = self._late = None
        if origin is None or late is None:
            return
        self._args = tuple(late(value) for value in origin.args)
        self._kwargs = {name: late(value) for name, value in origin.kwargs.items()}


class Value:
    """An abstract value."""

    __slots__ = ()
    uid: int = 0
    trace: Trace | None = None


class Unknown(Value):
    """Nothing is known, not even identity. Every rule is silent about it."""

    __slots__ = ()


UNKNOWN = Unknown()


class Const(Value):
    """A Python value that is known while tracing."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


class Opaque(Value):
    """A value of unknown type with an identity: a parameter, an attribute of one, the result of an unknown call.

    static: a Python value known while tracing (a shape, a flag), whatever it is.
    hint: what it is taken for: "array", "key", "container", "int", "str", "bool", …
    expr: structural fingerprint for values computed the same way from the same values.
    """

    __slots__ = ("children", "expr", "hint", "made", "name", "parent", "static", "tag", "trace", "uid")

    def __init__(
        self,
        name: str = "",
        *,
        trace: Trace | None = None,
        static: bool = False,
        hint: str | None = None,
        expr: Any = None,
        parent: Value | None = None,
        tag: Any = None,
    ) -> None:
        self.uid = fresh_uid()
        self.name = name
        self.trace = trace
        self.static = static
        self.hint = hint
        self.expr = expr
        self.parent = parent
        self.tag = tag
        self.children: dict[Any, Value] | None = None
        self.made: Made | None = None


class Array(Value):
    """A JAX or NumPy array (`lib` says which: "jax", "numpy" or "ref").

    shape: tuple of values when known. empty: the place of the `empty` call while elements are unwritten.
    parent/tag: where it was derived from, when it is a view of the same buffer (`x[:]`, a row). also: the other one of
    two arrays that it may be.
    """

    __slots__ = ("also", "children", "dtype", "expr", "lib", "made", "parent", "shape", "tag", "trace", "uid")

    def __init__(
        self,
        trace: Trace | None = None,
        *,
        lib: str = "jax",
        shape: tuple[Value, ...] | None = None,
        dtype: str | None = None,
        expr: Any = None,
        parent: Value | None = None,
        also: Value | None = None,
        tag: Any = None,
    ) -> None:
        self.uid = fresh_uid()
        self.also = also
        self.trace = trace
        self.lib = lib
        self.shape = shape
        self.dtype = dtype
        self.expr = expr
        self.parent = parent
        self.tag = tag
        self.children: dict[Any, Value] | None = None
        self.made: Made | None = None


class Key(Value):
    """A PRNG key, or an array of keys (`many`). `parent` and `tag` say how it was derived: a row, a fold."""

    __slots__ = ("children", "constant", "many", "parent", "place", "rows", "tag", "trace", "uid")

    def __init__(
        self,
        place: Place | None,
        *,
        many: bool = False,
        trace: Trace | None = None,
        parent: Value | None = None,
        tag: Any = None,
        constant: bool = False,
        rows: int | None = None,
    ) -> None:
        self.uid = fresh_uid()
        self.place = place
        self.many = many
        self.trace = trace
        self.parent = parent
        self.tag = tag
        self.constant = constant
        self.rows = rows
        self.children: dict[Any, Value] | None = None


class TupleV(Value):
    """A tuple of known length; `cls` when it is a NamedTuple."""

    __slots__ = ("cls", "items", "names")

    def __init__(
        self, items: tuple[Value, ...], cls: ClassV | None = None, names: tuple[str, ...] | None = None
    ) -> None:
        self.items = items
        self.cls = cls
        self.names = names


class Many(Value):
    """An immutable or lazy sequence of unknown length, by element: `element(i)` is the value of pass or index `i`.

    kind: "tuple", "range", "zip", "enumerate", "map", "generator", "values", … `length` is the static length where
    known.
    """

    __slots__ = ("element", "kind", "length", "source", "trace", "uid")

    def __init__(
        self, kind: str, element: Callable[[Any], Value], length: int | None = None, source: Value | None = None
    ) -> None:
        self.uid = fresh_uid()
        self.kind = kind
        self.element = element
        self.length = length
        self.source = source
        self.trace = None


class Ref(Value):
    """A mutable object on the heap: a list, dict, set or an instance (`object`) of a class of the project.

    depth: how many traces were open when it was made; a store from a deeper one outlives that trace.
    argument: it is a container that a traced function received (a copy of the caller's).
    initial: its content when it was made; a state holds only what changed since.
    """

    __slots__ = ("argument", "cls", "depth", "initial", "kind", "name", "trace", "uid")

    def __init__(
        self,
        kind: str,
        depth: int,
        initial: Content,
        cls: ClassV | None = None,
        *,
        argument: bool = False,
        name: str = "",
    ) -> None:
        self.uid = fresh_uid()
        self.kind = kind
        self.depth = depth
        self.initial = initial
        self.cls = cls
        self.argument = argument
        self.name = name
        self.trace = None


class Content:
    """What a `Ref` holds on one path. Replaced, never changed.

    items: list of elements (lists, sets) or dict by constant key (dicts, attributes); `rest` is the join of elements at
    unknown positions, None when every element is known; `open` when more may exist that were never seen.
    """

    __slots__ = ("items", "open", "rest")

    def __init__(self, items: Any, rest: Value | None = None, open: bool = False) -> None:
        self.items = items
        self.rest = rest
        self.open = open


class Closure:
    """The variables of an enclosing call: looked up in the state while that call runs, in the snapshot afterwards."""

    __slots__ = ("depth", "env", "fid", "fn", "mark", "parent")

    def __init__(self, fid: int, fn: ir.FunctionIR, parent: Closure | None, depth: int, mark: int) -> None:
        self.fid = fid
        self.fn = fn
        self.parent = parent
        self.depth = depth
        self.mark = mark
        self.env: dict[str, Value] | None = None


class Func(Value):
    """A function of the project with its closure and, for methods, its receiver."""

    __slots__ = ("closure", "cls", "defaults", "env", "fn", "receiver", "uid")

    def __init__(
        self,
        fn: ir.FunctionIR,
        env: ModuleEnv,
        closure: Closure | None = None,
        receiver: Value | None = None,
        cls: ClassV | None = None,
        defaults: dict[str, Value] | None = None,
    ) -> None:
        self.uid = fresh_uid()
        self.fn = fn
        self.env = env
        self.closure = closure
        self.receiver = receiver
        self.cls = cls
        self.defaults = defaults


class Partial(Value):
    """`functools.partial(func, *args, **kwargs)`."""

    __slots__ = ("args", "func", "kwargs", "uid")

    def __init__(self, func: Value, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
        self.uid = fresh_uid()
        self.func = func
        self.args = args
        self.kwargs = kwargs


class Wrapped(Value):
    """What a transformation returns: a callable around `inner` with the options it was given."""

    __slots__ = ("inner", "options", "place", "transform", "uid")

    def __init__(self, transform: Any, inner: Value, options: dict[str, Value], place: Place) -> None:
        self.uid = fresh_uid()
        self.transform = transform
        self.inner = inner
        self.options = options
        self.place = place


class Ext(Value):
    """A module, class, function or constant of a library, by its canonical qualified name."""

    __slots__ = ("name", "static")

    def __init__(self, name: str) -> None:
        self.name = name


class ExtObj(Value):
    """An instance of a library's class (`cls` is its qualified name), with the arguments it was made from."""

    __slots__ = ("args", "children", "cls", "kwargs", "trace", "uid")

    def __init__(self, cls: str, args: tuple[Value, ...] = (), kwargs: dict[str, Value] | None = None) -> None:
        self.uid = fresh_uid()
        self.cls = cls
        self.args = args
        self.kwargs = kwargs or {}
        self.trace: Trace | None = None
        self.children: dict[Any, Value] | None = None


class Method(Value):
    """A method of a value that is no project object: `x.at`, `items.append`, `optimizer.update`."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Value, name: str) -> None:
        self.receiver = receiver
        self.name = name


class At(Value):
    """`x.at` (`index` None) or `x.at[index]`."""

    __slots__ = ("array", "index", "place")

    def __init__(self, array: Value, index: Value | None = None, place: Place | None = None) -> None:
        self.array = array
        self.index = index
        self.place = place


class SliceV(Value):
    """`lower:upper:step`."""

    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Value, upper: Value, step: Value) -> None:
        self.lower = lower
        self.upper = upper
        self.step = step


class ClassV(Value):
    """A class of the project. `kind` is what its bases make of it: "object", "dataclass", "namedtuple", "linen", …."""

    __slots__ = (
        "attrs",
        "bases",
        "closure",
        "empties",
        "env",
        "ext_bases",
        "fields",
        "frozen",
        "instance",
        "ir",
        "kind",
        "uid",
        "unhashable",
        "writers",
    )

    def __init__(self, ir: ir.ClassDef, env: ModuleEnv, closure: Closure | None) -> None:
        self.uid = fresh_uid()
        self.ir = ir
        self.env = env
        self.closure = closure
        self.bases: list[ClassV] = []
        self.ext_bases: list[str] = []
        self.kind = "object"
        self.frozen = False
        self.unhashable = False
        self.attrs: dict[str, Value] = {}
        self.fields: dict[str, Field] = {}
        self.instance: Ref | None = None
        self.writers: dict[str, set[str]] | None = None
        self.empties: dict[str, Any] = {}


class Field:
    """An annotated name of a class body: its annotation, default, and whether it is static.

    cls: the frozen dataclass of the project that the annotation names.
    """

    __slots__ = ("annotation", "cls", "default", "static")

    def __init__(self, annotation: str, default: Value | None, static: bool) -> None:
        self.annotation = annotation
        self.default = default
        self.static = static
        self.cls: ClassV | None = None


class ModuleV(Value):
    """A module of the project."""

    __slots__ = ("env",)

    def __init__(self, env: ModuleEnv) -> None:
        self.env = env


class Union(Value):
    """One of several values, by path. `kept`: a member whose buffer was donated is not the value on that path."""

    __slots__ = ("kept", "members", "uid")

    def __init__(self, members: tuple[Value, ...], kept: bool = False) -> None:
        self.uid = fresh_uid()
        self.members = members
        self.kept = kept

    @property
    def trace(self) -> Trace | None:  # type: ignore[override]
        """Certain only when every member is certainly traced."""
        traces = [member.trace for member in self.members]
        found = next((trace for trace in traces if trace is not None), None)
        if found is None:
            return None
        if all(trace is not None and trace.certain for trace in traces):
            return found
        return weaken(found)


def members(value: Value) -> tuple[Value, ...]:
    """The alternatives of a union, or the value alone."""
    return value.members if isinstance(value, Union) else (value,)


def is_none(value: Value) -> bool:
    """Whether the value is certainly None."""
    return isinstance(value, Const) and value.value is None


def fingerprint(value: Value) -> Any:
    """A hashable that is equal only for values that are the same on one path; None when nothing can be said."""
    kind = type(value)
    if kind is Const:
        constant = value.value  # type: ignore[attr-defined]
        try:
            hash(constant)
        except TypeError:
            return None
        return ("c", type(constant).__name__, constant)
    if kind is Opaque:
        expr = value.expr  # type: ignore[attr-defined]
        return expr if expr is not None else ("u", value.uid)
    if kind is Array:
        expr = value.expr  # type: ignore[attr-defined]
        return expr if expr is not None else ("u", value.uid)
    if kind is Ext:
        return ("e", value.name)  # type: ignore[attr-defined]
    if kind is TupleV:
        parts = tuple(fingerprint(item) for item in value.items)  # type: ignore[attr-defined]
        return None if None in parts else ("t", parts)
    if kind is SliceV:
        parts = tuple(fingerprint(item) for item in (value.lower, value.upper, value.step))  # type: ignore[attr-defined]
        return None if None in parts else ("s", parts)
    if kind is Unknown:
        return None
    return ("u", value.uid) if value.uid else None


def ancestors(value: Value) -> Iterator[Value]:
    """The value and what it was derived from, nearest first."""
    current: Value | None = value
    others: list[Value] = []
    while current is not None:
        yield current
        if isinstance(current, Array) and current.also is not None and len(others) < 8:
            others.append(current.also)
        current = getattr(current, "parent", None)
        if current is None and others:
            current = others.pop()


class Descriptor(Value):
    """A class attribute that is no plain method: a property, static method or class method around `func`."""

    __slots__ = ("func", "kind")

    def __init__(self, kind: str, func: Value) -> None:
        self.kind = kind
        self.func = func


class CompileTime(Value):
    """The context of `jax.ensure_compile_time_eval()`: JAX computes concrete values inside it."""

    __slots__ = ()


def traced_inside(value: Value, depth: int = 0) -> Trace | None:
    """The trace of a value or of what an immutable container holds."""
    if value.trace is not None:
        return value.trace
    if isinstance(value, TupleV) and depth < 3:
        for item in value.items:
            found = traced_inside(item, depth + 1)
            if found is not None:
                return found
    return None


class SuperV(Value):
    """`super()` inside a method: attributes are looked up in the bases of `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: ClassV, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver
