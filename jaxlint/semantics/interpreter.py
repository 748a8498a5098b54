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
from jaxlint.semantics.axes import BARE
from jaxlint.semantics.events import Event
from jaxlint.semantics.frames import Ctx, Frame
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
    Ext,
    Key,
    Opaque,
    Place,
    Ref,
    TupleV,
    Value,
    Wrapped,
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


MAX_HELD = 150_000_000
"""Bytes of what one file's run leaves for the next beyond which it is let go."""


class Interpreter:
    """Runs the functions of a project over abstract values and emits events."""

    def __init__(self, project: Project, knowledge: Knowledge, emit: Callable[[Event], None]) -> None:
        self.project = project
        self.knowledge = knowledge
        self.emit = emit
        self.counters: Counter[str] = Counter()
        """Where the analysis gave up, by reason."""
        self.later: list[Callable[[], None]] = []
        """What can only be told once every function has run."""
        self.follows_captures = False
        """Whether a rule asks for arrays that a trace captures."""
        self.follows_rows = False
        """Whether a rule asks for rows that are stacked."""

        # The current path, and what runs on it.
        self.st: State = State(0, {})
        self.fr: Frame = None  # type: ignore[assignment]  # set before anything runs
        self.here = 0
        """The statement that runs."""
        self.passes: list[tuple[int, int]] = []
        """Passes of loops that run: (loop, number of the pass)."""
        self.running: list[ir.FunctionIR] = []
        """Functions that run, outermost first."""
        self.conditional = 0
        """How many tests the current statement stands in."""
        self.timeline = Timeline()
        self.expected: list[set[str]] = []
        """Errors that the `try` statements around the current statement catch."""
        self.expecting: set[int] = set()
        """Frames inside `with pytest.raises(…)` and the like."""
        self.open_call: Place | None = None
        """The call of a name whose callee is being evaluated: what that makes is called at once."""
        self.testing: ir.Expr | None = None
        """The test that is being decided."""
        self.dropped: ir.Expr | None = None
        """The expression of a statement that drops its value."""
        self.augmenting = False
        """Whether the store comes from `x += …`."""
        self.updated: Update | None = None
        self.watched: tuple[ir.FunctionIR, list[tuple[Place, Value]]] | None = None
        """A function of which each returned value is noted, and what was noted."""
        self.muted_keys = False
        """Whether uses of keys do not count: nothing runs what is traced."""
        self.done_once = 0
        """Running calls that are made only where their object says that they were not made before."""
        self.filled = 0
        """Running calls of cached functions whose results may have been made before the trace."""
        self.unasked = 0
        """Entries on the host with unknown arguments that run: what they hand to NumPy need not be traced."""

        # Budgets.
        self.steps = 0
        """Statements run for this entry."""
        self.statements = 0
        """Statements run for this file."""
        self.depth = 0
        """Calls that run inside one another."""
        self.runs: dict[int, int] = {}
        """How often a nested function was run in this entry."""
        self.work = 0
        """Calls of libraries that compute something."""

        # Entries: which functions ran, and how.
        self.entered: set[int] = set()
        """Functions that ran in this entry."""
        self.entered_wrappers: set[Place] = set()
        """Transformed callables that were called in this entry."""
        self.direct = False
        """Whether the function of an entry itself runs, not a callee of it."""
        self.traced_functions: set[int] = set()
        """Functions that ran under a trace."""
        self.hidden_slopes: set[Place] = set()
        """Operations that a selection hides though their slope comes back through it."""
        self.given_collections: set[tuple[ir.FunctionIR, str]] = set()
        """Parameters, by function and name, that a call gives a list, a tuple or a dict."""
        self.decorated_away: set[int] = set()
        """Functions whose name stands for what an unknown decorator made."""
        self.classes: list[ClassV] = []
        self.applications: list[Application] = []

        # Summaries.
        self.memo: dict[Any, Any] = {}
        """Summaries that serve every entry, by function and shape of arguments."""
        self.local_memo: dict[Any, Any] = {}
        """Those that serve this entry only, since they met a function being summarised."""
        self.summarising: list[tuple[ir.FunctionIR, Any]] = []
        """Functions being summarised, with the shape of their arguments."""
        self.tainted: set[Any] = set()
        """Shapes that a summary being made has met while they were being made."""
        self.variants: dict[int, set[Any]] = {}
        """Shapes of arguments seen for a function in this entry."""
        self.inside_summary = False
        self.reports: set[Any] = set()
        """What the summary being made has reported."""
        self.older: set[int] = set()
        """Identities that are older than the summary being made."""

        # Identities of values.
        self._exts: dict[str, Ext] = {}
        self._children: dict[Any, Value] = {}
        self._part_uids: dict[Any, int] = {}
        self._fingerprints: dict[Any, Any] = {}

        # Keys.
        self.touched: set[int] = set()
        """Keys that were read by name."""
        self.global_keys: dict[int, tuple[str, Place | None, int]] = {}
        """Keys that a module's globals hold: name, place, and how many were taken from it."""
        self.captured_keys: set[Place] = set()
        """Where a body consumes a key that it captured."""
        self.row_origins: list[tuple[Value, Value]] = []
        """Rows of keys, with the key that they come from."""
        self.constant_keys: dict[int, Origin] = {}
        """Keys made from a constant seed, and where."""
        self.repeatable: list[Origin] = []
        """Constant keys that each call of the function makes again."""

        # Arrays and buffers.
        self.donations = 0
        """How many buffers were donated: while none was, nothing asks."""
        self.empties = 0
        """How many arrays without values were made."""
        self.filling: dict[int, tuple[int, Empty]] = {}
        """Arrays that the passes of a loop fill, by identity: the loop, and what was unwritten before."""
        self.told: dict[Any, Place] = {}
        """Reads of donated buffers that were told, by statement."""
        self.array_like: set[int] = set()
        """Unknown values that a library took for arrays."""
        self.iterated: dict[int, Value] = {}
        """What a comprehension iterates over."""
        self.elements: dict[int, Value] = {}
        """Elements that a list of rows is made of."""
        self.ragged: set[int] = set()
        """Comprehensions whose rows differ in shape."""

        # What outlives a trace.
        self.changes: dict[Variable, Place] = {}
        """Variables that the host changes, and where."""
        self.traced_writes: set[Variable] = set()
        """Variables that are written under a trace."""
        self.memo_attributes: set[tuple[int, str]] = set()
        """Attributes that are filled once, where they have no value yet: (class, name)."""
        self.remembered: list[tuple[Any, dict[Variable, Read]]] = []
        """Traces that a transformation keeps, with what they read."""
        self.rebound_names: dict[int, frozenset[str]] = {}
        """Names that a function binds anew, by function."""
        self.cached: dict[int, Place] = {}
        """Functions behind a cache, and where they are made."""
        self.cache_filled: set[Any] = set()
        """Caches that were filled outside of a trace."""

        # Compilation.
        self.compiled_anew: set[tuple[str, int]] = set()
        """Loops that were told to compile at each pass."""
        self.short_loops: set[int] = set()
        """Loops of a known, small number of passes."""
        self.variant_loops: set[int] = set()
        """Short loops over other things than a `range`."""

        # Devices, axes and derivative rules.
        self.meetings = Meetings()
        self.bound_axes: set[Any] = set()
        """Uses of an axis name that some caller binds."""
        self.unbound_axes: dict[Any, Event] = {}
        """Uses that no caller has bound so far."""
        self.declared: dict[tuple[str, int], bool] = {}
        """Functions with custom derivatives, and whether a rule was attached."""
        self.unresolved_rules: set[str] = set()
        """Files that attach rules to something unknown."""

    def gave_up(self, reason: str, what: str = "") -> None:
        """Count a place where the analysis goes on without knowing; `what` names the thing that it does not know."""
        self.counters[f"{reason}: {what}" if what else reason] += 1

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

    def finish(self) -> None:
        """Tell what can only be told once everything has been seen."""
        later, self.later = self.later, []
        for tell in later:
            tell()

    @property
    def heavy(self) -> bool:
        """Whether summaries and parts of values, of about 10,000 and 1,200 bytes each, take more than they should."""
        return len(self.memo) * 10_000 + len(self._children) * 1_200 > MAX_HELD

    def forget(self) -> None:
        """Between files, let go of what is only kept because it may be wanted again. It is made again then."""
        self.memo = {}
        self.local_memo = {}
        self._children = {}
        self._part_uids = {}

    def new_entry(self) -> None:
        """Forget what belongs to one file's run."""
        states_module.reset_joins()
        self.statements = 0
        self.tainted = set()
