"""Going through values: loops, unpacking, and the builtins that make iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, dunders, effects
from jaxlint.semantics.captures import container_read
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    UNKNOWN,
    Array,
    Const,
    Content,
    ExtObj,
    Key,
    Many,
    Opaque,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    fresh_uid,
    weaken,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


class Sequence:
    """What a loop goes through: its static length where known, and its element on a pass."""

    __slots__ = ("get", "length", "nonempty")

    def __init__(self, get: Callable[[int], Value], length: int | None = None, nonempty: bool = False) -> None:
        self.get = get
        self.length = length
        self.nonempty = nonempty

    def element(self, it: Interpreter, number: int) -> Value:
        """The element of pass `number`."""
        return self.get(number)

    def from_end(self, it: Interpreter, number: int) -> Value:
        """The element of pass `number` when going backwards; of its own where the length is not known."""
        if self.length is not None:
            return self.get(self.length - 1 - number)
        return anonymous(it, self.get(0), (id(self), "reversed", number))


def iterate(it: Interpreter, value: Value, place: Place) -> Sequence:
    """How to go through `value`."""
    if it.donations:
        buffers.read_donated(it, value, place)
    kind = type(value)
    if kind is TupleV:
        items = value.items  # type: ignore[attr-defined]
        return Sequence(lambda i: items[i] if 0 <= i < len(items) else UNKNOWN, len(items))
    if isinstance(value, Ref):
        if it.fr.ctx.remembers:
            container_read(it, value, place)
        own = dunders.iterator(it, value, place)
        return iterate(it, own, place) if own is not None else _iterate_ref(it, value)
    if isinstance(value, Key):
        from jaxlint.semantics.keys import row

        return Sequence(lambda i: row(it, value, Const(i)), value.rows)
    if isinstance(value, Many):
        return Sequence(value.element, value.length)
    if isinstance(value, Array):
        length = None
        if value.shape and isinstance(value.shape[0], Const) and isinstance(value.shape[0].value, int):
            length = value.shape[0].value
        trace, lib = value.trace, value.lib
        return Sequence(
            lambda i: it.part(value, ("i", i), lambda: Array(trace, lib=lib, parent=value, tag=("i", i))), length
        )
    if isinstance(value, Opaque):
        return Sequence(lambda i: _opaque_element(it, value, i))
    if isinstance(value, Const):
        if isinstance(value.value, str) and len(value.value) <= 6:
            text = value.value
            return Sequence(lambda i: Const(text[i]) if i < len(text) else UNKNOWN, len(text))
        return Sequence(lambda i: Opaque(static=True))
    if isinstance(value, Union):
        parts = [iterate(it, member, place) for member in value.members]

        def element(i: int) -> Value:
            result = parts[0].get(i)
            for part in parts[1:]:
                result = join(result, part.get(i))
            return result

        return Sequence(element)
    if isinstance(value, ExtObj):
        owner = value.uid
        known = it.knowledge.classes.get(value.cls)
        if known == "key_stream":
            return Sequence(lambda i: Key(place))
        if known == "progress":
            return _iterate_progress(it, value, place)
        return Sequence(lambda i: it.child((owner, "i", i), Opaque))
    serial = fresh_uid()
    return Sequence(lambda i: it.child((serial, "i", i), Opaque))


def _iterate_progress(it: Interpreter, bar: ExtObj, place: Place) -> Sequence:
    """A progress bar goes through its first argument, and shows it."""
    if it.fr.ctx.depth and not it.fr.ctx.shape:
        effects.tell(it, bar.cls, "effect", ("io", "progress"), None, place)
    source = bar.args[0] if bar.args else bar.kwargs.get("iterable")
    if source is None:
        return Sequence(lambda i: Opaque())
    if isinstance(source, Const) or (isinstance(source, Opaque) and source.static):
        return Sequence(lambda i: it.child((bar.uid, "range", i), lambda: Opaque(static=True, hint="range")))
    return iterate(it, source, place)


def item_of(it: Interpreter, value: Opaque, index: Any) -> Value:
    """The element of an opaque value at a pass or constant index."""
    tag = ("i", index)

    def make() -> Value:
        if value.hint == "dict" and not (isinstance(index, tuple) and index[:1] == ("value",)):
            return Opaque(static=True, parent=value, tag=tag)
        name = f"{value.name}[…]" if value.name else ""
        return Opaque(name, trace=value.trace, static=value.static, parent=value, tag=tag, hint=_element_hint(value))

    return it.part(value, tag, make)


def _opaque_element(it: Interpreter, value: Opaque, index: Any) -> Value:
    """The element of a pass: where the value may be a dict, perhaps one of its keys."""
    if value.trace is None or value.hint in ("array", "dict", "key"):
        return item_of(it, value, index)
    return it.part(
        value,
        ("element", index),
        lambda: Opaque(f"{value.name}[…]", trace=value.trace, hint="element", parent=value, tag=("i", index)),
    )


def _element_hint(value: Opaque) -> str | None:
    return "array" if value.hint == "array" else None


def _iterate_ref(it: Interpreter, ref: Ref) -> Sequence:
    content: Content = it.st.content(ref)
    if ref.kind == "dict":
        keys = list(content.items)
        if not content.open and content.rest is None:
            return Sequence(lambda i: _key_value(keys[i]) if 0 <= i < len(keys) else UNKNOWN, len(keys))
        return Sequence(lambda i: it.child((ref.uid, "k", i), lambda: Opaque(static=True)), nonempty=bool(keys))
    if ref.kind in ("list", "set"):
        items = content.items
        if not content.open and content.rest is None:
            return Sequence(lambda i: items[i] if 0 <= i < len(items) else UNKNOWN, len(items))
        rest = content.rest

        def element(i: int) -> Value:
            if 0 <= i < len(items):
                return items[i]  # type: ignore[no-any-return]
            if rest is None:
                return it.child((ref.uid, "i", i), Opaque)
            return anonymous(it, rest, (ref.uid, "i", i))

        return Sequence(element, nonempty=bool(items))
    return Sequence(lambda i: it.child((ref.uid, "i", i), Opaque))


def anonymous(it: Interpreter, rest: Value, key: Any) -> Value:
    """An element at a position of its own that is like `rest`: what is known of it, without its identity."""
    if isinstance(rest, Key):
        made = it.child(
            (*key, "like", rest.uid), lambda: Key(rest.place, many=rest.many, trace=rest.trace, rows=rest.rows)
        )
        known = it.global_keys.get(rest.uid)
        if known is not None:
            it.global_keys[made.uid] = known
        return made
    if isinstance(rest, Opaque):
        return it.child(
            (*key, "like", rest.uid),
            lambda: Opaque(rest.name, trace=rest.trace, static=rest.static, hint=rest.hint, parent=rest),
        )
    if isinstance(rest, Array):
        return it.child((*key, "like", rest.uid), lambda: Array(rest.trace, lib=rest.lib, parent=rest))
    if isinstance(rest, TupleV):
        items = tuple(anonymous(it, item, (*key, position)) for position, item in enumerate(rest.items))
        return TupleV(items, rest.cls, rest.names)
    if isinstance(rest, Union):
        return Union(tuple(anonymous(it, member, (*key, position)) for position, member in enumerate(rest.members)))
    return rest


def _key_value(key: Any) -> Value:
    return Opaque(static=True) if isinstance(key, tuple) and key[:1] in (("u",), ("x",)) else Const(key)


def unpack(it: Interpreter, value: Value, count: int, star: int | None, place: Place) -> list[Value]:
    """The parts that `a, b, *c = value` binds; a starred part is a list."""
    if isinstance(value, Union):
        alternatives = [unpack(it, member, count, star, place) for member in value.members]
        result = alternatives[0]
        for other in alternatives[1:]:
            result = [join(a, b) for a, b in zip(result, other, strict=True)]
        return result
    if isinstance(value, Key):
        return _unpack_key(it, value, count, star)
    sequence = iterate(it, value, place)
    length = sequence.length
    if star is None:
        if length is not None and length != count:
            return [UNKNOWN] * count
        return [sequence.element(it, i) for i in range(count)]
    parts: list[Value] = []
    after = count - star - 1
    for position in range(count):
        if position < star:
            parts.append(sequence.element(it, position))
        elif position == star:
            if length is not None and length >= count - 1:
                inner = tuple(sequence.element(it, i) for i in range(star, length - after))
                parts.append(Ref("list", it.fr.ctx.depth, Content(inner)))
            else:
                parts.append(Ref("list", it.fr.ctx.depth, Content((), sequence.element(it, star), True)))
        elif length is not None and length >= count - 1:
            parts.append(sequence.element(it, length - (count - position)))
        else:
            parts.append(Opaque(trace=weaken(value.trace)))
    return parts


def _unpack_key(it: Interpreter, value: Key, count: int, star: int | None) -> list[Value]:
    from jaxlint.semantics.keys import part, row

    if star is None:
        return [row(it, value, Const(i)) for i in range(count)]
    parts: list[Value] = []
    for position in range(count):
        if position < star:
            parts.append(row(it, value, Const(position)))
        elif position == star:
            parts.append(part(it, value, position, None if position == count - 1 else -(count - position - 1)))
        else:
            parts.append(row(it, value, Const(position - count)))
    return parts
