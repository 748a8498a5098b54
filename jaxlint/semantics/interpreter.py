"""The abstract interpreter: its state, its frames, and how functions and modules are run.

What each statement, expression and call means stands in the modules beside this one; they are plain functions that take
the interpreter as `it`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import Knowledge
from jaxlint.semantics import state as states_module
from jaxlint.semantics import taught
from jaxlint.semantics.axes import BARE, NO_AXES, Axes
from jaxlint.semantics.events import Event
from jaxlint.semantics.processes import Meetings
from jaxlint.semantics.project import ModuleEnv, Project
from jaxlint.semantics.state import State, join, join_all, join_on
from jaxlint.semantics.timing import Timeline, finish
from jaxlint.semantics.values import (
    NONE,
    UNKNOWN,
    Array,
    ClassV,
    Closure,
    Content,
    Ext,
    Func,
    Key,
    Opaque,
    Partial,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    Why,
    Wrapped,
    ancestors,
    fresh_uid,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.buffers import Empty
    from jaxlint.semantics.captures import Read, Variable
    from jaxlint.semantics.receivers import Application
    from jaxlint.semantics.repeats import Origin
    from jaxlint.semantics.updates import Update

MAX_DEPTH = 14
"""Calls run inside one another before a callee counts as unknown."""

MAX_WORK = 100_000
"""Statements run for one file before its further calls count as unknown."""

MAX_RUNS = 10
"""How often one nested function is run inside one run of a function; nested loops would run it without bound."""

MAX_STEPS = 6_000
"""Statements run for one entry before its further calls count as unknown."""


class Ctx:
    """How the running code is traced.

    abstract: everything JAX computes is a tracer, as under `jit`. depth: how many traces are open. mark: values with a
    smaller uid are older than the innermost trace. bodies: the loop bodies and maps being run, as (mark, name,
    place).
    mode: the mode of the innermost transformation, as in the table of transformations.
    shape: only shapes are asked for, as by `eval_shape`.
    differentiating: a derivative will come back through what runs, in reverse mode.
    remembers: JAX keeps the trace for later calls. reads: the outer variables that it has read, where this context is
    that of a remembered function, or of a summary (boundary: what is read inside is noted for each call of it).
    axes: the named axes around the running code.
    arguments: uids of the values that the innermost traced function received; shared: those of them that the caller
    sees changed.
    """

    __slots__ = (
        "abstract",
        "arguments",
        "axes",
        "bodies",
        "boundary",
        "depth",
        "differentiating",
        "mark",
        "mode",
        "parent",
        "pending",
        "reads",
        "remembers",
        "shape",
        "shared",
        "transform",
        "why",
    )

    def __init__(self, parent: Ctx | None = None) -> None:
        self.parent = parent
        self.abstract: bool = parent.abstract if parent is not None else False
        self.why: Why | None = parent.why if parent is not None else None
        self.depth: int = parent.depth if parent is not None else 0
        self.mark: int = parent.mark if parent is not None else 0
        self.bodies: tuple[tuple[int, str, Place | None], ...] = parent.bodies if parent is not None else ()
        self.transform: str = parent.transform if parent is not None else ""
        self.mode: str = parent.mode if parent is not None else ""
        self.shape: bool = parent.shape if parent is not None else False
        self.differentiating: bool = parent.differentiating if parent is not None else False
        self.arguments: set[int] = set()
        self.shared: set[int] = set()
        self.pending: list[tuple[frozenset[int], Event]] = []
        self.remembers: bool = parent.remembers if parent is not None else False
        self.reads: dict[Variable, Read] | None = None
        self.boundary = False
        self.axes: Axes = parent.axes if parent is not None else NO_AXES

    def eager(self) -> Ctx:
        """The same place of the program, where what JAX computes is no tracer."""
        ctx = Ctx(self)
        ctx.abstract = False
        ctx.arguments, ctx.shared, ctx.pending = self.arguments, self.shared, self.pending
        return ctx


class Loop:
    """A running Python loop: the paths that broke out and those that went on to the next pass."""

    __slots__ = ("breaks", "continues", "start")

    def __init__(self, start: int) -> None:
        self.breaks: list[State] = []
        self.continues: list[State] = []
        self.start = start


class Frame:
    """A running call."""

    __slots__ = (
        "call_place",
        "cls",
        "compiled",
        "ctx",
        "defaulting",
        "env",
        "exits",
        "fid",
        "fn",
        "func",
        "handlers",
        "local_functions",
        "loops",
        "mark",
        "own",
        "parent",
        "passes",
        "received",
        "subkeys",
        "wrappers",
        "yields",
    )

    def __init__(
        self,
        fn: ir.FunctionIR,
        env: ModuleEnv,
        ctx: Ctx,
        parent: Frame | None,
        call_place: Place | None,
        closure: Closure | None,
        func: Func | None,
    ) -> None:
        self.fid = fresh_uid()
        self.fn = fn
        self.env = env
        self.ctx = ctx
        self.parent = parent
        self.call_place = call_place
        self.func = func
        self.cls: ClassV | None = func.cls if func is not None else None
        self.own = Closure(self.fid, fn, closure, ctx.depth, self.fid)
        self.exits: list[tuple[Value, State]] = []
        self.loops: list[Loop] = []
        self.handlers: list[list[State]] = []
        self.yields: list[Value] = []
        self.local_functions: list[Func] = []
        self.subkeys: list[tuple[Place, int, str, Key, Value]] = []
        self.wrappers: list[tuple[Wrapped, dict[Any, Any]]] = []
        self.compiled: dict[Place, tuple[list[Place | None], Wrapped]] = {}
        self.passes = 0
        self.defaulting = 0
        self.mark = self.fid
        self.received: set[int] = set()

    @property
    def outermost(self) -> bool:
        """Whether the call is one that nothing in the analysed code makes: an entry or a summary."""
        return self.parent is None or self.parent.fn.parent is None


class Interpreter:
    """Runs the functions of a project over abstract values and emits events."""

    def __init__(self, project: Project, knowledge: Knowledge, emit: Callable[[Event], None]) -> None:
        self.project = project
        self.knowledge = knowledge
        self.emit = emit
        self.counters: Counter[str] = Counter()
        self.st: State = State(0, {})
        self.fr: Frame = None  # type: ignore[assignment]  # set before anything runs
        self.passes: list[tuple[int, int]] = []
        self.steps = 0
        self.depth = 0
        self.entered: set[int] = set()
        self.entry_queue: list[Callable[[], None]] = []
        self.memo: dict[Any, Any] = {}
        self.done_once = 0
        """Running calls that are made only where their object says that they were not made before."""
        self.filled = 0
        """Running calls of cached functions whose results may have been made before the trace."""
        self.running: list[ir.FunctionIR] = []
        self.older: set[int] = set()
        self.donations = 0
        self.statements = 0
        self.runs: dict[int, int] = {}
        self.variants: dict[int, set[Any]] = {}
        self.inside_summary = False
        self.direct = False
        self.tainted: set[Any] = set()
        self.summarising: list[tuple[ir.FunctionIR, Any]] = []
        self.local_memo: dict[Any, Any] = {}
        self.reports: set[Any] = set()
        self.timeline = Timeline()
        self.conditional = 0
        self.open_call: Place | None = None
        self.told: dict[Any, Place] = {}
        self.empties = 0
        self.filling: dict[int, tuple[int, Empty]] = {}
        """Arrays that the passes of a loop fill, by identity: the loop, and what was unwritten before."""
        self.touched: set[int] = set()
        self.used_subkeys: set[Any] = set()
        self.global_keys: dict[int, tuple[str, Place | None, int]] = {}
        self._exts: dict[str, Ext] = {}
        self._children: dict[Any, Value] = {}
        self._part_uids: dict[Any, int] = {}
        self._fingerprints: dict[Any, Any] = {}
        self.reported_reuse: set[Any] = set()
        self.muted_keys = False
        self.captured_keys: set[Place] = set()
        """Where a body consumes a key that it captured."""
        self.row_origins: list[tuple[Value, Value]] = []
        self.constant_keys: dict[int, Origin] = {}
        self.repeatable: list[Origin] = []
        self.cached: dict[int, Place] = {}
        self.cache_filled: set[Any] = set()
        self.unasked = 0
        self.updated: Update | None = None
        self.applications: list[Application] = []
        self.classes: list[ClassV] = []
        self.traced_writes: set[Variable] = set()
        self.memo_attributes: set[tuple[int, str]] = set()
        """Attributes that are filled once, where they have no value yet: (class, name)."""
        self.remembered: list[tuple[Any, dict[Variable, Read]]] = []
        self.changes: dict[Variable, Place] = {}
        self.rebound_names: dict[int, frozenset[str]] = {}
        self.expecting: set[int] = set()
        self.meetings = Meetings()
        self.expected: list[set[str]] = []
        self.bound_axes: set[Any] = set()
        self.unbound_axes: dict[Any, Event] = {}
        self.testing: ir.Expr | None = None
        self.dropped: ir.Expr | None = None
        self.augmenting = False
        self.decorated_away: set[int] = set()
        self.entered_wrappers: set[Place] = set()
        self.later: list[Callable[[], None]] = []
        self.compiled_anew: set[tuple[str, int]] = set()
        self.work = 0
        self.follows_captures = False
        self.follows_rows = False
        self.iterated: dict[int, Value] = {}
        self.elements: dict[int, Value] = {}
        self.ragged: set[int] = set()
        self.short_loops: set[int] = set()
        self.variant_loops: set[int] = set()
        self.array_like: set[int] = set()
        self.given_collections: set[tuple[ir.FunctionIR, str]] = set()
        """Parameters, by function and name, that a call gives a list, a tuple or a dict."""
        self.traced_functions: set[int] = set()
        self.declared: dict[tuple[str, int], bool] = {}
        self.unresolved_rules: set[str] = set()
        self.watched: tuple[ir.FunctionIR, list[tuple[Place, Value]]] | None = None

    # ---- names ----

    def ext(self, name: str) -> Ext:
        """The library entity `name`, by its canonical spelling."""
        found = self._exts.get(name)
        if found is None:
            canonical = self.knowledge.canonical(name)
            found = self._exts.get(canonical)
            if found is None:
                found = self._exts[canonical] = Ext(canonical)
            self._exts[name] = found
        return found

    def place(self, node: ir.Node) -> Place:
        """Where `node` stands."""
        return (self.fr.fn.module, node.id)

    def child(self, key: Any, make: Callable[[], Value]) -> Value:
        """An interned part of a value: the same key gives the same value on every path."""
        found = self._children.get(key)
        if found is None:
            found = self._children[key] = make()
        return found

    def part(self, value: Value, key: Any, make: Callable[[], Value]) -> Value:
        """An interned part of a value that is traced in one place and concrete in another: one identity for both."""
        where = (value.uid, value.trace.flags if value.trace is not None else 0, *key)
        found = self._children.get(where)
        if found is None:
            found = make()
            uid = self._part_uids.setdefault((value.uid, *key), found.uid)
            if isinstance(found, Opaque | Array | Key):
                found.uid = uid
            self._children[where] = found
        return found

    def intern(self, expr: Any) -> Any:
        """A short fingerprint for a structural one; None where a part is None."""
        if None in expr:
            return None
        found = self._fingerprints.get(expr)
        if found is None:
            found = self._fingerprints[expr] = ("x", len(self._fingerprints))
            if self.meetings.divergent and any(self.meetings.is_divergent(part) for part in expr):
                self.meetings.divergent.add(found)
        return found

    def lookup(self, name: str) -> Value | None:
        """The value of a name, or None when nothing of that name is bound."""
        st = self.st
        found = st.env.get(name)
        fr = self.fr
        if found is not None:
            return found
        closure = fr.own.parent
        while closure is not None:
            if name in closure.fn.locals:
                env = st.frames.get(closure.fid)
                if env is None:
                    env = closure.env
                return env.get(name, UNKNOWN) if env is not None else UNKNOWN
            closure = closure.parent
        return self.lookup_global(fr.env, name)

    def lookup_global(self, env: ModuleEnv, name: str) -> Value | None:
        """The value of a global name of a module."""
        changed = self.st.heap.get(("g", env.path, name))
        if changed is not None:
            return changed  # type: ignore[no-any-return]
        found = env.names.get(name)
        if found is not None and self.fr.fn is not env.ir.top:
            self._note_global(env, name, found)
        return found

    def _note_global(self, env: ModuleEnv, name: str, value: Value) -> None:
        """Remember that a key belongs to a module."""
        if type(value) is Key:
            self.global_keys.setdefault(value.uid, (name, value.place, 0))
        elif type(value) is TupleV:
            for item in value.items:
                self._note_global(env, name, item)
        elif type(value) is Ref and value.kind in ("dict", "list"):
            content = self.st.content(value)
            for item in content.items.values() if isinstance(content.items, dict) else content.items:
                if type(item) is Key:
                    self._note_global(env, name, item)

    def assign(self, name: str, value: Value) -> None:
        """Bind a name in the running function, or where it was declared."""
        fr = self.fr
        fn = fr.fn
        if name in fn.globals:
            st = self.st
            st.heap = {**st.heap, ("g", fr.env.path, name): value}
            return
        if name in fn.nonlocals:
            closure = fr.own.parent
            while closure is not None:
                if name in closure.fn.locals:
                    if closure.fid in self.st.frames:
                        self.st.bind_in(closure.fid, name, value)
                    return
                closure = closure.parent
            return
        if fn.parent is None and self.knowledge.own:
            value = taught.bound(self, name, value)
        self.st.bind(name, value)

    # ---- running ----

    def stack(self, place: Place) -> tuple[tuple[int, Place], ...]:
        """The running calls with the place in each, outermost first."""
        out: list[tuple[int, Place]] = []
        fr: Frame | None = self.fr
        current: Place | None = place
        while fr is not None and current is not None:
            out.append((fr.fid, current))
            current = fr.call_place
            fr = fr.parent
        out.reverse()
        return tuple(out)

    def run_frame(self, frame: Frame, env: dict[str, Value]) -> Value:
        """Run the body of a function inside the current state; its paths join at the return."""
        from jaxlint.semantics import constants, statements

        caller = self.fr
        caller_fid = self.st.fid
        self.fr = frame
        self.depth += 1
        self.running.append(frame.fn)
        frame.passes = len(self.passes)
        self.entered.add(id(frame.fn))
        if frame.ctx.abstract:
            self.traced_functions.add(id(frame.fn))
            if self.follows_captures:
                constants.captured(self, frame)
        st = self.st
        st.enter(frame.fid, env)
        falling = statements.exec_block(self, frame.fn.body, [st])
        for state in falling:
            frame.exits.append((NONE, state))
        self.finish_frame(frame)
        self.running.pop()
        self.depth -= 1
        self.fr = caller
        if not frame.exits:
            # Every path raises: go on as if it had returned, with nothing known.
            self.st = st
            st.leave(frame.fid, caller_fid)
            return UNKNOWN
        result: Value | None = None
        outs: list[State] = []
        snapshot = frame.exits[0][1].env
        for value, state in frame.exits:
            result = value if result is None else join_on(result, value, outs[-1].res, state.res)
            if state.fid == frame.fid:
                state.leave(frame.fid, caller_fid)
            outs.append(state)
        if frame.own.env is None:
            frame.own.env = snapshot
        self.st = join_all(outs)
        if frame.fn.is_generator:
            return self.generator(frame)
        return result if result is not None else UNKNOWN

    def generator(self, frame: Frame) -> Value:
        """What a generator function returns: its elements are what it yields."""
        from jaxlint.semantics.values import Many

        if not frame.yields:
            return Opaque("generator")
        element = frame.yields[0]
        for other in frame.yields[1:]:
            element = join(element, other)
        return Many("generator", lambda index: element)

    def finish_frame(self, frame: Frame) -> None:
        """Close a call: functions that it made but never called are run once, and unused subkeys are told."""
        from jaxlint.semantics import compiles, keys
        from jaxlint.semantics.entries import run_generic, run_wrapper

        if frame.exits and not self.inside_summary:
            value_state = frame.exits[-1][1]
            saved = self.st
            for wrapped, facts in frame.wrappers:
                if wrapped.place not in self.entered_wrappers:
                    self.st = value_state.fork()
                    self.st.facts = facts
                    run_wrapper(self, wrapped)
            for func in frame.local_functions:
                if id(func.fn) not in self.entered:
                    self.st = value_state.fork()
                    run_generic(self, func)
            self.st = saved
        if frame.compiled:
            compiles.finish(self, frame)
        keys.finish_subkeys(self, frame)

    def isolated(self, run: Callable[[], Any], *, summary: bool = False) -> Any:
        """Run something with a state, a call stack and a budget of its own, and restore them.

        A summary is one run of a function that many callers share, so nothing in it may depend on the caller.
        """
        saved_state = self.st, self.fr, self.passes, self.running
        saved_budget = self.depth, self.steps, self.runs, self.variants, self.inside_summary
        saved_entered = self.entered, self.entered_wrappers, self.direct
        self.passes, self.running = [], []
        self.depth, self.steps, self.runs, self.variants, self.inside_summary = 0, 0, {}, {}, summary
        if not summary:
            self.entered, self.entered_wrappers = set(), set()
        self.direct = False
        timeline, self.timeline = self.timeline, Timeline()
        conditional, self.conditional = self.conditional, 0
        try:
            return run()
        finally:
            if self.timeline.candidates or self.timeline.firsts:
                finish(self)
            self.timeline, self.conditional = timeline, conditional
            self.st, self.fr, self.passes, self.running = saved_state
            self.depth, self.steps, self.runs, self.variants, self.inside_summary = saved_budget
            self.entered, self.entered_wrappers, self.direct = saved_entered

    def run_module(self, env: ModuleEnv) -> None:
        """Run the body of a module once, so that its global names have values."""
        if env.state != "new":
            return
        env.state = "running"
        top = env.ir.top
        assert top is not None

        def run() -> None:
            from jaxlint.semantics import keys, statements

            frame = Frame(top, env, Ctx(), None, None, None, None)
            frame.ctx.axes = BARE  # nothing is around the statements of a module
            frame.own = None  # type: ignore[assignment]  # functions of a module look names up as globals
            frame.own = Closure(frame.fid, top, None, 0, frame.fid)
            self.fr = frame
            self.st = State(frame.fid, env.names)
            env.fid = frame.fid
            states = statements.exec_block(self, top.body, [self.st])
            states += [state for _, state in frame.exits]
            if states:
                self.st = join_all(states)
                frame.exits.append((NONE, self.st))
                keys.finish_subkeys(self, frame)
            env.names = self.st.env
            self._commit(self.st)
            for key, value in self.st.heap.items():
                if isinstance(key, tuple) and key[0] == "g" and key[1] == env.path:
                    env.names[key[2]] = value

        reports, self.reports = self.reports, set()
        local_memo, self.local_memo = self.local_memo, {}
        self.isolated(run)
        env.reports, self.reports = self.reports, reports
        self.local_memo = local_memo
        env.state = "done"
        env.hand_out_late()

    def _commit(self, state: State) -> None:
        """Make what global objects hold at the end of a module their initial content."""
        for value in list(state.env.values()):
            self._commit_value(state, value, 0)

    def _commit_value(self, state: State, value: Value, depth: int) -> None:
        if depth > 4:
            return
        if isinstance(value, Ref):
            content = state.heap.get(value.uid)
            if content is not None:
                value.initial = content
                state.heap = {key: held for key, held in state.heap.items() if key != value.uid}
                items = content.items.values() if isinstance(content.items, dict) else content.items
                for item in items:
                    self._commit_value(state, item, depth + 1)
        elif isinstance(value, TupleV):
            for item in value.items:
                self._commit_value(state, item, depth + 1)

    # ---- wrappers ----

    def schedule(self, wrapped: Wrapped) -> None:
        """Remember a transformed callable: if nothing calls it, it is run once with unknown arguments."""
        frame = self.fr
        if frame.fn.parent is None and frame.parent is None:
            frame.env.wrappers.append(wrapped)
        else:
            frame.wrappers.append((wrapped, self.st.facts))

    def mark_entered(self, wrapped: Wrapped) -> None:
        """The wrapper is called."""
        self.entered_wrappers.add(wrapped.place)

    # ---- liveness ----

    def liveness(self, states: list[State]) -> Callable[[State, State, Any], bool]:
        """The question whether a key or buffer that differs between two paths can still be reached on one of them."""
        reachable: dict[int, set[int] | None] = {}

        def live(a: State, b: State, resource: Any) -> bool:
            uses = a.res.get(resource) or b.res.get(resource)
            first = uses[0] if isinstance(uses, tuple) and uses else uses
            value = getattr(first, "value", None)
            if not isinstance(value, Value):
                return True
            for state in (a, b):
                if id(state) not in reachable:
                    reachable[id(state)] = self._reachable(state)
                uids = reachable[id(state)]
                if uids is None or any(item.uid in uids for item in ancestors(value)):
                    return True
            return False

        del states
        return live

    _here = 0

    def _reachable(self, state: State) -> set[int] | None:
        """Identities that names read later lead to; None when a function may lead anywhere."""
        loops = self.fr.loops
        horizon = loops[0].start if loops else self._here
        found: set[int] = set()
        stack: list[tuple[Value, int]] = []
        for fid, env in state.frames.items():
            loads = self.fr.fn.loads if fid == self.fr.fid else None
            stack += [(held, 0) for name, held in env.items() if loads is None or loads.get(name, -1) >= horizon]
        while stack:
            value, depth = stack.pop()
            if isinstance(value, Key | Opaque | Array):
                found.update(item.uid for item in ancestors(value))
                continue
            if isinstance(value, Func) and value.closure is not None:
                return None
            if value.uid:
                found.add(value.uid)
            if depth > 3:
                continue
            if isinstance(value, TupleV):
                stack += [(item, depth + 1) for item in value.items]
            elif isinstance(value, Union):
                stack += [(item, depth + 1) for item in value.members]
            elif isinstance(value, Partial):
                stack += [(item, depth + 1) for item in (value.func, *value.args, *value.kwargs.values())]
            elif isinstance(value, Ref):
                content: Content = state.content(value)
                items = content.items.values() if isinstance(content.items, dict) else content.items
                stack += [(item, depth + 1) for item in items]
        return found

    def finish(self) -> None:
        """Tell what can only be told once everything has been seen."""
        later, self.later = self.later, []
        for tell in later:
            tell()

    def new_entry(self) -> None:
        """Forget what belongs to one file's run."""
        states_module.reset_joins()
        self.statements = 0
        self.tainted = set()
