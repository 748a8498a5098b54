"""Concrete arrays that a traced function closes over: they become constants of its program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.attributes import METADATA
from jaxlint.semantics.compiles import parts
from jaxlint.semantics.events import ArrayCaptured
from jaxlint.semantics.provenance import argument, made_of, number, short
from jaxlint.semantics.values import Array, Made, Place, Ref, SliceV, TupleV, Value, is_none
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Frame
    from jaxlint.semantics.interpreter import Interpreter

LARGE = 1 << 18
"""From this many numbers on, an array of an enclosing function is large."""

SMALL = 1 << 10
"""Up to this many, an array of the module is no burden."""

Shape = tuple[int, ...]


def captured(it: Interpreter, frame: Frame) -> None:
    """Tell which arrays of outer scopes a function reads that starts to run under a trace."""
    for name, node in _reads(it, frame.fn):
        value, is_global = _outer(it, frame, name)
        if value is None:
            continue
        place: Place = (frame.fn.module, node)
        for array in _arrays(it, value):
            shape = shape_of(it, array)
            size = _size(shape) if shape is not None else None
            large = is_global if size is None else size > (SMALL if is_global else LARGE)
            if large:
                it.emit(ArrayCaptured(place, name, frame.fn.name, shape))
                break


def _outer(it: Interpreter, frame: Frame, name: str) -> tuple[Value | None, bool]:
    """The value that a name of an outer scope has, and whether it is one of the module."""
    closure = frame.own.parent
    while closure is not None:
        if name in closure.fn.locals:
            if closure.depth >= frame.ctx.depth:
                return None, False
            env = it.st.frames.get(closure.fid) or closure.env
            return (env.get(name) if env is not None else None), closure.fn.parent is None
        closure = closure.parent
    return frame.env.names.get(name), True


def _arrays(it: Interpreter, value: Value) -> list[Array]:
    """The concrete arrays that a value is or holds."""
    if isinstance(value, Array):
        return [value] if value.trace is None and value.lib in ("jax", "numpy") else []
    if isinstance(value, Ref) and value.kind in ("dict", "list"):
        content = it.st.content(value)
        held = content.items.values() if isinstance(content.items, dict) else content.items
        return [item for item in held if isinstance(item, Array) and item.trace is None]
    return []


# ---- which names ----------------------------------------------------------------------------------------------------


def _reads(it: Interpreter, fn: ir.FunctionIR) -> list[tuple[str, int]]:
    """The first read of each name that a function does not bind, where more than its type is asked for."""
    known: list[tuple[str, int]] | None = it.memo.get(("reads", id(fn)))
    if known is not None:
        return known
    found: dict[str, int] = {}
    queue: list[Any] = list(reversed(fn.body))
    while queue:
        node = queue.pop()
        if type(node) is ir.Name:
            if node.name not in fn.locals:
                found.setdefault(node.name, node.id)
            continue
        if isinstance(node, ir.FunctionDef | ir.ClassDef | ir.Lambda):
            continue
        if isinstance(node, ir.Attr) and node.attr in METADATA:
            continue
        if (
            isinstance(node, ir.Call)
            and isinstance(node.func, ir.Name)
            and node.func.name in ("len", "isinstance", "type")
        ):
            continue
        queue += reversed(list(parts(node)))
    result = list(found.items())
    it.memo[("reads", id(fn))] = result
    return result


# ---- sizes ----------------------------------------------------------------------------------------------------------


def _size(shape: Shape) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def shape_of(it: Interpreter, value: Value, depth: int = 0) -> Shape | None:
    """The shape of an array, where the program fixes it."""
    if number(value) is not None:
        return ()
    made = made_of(value)
    if made is None or depth > 12:
        return None
    if made.op == "[]":
        return _indexed(it, made, depth)
    kind = short(made)
    if "." in made.op:
        position = {"zeros": 0, "ones": 0, "empty": 0, "full": 0}.get(kind)
        if position is not None:
            return _numbers(it, argument(made, position, "shape"))
        if kind in ("normal", "uniform", "random", "standard_normal", "integers", "randint", "truncated_normal"):
            return _numbers(it, argument(made, 1 if made.op.startswith("jax.") else 9, "shape", "size"))
        if kind in ("linspace", "logspace"):
            return _numbers(it, argument(made, 2, "num"))
        if kind == "arange" and len(made.args) == 1:
            return _numbers(it, made.args[0])
        if kind == "eye":
            side = _numbers(it, argument(made, 0, "N", "n"))
            return (side[0], side[0]) if side else None
    return _elementwise(it, made, depth)


def _elementwise(it: Interpreter, made: Made, depth: int) -> Shape | None:
    info = it.knowledge.function(made.op) if "." in made.op else None
    copies = short(made) in ("asarray", "array", "astype", "inv", "tril", "triu")
    if "." in made.op and not copies and (info is None or info.returns[0] != "elementwise"):
        return None
    shapes = [shape_of(it, part, depth + 1) for part in (made.args[:1] if copies else made.args)]
    result: Shape = ()
    for shape in shapes:
        if shape is None:
            return None
        result = _broadcast(result, shape)
    return result


def _broadcast(a: Shape, b: Shape) -> Shape:
    longer, other = (a, b) if len(a) >= len(b) else (b, a)
    padded = (1,) * (len(longer) - len(other)) + other
    return tuple(max(x, y) for x, y in zip(longer, padded, strict=True))


def _indexed(it: Interpreter, made: Made, depth: int) -> Shape | None:
    base = shape_of(it, made.args[0], depth + 1)
    index = made.args[1]
    items = index.items if isinstance(index, TupleV) else (index,)
    if base is None:
        return None
    left, out = list(base), []
    for item in items:
        if is_none(item):
            out.append(1)
        elif isinstance(item, SliceV) and left and is_none(item.lower) and is_none(item.upper):
            out.append(left.pop(0))
        else:
            return None
    return (*out, *left)


def _numbers(it: Interpreter, value: Value | None) -> Shape | None:
    """The lengths that a shape argument gives."""
    items: tuple[Value, ...]
    if isinstance(value, TupleV):
        items = value.items
    elif isinstance(value, Ref) and value.kind == "list":
        items = tuple(it.st.content(value).items)
    else:
        items = (value,) if value is not None else ()
    found = [number(item) for item in items]
    if not found or any(length is None for length in found):
        return None
    return tuple(int(length) for length in found if length is not None)
