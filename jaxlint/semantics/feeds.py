"""Feeding callables: what `scan`, `cond` and the like hand to the functions they are given (`feeds` in the table)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from jaxlint.knowledge import TransformInfo
from jaxlint.semantics import (
    buffers,
    captures,
    loops,
    timing,
    updates,
)
from jaxlint.semantics.calls import call
from jaxlint.semantics.demands import traced_part
from jaxlint.semantics.events import ArgumentConcrete
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.given_back import gives
from jaxlint.semantics.lifting import Lifting, element_of, leaf_of
from jaxlint.semantics.opening import is_forward, open_trace, shapes_only, short_name, trace_flags
from jaxlint.semantics.pending import carried_uses, collect_own, flush_pending, replay_origins
from jaxlint.semantics.state import join, join_all
from jaxlint.semantics.values import (
    ABSTRACT,
    NONE,
    UNKNOWN,
    Array,
    Const,
    Func,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Value,
    Why,
    Wrapped,
    fresh_uid,
    is_none,
)
from jaxlint.semantics.wrappers import Kwargs

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


BODIES = frozenset(
    ["scan", "fori_loop", "while_loop", "map", "vmap", "pmap", "filter_vmap", "filter_pmap", "associative_scan"]
)
"""Transformations that run their callable once a step or row."""


def run_feeds(
    it: Interpreter,
    info: TransformInfo,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
) -> Value:
    """Call a transformation that calls its functions now: loops, branches, maps over trees."""
    outer, it.remembered = it.remembered, []
    if "timing" in info.options:
        statement = bound.get(info.callables[0])
        if isinstance(statement, Func) and statement.fn.is_lambda:
            it.decorated_away.add(id(statement.fn))  # it runs here alone
        result = timing.repeated(it, place, lambda: _run_feeds(it, info, bound, args, kwargs, place))
    else:
        result = _run_feeds(it, info, bound, args, kwargs, place)
    for root, reads in it.remembered:
        captures.remember(it, root, reads, place)
    it.remembered = outer
    if info.gives.startswith("maptree"):
        updates.note(it, place, info.name, "tree_map", bound.get("f"))
    return result


def _run_feeds(
    it: Interpreter,
    info: TransformInfo,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
) -> Value:
    tree = bound.get("tree")
    small = isinstance(tree, TupleV) and tree.cls is None and 0 < len(tree.items) <= 4
    if info.name == "jax.tree.map" and isinstance(tree, TupleV) and small and not _rest(bound, "rest"):
        parts = [run_feeds(it, info, {**bound, "tree": item}, args, kwargs, place) for item in tree.items]
        return TupleV(tuple(parts))
    if it.fr.ctx.depth:
        _check_counts(it, info, bound, place)
    feeds = _parse_feeds(info.feeds)
    results: dict[str, Value] = {}
    body = short_name(info) in BODIES
    branching = (len(info.callables) > 1 and "operand" in info.feeds) or any("branches" in c for c in info.callables)
    with shapes_only(it) if info.mode == "shape" else nullcontext():
        start, after = it.st, []
        for spec in info.callables:
            name = spec.rpartition(":")[2].strip()
            for function in callables_of(it, spec, bound, name):
                if branching:
                    it.st = start.fork()
                out = _feed(it, info, function, feeds.get(name, []), bound, kwargs, place, body)
                results[name] = join(results[name], out) if name in results else out
                if branching:
                    after.append(it.st)
        if after:
            it.st = join_all(after)
    fake = Wrapped(info, UNKNOWN, bound, place)
    out = next(reversed(results.values())) if results else UNKNOWN
    first = info.callables[0].rpartition(":")[2].strip() if info.callables else ""
    if info.mode == "diff" and not is_forward(info):
        loops.check(it, info.name, bound.get(first, UNKNOWN), results.get(first, out), bound, place)
    given = gives(it, info, fake, results.get(first, out), args, place, results, bound)
    if it.fr.ctx.differentiating and body:
        loops.carry_back(it, info.name, bound, results, given)
    if it.empties and body:
        buffers.carried(it, info.name, results, given)
    if info.mode in ("abstract", "diff", "batched") and not it.fr.ctx.depth:
        timing.dispatched(it, given, place, compiled=False)
    return given


_COUNTS = ("length", "unroll", "batch_size")


def _check_counts(it: Interpreter, info: TransformInfo, bound: dict[str, Value], place: Place) -> None:
    """Tell of traced numbers of steps: they are part of the program."""
    for name in _COUNTS:
        if name in bound and name in info.options:
            trace = traced_part(it, bound[name])
            if trace is not None:
                params = info.params.params
                position = params.index(name) if name in params else None
                it.emit(ArgumentConcrete(place, info.name, name, bound[name], trace, position))


def callables_of(it: Interpreter, spec: str, bound: dict[str, Value], name: str) -> list[Value]:
    """The callables that an argument holds: itself, or the branches of a list or dict of them."""
    value = bound.get(name, bound.get("*" + name))
    if value is None:
        return []
    if not spec.startswith("branches"):
        return [] if is_none(value) else [value]
    if isinstance(value, TupleV):
        return list(value.items)
    if isinstance(value, Ref) and value.kind in ("list", "dict"):
        content = it.st.content(value)
        items = list(content.items.values()) if isinstance(content.items, dict) else list(content.items)
        return items + ([content.rest] if content.rest is not None else [])
    return []


def _parse_feeds(text: str) -> dict[str, list[str]]:
    feeds: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, colon, tokens = part.partition(":")
        if colon:
            feeds[name.strip()] = [token.strip() for token in tokens.split(",") if token.strip()]
    return feeds


def _feed(
    it: Interpreter,
    info: TransformInfo,
    function: Value,
    tokens: list[str],
    bound: dict[str, Value],
    kwargs: Kwargs,
    place: Place,
    body: bool,
) -> Value:
    """Run one callable as the transformation does; loops run a second time when a key is carried."""
    if isinstance(function, Wrapped):
        it.mark_entered(function)
    outer = it.fr.ctx
    eager_loop = info.mode == "eager" and (info.name.startswith("builtins.") or "elem" in info.feeds)
    is_tree = info.name in ("jax.tree.map", "jax.tree.map_with_path")
    ctx = outer if info.mode == "eager" and not is_tree else open_trace(it, info, place, body=body or is_tree)
    flags = trace_flags(info)
    trace = (
        Trace(flags, Why(place, f"given to the function by `{short_name(info)}` here", outer.why)) if flags else None
    )
    liftings: list[Lifting] = []
    rows: list[tuple[Value, Value]] = []
    passes = 2 if (body and not is_tree) or eager_loop else 1
    loop_id = fresh_uid()
    out: Value = UNKNOWN
    carried: Value | None = None
    for number in range(passes):
        uses_before = it.st.res
        fed = _arguments(it, info, tokens, bound, trace, ctx, liftings, number, carried)
        rows += it.row_origins
        it.row_origins = []  # those of a body that runs inside are its own
        it.passes.append((loop_id, number))
        it.fr.ctx = ctx
        try:
            out = call(it, function, tuple(fed), _fed_kwargs(tokens, kwargs, info), place)
        finally:
            it.fr.ctx = outer
            it.passes.pop()
        if number == 0:
            if it.st.res is uses_before and not eager_loop:
                break
            carried = out.items[0] if isinstance(out, TupleV) and out.items and short_name(info) == "scan" else out
        elif liftings:
            carried_uses(it, liftings[-1], place)
    if ctx is not outer:
        flush_pending(it, ctx, out)
        if ctx.reads:
            it.remembered.append((captures.identity(it, function), ctx.reads))
    it.row_origins = rows
    replay_origins(it, liftings[:1], place)
    return out


def _fed_kwargs(tokens: list[str], kwargs: Kwargs, info: TransformInfo) -> Kwargs:
    if "**kwargs" not in tokens:
        return {}
    known = {*info.params.params, *info.params.keyword_only}
    return {name: value for name, value in kwargs.items() if name not in known}


def _arguments(
    it: Interpreter,
    info: TransformInfo,
    tokens: list[str],
    bound: dict[str, Value],
    trace: Trace | None,
    ctx: Ctx,
    liftings: list[Lifting],
    number: int,
    carried: Value | None,
) -> list[Value]:
    arrays_only = "filter" in info.options
    lifting = Lifting(it, trace, ctx.depth, fresh=True, arrays_only=arrays_only) if trace is not None else None
    if lifting is not None:
        liftings.append(lifting)
    fed: list[Value] = []
    traced = trace if trace is not None else Trace(ABSTRACT, ctx.why) if ctx.abstract else None
    plain = Lifting(it, trace, ctx.depth, arrays_only=arrays_only) if trace is not None else None
    for token in tokens:
        kind, _, source = token.partition("=")
        if kind == "carry":
            value = carried if number and carried is not None else bound.get(source, UNKNOWN)
            fed.append(lifting(value) if lifting is not None else value)
        elif kind in ("elem", "*elem"):
            values = _rest(bound, source) if kind[0] == "*" else [bound.get(source, NONE)]
            fed += _rows(it, values, traced if trace is not None else None, number, ctx)
        elif kind == "arg":
            if source in bound:
                fed.append(plain(bound[source]) if plain is not None else bound[source])
            elif source in ("x", "row"):
                fed.append(Array(traced))
        elif kind == "*seq":
            fed += [plain(v) if plain is not None else v for v in _items(it, bound.get(source))]
        elif kind in ("leaf", "*leaf"):
            values = _rest(bound, source) if kind[0] == "*" else [bound.get(source, UNKNOWN)]
            fed += [leaf_of(it, value) for value in values]
        elif kind == "**kwargs":
            continue
        elif kind.startswith("*"):
            name = kind[1:]
            values = _rest(bound, name)
            fed += [plain(value) if plain is not None else value for value in values]
        elif kind in ("scalar", "row", "traced", "out", "cotangent"):
            lower = bound.get("lower")
            start = lower.value if kind == "traced" and isinstance(lower, Const) else None
            fed.append(Array(traced, tag=("from", start) if isinstance(start, int) else None))
        elif kind == "numpy":
            fed.append(Array(lib="numpy"))
        elif kind in ("ref", "refs"):
            fed.append(Array(traced, lib="ref"))
        elif kind == "static":
            fed.append(Opaque(static=True))
        else:
            fed.append(Opaque())
    if plain is not None:
        ctx.arguments |= plain.uids
    return fed


def _rows(it: Interpreter, values: list[Value], trace: Trace | None, number: int, ctx: Ctx) -> list[Value]:
    """The row of each value that a step gets; under a trace it is a copy of its own."""
    rows = [_element(it, value, trace, number) for value in values]
    if trace is not None:
        for row in rows:
            collect_own(it, row, ctx.arguments, 0)
    return rows


def _element(it: Interpreter, value: Value, trace: Trace | None, number: int) -> Value:
    from jaxlint.semantics.iteration import iterate

    if trace is not None:
        return element_of(it, value, trace, step=number)
    return iterate(it, value, (it.fr.fn.module, it.fr.fn.id)).get(number)


def _rest(bound: dict[str, Value], name: str) -> list[Value]:
    value = bound.get("*" + name)
    return list(value.items) if isinstance(value, TupleV) else []


def _items(it: Interpreter, value: Value | None) -> list[Value]:
    if isinstance(value, TupleV):
        return list(value.items)
    if isinstance(value, Ref) and value.kind == "list":
        return list(it.st.content(value).items)
    return [Opaque()] if value is not None else []
