"""Loops that compile on each pass: a static argument or a shape changes with the loop variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.compiles import nodes, runs_traced
from jaxlint.semantics.events import CompiledForEach
from jaxlint.semantics.provenance import argument, made_of, short
from jaxlint.semantics.values import (
    Array,
    Const,
    Made,
    Opaque,
    Partial,
    Ref,
    SliceV,
    TupleV,
    Value,
    Wrapped,
    is_none,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_STEPPING = frozenset(["+", "-", "*", "//", "**", "/", "<<"])
_SIZED = {
    "zeros": 0,
    "ones": 0,
    "empty": 0,
    "full": 0,
    "eye": 0,
    "identity": 0,
    "tri": 0,
    "hanning": 0,
    "linspace": 2,
    "logspace": 2,
    "geomspace": 2,
    "normal": 1,
    "uniform": 1,
    "bernoulli": 2,
    "broadcast_to": 1,
}
"""Functions whose result is as large as one of their arguments says."""

_ARITHMETIC = frozenset(["+", "-", "*", "/", "**", "//", "%", "@", "<", ">", "<=", ">=", "==", "!=", "&", "|", "~"])
_LENGTHENING = frozenset(["concatenate", "append", "hstack", "vstack", "pad"])
_COPYING = frozenset(["astype", "asarray", "array", "copy", "flip", "cumsum", "sort"])


def called(
    it: Interpreter, wrapped: Wrapped, skip: int, args: tuple[Value, ...], kwargs: dict[str, Value], expr: ir.Call
) -> None:
    """A compiled function is called; tell when a loop hands it another static value or shape on each pass."""
    fr = it.fr
    own = it.passes[fr.passes :]
    if not own or fr.ctx.abstract or own[-1][0] in it.short_loops:
        return
    from jaxlint.semantics.wrappers import Chosen, parameter_names

    static = Chosen(it, wrapped, "static_argnums", "static_argnames")
    filtered = wrapped.transform.name.startswith("equinox.")
    names = (parameter_names(wrapped.inner) or [])[skip:]
    since = own[0][0]
    for position, name, value, source in _arguments(args, kwargs, names, expr):
        chosen = static.has(position + skip if position is not None else None, name)
        if chosen or (filtered and isinstance(value, Opaque | Const)):
            kind, sizes = "default" if chosen else "filter_jit", [value]
        elif isinstance(value, Array | Opaque):
            kind, sizes = "shape", list(_sizes(it, value, since))
        else:
            continue
        changing = any(_steps(size, since) for size in sizes) or _counts_on(it, expr, source, position or name, sizes)
        changing = changing or (kind == "shape" and _grows(it, expr, position or name, value))
        if changing and (kind != "filter_jit" or static.known):
            shown = name or f"{(position or 0) + 1}"
            event = CompiledForEach(it.place(expr), kind, shown, _called_name(expr))
            fn = fr.fn
            it.later.append(lambda event=event, fn=fn: None if runs_traced(it, fn) else it.emit(event))  # type: ignore[misc]
            return


def _arguments(
    args: tuple[Value, ...], kwargs: dict[str, Value], names: list[str], expr: ir.Call
) -> Iterator[tuple[int | None, str | None, Value, ir.Expr | None]]:
    """Each argument by position and name, with its expression where that is one argument's own."""
    plain = not any(type(source) is ir.Star for source in expr.args)
    for position, value in enumerate(args):
        name = names[position] if position < len(names) else None
        yield position, name, value, expr.args[position] if plain and position < len(expr.args) else None
    sources = dict(expr.keywords)
    for name, value in kwargs.items():
        yield None, name, value, sources.get(name)


def _called_name(expr: ir.Call) -> str:
    func = expr.func
    return func.name if type(func) is ir.Name else func.attr if type(func) is ir.Attr else "the function"


# ---- what changes ---------------------------------------------------------------------------------------------------


def _steps(value: Value, since: int, depth: int = 0) -> bool:
    """Whether a number takes a new value on each pass: a counting loop's variable, or computed from it by steps."""
    if isinstance(value, TupleV):
        return any(_steps(item, since, depth + 1) for item in value.items)
    if not isinstance(value, Opaque) or value.trace is not None or depth > 6:
        return False
    if value.made is not None:
        if value.made.op not in _STEPPING:
            return False
        return any(_steps(part, since, depth + 1) for part in value.made.args)
    counter = value.tag is None or (isinstance(value.tag, tuple) and value.tag[0] == "from")
    return value.static and value.hint == "range" and value.uid > since and counter


def _counts_on(it: Interpreter, expr: ir.Call, source: ir.Expr | None, key: Any, sizes: list[Value]) -> bool:
    """Whether a number that the loop itself counts on (`n += 1`) was another one on the pass before."""
    found = tuple(size.value for size in sizes if isinstance(size, Const) and type(size.value) is int)
    if source is None or not found:
        return False
    loop, number = it.passes[-1]
    fact = ("argument", loop, expr.id, key, found)
    before = [held for held in it.st.facts if isinstance(held, tuple) and held[:4] == fact[:4]]
    it.st.assume(fact, True)
    if number == 0 or not before or fact in before:
        return False
    names = {node.name for node in nodes([source]) if type(node) is ir.Name}
    counted = {
        node.target.name
        for node in nodes(it.fr.fn.body)
        if type(node) is ir.AugAssign and type(node.target) is ir.Name and node.op in _STEPPING
    }
    return bool(names & counted) or _from_names(it, names, counted)


def _grows(it: Interpreter, expr: ir.Call, key: Any, value: Value) -> bool:
    """Whether an array is the one that the pass before gave, made longer."""
    loop, number = it.passes[-1]
    it.st.assume(("given", loop, expr.id, key, number, value.uid), True)
    made = made_of(value)
    if number == 0 or made is None or short(made) not in _LENGTHENING:
        return False
    parts = [part for arg in made.args for part in _held(it, arg)]
    return any(("given", loop, expr.id, key, number - 1, part.uid) in it.st.facts for part in parts if part.uid)


def _held(it: Interpreter, value: Value) -> tuple[Value, ...]:
    if isinstance(value, TupleV):
        return value.items
    if isinstance(value, Ref) and value.kind == "list":
        return tuple(it.st.content(value).items)
    return (value,)


def _from_names(it: Interpreter, names: set[str], counted: set[str]) -> bool:
    """Whether one of the names is assigned from a counted one."""
    for node in nodes(it.fr.fn.body):
        if type(node) is ir.Assign and node.value is not None:
            bound = {target.name for target in node.targets if type(target) is ir.Name}
            if bound & names and counted & {part.name for part in nodes([node.value]) if type(part) is ir.Name}:
                return True
    return False


def _sizes(it: Interpreter, value: Value, since: int, depth: int = 0) -> Iterator[Value]:
    """The numbers that decide how large an array is."""
    if depth > 8 or not isinstance(value, Array | Opaque):
        return
    made = made_of(value)
    if made is None:
        tag = value.tag
        if isinstance(value, Opaque) and isinstance(tag, tuple) and tag[0] == "item" and isinstance(tag[1], SliceV):
            yield from _length(tag[1], since)
        return
    if made.op == "[]":
        yield from _indexed(it, made, since, depth)
        return
    kind = short(made)
    if kind in _SIZED and "." in made.op:
        wanted = argument(made, _SIZED[kind], "shape", "num", "N", "n", "M")
        if wanted is not None:
            yield from wanted.items if isinstance(wanted, TupleV) else (wanted,)
        return
    if kind == "arange":
        yield from made.args
        return
    info = it.knowledge.function(made.op) if "." in made.op else None
    elementwise = info is not None and info.returns[0] == "elementwise"
    if made.op in _ARITHMETIC or kind in _COPYING or elementwise or made.op.startswith("call."):
        for part in made.args:
            yield from _sizes(it, part, since, depth + 1)


def _indexed(it: Interpreter, made: Made, since: int, depth: int) -> Iterator[Value]:
    base, index = made.args
    parts = index.items if isinstance(index, TupleV) else (index,)
    slices = [part for part in parts if isinstance(part, SliceV)]
    for part in slices:
        yield from _length(part, since)
    if len(slices) + sum(1 for part in parts if is_none(part)) == len(parts):
        yield from _sizes(it, base, since, depth + 1)


def _length(part: SliceV, since: int) -> Iterator[Value]:
    """What the length of a slice depends on; a window whose two ends move together has a fixed one."""
    lower, upper = part.lower, part.upper
    if isinstance(lower, Const) and isinstance(upper, Const) and type(lower.value) is type(upper.value) is int:
        yield Const(upper.value - lower.value)
    elif _steps(lower, since) != _steps(upper, since):
        yield from (lower, upper)
    elif is_none(lower) != is_none(upper):
        yield upper if is_none(lower) else lower


def behind_partial(value: Value) -> tuple[Wrapped, int] | None:
    """The compiled function that is called, and how many arguments are bound already."""
    bound = 0
    while isinstance(value, Partial):
        bound += len(value.args)
        value = value.func
    return (value, bound) if isinstance(value, Wrapped) else None
