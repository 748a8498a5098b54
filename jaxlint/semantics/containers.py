"""Methods of lists, dicts, sets and deques that the analysis follows by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import captures
from jaxlint.semantics.items import get_item, set_item, updated
from jaxlint.semantics.mutations import mutation
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    CONTAINER_CHANGES,
    NONE,
    UNKNOWN,
    Const,
    Content,
    Many,
    Opaque,
    Place,
    Ref,
    TupleV,
    Value,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


CHANGES = CONTAINER_CHANGES | {"popleft", "extendleft", "rotate", "write"}


def call_container(
    it: Interpreter,
    ref: Ref,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
    base_name: str = "",
) -> Value:
    """A method of a list, dict or set."""
    from jaxlint.semantics.iteration import iterate

    content = it.st.content(ref)
    if name not in CHANGES:
        if it.fr.ctx.remembers:
            captures.container_read(it, ref, place)
    else:
        stored = args[-1] if args and name not in ("pop", "remove", "clear", "sort", "reverse", "popitem") else None
        if name in ("update",) and kwargs:
            stored = next(iter(kwargs.values()))
        mutation(it, ref, base_name or ref.name or "…", stored, place, accumulates=True)
    if ref.kind == "list":
        return _list_method(it, ref, content, name, args, place)
    if ref.kind == "dict":
        return _dict_method(it, ref, content, name, args, kwargs, place)
    if name in ("add", "update") and args:
        value = args[0] if name == "add" else iterate(it, args[0], place).element(it, 0)
        rest = value if content.rest is None else join(content.rest, value)
        it.st.store(ref, Content(content.items, rest, True))
        return NONE
    return Opaque()


def _list_method(
    it: Interpreter, ref: Ref, content: Content, name: str, args: tuple[Value, ...], place: Place
) -> Value:
    from jaxlint.semantics.iteration import iterate

    st = it.st
    if name == "append" and args:
        if content.open or content.rest is not None:
            rest = args[0] if content.rest is None else join(content.rest, args[0])
            st.store(ref, Content(content.items, rest, True))
        elif len(content.items) < 64:
            st.store(ref, Content((*content.items, args[0])))
        else:
            st.store(ref, Content(content.items, args[0], True))
        return NONE
    if name == "extend" and args:
        sequence = iterate(it, args[0], place)
        if sequence.length is not None and sequence.length < 32 and not content.open and content.rest is None:
            added = tuple(sequence.element(it, i) for i in range(sequence.length))
            st.store(ref, Content(content.items + added))
        else:
            element = sequence.element(it, 0)
            rest = element if content.rest is None else join(content.rest, element)
            st.store(ref, Content(content.items, rest, True))
        return NONE
    if name == "pop":
        items = content.items
        if not content.open and content.rest is None and items:
            index = args[0].value if args and isinstance(args[0], Const) else (-1 if not args else None)
            if isinstance(index, int) and -len(items) <= index < len(items):
                left = list(items)
                popped = left.pop(index)
                st.store(ref, Content(tuple(left)))
                return popped  # type: ignore[no-any-return]
        return Opaque()
    if name in ("clear",):
        st.store(ref, Content(()))
        return NONE
    if name == "insert" and len(args) == 2 and not content.open and content.rest is None and _is_index(args[0]):
        held = list(content.items)
        held.insert(args[0].value, args[1])  # type: ignore[attr-defined]
        st.store(ref, Content(tuple(held)))
        return NONE
    if name in ("insert", "remove"):
        kept: Value | None = content.rest
        for item in (*content.items, *(args[1:] if name == "insert" else ())):
            kept = item if kept is None else join(kept, item)
        st.store(ref, Content((), kept, True))
        return NONE
    if name == "copy":
        return Ref("list", it.fr.ctx.depth, content)
    if name in ("index", "count"):
        return Opaque(static=True)
    if name in ("sort", "reverse"):
        if name == "reverse" and not content.open and content.rest is None:
            st.store(ref, Content(tuple(reversed(content.items))))
        return NONE
    return Opaque()


def _is_index(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int


def _dict_method(
    it: Interpreter,
    ref: Ref,
    content: Content,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
) -> Value:
    st = it.st
    known = not content.open and content.rest is None
    if name in ("get", "pop", "setdefault") and args:
        found = get_item(it, ref, args[0], place) if _has(content, args[0]) or not known else None
        default = args[1] if len(args) > 1 else NONE
        if found is None:
            if name == "setdefault":
                set_item(it, ref, args[0], default, place, None, "=")
            return default
        if name == "pop":
            st.store(ref, updated(content, "dict", args[0], None))
        return found if _has(content, args[0]) else join(found, default)
    if name == "update":
        items = dict(content.items)
        opened, rest = content.open, content.rest
        source = args[0] if args else None
        if isinstance(source, Ref) and source.kind == "dict":
            other = st.content(source)
            items.update(other.items)
            opened |= other.open
            rest = other.rest if rest is None else rest
        elif source is not None:
            opened = True
            rest = rest if rest is not None else UNKNOWN
        items.update(kwargs)
        st.store(ref, Content(items, rest, opened))
        return NONE
    if name in ("items", "values", "keys"):
        return dict_view(it, ref, content, name)
    if name == "copy":
        return Ref("dict", it.fr.ctx.depth, content)
    if name == "clear":
        st.store(ref, Content({}))
        return NONE
    return Opaque()


def _has(content: Content, key: Value) -> bool:
    try:
        return isinstance(key, Const) and key.value in content.items
    except TypeError:
        return False


def dict_view(it: Interpreter, ref: Ref, content: Content, name: str) -> Value:
    """`d.items()`, `d.values()` or `d.keys()`."""
    keys = list(content.items)
    known = not content.open and content.rest is None

    def element(i: Any) -> Value:
        number = i if isinstance(i, int) else 0
        key: Value
        if number < len(keys):
            key = Const(keys[number]) if not isinstance(keys[number], tuple) else Opaque(static=True)
            value = content.items[keys[number]]
        else:
            key = it.child((ref.uid, "k", number), lambda: Opaque(static=True))
            value = content.rest if content.rest is not None else it.child((ref.uid, "val", number), Opaque)
        if name == "keys":
            return key
        return value if name == "values" else TupleV((key, value))

    return Many("values" if name != "keys" else "static", element, len(keys) if known else None)
