"""When work is dispatched, when it is waited for, and what lies between two readings of a clock.

JAX dispatches work and returns; the work is done when something waits for its result. Devices run work in order, so
waiting for a result waits for all that was dispatched before it. Only code outside of traces counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from jaxlint.semantics.events import CompilationTimed, HostSynced, TimingUnblocked
from jaxlint.semantics.naming import innermost_function
from jaxlint.semantics.values import (
    Array,
    Key,
    Opaque,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    Wrapped,
    ancestors,
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.syntax import ir

CLOCKS = frozenset(
    [
        "time.time",
        "time.time_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.monotonic",
        "time.monotonic_ns",
        "timeit.default_timer",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
    ]
)
_FORCING = "float int bool complex str repr print format any all min max sorted"
FORCING = frozenset(f"builtins.{name}" for name in _FORCING.split())
"""Builtins that need the numbers of an array."""

_EAGER = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.scipy.", "jax.nn.", "jax.image.", "jax.ops.")
_CHEAP = frozenset(
    [
        "arange",
        "array",
        "asarray",
        "atleast_1d",
        "broadcast_to",
        "empty",
        "empty_like",
        "expand_dims",
        "eye",
        "fold_in",
        "full",
        "full_like",
        "key",
        "linspace",
        "ones",
        "ones_like",
        "PRNGKey",
        "reshape",
        "split",
        "squeeze",
        "stop_gradient",
        "zeros",
        "zeros_like",
    ]
)
_COMPILING = frozenset({"jit", "pjit", "pmap", "filter_jit", "filter_pmap"})
_MAIN = frozenset({"main", "_main", "<module>"})
_DISPATCH = re.compile(
    r"dispatch|async|enqueue|submit|launch|overhead|compil|trac(?:e(?![(])|ing)|lower", re.IGNORECASE
)
_COMPILE = re.compile(r"compil|warm|first|trac(?:e(?![(])|ing)|lower|jit|cold|init|build|setup", re.IGNORECASE)


class Dispatch:
    """Work handed to the device. conditional: how many `if`s it stood under; compiled: by a jitted function.

    stamp: what was made before the work has a smaller uid.
    """

    __slots__ = ("compiled", "conditional", "passes", "place", "stamp", "tick")

    def __init__(
        self, place: Place, tick: int, passes: tuple[tuple[int, int], ...], conditional: int, compiled: bool
    ) -> None:
        self.place = place
        self.tick = tick
        self.passes = passes
        self.conditional = conditional
        self.compiled = compiled
        self.stamp = fresh_uid()


class Reading:
    """A reading of a clock: the work that was dispatched last by then, and up to when work had been waited for."""

    __slots__ = ("awaited", "last", "passes", "place", "tick", "unseen")

    def __init__(self, place: Place, timeline: Timeline, passes: tuple[tuple[int, int], ...]) -> None:
        self.place = place
        self.passes = passes
        self.tick = timeline.tick
        self.last = timeline.last
        self.awaited = timeline.awaited
        self.unseen = timeline.unseen


class Timeline:
    """What one run of a function, or of a module's body, dispatched and waited for, in order.

    of: the work that made a value, by its uid. made: wrappers made here. called: those that ran. compiles: first calls.
    candidates: pairs of readings with unfinished work between them; firsts: with a first call between them; finished:
    first readings after which a later one found all work done; carried: second readings that measure from an earlier
    pass of a loop. unseen: how many calls ran that cannot be seen.
    """

    __slots__ = (
        "active",
        "awaited",
        "called",
        "candidates",
        "carried",
        "compiles",
        "finished",
        "firsts",
        "last",
        "made",
        "of",
        "start",
        "tick",
        "unseen",
        "waited",
    )

    def __init__(self) -> None:
        self.start = fresh_uid()
        self.tick = 0
        self.active = False
        self.last: Dispatch | None = None
        self.awaited = 0
        self.waited = 0
        self.of: dict[int, Dispatch] = {}
        self.called: set[int] = set()
        self.made: set[int] = set()
        self.compiles: list[tuple[int, Place, Wrapped]] = []
        self.candidates: list[tuple[Reading, Reading, Place]] = []
        self.firsts: list[tuple[Reading, Reading, Place, Place, Wrapped]] = []
        self.finished: set[int] = set()
        self.carried: set[Place] = set()
        self.unseen = 0


# ---- dispatching ----------------------------------------------------------------------------------------------------


def dispatched(it: Interpreter, value: Value, place: Place, *, compiled: bool) -> None:
    """Work was handed to the device; `value` is its result."""
    timeline = it.timeline
    timeline.tick += 1
    work = Dispatch(place, timeline.tick, tuple(it.passes), it.conditional, compiled)
    timeline.last = work
    _register(it, value, work, 0)


def _register(it: Interpreter, value: Value, work: Dispatch, depth: int) -> None:
    if isinstance(value, Array | Opaque | Key):
        it.timeline.of[value.uid] = work
    elif depth < 3:
        for item in _parts(it, value):
            _register(it, item, work, depth + 1)


def _parts(it: Interpreter, value: Value) -> tuple[Value, ...]:
    if isinstance(value, TupleV):
        return value.items
    if isinstance(value, Union):
        return value.members
    if isinstance(value, Ref):
        content = it.st.content(value)
        items = tuple(content.items.values()) if isinstance(content.items, dict) else tuple(content.items)
        return items if content.rest is None else (*items, content.rest)
    return ()


def called_wrapper(it: Interpreter, wrapped: Wrapped, result: Value, place: Place) -> None:
    """A transformed function was called outside of traces."""
    timeline = it.timeline
    compiled = wrapped.transform.name.rpartition(".")[2] in _COMPILING
    if compiled and wrapped.uid not in timeline.called:
        timeline.called.add(wrapped.uid)
        own = wrapped.uid in timeline.made or (bool(it.running) and it.running[0].name in _MAIN)
        if timeline.active and own:
            timeline.compiles.append((timeline.tick + 1, place, wrapped))
    if wrapped.transform.mode in ("abstract", "batched", "diff"):
        dispatched(it, result, place, compiled=compiled)


def compiled_ahead(it: Interpreter, wrapped: Wrapped) -> None:
    """A function was compiled before it is called."""
    it.timeline.called.add(wrapped.uid)


def called_eagerly(it: Interpreter, name: str, result: Value, place: Place) -> None:
    """A function of JAX was called outside of traces, after a clock was read."""
    if name.startswith(_EAGER) and name.rpartition(".")[2] not in _CHEAP and not isinstance(result, Opaque):
        dispatched(it, result, place, compiled=False)


# ---- waiting --------------------------------------------------------------------------------------------------------


def wait(it: Interpreter, value: Value, place: Place, by: str) -> None:
    """Something outside of traces needs the numbers of `value`. by: what does, such as `float`."""
    timeline = it.timeline
    work = _work_of(it, value, 0)
    timeline.tick += 1
    timeline.waited = timeline.tick
    if work is not None:
        timeline.awaited = max(timeline.awaited, work.tick)
        same_pass = bool(it.passes) and work.passes == tuple(it.passes)
        if work.compiled and same_pass and it.conditional == work.conditional:
            it.emit(HostSynced(place, value, by, work.place))
    elif _made_here(timeline, value):
        timeline.awaited = timeline.tick


def _made_here(timeline: Timeline, value: Value) -> bool:
    """Whether a value without known work was made in this run, by what cannot be told, and not given to it."""
    if isinstance(value, Array):
        last = timeline.last
        older = last is not None and value.parent is None and value.uid < last.stamp
        return value.lib == "jax" and not older
    *_, root = ancestors(value)
    return isinstance(value, Opaque) and not value.static and root is not value and root.uid > timeline.start


def wait_for_all(it: Interpreter) -> None:
    """Something ran that may have waited for everything."""
    timeline = it.timeline
    timeline.tick += 1
    timeline.waited = timeline.awaited = timeline.tick


def unseen(it: Interpreter) -> None:
    """Something that cannot be seen ran."""
    wait_for_all(it)
    it.timeline.unseen += 1


def _work_of(it: Interpreter, value: Value, depth: int) -> Dispatch | None:
    """The latest work that a value, or a part of it, is the result of."""
    of = it.timeline.of
    if not of:
        return None
    found: Dispatch | None = None
    if isinstance(value, Array | Opaque | Key):
        for item in ancestors(value):
            work = of.get(item.uid)
            if work is not None and (found is None or work.tick > found.tick):
                found = work
    elif depth < 3:
        for item in _parts(it, value):
            work = _work_of(it, item, depth + 1)
            if work is not None and (found is None or work.tick > found.tick):
                found = work
    return found


# ---- summaries ------------------------------------------------------------------------------------------------------


class TimingSummary:
    """What one run of a function did, for its callers."""

    __slots__ = ("called", "compiled", "pending", "unseen", "waited")

    def __init__(self, timeline: Timeline) -> None:
        last = timeline.last
        self.called = timeline.called
        self.waited = timeline.waited > 0
        self.unseen = timeline.unseen
        self.pending = last is not None and last.tick > timeline.waited
        self.compiled = last is not None and last.compiled


def replayed(it: Interpreter, summary: TimingSummary, result: Value, place: Place) -> None:
    """A function of the project was called outside of traces."""
    timeline = it.timeline
    if summary.called:
        timeline.called |= summary.called
    timeline.unseen += summary.unseen
    if summary.waited:
        wait_for_all(it)
    if summary.pending:
        dispatched(it, result, place, compiled=summary.compiled)


def repeated(it: Interpreter, place: Place, run: Callable[[], Value]) -> Value:
    """A timing helper such as `timeit.timeit` runs work again and again, between two readings of its own clock.

    What is drawn or donated meanwhile means nothing.
    """
    timeline = it.timeline
    active, timeline.active = timeline.active, True
    muted, it.muted_keys = it.muted_keys, True
    before, last = it.st, timeline.last
    it.st = before.fork()
    result = run()
    it.st, it.muted_keys, timeline.active = before, muted, active
    work = timeline.last
    unfinished = work is not None and work is not last and work.tick > timeline.awaited
    if work is not None and unfinished and not it.fr.ctx.depth and not deliberate(_DISPATCH, (place,)):
        it.emit(TimingUnblocked(work.place, place, work.place))
    return result


# ---- clocks ---------------------------------------------------------------------------------------------------------


def read_clock(it: Interpreter, place: Place) -> Value:
    """The reading of a clock."""
    timeline = it.timeline
    timeline.active = True
    timeline.tick += 1
    return Opaque(static=True, tag=Reading(place, timeline, tuple(it.passes)))


def subtract(it: Interpreter, later: Value, earlier: Value, place: Place) -> None:
    """The difference of two values, which may be readings of a clock, is taken."""
    second: Any = later.tag if isinstance(later, Opaque) else None
    first: Any = earlier.tag if isinstance(earlier, Opaque) else None
    if not isinstance(first, Reading) or not isinstance(second, Reading) or second.tick < first.tick:
        return
    timeline = it.timeline
    last = second.last
    if first.passes != second.passes[: len(first.passes)]:
        timeline.carried.add(second.place)
        return
    if last is not None and last.tick > first.tick and last.tick > second.awaited:
        timeline.candidates.append((first, second, place))
    else:
        timeline.finished.add(first.tick)
    if first.passes or first.unseen != second.unseen:
        return
    for tick, call, wrapped in timeline.compiles:
        if first.tick < tick < second.tick:
            timeline.firsts.append((first, second, place, call, wrapped))


def finish(it: Interpreter) -> None:
    """Tell of the readings that did not wait, when a run ends."""
    timeline = it.timeline
    for first, second, place in timeline.candidates:
        work = second.last
        if work is None or first.tick in timeline.finished or second.place in timeline.carried:
            continue
        if _so_far(first, second):
            continue
        if not deliberate(_DISPATCH, (second.place, place)) and not _renewed(first, second, place):
            it.emit(TimingUnblocked(second.place, first.place, work.place))
    for first, second, place, call, wrapped in timeline.firsts:
        if second.place in timeline.carried or deliberate(_COMPILE, (second.place, place)) or _given_to(place, call):
            continue
        if _so_far(first, second):
            continue
        if not _renewed(first, second, place):
            it.emit(CompilationTimed(call, first.place, wrapped.inner))


# ---- what a difference is for ---------------------------------------------------------------------------------------


def deliberate(words: re.Pattern[str], places: tuple[Place, ...]) -> bool:
    """Whether the names around a difference say that it is wanted as it is, or it decides how long to go on."""
    module, id = places[-1]
    fn = innermost_function((module, id))
    if fn is not None and words.search(fn.name):
        return True
    if any(words.search(_statement_text(place)) for place in places):
        return True
    return _is_deadline(module, id, fn)


def _so_far(first: Reading, second: Reading) -> bool:
    """Whether the passes of a loop tell the time since before it: the age of the program, not what its work takes."""
    outside = len(first.passes)
    return len(second.passes) > outside and second.passes[:outside] == first.passes


def _given_to(place: Place, call: Place) -> bool:
    """Whether a difference is an argument of the call itself: the time so far, which the program goes on with."""
    nodes = place[0].nodes
    if place[0] is not call[0] or not isinstance(node := nodes[call[1]], cst.Call):
        return False
    search = _Within(nodes[place[1]])
    for argument in node.args:
        argument.visit(search)
    return search.found


def _renewed(first: Reading, second: Reading, place: Place) -> bool:
    """Whether a loop reads the first clock anew after the difference: then it measures from one pass to another."""
    module, id = place
    node = module.nodes[id]
    if first.passes == second.passes or not isinstance(node, cst.BinaryOperation):
        return False
    fn = innermost_function((module, id)) or module.top
    return isinstance(node.right, cst.Name) and fn is not None and _binds_after(fn.body, node.right.value, id)


def _binds_after(body: list[ir.Stmt], name: str, id: int) -> bool:
    for stmt in body:
        targets = getattr(stmt, "targets", ())
        if stmt.id > id and any(getattr(target, "name", None) == name for target in targets):
            return True
        for part in ("body", "orelse", "final"):
            inner = getattr(stmt, part, None)
            if isinstance(inner, list) and _binds_after(inner, name, id):
                return True
    return False


def _statement(module: ir.ModuleIR, id: int) -> cst.CSTNode:
    return module.statements[module.statement_of[id]][0]


def _statement_text(place: Place) -> str:
    node = _statement(*place)
    if isinstance(node, cst.If | cst.While):
        node = node.test
    elif isinstance(node, cst.For):
        node = node.iter
    return "" if hasattr(node, "body") else cst.Module([]).code_for_node(node)


def _is_deadline(module: ir.ModuleIR, id: int, fn: ir.FunctionIR | None) -> bool:
    """Whether the difference is compared, at once or by the name that it is given."""
    statement = _statement(module, id)
    search = _Compared(module.nodes[id])
    statement.visit(search)
    if search.found:
        return True
    if not isinstance(statement, cst.Assign) or fn is None:
        return False
    names = [target.target.value for target in statement.targets if isinstance(target.target, cst.Name)]
    return any("order" in fn.uses.get(name, ()) for name in names)


class _Within(cst.CSTVisitor):
    """Looks for a node below another."""

    def __init__(self, node: cst.CSTNode) -> None:
        self.node = node
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.found = self.found or node is self.node
        return not self.found


class _Compared(cst.CSTVisitor):
    """Looks for a comparison around a node."""

    def __init__(self, node: cst.CSTNode) -> None:
        self.node = node
        self.depth = 0
        self.found = False

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self.depth += 1

    def leave_Comparison(self, original_node: cst.Comparison) -> None:
        self.depth -= 1

    def on_visit(self, node: cst.CSTNode) -> bool:
        if node is self.node and self.depth:
            self.found = True
        return super().on_visit(node)
