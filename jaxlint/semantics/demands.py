"""What library calls and subscripts ask of traced values: a number, a shape, a known count of entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.events import ArgumentConcrete, HostArrayIndexed, MaskIndexed, ShapeUnknown, SliceBoundTraced
from jaxlint.semantics.predicates import lacks_number
from jaxlint.semantics.values import (
    DEFAULTED,
    Array,
    At,
    Const,
    Ext,
    Opaque,
    Place,
    Ref,
    SliceV,
    Trace,
    TupleV,
    Union,
    Value,
    is_none,
)

if TYPE_CHECKING:
    from jaxlint.knowledge import FunctionInfo
    from jaxlint.semantics.interpreter import Interpreter

DEMANDS = (ArgumentConcrete, ShapeUnknown)
"""Events that say what a library function needs."""

_NUMBERS = (None, "array", "float", "int", "bool", "range")
_BOOLEANS = frozenset({"builtins.bool", "jax.numpy.bool_", "jax.numpy.bool", "numpy.bool_", "numpy.bool"})
_COMPARISONS = frozenset(
    ["numpy.greater", "numpy.greater_equal", "numpy.less", "numpy.less_equal", "numpy.equal", "numpy.not_equal"]
)


def traced_part(it: Interpreter, value: Value, depth: int = 0) -> Trace | None:
    """The trace of a value, or of an entry of a list or tuple, that is certainly a traced number or array."""
    if isinstance(value, Array):
        if value.lib == "ref":
            return None
        return _sure(value.trace)
    if isinstance(value, Opaque):
        return _sure(value.trace) if value.hint in _NUMBERS else None
    if depth > 3:
        return None
    if isinstance(value, TupleV):
        return _first(it, value.items, depth)
    if isinstance(value, Ref) and value.kind in ("list", "set"):
        content = it.st.content(value)
        rest = () if content.rest is None else (content.rest,)
        return _first(it, (*content.items, *rest), depth)
    if isinstance(value, Union):
        return _of_union(it, value, depth)
    if isinstance(value, SliceV):
        return _first(it, (value.lower, value.upper, value.step), depth)
    return None


def _sure(trace: Trace | None) -> Trace | None:
    return trace if trace is not None and trace.certain and not trace.flags & DEFAULTED else None


def _first(it: Interpreter, values: Sequence[Value], depth: int) -> Trace | None:
    for value in values:
        found = traced_part(it, value, depth + 1)
        if found is not None:
            return found
    return None


def _of_union(it: Interpreter, value: Union, depth: int) -> Trace | None:
    """A union counts when each member that is not None does."""
    found: Trace | None = None
    for member in value.members:
        if is_none(member):
            continue
        trace = traced_part(it, member, depth + 1)
        if trace is None:
            return None
        found = found or trace
    return found


# ---- arguments ------------------------------------------------------------------------------------------------------


def check_arguments(
    it: Interpreter,
    info: FunctionInfo,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
) -> None:
    """Tell which traced arguments a library function needs the value of. Called only while something is traced."""
    for effect, names in info.effects:
        if effect == "concrete" and names:
            if names[0] == "*":
                _every_argument(it, info, args, kwargs, place)
            else:
                _concrete(it, info, names[0], bound, place)
        elif effect == "concrete_if" and len(names) == 2 and names[1] in bound:
            _concrete(it, info, names[0], bound, place)
        elif effect == "dynshape" and names:
            value = bound.get(names[0])
            if value is None or any(name in bound and not is_none(bound[name]) for name in names[1:]):
                continue
            trace = traced_part(it, value)
            if trace is not None and lacks_number(trace):
                it.emit(ShapeUnknown(place, info.name, names[0], value, trace, _position(info, names[0])))


def _concrete(it: Interpreter, info: FunctionInfo, name: str, bound: dict[str, Value], place: Place) -> None:
    value = bound.get(name)
    position = _position(info, name)
    if value is None:
        rest = bound.get("*" + name)
        if not isinstance(rest, TupleV):
            return
        value, position = rest, len(info.params)
    trace = traced_part(it, value)
    if trace is not None:
        it.emit(ArgumentConcrete(place, info.name, name, value, trace, position))


def _every_argument(
    it: Interpreter, info: FunctionInfo, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place
) -> None:
    for position, value in enumerate(args):
        trace = traced_part(it, value)
        if trace is not None:
            name = info.params[position] if position < len(info.params) else ""
            it.emit(ArgumentConcrete(place, info.name, name, value, trace, position))
            return
    for name, value in kwargs.items():
        trace = traced_part(it, value)
        if trace is not None:
            it.emit(ArgumentConcrete(place, info.name, name, value, trace, None))
            return


def _position(info: FunctionInfo, name: str) -> int | None:
    return info.params.index(name) if name in info.params else None


# ---- subscripts -----------------------------------------------------------------------------------------------------


def check_index(it: Interpreter, base: Value, index: Value, place: Place) -> None:
    """Tell of an index that needs numbers which are not there. Called only while something is traced."""
    update = isinstance(base, At)
    if isinstance(base, At):
        base = base.array
    if isinstance(base, Array):
        if base.lib == "ref":
            return
    elif not isinstance(base, Opaque) or base.static or base.hint not in (None, "array"):
        return
    for position, part in enumerate(index.items if isinstance(index, TupleV) else (index,)):
        if isinstance(part, SliceV):
            _check_bounds(it, part, place, position)
        elif isinstance(part, Array) and part.trace is not None:
            trace = _sure(part.trace)
            if trace is None or not lacks_number(trace):
                continue
            if part.dtype == "bool":
                it.emit(MaskIndexed(place, trace, position, update))
            elif isinstance(base, Array) and base.lib == "numpy" and base.trace is None:
                it.emit(HostArrayIndexed(place, base, trace, position))
        elif isinstance(part, Opaque) and isinstance(base, Array) and base.lib == "numpy" and base.trace is None:
            trace = traced_part(it, part)
            if trace is not None and lacks_number(trace):
                it.emit(HostArrayIndexed(place, base, trace, position))


def _may_hold_objects(array: Array) -> bool:
    """Whether a NumPy array was not made with numbers for its entries."""
    if array.made is None:
        return True
    given = (*array.made.args, *array.made.kwargs.values())
    return any(
        (isinstance(value, Ext) and value.name == "builtins.object")
        or (isinstance(value, Const) and value.value in ("object", "O"))
        for value in given
    )


def check_store(it: Interpreter, base: Array, value: Value, place: Place) -> None:
    """Tell of a NumPy array, which holds numbers, that a traced value is put into."""
    if not it.fr.ctx.depth or base.lib != "numpy" or base.trace is not None or _may_hold_objects(base):
        return
    trace = traced_part(it, value)
    if trace is not None and lacks_number(trace):
        it.emit(HostArrayIndexed(place, base, trace, None))


def _check_bounds(it: Interpreter, index: SliceV, place: Place, position: int) -> None:
    for name, bound in (("lower", index.lower), ("upper", index.upper), ("step", index.step)):
        trace = traced_part(it, bound) if isinstance(bound, Array | Opaque | Union) else None
        if trace is not None and lacks_number(trace):
            it.emit(SliceBoundTraced(place, trace, position, name))
            return


# ---- masks ----------------------------------------------------------------------------------------------------------


def is_mask(value: Value) -> bool:
    """Whether a value is known to be an array of booleans."""
    return isinstance(value, Array) and value.dtype == "bool"


def made_dtype(kind: str, name: str, bound: dict[str, Value]) -> str | None:
    """The dtype of a library function's result where it is one that matters: booleans."""
    if kind == "bool_array" or name in _COMPARISONS:
        return "bool"
    wanted: Any = bound.get("dtype")
    if isinstance(wanted, Ext):
        return "bool" if wanted.name in _BOOLEANS else None
    return None


def mask_arithmetic(op: str, left: Value, right: Value) -> str | None:
    """The dtype of `left op right`: masks combine to masks."""
    return "bool" if op in ("&", "|", "^") and is_mask(left) and is_mask(right) else None
