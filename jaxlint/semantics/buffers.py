"""Buffers: which were donated, and which `empty` left uninitialised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.events import DonatedRead, Donation, EmptyRead
from jaxlint.semantics.state import KEPT, State
from jaxlint.semantics.values import (
    NONE,
    Array,
    Const,
    ExtObj,
    Opaque,
    Place,
    Ref,
    SliceV,
    TupleV,
    Union,
    Value,
    ancestors,
    fingerprint,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

FULL = "full"


class Empty:
    """An array whose elements are not all written: where it was made and which parts were written since."""

    __slots__ = ("function", "parts", "place", "value")

    def __init__(self, place: Place, function: str, value: Value, parts: tuple[Any, ...] = ()) -> None:
        self.place = place
        self.function = function
        self.value = value
        self.parts = parts


def leaves(it: Interpreter, value: Value, depth: int = 0) -> Iterator[Value]:
    """The arrays and opaque values inside a value."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, Opaque):
        if not value.static:
            yield value
    elif depth < 4:
        if isinstance(value, TupleV):
            for item in value.items:
                yield from leaves(it, item, depth + 1)
        elif isinstance(value, Union):
            for item in value.members:
                yield from leaves(it, item, depth + 1)
        elif isinstance(value, Ref):
            content = it.st.content(value)
            for item in content.items.values() if isinstance(content.items, dict) else content.items:
                yield from leaves(it, item, depth + 1)
            if content.rest is not None:
                yield from leaves(it, content.rest, depth + 1)
            if content.open:
                yield value
        elif isinstance(value, ExtObj) and it.knowledge.classes.get(value.cls, "").endswith("_module"):
            yield value


# ---- donation -------------------------------------------------------------------------------------------------------


def donate(it: Interpreter, value: Value, place: Place, name: str) -> None:
    """The call at `place` took the buffers of `value`."""
    if it.fr.ctx.abstract:
        return
    for union in value.items if isinstance(value, TupleV) else (value,):
        if isinstance(union, Union):
            it.st.set_res(("d", union.uid), Donation(place, name, tuple(it.passes), union))
    for leaf in leaves(it, value):
        if isinstance(leaf, Array) and leaf.lib != "jax":
            continue
        if isinstance(leaf, Opaque) and leaf.tag == ("leaf",) and leaf.parent is not None:
            leaf = leaf.parent  # a map over the tree donates every leaf
        it.st.set_res(("d", leaf.uid), Donation(place, name, tuple(it.passes), leaf))
        it.donations += 1


def read(it: Interpreter, value: Value, place: Place, how: str) -> None:
    """The numbers of `value` are read at `place`."""
    res = it.st.res
    if not res or it.fr.ctx.shape:
        return
    if it.donations:
        read_donated(it, value, place)
    if it.empties:
        for leaf in _initialised_leaves(value):
            empty = empty_state(it, leaf)
            if empty is not None and not (how == "indexed" and empty.parts):
                it.emit(EmptyRead(empty.place, empty.function, place, how))


def read_donated(it: Interpreter, value: Value, place: Place) -> None:
    """The numbers of `value` are read: a buffer that was given away is gone."""
    if it.fr.ctx.abstract or it.fr.ctx.shape:
        return
    donation = _gone(it, value)
    if donation is not None:
        _report_donated(it, value, donation, place)


def _gone(it: Interpreter, value: Value, depth: int = 0) -> Donation | None:
    """The donation that took a buffer inside a value."""
    if isinstance(value, Union) and value.kept:
        own = it.st.res.get(("d", value.uid))
        return own if isinstance(own, Donation) else None
    if isinstance(value, TupleV) and depth < 4:
        return next((gone for item in value.items if (gone := _gone(it, item, depth + 1)) is not None), None)
    return next((gone for leaf in leaves(it, value, depth) if (gone := donated(it, leaf)) is not None), None)


def _initialised_leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Array | Opaque):
        yield value
    elif isinstance(value, Union):
        yield from (member for member in value.members if isinstance(member, Array | Opaque))


def donated(it: Interpreter, value: Value) -> Donation | None:
    """The donation that took the buffer of `value`, if any."""
    res = it.st.res
    current: Value | None = value
    while current is not None:
        found = res.get(("d", current.uid))
        if isinstance(found, Donation):
            return found
        parent = getattr(current, "parent", None)
        if isinstance(current, Array) and current.also is not None and parent is not None:
            return None if current.tag == KEPT else donated(it, parent) or donated(it, current.also)
        current = parent
    return None


def deletes(fn: ir.FunctionIR) -> bool:
    """Whether a function deals with deleted buffers itself: it asks for them or deletes them."""
    return any(
        use in (".delete", ".is_deleted")
        for inner in (fn, *(other for other in fn.module.functions if other.parent is fn))
        for uses in inner.uses.values()
        for use in uses
    )


def _report_donated(it: Interpreter, value: Value, donation: Donation, place: Place, name: str = "") -> None:
    loop = donation.place == place
    statement = (donation.place, place[0].path, place[0].statement_of[place[1]])
    if it.told.setdefault(statement, place) != place:
        return  # one report a statement
    if donation.place[0] is place[0] or it.fr.outermost:
        it.emit(DonatedRead(place, value, donation, name, loop))


def returned(it: Interpreter, value: Value, expr: ir.Expr) -> None:
    """A function returns `value`, which `expr` has given."""
    if not (it.donations or it.empties):
        return
    place = it.place(expr)
    if it.empties and it.fr.outermost and "untyped" not in it.st.facts:
        for leaf in _initialised_leaves(value):
            empty = empty_state(it, leaf)
            if empty is not None:
                it.emit(EmptyRead(empty.place, empty.function, place, "returned"))
    if it.donations and it.fr.outermost:
        items = value.items if isinstance(value, TupleV) else (value,)
        for position, item in enumerate(items):
            if isinstance(item, Array | Opaque):
                donation = donated(it, item)
                if donation is not None:
                    _report_donated(it, item, donation, place, _name_of_item(expr, position))
                    return


def _name_of_item(expr: ir.Expr, position: int) -> str:
    """The name that stands at a position of a tuple display."""
    items = expr.items if isinstance(expr, ir.Seq) else []
    item = items[position] if position < len(items) else None
    return item.name if isinstance(item, ir.Name) and not any(isinstance(other, ir.Star) for other in items) else ""


# ---- uninitialised memory -------------------------------------------------------------------------------------------


def make_empty(it: Interpreter, array: Array, place: Place, function: str) -> None:
    """`array` was made by `empty`."""
    from jaxlint.semantics.memos import counts_nothing

    if array.shape is not None and any(isinstance(size, Const) and size.value == 0 for size in array.shape):
        return
    if counts_nothing(it, place):
        return
    it.st.set_res(("e", array.uid), Empty(place, function, array))
    it.empties += 1


def copied(it: Interpreter, source: Value, copy: Value) -> None:
    """`copy` holds the elements of `source`, written or not."""
    empty = empty_state(it, source)
    if empty is not None and copy.uid and copy.uid != source.uid:
        it.st.set_res(("e", copy.uid), Empty(empty.place, empty.function, copy, empty.parts))


def carried(it: Interpreter, loop: str, results: dict[str, Value], given: Value) -> None:
    """What a loop hands back has the elements, written or not, that its body's last result has."""
    short = loop.rpartition(".")[2]
    if short == "scan":
        out = results.get("f")
        if isinstance(out, TupleV) and out.items and isinstance(given, TupleV) and given.items:
            _same_elements(it, out.items[0], given.items[0])
    elif short in ("fori_loop", "while_loop"):
        for name in ("body_fun", "body_fn"):
            if name in results:
                _same_elements(it, results[name], given)


def _same_elements(it: Interpreter, source: Value, copy: Value) -> None:
    if isinstance(source, TupleV) and isinstance(copy, TupleV):
        for item, other in zip(source.items, copy.items, strict=False):
            _same_elements(it, item, other)
    elif isinstance(copy, Array):
        copied(it, source, copy)


def empty_state(it: Interpreter, value: Value) -> Empty | None:
    """What is unwritten of a value, None when nothing is."""
    if not it.empties or not isinstance(value, Array | Opaque):
        return None
    found = it.st.res.get(("e", value.uid))
    if found is None and value.tag == ("leaf",) and value.parent is not None:
        found = it.st.res.get(("e", value.parent.uid))
    if found is None and isinstance(value, Array) and value.also is not None:
        for source in ancestors(value):
            found = found or it.st.res.get(("e", source.uid))
    return found if isinstance(found, Empty) else None


def write(it: Interpreter, base: Value, result: Array, index: Value, stored: Value | None = None) -> None:
    """`result` is `base` with the elements at `index` set to `stored`."""
    empty = empty_state(it, base)
    if empty is None:
        return
    if _moves(index) and it.fr.loops and not _inside_loop(it, empty.place):
        return  # the passes of the loop may cover it all
    part = describe(index)
    if part is None and isinstance(stored, Const) and not _may_be_everything(index):
        part = (0, ("some",))  # one number scattered to a few places
    if part is None:
        if it.passes and _counts(index):
            it.filling[result.uid] = (it.passes[-1][0], empty)
        return
    parts = (*empty.parts, part)
    if result.shape is None and isinstance(empty.value, Array):
        result.shape = empty.value.shape
    if not complete(parts, _lengths(empty.value)):
        it.st.set_res(("e", result.uid), Empty(empty.place, empty.function, result, parts))


def _inside_loop(it: Interpreter, place: Place) -> bool:
    """Whether a place is inside the innermost loop of the running function."""
    return place[0] is it.fr.fn.module and place[1] >= it.fr.loops[-1].start


def _moves(index: Value) -> bool:
    """Whether an index has a slice whose bounds may be others in each pass of a loop."""
    items = index.items if isinstance(index, TupleV) else (index,)
    slices = [item for item in items if isinstance(item, SliceV)]
    return any(not isinstance(bound, Const) for item in slices for bound in (item.lower, item.upper))


def _counts(index: Value) -> bool:
    """Whether an index goes along with the passes of a loop."""
    items = index.items if isinstance(index, TupleV) else (index,)
    return any(getattr(item, "hint", None) == "range" for item in items)


def left(it: Interpreter) -> None:
    """A `break` leaves the running loop: what its passes were filling has elements that no pass came to."""
    for value in it.st.env.values() if it.filling and it.passes else ():
        found = it.filling.get(value.uid) if isinstance(value, Array) else None
        if found is not None and found[0] == it.passes[-1][0]:
            empty = found[1]
            parts = (*empty.parts, (0, ("some",)))
            it.st.set_res(("e", value.uid), Empty(empty.place, empty.function, value, parts))


def write_slice(it: Interpreter, name: str, bound: dict[str, Value], result: Value) -> None:
    """`result` is the operand with a slice of it written over, where the slice is known not to be all of it."""
    base = bound.get("operand")
    if base is None or empty_state(it, base) is None or not isinstance(result, Array):
        return
    start = bound.get("start_indices", bound.get("start_index", bound.get("index")))
    axis = bound.get("axis", Const(0))
    if isinstance(start, Ref) and start.kind == "list":
        start = TupleV(tuple(it.st.content(start).items))
    if name.endswith("_in_dim"):
        if not isinstance(axis, Const) or not isinstance(axis.value, int) or axis.value < 0 or start is None:
            return
        start = TupleV((*(Const(0) for _ in range(axis.value)), start))
    if not isinstance(start, TupleV):
        return
    single = name.endswith("_index_in_dim")
    items = tuple(_from(item, single=single and item is start.items[-1]) for item in start.items)
    write(it, base, result, TupleV(items))


def _from(start: Value, *, single: bool) -> Value:
    """The index of what is written from `start` on, as far as it can be told: to the end, if it is no single row."""
    if single:
        return start
    return SliceV(start if isinstance(start, Const) else Const(0), NONE, NONE)


def without_passes(state: State) -> State:
    """A path on which a loop ran no pass: the arrays that it fills are taken to have no elements."""
    if any(isinstance(key, tuple) and key[0] == "e" for key in state.res):
        state.res = {key: held for key, held in state.res.items() if not (isinstance(key, tuple) and key[0] == "e")}
    return state


def describe(index: Value) -> Any:
    """(axis, what of it) of an index; None when it may be everything."""
    items = index.items if isinstance(index, TupleV) else (index,)
    described: list[tuple[int, Any]] = []
    places = [item.uid for item in items if isinstance(item, Array)]
    if len(set(places)) < len(places):
        return 0, ("some",)  # the same places along two axes: a diagonal
    for axis, item in enumerate(items):
        if isinstance(item, Const) and item.value is ...:
            if axis != len(items) - 1:
                return None
            continue
        if isinstance(item, SliceV):
            bounds = tuple(_bound(part) for part in (item.lower, item.upper, item.step))
            if any(bound is _UNKNOWN for bound in bounds):
                return None
            if bounds[0] in (None, 0) and bounds[1] is None and bounds[2] in (None, 1):
                continue
            described.append((axis, ("slice", *bounds)))
        elif isinstance(item, Const) and isinstance(item.value, int):
            described.append((axis, ("at", item.value)))
        elif isinstance(item, Opaque | Array) and isinstance(item.tag, tuple) and item.tag[0] == "from":
            if item.tag[1] > 0:
                described.append((axis, ("slice", item.tag[1], None, None)))
        else:
            return None
    if not described:
        return None
    return described[0] if len(described) == 1 else ("several", tuple(described))


def _may_be_everything(index: Value) -> bool:
    """Whether an index is no single unknown place."""
    return isinstance(index, SliceV | TupleV | Const) or getattr(index, "hint", None) == "range"


_UNKNOWN = object()


def _bound(value: Value) -> Any:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Array) or value.trace is not None:
        return _UNKNOWN
    found = fingerprint(value)
    return _UNKNOWN if found is None else found


def _lengths(value: Value) -> dict[int, Any]:
    """How long each axis of an array is, as the bounds of slices say it."""
    shape = value.shape if isinstance(value, Array) else None
    found = {axis: _bound(size) for axis, size in enumerate(shape or ())}
    return {axis: size for axis, size in found.items() if size is not _UNKNOWN}


def complete(parts: tuple[Any, ...], lengths: dict[int, Any]) -> bool:
    """Whether the written parts cover the whole array; `lengths` are those of its axes, where known."""
    if sum(1 for axis, _ in parts if axis == "several") and len(parts) >= 3:
        return True
    return any(
        _covers([what for where, what in parts if where == axis], lengths.get(axis))
        for axis in {axis for axis, _ in parts}
        if axis != "several"
    )


def _from_start(bound: Any, length: Any) -> Any:
    """A position counted from the end, as one from the start where the length is a known number."""
    known = type(bound) is int and bound < 0 and type(length) is int
    return bound + length if known else bound


def _covers(parts: list[Any], length: Any) -> bool:
    stripes: dict[int, set[int]] = {}
    starts: dict[Any, list[Any]] = {}
    for part in parts:
        if part[0] == "some":
            continue
        if part[0] == "at":
            start = _from_start(part[1], length)
            starts.setdefault(start, []).append(None if start == -1 else start + 1)
            continue
        _, lower, upper, step = part
        lower, upper = _from_start(lower, length), _from_start(upper, length)
        if isinstance(step, int) and step > 1 and upper is None and isinstance(lower or 0, int):
            stripes.setdefault(step, set()).add((lower or 0) % step)
        elif step in (None, 1):
            starts.setdefault(lower or 0, []).append(upper)
    if any(len(found) == step for step, found in stripes.items()):
        return True
    reached, frontier = set(), [0]
    while frontier:
        position: Any = frontier.pop()
        for end in starts.get(position, ()):
            if end is None or (length is not None and end == length):
                return True
            if end not in reached:
                reached.add(end)
                frontier.append(end)
    return False
