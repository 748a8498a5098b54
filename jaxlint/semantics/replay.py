"""Replay of a summary: what one run did to placeholders is done to the actual arguments of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import captures, processes, repeats, timing
from jaxlint.semantics.buffers import Empty
from jaxlint.semantics.events import Donation, Event
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.state import KEPT, State, join
from jaxlint.semantics.values import (
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
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.captures import Read
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.repeats import Origin


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


class Replay:
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
        """Do to the actual arguments what the run did to the placeholders, and give what it returned."""
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
                options: Any = {"detail": detail, "definite": use.definite, "inner": use, "alone": use.alone}
                consume(it, self.value(use.value), use.how, self.place, **options)
        for function in self.summary.meetings:
            processes.met(it, self.place, function, "callee")
        if self.summary.reads:
            for variable, read in self.summary.reads.items():
                captures.replay_read(ctx, variable, read, self.actual)
                captures.replay_write(it, variable, self.actual)
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
        """What a container of the run holds, in terms of the call."""
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
            self._keep_fields(value, opaque)
            return opaque
        if isinstance(value, Array):
            made = Array(value.trace, lib=value.lib, shape=value.shape, dtype=value.dtype)
            made.made = value.made.seen_from(self.value) if value.made is not None else None
            empty = self.summary.state.res.get(("e", value.uid)) if self.summary.state is not None else None
            if isinstance(empty, Empty):
                it.st.set_res(("e", made.uid), Empty(empty.place, empty.function, made, empty.parts))
                it.empties += 1
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

    def _keep_fields(self, value: Opaque, made: Opaque) -> None:
        """What is known of the fields of a value that the callee updated functionally."""
        held = self.summary.state.heap.get(value.uid) if self.summary.state is not None else None
        if isinstance(held, Content):
            self.done[value.uid] = made
            self.it.st.heap = {**self.it.st.heap, made.uid: self.content(held)}

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
