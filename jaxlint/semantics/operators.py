"""What operators and comparisons give."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, dunders, effects, timing
from jaxlint.semantics.demands import mask_arithmetic
from jaxlint.semantics.events import Concretized, TruthTested
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    FALSE,
    MAYBE,
    TRUE,
    UNKNOWN,
    Array,
    At,
    ClassV,
    Const,
    Content,
    Ext,
    ExtObj,
    Func,
    Key,
    Many,
    ModuleV,
    Opaque,
    Partial,
    Place,
    Ref,
    SliceV,
    Trace,
    TupleV,
    Union,
    Value,
    Wrapped,
    fingerprint,
    is_none,
    members,
    merge_traces,
    traced_inside,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


_NUMBER_FORMAT = re.compile(r"%[-+ #0-9.*]*[dfgeixoEGX]")


_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "/": operator.truediv,
}


def binary(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> Value:
    """The value of `left op right`."""
    kind_l, kind_r = type(left), type(right)
    if op == "-" and it.timeline.active:
        timing.subtract(it, left, right, place)
    if op == "%" and kind_l is Const and isinstance(left.value, str):  # type: ignore[attr-defined]
        traced = traced_inside(right)
        if traced is not None and _NUMBER_FORMAT.search(left.value):  # type: ignore[attr-defined]
            it.emit(Concretized(place, Array(traced), "format spec"))
        return effects.text_of(it, (right,), (place,))
    if kind_l is Ref or kind_r is Ref:
        own = dunders.binary(it, op, left, right, place)
        if own is not None:
            return own
    if kind_l is Const and kind_r is Const:
        return _fold(it, op, left.value, right.value)  # type: ignore[attr-defined]
    if kind_l is Union or kind_r is Union:
        result = _binary_union(it, op, left, right, place)
        if result is not None:
            return result
    trace = merge_traces(left.trace, right.trace)
    if trace is not None and kind_l is not ExtObj and kind_r is not ExtObj:
        if kind_l in _PYTHON_SEQUENCES and kind_r in _PYTHON_SEQUENCES:
            return UNKNOWN
        return Array(trace, dtype=mask_arithmetic(op, left, right))
    if op == "+" and kind_l is TupleV and kind_r is TupleV:
        return TupleV(left.items + right.items)  # type: ignore[attr-defined]
    if op == "+" and (_has_zero(left) or _has_zero(right)):
        return Opaque(static=True, hint="zero-shape")
    if op == "|" and isinstance(left, Ref) and left.kind == "dict":
        return _dict_union(it, left, right)
    if op == "*" and kind_l is TupleV and kind_r is Const and _repeats(right):
        return TupleV(left.items * right.value)  # type: ignore[attr-defined]
    if isinstance(left, Ref) and left.kind == "list" and (op == "*" or (op == "+" and isinstance(right, Ref))):
        return _list_arithmetic(it, op, left, right)
    if kind_l is Array or kind_r is Array:
        lib = "jax" if "jax" in (getattr(left, "lib", ""), getattr(right, "lib", "")) else "numpy"
        if lib == "numpy" and (_maybe_array(left) or _maybe_array(right)):
            return Opaque()
        dtype = mask_arithmetic(op, left, right)
        if lib == "jax" and it.fr.ctx.abstract:
            return Array(Trace(ABSTRACT, it.fr.ctx.why), dtype=dtype)
        return Array(lib=lib, dtype=dtype)
    if op == "+" and "str" in (getattr(left, "hint", None), getattr(right, "hint", None)):
        return effects.text_of(it, (left, right))
    if op == "/" and kind_l is ExtObj and it.knowledge.classes.get(left.cls) == "path":  # type: ignore[attr-defined]
        return ExtObj(left.cls)  # type: ignore[attr-defined]
    fp_l, fp_r = fingerprint(left), fingerprint(right)
    expr = it.intern(("b", op, fp_l, fp_r)) if fp_l is not None and fp_r is not None else None
    static = is_static(left) and is_static(right)
    if expr is None and not static:
        return UNKNOWN
    hint = "range" if "range" in (getattr(left, "hint", None), getattr(right, "hint", None)) else None
    return Opaque(static=static, expr=expr, hint=hint)


def _binary_union(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> Value | None:
    """The operation on each alternative of a union; None when there are too many."""
    union, other = (left, right) if isinstance(left, Union) else (right, left)
    if isinstance(other, Union) or len(members(union)) > 3:
        return None
    result: Value | None = None
    for member in members(union):
        if is_none(member):
            continue
        pair = (member, other) if union is left else (other, member)
        part = binary(it, op, pair[0], pair[1], place)
        result = part if result is None else join(result, part)
    return result if result is not None else UNKNOWN


def _list_arithmetic(it: Interpreter, op: str, left: Ref, right: Value) -> Value:
    """`a + b` and `a * n` of lists."""
    contents = [it.st.content(left)]
    if op == "*" and _repeats(right) and contents[0].rest is None and not contents[0].open:
        return Ref("list", it.fr.ctx.depth, Content(tuple(contents[0].items) * right.value))  # type: ignore[attr-defined]
    if op == "+" and isinstance(right, Ref):
        contents.append(it.st.content(right))
        if all(content.rest is None and not content.open for content in contents):
            return Ref("list", it.fr.ctx.depth, Content(tuple(contents[0].items) + tuple(contents[1].items)))
    if op == "*" and contents[0].rest is None and not contents[0].open and len(contents[0].items) == 1:
        item = contents[0].items[0]
        return Ref("list", it.fr.ctx.depth, Content((item, item), item, True))  # the same one, any number of times
    rest: Value | None = None
    for content in contents:
        for item in (*content.items, *((content.rest,) if content.rest is not None else ())):
            if isinstance(item, Value):
                rest = item if rest is None else join(rest, item)
    return Ref("list", it.fr.ctx.depth, Content((), rest, True))


_MOST_REPEATED = 16


def _repeats(count: Value) -> bool:
    """Whether a sequence is repeated a small, known number of times."""
    return isinstance(count, Const) and type(count.value) is int and count.value <= _MOST_REPEATED


def _dict_union(it: Interpreter, left: Ref, right: Value) -> Value:
    """`a | b` of dicts."""
    content = it.st.content(left)
    other = it.st.content(right) if isinstance(right, Ref) and right.kind == "dict" else Content({}, None, True)
    rests = [held.rest for held in (content, other) if held.rest is not None]
    rest = join(rests[0], rests[1]) if len(rests) == 2 else rests[0] if rests else None
    items = {**content.items, **other.items}
    if other.open and not isinstance(right, Ref):
        items = {}  # any of them may be another one now
    return Ref("dict", it.fr.ctx.depth, Content(items, rest, content.open or other.open))


def _fold(it: Interpreter, op: str, left: Any, right: Any) -> Value:
    fold = _FOLD.get(op)
    small = isinstance(left, int | float) and isinstance(right, int | float)
    if fold is not None and (small or (op == "+" and isinstance(left, str) and isinstance(right, str))):
        try:
            return Const(fold(left, right))
        except (ArithmeticError, TypeError, ValueError):
            return Opaque(static=True)
    return Opaque(static=True)


_PYTHON_SEQUENCES = (TupleV, Ref, Many)


def _has_zero(value: Value) -> bool:
    return isinstance(value, TupleV) and any(isinstance(item, Const) and item.value == 0 for item in value.items)


def _maybe_array(value: Value) -> bool:
    return type(value) is Opaque and not value.static


def is_static(value: Value) -> bool:
    """Whether a value is a Python value known while tracing (whatever it is)."""
    kind = type(value)
    if kind is Const or kind is SliceV:
        return True
    if kind is Opaque:
        return value.static  # type: ignore[attr-defined, no-any-return]
    if kind is TupleV:
        return all(is_static(item) for item in value.items)  # type: ignore[attr-defined]
    if kind is Many:
        return value.kind in ("range", "static")  # type: ignore[attr-defined]
    if kind is Union:
        return all(is_static(member) for member in value.members)  # type: ignore[attr-defined]
    return kind in (Ext, Func, ClassV, ModuleV, Partial, Wrapped)


_NEVER_NONE = (Array, Key, Func, Ref, TupleV, ClassV, ModuleV, Wrapped, Partial, Ext, ExtObj, Many, At)


def compare(
    it: Interpreter, op: str, left: Value, right: Value, place: Place, left_place: Place, right_place: Place
) -> Value:
    """The value of one comparison."""
    if op in ("is", "is not"):
        return _identity(it, op, left, right)
    if type(left) is Ref or type(right) is Ref:
        own = dunders.comparison(it, op, left, right, place)
        if own is not None:
            return own
    if op in ("in", "not in"):
        return _membership(it, op, left, right, place)
    if (it.donations or it.empties) and not any(_not_array(side) or type(side) is TupleV for side in (left, right)):
        buffers.read(it, left, left_place, "compared")
        buffers.read(it, right, right_place, "compared")
    if type(left) is Const and type(right) is Const:
        try:
            return TRUE if _COMPARE[op](left.value, right.value) else FALSE
        except TypeError:
            return Opaque(static=True)
    trace = merge_traces(left.trace, right.trace)
    if trace is not None:
        return _compare_traced(op, left, right, trace)
    if (isinstance(left, Array) and left.lib == "jax") or (isinstance(right, Array) and right.lib == "jax"):
        if op in ("==", "!=") and (_not_array(left) or _not_array(right)):
            return Opaque(static=True)
        return Array(Trace(ABSTRACT, it.fr.ctx.why) if it.fr.ctx.abstract else None, dtype="bool")
    counted = _counted(op, left, right)
    if counted is not None:
        return TRUE if counted else FALSE
    static = is_static(left) and is_static(right)
    fp_l, fp_r = fingerprint(left), fingerprint(right)
    if fp_l is None or fp_r is None:
        return Opaque(static=static) if static else UNKNOWN
    if fp_l == fp_r and op in ("==", "!="):
        return TRUE if op == "==" else FALSE
    if fp_l[0] == "c":
        fp_l, fp_r, op = fp_r, fp_l, _SWAP.get(op, op)
    return Opaque(static=static, expr=("cmp", op, fp_l, fp_r))


def _counted(op: str, left: Value, right: Value) -> bool | None:
    """Comparing the variable of a counting loop with its start: true or false by the pass."""
    if not (isinstance(left, Opaque) and isinstance(left.tag, tuple) and len(left.tag) == 3 and left.tag[0] == "from"):
        return None
    if not isinstance(right, Const) or right.value != left.tag[1]:
        return None
    first = left.tag[2] == "first"
    return {"==": first, "!=": not first, ">": not first, "<=": first, ">=": True, "<": False}.get(op)


_SWAP = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _not_array(value: Value) -> bool:
    return isinstance(value, Const) and (value.value is None or isinstance(value.value, str | bytes))


def _compare_traced(op: str, left: Value, right: Value, trace: Trace) -> Value:
    for side in (left, right):
        # A comparison with a string, None or a container is decided by Python.
        if _not_array(side) or isinstance(side, Func | ClassV | Ext | ModuleV):
            return Opaque(static=True)
        if op in ("==", "!=") and isinstance(side, TupleV | Ref | Many):
            return UNKNOWN
    for side in (left, right):
        if op in ("==", "!=") and type(side) is Opaque and side.trace is None and not side.static:
            return Array(Trace(trace.flags | MAYBE, trace.why), dtype="bool")
        if op in ("==", "!=") and type(side) is Opaque and side.static and side.hint in ("str", "structure"):
            return Opaque(static=True)
    return Array(trace, dtype="bool")


def _never_none(value: Value) -> bool:
    return isinstance(value, (_NEVER_NONE, Const)) and not is_none(value)


def _identity(it: Interpreter, op: str, left: Value, right: Value) -> Value:
    if is_none(right) or is_none(left):
        other = left if is_none(right) else right
        if is_none(other):
            return TRUE if op == "is" else FALSE
        if isinstance(other, (_NEVER_NONE, Const)):
            return FALSE if op == "is" else TRUE
        if isinstance(other, Union) and all(_never_none(member) for member in other.members):
            return FALSE if op == "is" else TRUE
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if (left.value is right.value) == (op == "is") else FALSE
    fp_l, fp_r = fingerprint(left), fingerprint(right)
    if fp_l is None or fp_r is None:
        return Opaque(static=True)
    if fp_l == fp_r:
        return TRUE if op == "is" else FALSE
    if fp_l[0] == "c":
        fp_l, fp_r = fp_r, fp_l
    return Opaque(static=True, expr=("cmp", op, fp_l, fp_r))


def _membership(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> Value:
    if isinstance(right, Ref) and right.kind == "dict" and isinstance(left, Const):
        content = it.st.content(right)
        try:
            inside = left.value in content.items
        except TypeError:
            inside = False
        if inside:
            return TRUE if op == "in" else FALSE
        if not content.open and content.rest is None:
            return FALSE if op == "in" else TRUE
        return Opaque(static=True)
    if isinstance(right, TupleV) and isinstance(left, Const):
        constants = [item.value for item in right.items if isinstance(item, Const)]
        if len(constants) == len(right.items):
            return TRUE if (left.value in constants) == (op == "in") else FALSE
    if left.trace is not None and not isinstance(left, Ref) and _compares_numbers(it, left, right):
        container = isinstance(right, TupleV | Many) or (
            isinstance(right, Ref) and right.kind in ("list", "dict", "set")
        )
        if container or (right.trace is not None and getattr(right, "hint", None) != "dict"):
            it.emit(TruthTested(place, Array(left.trace), "in", place))
    elif isinstance(right, Array) and right.trace is not None and not _not_array(left):
        it.emit(TruthTested(place, right, "in", place))
    fp_l, fp_r = fingerprint(left), fingerprint(right)
    if fp_l is None or fp_r is None:
        return Opaque(static=True)
    base = ("cmp", "in", fp_l, fp_r)
    return Opaque(static=True, expr=base if op == "in" else it.intern(("not", base)))


def _compares_numbers(it: Interpreter, left: Value, right: Value) -> bool:
    """Whether `left in right` compares arrays: a name that may be a key of a dict does not."""
    if not isinstance(left, Opaque) or left.hint == "array":
        return not isinstance(right, Ref) or right.kind != "dict"
    items: Any = ()
    if isinstance(right, TupleV):
        items = right.items
    elif isinstance(right, Ref) and right.kind in ("list", "set"):
        items = it.st.content(right).items
    strings = [item for item in items if isinstance(item, Const) and isinstance(item.value, str)]
    if strings:
        return False
    if left.hint in ("element", "dict", "str"):
        return any(
            isinstance(item, Array) or (isinstance(item, Const) and isinstance(item.value, int)) for item in items
        )
    return True
