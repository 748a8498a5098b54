"""Function summaries: a callee is run once for each shape of its arguments, and its effects are replayed at each call.

The arguments are replaced by placeholders; what the run did to placeholders (keys consumed, buffers donated, attributes
stored) and what it returned is then translated back to the actual arguments of each call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import captures, processes, repeats, timing
from jaxlint.semantics.buffers import Empty
from jaxlint.semantics.events import Donation, Event, Use
from jaxlint.semantics.interpreter import Ctx, Frame
from jaxlint.semantics.state import CUT, KEPT, State, join
from jaxlint.semantics.values import (
    NONE,
    UNKNOWN,
    Array,
    At,
    ClassV,
    Closure,
    Const,
    Content,
    Ext,
    ExtObj,
    Func,
    Key,
    Many,
    Method,
    ModuleV,
    Opaque,
    Partial,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    Wrapped,
    ancestors,
    fingerprint,
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.captures import Read
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.repeats import Origin

MAX_VARIANTS = 3
"""Shapes of arguments that one run tells apart for one callee; beyond it only keys, traces and functions count."""

MAX_FUNCTIONS = 8
"""Beyond so many, functions and what objects hold are not told apart either."""

MAX_NESTING = 40
"""Summaries made inside one another before a callee counts as unknown."""

MAX_CHARGE = 100
"""What a call through a summary counts against the budget of its caller, at most."""

_KEPT_HINTS = frozenset({"array", "key", "dict", "range", "zero-shape", "element"})

_MAX_DEPTH = 3
_MAX_ITEMS = 32


class Summary:
    """What one run of a function did, in terms of its placeholders."""

    __slots__ = (
        "depth",
        "end",
        "heap",
        "meetings",
        "pending",
        "reads",
        "repeatable",
        "reports",
        "res",
        "result",
        "start",
        "state",
        "steps",
        "timing",
        "work",
    )

    def __init__(self, start: int, depth: int) -> None:
        self.start = start
        self.depth = depth
        self.end = start
        self.steps = 0
        self.reports: set[Any] = set()
        self.work = 0
        self.result: Value = UNKNOWN
        self.res: list[tuple[Any, Any]] = []
        self.heap: list[tuple[Any, Any]] = []
        self.pending: list[tuple[frozenset[int], Event]] = []
        self.repeatable: list[Origin] = []
        self.reads: dict[Any, Read] = {}
        self.state: State | None = None
        self.meetings: list[str] = []
        self.timing: timing.TimingSummary | None = None


def can_abstract(it: Interpreter, env: dict[str, Value]) -> bool:
    """Whether no argument is a function that reads variables of a call still running."""
    frames = it.st.frames
    return not any(_live_closure(it, value, frames, 0) for value in env.values())


def _live_closure(it: Interpreter, value: Value, frames: dict[int, Any], depth: int) -> bool:
    if isinstance(value, Func):
        closure = value.closure
        while closure is not None:
            if closure.fid in frames:
                return True
            closure = closure.parent
        return value.receiver is not None and depth < 3 and _live_closure(it, value.receiver, frames, depth + 1)
    if depth > 3:
        return False
    if isinstance(value, Partial):
        inner: tuple[Value, ...] = (value.func, *value.args, *value.kwargs.values())
        return any(_live_closure(it, item, frames, depth + 1) for item in inner)
    if isinstance(value, Wrapped):
        return _live_closure(it, value.inner, frames, depth + 1)
    if isinstance(value, TupleV):
        return any(_live_closure(it, item, frames, depth + 1) for item in value.items)
    if isinstance(value, Ref):
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(_live_closure(it, item, frames, depth + 1) for item in items)
    return False


class _Abstraction:
    """Replaces the arguments of one call by placeholders."""

    def __init__(self, it: Interpreter, ctx: Ctx, wide: bool, wider: bool = False) -> None:
        self.it = it
        self.ctx = ctx
        self.wide = wide
        self.wider = wider
        self.actual: dict[int, Value] = {}
        self.seen: dict[int, tuple[Value, int]] = {}
        self.arguments: set[int] = set()
        self.shared: set[int] = set()
        self.older: set[int] = set()
        self.res: dict[Any, Any] = {}
        self.facts: dict[Any, Any] = {}

    def __call__(self, value: Value, depth: int = 0) -> tuple[Value, Any]:
        uid = value.uid
        if uid:
            known = self.seen.get(uid)
            if known is not None:
                return known[0], ("same", known[1])
        made, signature = self._make(value, depth)
        if uid and made is not value and made.uid:
            self.seen[uid] = (made, len(self.seen))
            self.actual[made.uid] = value
            signature = (*signature, self._origin(value, made))
        return made, signature

    def _origin(self, value: Value, made: Value) -> int:
        """Whether the value is an argument of the traced function, and whether it is older than the trace."""
        ctx = self.ctx
        if ctx.depth == 0:
            return 0
        root, received = value, False
        for item in ancestors(value):
            root = item
            received = received or item.uid in ctx.arguments
        flags = 0
        if received:
            self.arguments.add(made.uid)
            flags |= 1
            if root.uid in ctx.shared or value.uid in ctx.shared:
                self.shared.add(made.uid)
                flags |= 2
        elif isinstance(value, Opaque) and (root.uid in self.it.older or root.uid < ctx.mark):
            self.older.add(made.uid)
            flags |= 4
        return flags

    def _make(self, value: Value, depth: int) -> tuple[Value, Any]:
        kind = type(value)
        flags = value.trace.flags if value.trace is not None else 0
        if kind is Const:
            constant = value.value  # type: ignore[attr-defined]
            found = fingerprint(value)
            if found is None or not (isinstance(constant, bool | None) or self._told_apart(constant, depth)):
                return Opaque(static=True), ("o", True, None, 0)
            return value, found
        if self.wide and self._plain(value):
            return Opaque(getattr(value, "name", "")), ("o", False, None, 0)
        if isinstance(value, Opaque):
            hint = value.hint if value.hint in _KEPT_HINTS else None
            made: Value = Opaque(value.name, trace=value.trace, static=value.static, hint=hint)
            return made, ("o", value.static, hint, flags, *self._tests(value, made))
        if isinstance(value, Array) and value.trace is not None and value.lib == "jax":
            traced = Array(value.trace)
            return traced, ("a", "jax", flags, self._empty(value, traced))
        if isinstance(value, Array):
            made = Array(value.trace, lib=value.lib, dtype=value.dtype)
            return made, ("a", value.lib, value.dtype, flags, self._empty(value, made))
        if isinstance(value, Key):
            made = Key(value.place, many=value.many, trace=value.trace, constant=value.constant, rows=value.rows)
            return made, ("k", value.many, value.rows, value.constant, flags)
        if isinstance(value, TupleV):
            if depth >= _MAX_DEPTH:
                return Opaque(trace=value.trace), ("o", False, None, flags)
            parts_made = [self(item, depth + 1) for item in value.items]
            cls_uid = value.cls.uid if value.cls is not None else 0
            return (
                TupleV(tuple(part for part, _ in parts_made), value.cls, value.names),
                ("t", cls_uid, tuple(signature for _, signature in parts_made)),
            )
        if isinstance(value, Ref):
            return self._ref(value, depth)
        if self.wider and isinstance(value, Func | Partial | Wrapped | ClassV | Method):
            return Opaque(), ("o", False, None, 0)
        if isinstance(value, Func):
            if value.receiver is None:
                return value, ("f", id(value.fn) if value.closure is None else value.uid)
            receiver, signature = self(value.receiver, depth + 1)
            bound = Func(value.fn, value.env, value.closure, receiver, value.cls, value.defaults)
            return bound, ("m", id(value.fn), signature)
        if isinstance(value, Partial) and depth < _MAX_DEPTH:
            return self._partial(value, depth)
        if isinstance(value, Union) and depth < _MAX_DEPTH:
            options = [self(member, depth + 1) for member in value.members]
            return Union(tuple(part for part, _ in options)), ("|", tuple(signature for _, signature in options))
        if isinstance(value, Ext):
            return value, ("x", value.name)
        if isinstance(value, ExtObj):
            return value, ("xo", value.cls, value.uid if value.cls.startswith(_TOLD_APART) else 0, flags)
        if value is UNKNOWN:
            return value, ("?",)
        if isinstance(value, Wrapped) and not _has_closure(value):
            return value, ("w", value.place[0].path, value.place[1])
        return value, ("v", value.uid or id(value))

    def _tests(self, value: Opaque, made: Value) -> tuple[Any, ...]:
        """How the caller's tests of an argument went, for the callee to take the same way."""
        facts = self.it.st.facts
        known: list[Any] = []
        if facts:
            subject, placeholder = fingerprint(value), fingerprint(made)
            for kind, constant in (("truth", None), ("is", fingerprint(NONE))):
                holds = facts.get((kind, subject, constant))
                if holds is not None:
                    self.facts[kind, placeholder, constant] = holds
                    known.append((kind, holds))
        return tuple(known)

    def _told_apart(self, constant: Any, depth: int) -> bool:
        """Whether the callee may do something else for this constant: a mode, a small count."""
        if self.wide or depth > 1:
            return False
        if isinstance(constant, str):
            return len(constant) <= 20
        return isinstance(constant, int) and -8 <= constant <= 8

    def _empty(self, value: Array, made: Array) -> Any:
        """What is unwritten of an array, for the callee to know."""
        empty = self.it.st.res.get(("e", value.uid))
        if not isinstance(empty, Empty):
            return None
        self.res[("e", made.uid)] = Empty(empty.place, empty.function, made, empty.parts)
        return (empty.place[1], empty.parts)

    def _plain(self, value: Value) -> bool:
        """Whether a value is an ordinary object that holds nothing rules follow."""
        if value.trace is not None:
            return False
        if isinstance(value, Many | ExtObj):
            return not isinstance(getattr(value, "source", None), Key)
        if isinstance(value, Ref) and value.kind in ("list", "dict", "set"):
            content = self.it.st.content(value)
            items = content.items.values() if isinstance(content.items, dict) else content.items
            return all(isinstance(item, Const | Opaque) and item.trace is None for item in items)
        return isinstance(value, Opaque) and not value.static and value.hint is None

    def _holds_traced(self, content: Content) -> bool:
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(isinstance(item, Key) or item.trace is not None for item in items)

    def _ref(self, value: Ref, depth: int) -> tuple[Value, Any]:
        content = self.it.st.content(value)
        outlives = value.depth < self.ctx.depth
        cls_uid = value.cls.uid if value.cls is not None else 0
        head = ("r", value.kind, cls_uid, outlives, value.argument, value.trace.flags if value.trace else 0)
        made = Ref(value.kind, value.depth, Content(()), value.cls, argument=value.argument, name=value.name)
        made.trace = value.trace
        # Registered before its parts, for objects that hold themselves.
        self.seen[value.uid] = (made, len(self.seen))
        shallow = self.wider and not self._holds_traced(content)
        if depth >= _MAX_DEPTH or len(content.items) > _MAX_ITEMS or shallow:
            made.initial = Content({} if isinstance(content.items, dict) else (), UNKNOWN, True)
            return made, (*head, "deep")
        rest, rest_signature = (None, None) if content.rest is None else self(content.rest, depth + 1)
        if isinstance(content.items, dict):
            items: dict[Any, Value] = {}
            signatures: list[Any] = []
            for key, item in content.items.items():
                items[key], signature = self(item, depth + 1)
                signatures.append((key, signature))
            made.initial = Content(items, rest, content.open)
            return made, (*head, tuple(signatures), rest_signature, content.open)
        listed = [self(item, depth + 1) for item in content.items]
        made.initial = Content(tuple(part for part, _ in listed), rest, content.open)
        return made, (*head, tuple(signature for _, signature in listed), rest_signature, content.open)

    def _partial(self, value: Partial, depth: int) -> tuple[Value, Any]:
        func, func_signature = self(value.func, depth + 1)
        args = [self(item, depth + 1) for item in value.args]
        kwargs = {name: self(item, depth + 1) for name, item in value.kwargs.items()}
        made = Partial(func, tuple(part for part, _ in args), {name: part for name, (part, _) in kwargs.items()})
        signature = (
            "p",
            func_signature,
            tuple(signature for _, signature in args),
            tuple((name, signature) for name, (_, signature) in kwargs.items()),
        )
        return made, signature


_TOLD_APART = ("haiku.Transformed", "jax.stages.", "callable")
"""Objects of libraries that hold functions of the project."""


def _has_closure(value: Value) -> bool:
    """Whether a chain of wrappers ends in a function that captured variables."""
    while isinstance(value, Wrapped | Partial):
        value = value.inner if isinstance(value, Wrapped) else value.func
    return not isinstance(value, Func) or value.closure is not None or value.receiver is not None


_RUNNING = "running"


def call_summarised(it: Interpreter, func: Func, env: dict[str, Value], place: Place, ctx: Ctx) -> Value:
    """Call through the summary for arguments of this shape, made now if it is the first."""
    identity = (id(func.fn), func.cls.uid if func.cls is not None else 0)
    seen = it.variants.setdefault(id(func.fn), set())
    abstraction = _Abstraction(it, ctx, len(seen) >= MAX_VARIANTS, len(seen) >= MAX_FUNCTIONS)
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
        it.counters["unhashable arguments"] += 1
        return Opaque()
    seen.add(key)
    running = it.summarising
    again = next((outer for fn, outer in running if fn is func.fn), None) if known is None else None
    if known is _RUNNING or again is not None or len(running) > MAX_NESTING:
        it.counters["recursion"] += 1
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
    result = _Replay(it, summary, abstraction.actual, place).run(ctx)
    if isinstance(result, Wrapped) and it.fr.fn.parent is None and it.fr.parent is None:
        it.schedule(result)  # a helper has made a transformed function of the module
    return result


def _summarised(
    it: Interpreter, func: Func, env: dict[str, Value], ctx: Ctx, abstraction: _Abstraction, key: Any
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


def _matched(first: _Abstraction, again: _Abstraction) -> _Abstraction:
    """`again`, with the placeholders of `first`: equal signatures make equal orders."""
    renamed = _Abstraction(again.it, again.ctx, again.wide, again.wider)
    for made, actual in zip(first.actual, again.actual.values(), strict=False):
        renamed.actual[made] = actual
    return renamed


def _summarise(it: Interpreter, func: Func, env: dict[str, Value], ctx: Ctx, abstraction: _Abstraction) -> Summary:
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


class _Replay:
    """Translates a summary back to the arguments of one call."""

    def __init__(self, it: Interpreter, summary: Summary, actual: dict[int, Value], place: Place) -> None:
        self.it = it
        self.summary = summary
        self.actual = actual
        self.place = place
        self.done: dict[int, Value] = {}
        self.closures: dict[int, Closure] = {}
        self.deeper = 0
        """How many more traces are open around this call than around the run."""

    def run(self, ctx: Ctx) -> Value:
        from jaxlint.semantics.buffers import donate
        from jaxlint.semantics.keys import consume

        it = self.it
        self.deeper = ctx.depth - self.summary.depth
        for _, uses in self.summary.res:
            if isinstance(uses, Donation):
                if any(item.uid in self.actual for item in ancestors(uses.value)):
                    donate(it, self.value(uses.value), self.place, uses.name)
                continue
            for use in uses[:2]:
                detail = self.value(use.detail) if isinstance(use.detail, Value) else use.detail
                consume(it, self.value(use.value), use.how, self.place, detail=detail, definite=use.definite, inner=use)
        for function in self.summary.meetings:
            processes.met(it, self.place, function, "callee")
        if self.summary.reads:
            for variable, read in self.summary.reads.items():
                captures.replay_read(ctx, variable, read, self.actual)
        for key, content in self.summary.heap:
            if isinstance(key, tuple) and key[0] == "cap":
                captures.replay(it, key, content, self.actual)
        if self.summary.repeatable:
            repeats.replayed(it, self.summary.repeatable, self.place)
        for key, content in self.summary.heap:
            self._write(key, content)
        for uids, event in self.summary.pending:
            known = [self.actual.get(uid) for uid in uids]
            mapped = {item.uid for target in known if target is not None for item in ancestors(target)}
            ctx.pending.append((uids | mapped, event))
        result = self.value(self.summary.result)
        if self.summary.timing is not None and not ctx.depth:
            timing.replayed(it, self.summary.timing, result, self.place)
        return result

    def _write(self, key: Any, content: Any) -> None:
        st = self.it.st
        if isinstance(key, tuple):
            if key[0] == "g" and isinstance(content, Value):
                st.heap = {**st.heap, key: self.value(content)}
            elif key[0] == "v" and key[1] in self.actual:
                from jaxlint.semantics.attributes import bump

                bump(self.it, self.actual[key[1]])
            return
        if not isinstance(content, Content):
            return
        target = self.actual.get(key)
        if target is None:  # an object of a module
            st.heap = {**st.heap, key: self.content(content)}
            return
        if isinstance(target, Ref):
            st.store(target, _as_held(target.kind, st.content(target), self.content(content)))
        elif isinstance(target, Opaque):
            held = st.heap.get(target.uid)
            items = dict(held.items) if isinstance(held, Content) else {}
            items.update(self.content(content).items)
            st.heap = {**st.heap, target.uid: Content(items, None, True)}

    def content(self, content: Content) -> Content:
        rest = self.value(content.rest) if content.rest is not None else None
        if isinstance(content.items, dict):
            return Content({key: self.value(item) for key, item in content.items.items()}, rest, content.open)
        return Content(tuple(self.value(item) for item in content.items), rest, content.open)

    def value(self, value: Value) -> Value:
        """The value in terms of this call."""
        if isinstance(value, Const | Ext | ClassV | ModuleV) or value is UNKNOWN:
            return value
        uid = value.uid
        if uid:
            found = self.actual.get(uid)
            if found is not None:
                return found
            found = self.done.get(uid)
            if found is not None:
                return found
        made = self._translate(value)
        if uid:
            self.done[uid] = made
        return made

    def _element(self, value: Value, key: Any) -> Value:
        """An element of a sequence; one that was made only after the run belongs to this call alone."""
        from jaxlint.semantics.iteration import anonymous

        late = isinstance(value, Opaque) and value.uid > self.summary.end
        if late and not any(item.uid in self.actual for item in ancestors(value)):
            return anonymous(self.it, value, key)
        return self.value(value)

    def _is_fresh(self, value: Value) -> bool:
        return self.summary.start < value.uid < self.summary.end

    def _translate(self, value: Value) -> Value:
        if isinstance(value, TupleV):
            return TupleV(tuple(self.value(item) for item in value.items), value.cls, value.names)
        if isinstance(value, Opaque | Key | Array):
            return self._derived(value)
        if isinstance(value, Ref):
            return self._ref(value)
        if isinstance(value, Union):
            return Union(tuple(self.value(member) for member in value.members), value.kept)
        if isinstance(value, Func):
            if value.closure is None and value.receiver is None:
                return value
            receiver = self.value(value.receiver) if value.receiver is not None else None
            made = Func(value.fn, value.env, self._closure(value.closure), receiver, value.cls, value.defaults)
            return made
        if isinstance(value, Partial):
            return Partial(
                self.value(value.func),
                tuple(self.value(item) for item in value.args),
                {name: self.value(item) for name, item in value.kwargs.items()},
            )
        if isinstance(value, Wrapped):
            inner = self.value(value.inner)
            if inner is value.inner:
                return value
            options = {name: self.value(item) for name, item in value.options.items()}
            return Wrapped(value.transform, inner, options, value.place)
        if isinstance(value, Many):
            element = value.element
            source = self.value(value.source) if value.source is not None else None
            serial = fresh_uid()
            return Many(value.kind, lambda i: self._element(element(i), (serial, i)), value.length, source)
        if isinstance(value, Method):
            return Method(self.value(value.receiver), value.name)
        if isinstance(value, At):
            return At(self.value(value.array), value.index, value.place)
        if isinstance(value, ExtObj) and value.args:
            args = tuple(self.value(item) for item in value.args)
            if any(a is not b for a, b in zip(args, value.args, strict=True)):
                return ExtObj(value.cls, args, value.kwargs)
        return value

    def _derived(self, value: Opaque | Key | Array) -> Value:
        """A part of an argument is the same part of the actual one; what the callee made is made again."""
        it = self.it
        parent = value.parent
        if isinstance(value, Array) and value.also is not None and parent is not None:
            joined = join(self.value(parent), self.value(value.also))
            if value.tag == KEPT and isinstance(joined, Union):
                return Union(joined.members, kept=True)
            if value.tag == KEPT and isinstance(joined, Array):
                return Array(joined.trace, lib=joined.lib, parent=joined.parent, also=joined.also, tag=KEPT)
            return joined
        if parent is not None and any(item.uid in self.actual for item in ancestors(parent)):
            owner = self.value(parent)
            part = self._part(owner, value.tag)
            if part is not None:
                return part
        if not self._is_fresh(value):
            return value
        if isinstance(value, Opaque):
            expr = it.intern(("at", self.place[1], value.expr)) if value.expr is not None else None
            opaque = Opaque(value.name, trace=value.trace, static=value.static, hint=value.hint, expr=expr)
            opaque.made = value.made.seen_from(self.value) if value.made is not None else None
            return opaque
        if isinstance(value, Array):
            made = Array(value.trace, lib=value.lib, shape=value.shape, dtype=value.dtype)
            made.made = value.made.seen_from(self.value) if value.made is not None else None
            empty = self.summary.state.res.get(("e", value.uid)) if self.summary.state is not None else None
            if isinstance(empty, Empty):
                it.st.set_res(("e", made.uid), Empty(empty.place, empty.function, made, empty.parts))
            return made
        key_parent = self.value(value.parent) if value.parent is not None else None
        made_key = Key(
            value.place,
            many=value.many,
            trace=value.trace,
            parent=key_parent,
            tag=value.tag,
            constant=value.constant,
            rows=value.rows,
        )
        if value.constant:
            repeats.returned(it, value, made_key)
        return made_key

    def _part(self, owner: Value, tag: Any) -> Value | None:
        from jaxlint.semantics.attributes import get_attr
        from jaxlint.semantics.items import get_item
        from jaxlint.semantics.keys import fold_child, row

        it = self.it
        if not isinstance(tag, tuple):
            return None
        kind, data = tag[0], tag[1] if len(tag) > 1 else None
        if kind == "attr" and isinstance(data, str):
            return get_attr(it, owner, data, self.place)
        if kind == "fold" and isinstance(data, Value):
            return fold_child(it, owner, self.value(data), self.place)
        if kind in ("row", "item") and isinstance(data, Value):
            index = self.value(data)
            return row(it, owner, index) if isinstance(owner, Key) else get_item(it, owner, index, self.place)
        if kind == "i" and isinstance(data, int):
            return get_item(it, owner, Const(data), self.place)
        return None

    def _ref(self, value: Ref) -> Value:
        if not self._is_fresh(value):
            return value
        depth = value.depth + self.deeper
        made = Ref(value.kind, depth, Content(()), value.cls, argument=value.argument, name=value.name)
        made.trace = value.trace
        self.done[value.uid] = made
        state = self.summary.state
        assert state is not None
        made.initial = self.content(state.content(value))
        return made

    def _closure(self, closure: Closure | None) -> Closure | None:
        if closure is None or closure.env is None:
            return closure
        found = self.closures.get(closure.fid)
        if found is not None:
            return found
        made = Closure(
            fresh_uid(), closure.fn, self._closure(closure.parent), closure.depth + self.deeper, closure.mark
        )
        self.closures[closure.fid] = made
        made.env = {name: self.value(item) for name, item in closure.env.items()}
        return made


def _as_held(kind: str, before: Content, made: Content) -> Content:
    """What a container holds after a callee, which could not see what it was given, has stored items into it."""
    if not isinstance(made.items, dict) or kind not in ("list", "set", "dict"):
        return made
    items = {key[1]: item for key, item in made.items.items() if isinstance(key, tuple) and key[0] == "item"}
    if kind == "dict":
        return Content({**before.items, **items}, before.rest, before.open) if items else made
    size = len(before.items)
    if kind == "set" or before.open or not all(isinstance(key, int) and -size <= key < size for key in items):
        rest = before.rest
        for item in (*before.items, *made.items.values()):
            rest = item if rest is None else join(rest, item)
        return Content((), rest, True)
    held = list(before.items)
    for key, item in items.items():
        held[key] = item
    return Content(tuple(held), before.rest)
