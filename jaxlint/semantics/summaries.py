"""Function summaries: a callee is run once for each shape of its arguments, and its effects are replayed at each call.

The arguments are replaced by placeholders; what the run did to placeholders (keys consumed, buffers donated, attributes
stored) and what it returned is then translated back to the actual arguments of each call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import timing
from jaxlint.semantics.abstraction import Abstraction
from jaxlint.semantics.events import Donation, Use
from jaxlint.semantics.frames import Ctx, Frame
from jaxlint.semantics.replay import Replay, Summary
from jaxlint.semantics.state import CUT, State
from jaxlint.semantics.values import (
    Func,
    Opaque,
    Place,
    Value,
    Wrapped,
    ancestors,
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


MAX_VARIANTS = 3
"""Shapes of arguments that one run tells apart for one callee; beyond it only keys, traces and functions count."""


MAX_FUNCTIONS = 8
"""Beyond so many, functions and what objects hold are not told apart either."""


MAX_NESTING = 40
"""Summaries made inside one another before a callee counts as unknown."""


MAX_CHARGE = 100
"""What a call through a summary counts against the budget of its caller, at most."""


_RUNNING = "running"


def call_summarised(it: Interpreter, func: Func, env: dict[str, Value], place: Place, ctx: Ctx) -> Value:
    """Call through the summary for arguments of this shape, made now if it is the first."""
    identity = (id(func.fn), func.cls.uid if func.cls is not None else 0)
    seen = it.variants.setdefault(id(func.fn), set())
    abstraction = Abstraction(it, ctx, len(seen) >= MAX_VARIANTS, len(seen) >= MAX_FUNCTIONS)
    new_env: dict[str, Value] = {}
    signature: list[Any] = []
    for name, value in env.items():
        new_env[name], part = abstraction(value)
        signature.append(part)
    asked = ctx.depth == 0 or not it.unasked
    key = (
        identity,
        ctx.abstract,
        ctx.depth > 0,
        asked,
        it.done_once > 0,
        it.filled > 0,
        bool(ctx.bodies),
        ctx.axes,
        tuple(signature),
    )
    try:
        known = it.memo.get(key) or it.local_memo.get(key)
    except TypeError:
        it.gave_up("unhashable arguments")
        return Opaque()
    seen.add(key)
    running = it.summarising
    again = next((outer for fn, outer in running if fn is func.fn), None) if known is None else None
    if known is _RUNNING or again is not None or len(running) > MAX_NESTING:
        it.gave_up("recursion")
        it.tainted.add(key if known is _RUNNING else again if again is not None else running[0][1])
        return Opaque()
    if known is None:
        summary = _summarised(it, func, new_env, ctx, abstraction, key)
    else:
        # The placeholders of the first call stand for the arguments of this one, in the same order.
        summary, first = known
        abstraction = _matched(first, abstraction)
    it.reports |= summary.reports
    it.work += summary.work
    it.steps += min(summary.steps, MAX_CHARGE)
    result = Replay(it, summary, abstraction.actual, place).run(ctx)
    if isinstance(result, Wrapped) and it.fr.fn.parent is None and it.fr.parent is None:
        it.schedule(result)  # a helper has made a transformed function of the module
    return result


def _summarised(
    it: Interpreter, func: Func, env: dict[str, Value], ctx: Ctx, abstraction: Abstraction, key: Any
) -> Summary:
    """Make and keep a summary.

    One that met a function still running further out knows less than it could: it serves this entry only, so that what
    is known of a function does not depend on which of a cycle was analysed first.
    """
    it.memo[key] = _RUNNING
    it.summarising.append((func.fn, key))
    reports, it.reports = it.reports, set()
    outer, it.tainted = it.tainted, set()
    work = it.work
    try:
        summary = _summarise(it, func, env, ctx, abstraction)
    finally:
        del it.memo[key]
        it.summarising.pop()
        it.tainted.discard(key)
        hits, it.tainted = it.tainted, outer | it.tainted
        found, it.reports = it.reports, reports
    summary.reports = found
    summary.work = min(it.work - work, 1)
    (it.local_memo if hits else it.memo)[key] = (summary, abstraction)
    return summary


def _matched(first: Abstraction, again: Abstraction) -> Abstraction:
    """`again`, with the placeholders of `first`: equal signatures make equal orders."""
    renamed = Abstraction(again.it, again.ctx, again.wide, again.wider)
    for made, actual in zip(first.actual, again.actual.values(), strict=False):
        renamed.actual[made] = actual
    return renamed


def _summarise(it: Interpreter, func: Func, env: dict[str, Value], ctx: Ctx, abstraction: Abstraction) -> Summary:
    summary = Summary(fresh_uid(), ctx.depth)
    older = it.older
    it.older = older | abstraction.older
    inner = Ctx(ctx)
    inner.boundary = True
    if ctx.abstract or ctx.remembers:
        inner.remembers = True
        inner.reads = summary.reads
    inner.arguments, inner.shared = abstraction.arguments, abstraction.shared

    def run() -> None:
        it.st = State(0, {})
        it.st.res = dict(abstraction.res)
        it.st.facts = dict(abstraction.facts)
        frame = Frame(func.fn, func.env, inner, None, None, None, func)
        result = it.run_frame(frame, env)
        summary.result = result
        summary.state = it.st
        summary.steps = it.steps
        if it.timeline.tick or it.timeline.called:
            summary.timing = timing.TimingSummary(it.timeline)

    repeatable, it.repeatable = it.repeatable, summary.repeatable
    meetings, it.meetings.inner = it.meetings.inner, summary.meetings
    try:
        it.isolated(run, summary=True)
    finally:
        it.repeatable = repeatable
        it.meetings.inner = meetings
        it.older = older
    summary.end = fresh_uid()
    state = summary.state
    assert state is not None
    placeholders = abstraction.actual
    for key, uses in state.res.items():
        if uses is CUT or not (isinstance(uses, tuple) and uses and isinstance(uses[0], Use)):
            if isinstance(uses, Donation):
                summary.res.append((key, uses))
            continue
        value = uses[0].value
        if any(item.uid in placeholders for item in ancestors(value)) or value.uid < summary.start:
            summary.res.append((key, uses))
    for key, content in state.heap.items():
        if isinstance(key, tuple) or key in placeholders or key < summary.start:
            summary.heap.append((key, content))
    summary.pending = inner.pending
    return summary
