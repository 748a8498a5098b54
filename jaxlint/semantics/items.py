"""Reading and writing items: `x[i]`, `x[i] = v`, `del x[i]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.captures import container_read
from jaxlint.semantics.effects import read_item
from jaxlint.semantics.events import Concretized, ItemAssigned
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    UNKNOWN,
    Array,
    At,
    ClassV,
    Const,
    Content,
    Ext,
    ExtObj,
    Key,
    Many,
    Opaque,
    Place,
    Ref,
    SliceV,
    Trace,
    TupleV,
    Union,
    Value,
    ancestors,
    fingerprint,
    fresh_uid,
    members,
    merge_traces,
    traced_inside,
    weaken,
)

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Ctx
    from jaxlint.semantics.interpreter import Interpreter


def get_item(it: Interpreter, base: Value, index: Value, place: Place) -> Value:
    """The value of `base[index]`."""
    if isinstance(base, Array):
        return _array_item(it, base, index)
    if isinstance(base, Key):
        if isinstance(index, SliceV):
            from jaxlint.semantics.keys import sliced

            return sliced(it, base, index)
        from jaxlint.semantics.keys import row

        return row(it, base, index)
    if isinstance(base, At):
        return At(base.array, index, place)
    if isinstance(base, TupleV):
        return _tuple_item(it, base, index, place)
    if isinstance(base, Ref):
        if it.fr.ctx.remembers:
            container_read(it, base, place)
        return _ref_item(it, base, index, place)
    if isinstance(base, Opaque):
        return _opaque_item(it, base, index)
    if isinstance(base, Many):
        return _many_item(it, base, index, place)
    if isinstance(base, Union):
        return _union_item(it, base, index, place)
    if isinstance(base, Const):
        if isinstance(base.value, str) and index.trace is not None:
            it.emit(Concretized(place, index, "str index"))
        return Opaque(static=True)
    if isinstance(base, ExtObj):
        found = fingerprint(index)
        if found is None:
            return Opaque()
        return it.child((base.uid, "item", found), lambda: Opaque(trace=weaken(base.trace)))
    if isinstance(base, ClassV):
        return Opaque(static=True) if base.kind == "enum" else base  # a generic class with its parameters
    if isinstance(base, Ext):
        read_item(it, base.name, place)
        return base  # a subscripted generic, such as an annotation
    return UNKNOWN


def read_back(ctx: Ctx, base: Value, found: Value) -> None:
    """An item that was stored into a copy of an argument is read again: the store was not for the caller."""
    values = {id(item) for member in members(found) for item in ancestors(member)}
    ctx.pending = [
        (changed, event)
        for changed, event in ctx.pending
        if base.uid not in changed or id(getattr(event, "stored", None)) not in values
    ]


def _union_item(it: Interpreter, base: Union, index: Value, place: Place) -> Value:
    """An item of one of several values: a traced index is wrong only where none of them may be an array."""
    emit = it.emit
    if any(isinstance(member, Array | Opaque) for member in base.members):
        it.emit = lambda event: None if isinstance(event, Concretized) and event.place == place else emit(event)
    result: Value | None = None
    for member in base.members:
        part = get_item(it, member, index, place)
        result = part if result is None else join(result, part)
    it.emit = emit
    return result if result is not None else UNKNOWN


def _array_item(it: Interpreter, base: Array, index: Value) -> Value:
    trace = merge_traces(base.trace, traced_inside(index))
    if trace is None and it.fr.ctx.abstract and base.lib == "jax":
        trace = Trace(ABSTRACT, it.fr.ctx.why)
    if base.lib == "ref":
        return Array(trace or base.trace)
    if isinstance(index, SliceV) and all(
        isinstance(bound, Const) and bound.value is None for bound in (index.lower, index.upper, index.step)
    ):
        return base
    found = fingerprint(index)
    lib = base.lib if trace is None else "jax"
    if found is None:
        return Array(trace, lib=lib, dtype=base.dtype)
    shape = _item_shape(base, index)
    flags = trace.flags if trace is not None else 0
    return it.child(
        (base.uid, "i", found, flags),
        lambda: Array(trace, lib=lib, shape=shape, dtype=base.dtype, tag=("i", found)),
    )


def _item_shape(base: Array, index: Value) -> tuple[Value, ...] | None:
    if base.shape and not isinstance(index, TupleV | SliceV) and not isinstance(index, Array):
        return base.shape[1:]
    return None


def _tuple_item(it: Interpreter, base: TupleV, index: Value, place: Place) -> Value:
    items = base.items
    if isinstance(index, Const) and isinstance(index.value, int):
        return items[index.value] if -len(items) <= index.value < len(items) else UNKNOWN
    if isinstance(index, SliceV):
        bounds = _constant_slice(index)
        if bounds is not None:
            try:
                return TupleV(items[bounds])
            except (TypeError, ValueError):
                return UNKNOWN
        return Many("tuple", lambda i: items[i] if isinstance(i, int) and i < len(items) else UNKNOWN)
    _index_event(it, index, "tuple index", place)
    return _join_items(items)


def _constant_slice(index: SliceV) -> Any:
    """The slice, when its bounds are known."""
    bounds = (index.lower, index.upper, index.step)
    if not all(isinstance(bound, Const) for bound in bounds):
        return None
    return slice(*(bound.value for bound in bounds if isinstance(bound, Const)))


def _join_items(items: Any) -> Value:
    result: Value | None = None
    for item in items:
        result = item if result is None else join(result, item)
    return result if result is not None else UNKNOWN


def _index_event(it: Interpreter, index: Value, by: str, place: Place) -> None:
    if isinstance(index, Array | Opaque) and index.trace is not None:
        it.emit(Concretized(place, index, by))


def _ref_item(it: Interpreter, base: Ref, index: Value, place: Place) -> Value:
    content = it.st.content(base)
    found = fingerprint(index)
    if base.kind == "dict":
        key = index.value if isinstance(index, Const) else found
        try:
            value = content.items.get(key) if found is not None else None
        except TypeError:
            value = None
        if value is not None:
            return value  # type: ignore[no-any-return]
        if content.rest is not None:
            return _like(it, base, content.rest, found)
        if content.items and not content.open:
            return _like(it, base, _join_items(content.items.values()), found)
        if found is None:
            return Opaque()
        return it.child((base.uid, "item", found), lambda: Opaque(trace=base.trace))
    if base.kind == "list":
        if isinstance(index, Const) and isinstance(index.value, int) and not content.open:
            items = content.items
            if -len(items) <= index.value < len(items):
                return items[index.value]  # type: ignore[no-any-return]
        if isinstance(index, SliceV):
            for bound in (index.lower, index.upper, index.step):
                _index_event(it, bound, "list index", place)
            return _list_slice(it, base, content, index)
        _index_event(it, index, "list index", place)
        if content.rest is not None:
            return _like(it, base, content.rest, found)
        if content.items:
            return _like(it, base, _join_items(content.items), found)
        return Opaque()
    if base.kind == "object":
        from jaxlint.semantics.attributes import call_method_of

        result = call_method_of(it, base, "__getitem__", (index,), {}, place)
        if result is not None:
            return result
        if found is not None:
            return it.child((base.uid, "item", found), lambda: Opaque(trace=weaken(base.trace)))
    return Opaque()


def _like(it: Interpreter, base: Ref, rest: Value, found: Any) -> Value:
    """An element at an index whose position is not known."""
    from jaxlint.semantics.iteration import anonymous

    return anonymous(it, rest, (base.uid, "at", found if found is not None else fresh_uid()))


def _list_slice(it: Interpreter, base: Ref, content: Content, index: SliceV) -> Value:
    bounds = _constant_slice(index)
    if bounds is not None and not content.open and content.rest is None:
        try:
            return Ref("list", it.fr.ctx.depth, Content(tuple(content.items)[bounds]))
        except (TypeError, ValueError):
            return UNKNOWN
    rest = content.rest
    for item in content.items:
        rest = item if rest is None else join(rest, item)
    return Ref("list", it.fr.ctx.depth, Content((), rest, True))


def _opaque_item(it: Interpreter, base: Opaque, index: Value) -> Value:
    trace = base.trace
    index_trace = traced_inside(index)
    if base.hint == "array" and (trace is not None or index_trace is not None):
        return Array(merge_traces(trace, index_trace))
    if trace is None and index_trace is not None:
        # A list or an array indexed by a tracer: only an array can be.
        return Array(index_trace)
    found = fingerprint(index)
    if isinstance(index, SliceV | TupleV) and trace is not None:
        return Array(trace) if isinstance(index, TupleV) else Opaque(trace=trace, hint=base.hint)
    if found is None:
        return Opaque(static=base.static, trace=trace, hint="array" if base.hint == "array" else None)
    if isinstance(index, Const):
        changed = it.st.heap.get(base.uid)
        if isinstance(changed, Content):
            stored = changed.items.get(("item", index.value))
            if stored is not None:
                return stored  # type: ignore[no-any-return]
        if isinstance(index.value, int) and not isinstance(index.value, bool) and index.value >= 0:
            from jaxlint.semantics.iteration import item_of

            return item_of(it, base, index.value)
    name = f"{base.name}[…]" if base.name else ""
    return it.part(
        base,
        ("item", found),
        lambda: Opaque(name, trace=trace, static=base.static, parent=base, tag=("item", index)),
    )


def _many_item(it: Interpreter, base: Many, index: Value, place: Place) -> Value:
    if isinstance(index, Const) and isinstance(index.value, int):
        number = index.value
        if number < 0 and base.length is not None:
            number += base.length
        if number >= 0:
            return base.element(number)
        return base.element(number)
    if base.source is not None and isinstance(base.source, Key) and not isinstance(index, SliceV):
        return base.element(index)
    _index_event(it, index, "index", place)
    if isinstance(index, SliceV):
        return Opaque()
    found = fingerprint(index)
    return it.child((base.uid, "item", found), lambda: base.element(0)) if found is not None else Opaque()


def set_item(it: Interpreter, base: Value, index: Value, value: Value, place: Place, base_expr: Any, op: str) -> None:
    """`base[index] = value`, `del base[index]` or `base[index] op= value`."""
    from jaxlint.semantics.mutations import describe, is_jax_array, mutation

    if is_jax_array(it, base, base_expr):
        it.emit(ItemAssigned(place, base, op))
        return
    if isinstance(base, Array):
        from jaxlint.semantics.demands import check_store

        check_store(it, base, value, place)
        return
    if isinstance(base, Ref):
        stored = None if op == "del" else value
        if base.kind == "object" and base.cls is not None:
            from jaxlint.semantics.attributes import call_method_of

            if call_method_of(it, base, "__setitem__", (index, value), {}, place) is not None:
                return
        mutation(it, base, describe(base_expr), stored, place)
        if base.kind in ("list", "dict"):
            if base.kind == "list":
                _index_event(it, index, "list index", place)
            it.st.store(base, updated(it.st.content(base), base.kind, index, stored))
        return
    if isinstance(base, Opaque) and not base.static and not _array_like(index):
        if it.fr.ctx.transform.startswith("jax.experimental.pallas.") and not _is_text(index):
            return  # memory that a kernel was given, in an object of unknown class
        # A number may index a list, an array or a reference: only a name says that it is a container.
        if base.trace is None or (isinstance(index, Const) and isinstance(index.value, str)):
            mutation(it, base, describe(base_expr), None if op == "del" else value, place)
        if isinstance(index, Const) and op != "del":
            held = it.st.heap.get(base.uid)
            items = dict(held.items) if isinstance(held, Content) else {}
            try:
                items[("item", index.value)] = value
            except TypeError:
                return
            it.st.heap = {**it.st.heap, base.uid: Content(items, None, True)}


def _is_text(index: Value) -> bool:
    return isinstance(index, Const) and isinstance(index.value, str)


def _array_like(index: Value) -> bool:
    """Whether only an array or a reference to one can be indexed so."""
    if isinstance(index, TupleV):
        return any(_array_like(item) for item in index.items)
    return isinstance(index, SliceV) or (isinstance(index, Const) and index.value is ...)


def updated(content: Content, kind: str, index: Value, value: Value | None) -> Content:
    """What a container holds after a store at an index, or after a removal (`value` is `None`)."""
    found = fingerprint(index)
    if kind == "dict":
        items = dict(content.items)
        key = index.value if isinstance(index, Const) else found
        if found is None or not isinstance(index, Const):
            if value is None:
                return content
            rest = value if content.rest is None else join(content.rest, value)
            return Content(items, rest, True)
        if value is None:
            items.pop(key, None)
        else:
            items[key] = value
        return Content(items, content.rest, content.open)
    listed = list(content.items)
    if isinstance(index, Const) and isinstance(index.value, int) and -len(listed) <= index.value < len(listed):
        if value is None:
            del listed[index.value]
        else:
            listed[index.value] = value
        return Content(tuple(listed), content.rest, content.open)
    if value is None:
        return Content(tuple(listed), content.rest, True)
    rest = value if content.rest is None else join(content.rest, value)
    for item in listed:
        rest = join(rest, item)
    return Content((), rest, True)
