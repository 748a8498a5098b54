"""What a transformation gives back for what its callables returned (`gives` in the table)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import TransformInfo, term
from jaxlint.semantics import (
    buffers,
)
from jaxlint.semantics.libraries import returned
from jaxlint.semantics.lifting import strip
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    UNKNOWN,
    Array,
    Const,
    Content,
    Key,
    Opaque,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def gives(
    it: Interpreter,
    info: TransformInfo,
    wrapped: Wrapped,
    out: Value,
    args: tuple[Value, ...],
    place: Place,
    results: dict[str, Value] | None = None,
    bound: dict[str, Value] | None = None,
) -> Value:
    """The value that the column `gives` describes."""
    return _given(it, info.gives or "out", info, wrapped, out, args, place, results or {}, bound or {})


def _given(
    it: Interpreter,
    text: str,
    info: TransformInfo,
    wrapped: Wrapped,
    out: Value,
    args: tuple[Value, ...],
    place: Place,
    results: dict[str, Value],
    bound: dict[str, Value],
) -> Value:
    def again(inner: str) -> Value:
        return _given(it, inner, info, wrapped, out, args, place, results, bound)

    kind, parts = term(text)
    if kind == "out" or kind in results:
        value = results.get(kind, out)
        return value if info.mode in ("eager", "custom", "handler", "rule") else strip(it, value, place)
    if kind == "item" and len(parts) == 2:
        source = again(parts[0])
        position = int(parts[1])
        if isinstance(source, TupleV) and position < len(source.items):
            return source.items[position]
        return Opaque()
    if kind == "stack":
        return _stacked(it, again(parts[0]), place)
    if kind == "like":
        return _like(it, parts[0] if parts else "", bound, args, place)
    if kind == "grads":
        found = args[0] if args else UNKNOWN
        return strip(it, found, place) if isinstance(found, Array | Opaque | TupleV | Ref) else Opaque(hint="array")
    if kind == "tuple":
        return TupleV(tuple(again(part) for part in parts))
    if kind == "list":
        return Ref("list", it.fr.ctx.depth, Content((), again(parts[0]) if parts else None, True))
    if kind == "when":
        flag = wrapped.options.get(parts[0])
        if flag is None:
            return again(parts[2]) if len(parts) > 2 else UNKNOWN
        if isinstance(flag, Const):
            return again(parts[1] if flag.value else parts[2])
        return Opaque()
    if kind == "join":
        values = [results[part] for part in parts if part in results]
        if not values:
            return Opaque()
        result = values[0]
        for value in values[1:]:
            result = join(result, value)
        return strip(it, result, place) if info.mode != "eager" else result
    if kind == "maptree":
        return _mapped_tree(it, bound.get(parts[0]) if parts else None, out)
    if kind in ("callable", "shapes", "static", "unknown", "elem", "numpy"):
        return Opaque(static=kind in ("static",))
    return returned(it, (kind, parts), bound, args, {}, place, info.name)


def _like(it: Interpreter, name: str, bound: dict[str, Value], args: tuple[Value, ...], place: Place) -> Value:
    if name == "args":
        return strip(it, args[0], place) if args else Opaque()
    value = bound.get(name)
    return strip(it, value, place) if value is not None else Opaque()


def _stacked(it: Interpreter, value: Value, place: Place) -> Value:
    """The result with a leading axis."""
    if isinstance(value, Key):
        return Key(place, many=True, trace=value.trace, tag="result")
    if isinstance(value, TupleV):
        return TupleV(tuple(_stacked(it, item, place) for item in value.items), value.cls, value.names)
    if isinstance(value, Array):
        return Array(value.trace)
    if isinstance(value, Ref | Union):
        return value if isinstance(value, Ref) else Opaque(trace=value.trace)
    return value


def _mapped_tree(it: Interpreter, tree: Value | None, out: Value) -> Value:
    """`tree.map(f, tree)`: the shape of the tree with the results of `f`; an identity keeps the tree itself."""
    if tree is None:
        return Opaque()
    for item in _chain(out):
        if item is tree or (isinstance(item, Opaque) and item.uid == tree.uid):
            return tree
    if isinstance(tree, Array | Const | Key):
        return out
    if isinstance(tree, TupleV):
        return TupleV(tuple(_mapped_tree(it, item, _again(item, out)) for item in tree.items), tree.cls, tree.names)
    if isinstance(tree, Ref) and tree.kind in ("dict", "list"):
        content = it.st.content(tree)
        rest = _mapped_tree(it, content.rest, _again(content.rest, out)) if content.rest is not None else None
        items: Any
        if isinstance(content.items, dict):
            items = {name: _mapped_tree(it, item, _again(item, out)) for name, item in content.items.items()}
        else:
            items = tuple(_mapped_tree(it, item, _again(item, out)) for item in content.items)
        return Ref(tree.kind, it.fr.ctx.depth, Content(items, rest, content.open))
    if isinstance(out, Key):
        return Opaque(trace=out.trace)
    made = Opaque(getattr(tree, "name", ""), trace=out.trace if out.trace is not None else None)
    empty = buffers.empty_state(it, out)
    if empty is not None:
        it.st.set_res(("e", made.uid), buffers.Empty(empty.place, empty.function, made, empty.parts))
    return made


def _chain(out: Value) -> Iterable[Value]:
    if isinstance(out, Opaque) and out.tag == ("leaf",) and out.parent is not None:
        yield out.parent
    yield out


def _again(item: Value, out: Value) -> Value:
    """The result for another leaf: like `out`, with an identity of its own."""
    if out is item:
        return item
    if isinstance(out, Array):
        return Array(out.trace, lib=out.lib)
    if isinstance(out, Opaque):
        return Opaque(trace=out.trace, hint=out.hint)
    return out
