"""What is known on one path of a function, and how paths fork and join.

A state holds the variables of the running calls, what objects hold, what became of keys and buffers (`res`, for
resources) and which tests were taken which way. `res`, `heap` and `facts` are replaced on write and shared between
forks, so a fork costs one copy of the variables. Each binding is logged in a list that forks share the head of: two
paths differ only in the names logged since they parted, so a join does not look at the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.semantics.values import (
    UNKNOWN,
    Array,
    Const,
    Content,
    Key,
    Opaque,
    Ref,
    TupleV,
    Union,
    Unknown,
    Value,
    ancestors,
    fingerprint,
    members,
    merge_traces,
    weaken,
)

MAX_STATES = 8
"""Paths kept apart in one function; beyond it the most similar ones are joined."""

MAX_UNION = 4


_Log = Any
"""(frame id, name, earlier log, length) or None."""


class State:
    """One path."""

    __slots__ = ("env", "facts", "fid", "frames", "heap", "log", "res")

    def __init__(self, fid: int, env: dict[str, Value]) -> None:
        self.fid = fid
        self.env = env
        self.frames: dict[int, dict[str, Value]] = {fid: env}
        self.heap: dict[Any, Any] = {}
        self.res: dict[Any, Any] = {}
        self.facts: dict[Any, Any] = {}
        self.log: _Log = None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name of the running call."""
        self.env[name] = value
        log = self.log
        self.log = (self.fid, name, log, 1 if log is None else log[3] + 1)

    def bind_in(self, fid: int, name: str, value: Value) -> None:
        """Bind a name of an enclosing call."""
        self.frames[fid][name] = value
        log = self.log
        self.log = (fid, name, log, 1 if log is None else log[3] + 1)

    def unbind(self, name: str) -> None:
        """Forget a name of the running call."""
        if name in self.env:
            self.bind(name, UNKNOWN)
            del self.env[name]

    def binding_of(self, name: str) -> tuple[str, int, str, int]:
        """An identity for what the running call last bound `name` to, whose value may be unknown."""
        log = self.log
        while log is not None and (log[0] != self.fid or log[1] != name):
            log = log[2]
        return ("n", self.fid, name, 0 if log is None else log[3])

    def fork(self) -> State:
        """Return a copy that can go another way."""
        new = State.__new__(State)
        new.fid = self.fid
        new.frames = {fid: dict(env) for fid, env in self.frames.items()}
        new.env = new.frames[self.fid]
        new.heap = self.heap
        new.res = self.res
        new.facts = self.facts
        new.log = self.log
        return new

    def enter(self, fid: int, env: dict[str, Value]) -> None:
        """Start a call whose variables are `env`."""
        self.frames[fid] = env
        self.env = env
        self.fid = fid

    def leave(self, fid: int, to: int) -> None:
        """End the call `fid` and go back to `to`."""
        self.frames.pop(fid, None)
        self.env = self.frames[to]
        self.fid = to

    def content(self, ref: Ref) -> Content:
        """What `ref` holds on this path."""
        found: Content | None = self.heap.get(ref.uid)
        return ref.initial if found is None else found

    def store(self, ref: Ref, content: Content) -> None:
        """Replace what `ref` holds."""
        self.heap = {**self.heap, ref.uid: content}

    def set_res(self, key: Any, value: Any) -> None:
        """Record what became of a key or a buffer."""
        self.res = {**self.res, key: value}

    def assume(self, fact: Any, holds: bool) -> None:
        """Record that a test went this way: what paths joined that had parted at the same test is told apart again."""
        gates = self.facts.get(("gate", fact), ())
        self.facts = {**self.facts, fact: holds}
        for fid, name, when_true, when_false, joined in gates:
            env = self.frames.get(fid)
            if env is None or env.get(name) is not joined:
                continue
            value = when_true if holds else when_false
            if fid == self.fid:
                self.bind(name, value)
            else:
                self.bind_in(fid, name, value)


_joined: dict[Any, Value] = {}


def reset_joins() -> None:
    """Forget interned joins (between files)."""
    _joined.clear()


def join(a: Value, b: Value) -> Value:
    """The value that is `a` on one path and `b` on the other."""
    if a is b:
        return a
    kind_a, kind_b = type(a), type(b)
    if kind_a is Unknown or kind_b is Unknown:
        return UNKNOWN
    if kind_a is Const and kind_b is Const:
        const_a, const_b = a.value, b.value  # type: ignore[attr-defined]
        if type(const_a) is type(const_b) and const_a == const_b:
            return a
    if kind_a is TupleV and kind_b is TupleV:
        items_a, items_b = a.items, b.items  # type: ignore[attr-defined]
        if len(items_a) == len(items_b):
            return TupleV(tuple(map(join, items_a, items_b)), a.cls, a.names)  # type: ignore[attr-defined]
    identity = (_identity(a), _identity(b))
    if None not in identity:
        found = _joined.get(identity)
        if found is not None:
            return found
    result = _join_fresh(a, b)
    if None not in identity:
        _joined[identity] = result
    return result


KEPT = ("join", "kept")
"""Tag of one of two arrays where the other one was donated, each on its own path."""


def join_on(a: Value, b: Value, mine: dict[Any, Any], theirs: dict[Any, Any]) -> Value:
    """`join` where the paths hold the resources `mine` and `theirs`: what was donated elsewhere is not this value."""
    if mine is theirs or a is b:
        return join(a, b)
    if isinstance(a, TupleV) and isinstance(b, TupleV) and len(a.items) == len(b.items):
        parts = (join_on(x, y, mine, theirs) for x, y in zip(a.items, b.items, strict=True))
        return TupleV(tuple(parts), a.cls, a.names)
    if type(a) is Key or type(b) is Key:
        return _join_keys(a, b, mine, theirs)
    joined = join(a, b)
    if type(joined) is not Union and not (type(joined) is Array and joined.also is not None):
        return joined
    if _given_away(a, mine) or _given_away(b, theirs) or not (_given_away(a, theirs) or _given_away(b, mine)):
        return joined
    if type(joined) is Union:
        return Union(joined.members, kept=True)
    assert isinstance(joined, Array)
    return Array(joined.trace, lib=joined.lib, dtype=joined.dtype, parent=joined.parent, also=joined.also, tag=KEPT)


def _join_keys(a: Value, b: Value, mine: dict[Any, Any], theirs: dict[Any, Any]) -> Value:
    """The key that is `a` on one path and `b` on the other.

    Where each is unused on its own path and used up on the other one, such as a key that some path replaced by a new
    one, what goes on is neither: it is a key of its own, unused so far.
    """
    if not (isinstance(a, Key | Opaque) and isinstance(b, Key | Opaque)):
        return join(a, b)
    if mine.get(a.uid) or theirs.get(b.uid) or not (theirs.get(a.uid) or mine.get(b.uid)):
        return join(a, b)
    identity = ("key", a.uid, b.uid)
    found = _joined.get(identity)
    if found is None or mine.get(found.uid) or theirs.get(found.uid):
        many = any(isinstance(value, Key) and value.many for value in (a, b))
        found = _joined[identity] = Key(None, many=many, trace=_join_traces(a, b))
    return found


def _given_away(value: Value, res: dict[Any, Any]) -> bool:
    return any(("d", item.uid) in res for member in members(value) for item in ancestors(member))


def _identity(value: Value) -> Any:
    return ("u", value.uid) if value.uid else fingerprint(value)


def _join_fresh(a: Value, b: Value) -> Value:
    kind_a, kind_b = type(a), type(b)
    if isinstance(a, Array) and isinstance(b, Array) and a.lib == b.lib:
        dtype = a.dtype if a.dtype == b.dtype else None
        return Array(_join_traces(a, b), lib=a.lib, dtype=dtype, parent=a, also=b, tag=("join",))
    if kind_a is Const and kind_b is Const and a.value is not None and b.value is not None:  # type: ignore[attr-defined]
        return Opaque(static=True)
    if kind_a is Opaque and kind_b is Opaque and a.static and b.static and a.trace is b.trace is None:  # type: ignore[attr-defined]
        return Opaque(static=True, hint=a.hint if a.hint == b.hint else None)  # type: ignore[attr-defined]
    union: list[Value] = []
    for member in (*members(a), *members(b)):
        if not any(member is known or _same_const(member, known) for known in union):
            union.append(member)
    if len(union) > MAX_UNION:
        return UNKNOWN
    return union[0] if len(union) == 1 else Union(tuple(union))


def _same_const(a: Value, b: Value) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and type(a.value) is type(b.value) and bool(a.value == b.value)


def _join_traces(a: Value, b: Value) -> Any:
    if a.trace is not None and b.trace is not None:
        return merge_traces(a.trace, b.trace)
    return weaken(a.trace or b.trace)


_NOTHING: dict[Any, Any] = {}


def join_contents(
    a: Content, b: Content, mine: dict[Any, Any] = _NOTHING, theirs: dict[Any, Any] = _NOTHING
) -> Content:
    """What an object holds that held `a` on one path and `b` on the other."""
    if a is b:
        return a
    rest = a.rest if b.rest is None else b.rest if a.rest is None else join(a.rest, b.rest)
    if isinstance(a.items, dict) and isinstance(b.items, dict):
        items: dict[Any, Value] = {}
        for key in {**a.items, **b.items}:
            left, right = a.items.get(key), b.items.get(key)
            if left is not None and right is not None:
                items[key] = join_on(left, right, mine, theirs)
            else:
                present = left if left is not None else right
                items[key] = join(present, a.rest or b.rest or UNKNOWN) if present is not None else UNKNOWN
        return Content(items, rest, a.open or b.open)
    if not isinstance(a.items, dict) and not isinstance(b.items, dict) and len(a.items) == len(b.items):
        return Content(tuple(map(join, a.items, b.items)), rest, a.open or b.open)
    for value in (*tuple(a.items), *tuple(b.items)):
        if isinstance(value, Value):
            rest = value if rest is None else join(rest, value)
    return Content((), rest, True)


def changed(a: State, b: State) -> set[tuple[int, str]]:
    """The names that were bound on either path since the two parted, as (frame id, name)."""
    found: set[tuple[int, str]] = set()
    mine, theirs = a.log, b.log
    while mine is not theirs:
        if theirs is None or (mine is not None and mine[3] >= theirs[3]):
            found.add((mine[0], mine[1]))
            mine = mine[2]
        else:
            found.add((theirs[0], theirs[1]))
            theirs = theirs[2]
    return found


def join_states(a: State, b: State, lossy: bool = False) -> State:
    """Join `b` into `a` and return `a`. With `lossy`, resources that differ are marked as cut and go silent."""
    gates: dict[Any, list[_Gate]] = {} if a.facts is b.facts else {test: [] for test in _parting(a.facts, b.facts)}
    for fid, name in changed(a, b):
        env, other = a.frames.get(fid), b.frames.get(fid)
        theirs = other.get(name) if other is not None else None
        if env is None or theirs is None:
            continue
        mine = env.get(name)
        if mine is not theirs:
            # A name bound on one path only keeps its value: where it is read, it must have been bound.
            value = theirs if mine is None else join_on(mine, theirs, a.res, b.res)
            if mine is not None:
                for test, found in gates.items():
                    found.append(_gate(test, fid, name, (a.facts, mine), (b.facts, theirs), value))
            if fid == a.fid:
                a.bind(name, value)
            else:
                a.bind_in(fid, name, value)
    if a.heap is not b.heap:
        heap = dict(a.heap)
        for oid, content in b.heap.items():
            held = heap.get(oid)
            if held is content:
                continue
            if isinstance(content, Content) and isinstance(held, Content):
                heap[oid] = join_contents(held, content, a.res, b.res)
            elif isinstance(content, Value) and isinstance(held, Value):
                heap[oid] = join(held, content)
            else:
                heap[oid] = content
        a.heap = heap
    if a.res is not b.res:
        a.res = _join_res(a.res, b.res, lossy)
    if a.facts is not b.facts:
        facts = {fact: holds for fact, holds in a.facts.items() if b.facts.get(fact) is holds}
        facts.update({("gate", test): tuple(found) for test, found in gates.items() if found})
        a.facts = facts
    return a


MAX_GATES = 4
"""Tests that may have parted two paths, beyond which none is remembered for what they joined."""

_Gate = tuple[int, str, Value, Value, Value]
"""(frame id, name, its value where a test holds, its value where it does not, both joined)."""


def _parting(mine: dict[Any, Any], theirs: dict[Any, Any]) -> tuple[Any, ...]:
    """The tests that went one way on each of two paths, and those that did so on paths that each of them joined."""
    found = [fact for fact, holds in mine.items() if isinstance(holds, bool) and theirs.get(fact) is (not holds)]
    for facts in (mine, theirs):
        found += [fact[1] for fact in facts if fact[0] == "gate" and fact[1] not in found]
    return tuple(found) if len(found) <= MAX_GATES else ()


def _gate(
    test: Any,
    fid: int,
    name: str,
    mine: tuple[dict[Any, Any], Value],
    theirs: tuple[dict[Any, Any], Value],
    joined: Value,
) -> _Gate:
    """What a name is on either outcome of a test, from the facts of two paths and its value on each."""
    found: list[Value] = []
    for holds in (True, False):
        values = [_under(facts, test, holds, (fid, name), value) for facts, value in (mine, theirs)]
        known: list[Value] = [value for value in values if value is not None]
        found.append(join(known[0], known[-1]) if known else UNKNOWN)
    return (fid, name, found[0], found[1], joined)


def _under(facts: dict[Any, Any], test: Any, holds: bool, variable: tuple[int, str], value: Value) -> Value | None:
    """What a variable is on a path if `test` goes one way there; None where it is known to go the other way."""
    known = facts.get(test)
    if known is not None:
        return value if known is holds else None
    for gate in facts.get(("gate", test), ()):
        if gate[:2] == variable and gate[4] is value:
            found: Value = gate[2] if holds else gate[3]
            return found
    return value


CUT = ("cut",)
"""A resource whose history was lost when paths had to be joined: silent."""


def _join_res(a: dict[Any, Any], b: dict[Any, Any], lossy: bool) -> dict[Any, Any]:
    res = dict(a)
    for key, use in b.items():
        mine = res.get(key)
        if mine is use:
            continue
        if lossy:
            res[key] = CUT
        elif mine is None:
            res[key] = use
        elif isinstance(mine, tuple) and isinstance(use, tuple) and mine is not CUT and use is not CUT:
            res[key] = mine + tuple(item for item in use if item not in mine)
    if lossy:
        for key, use in a.items():
            if b.get(key) is not use:
                res[key] = CUT
    return res


def compatible(a: State, b: State, live: Any) -> bool:
    """Whether joining loses nothing that a rule needs: the same resources and the same values traced."""
    if a.res is not b.res and a.res != b.res:
        for key in {**a.res, **b.res}:
            if a.res.get(key) != b.res.get(key) and live(a, b, key):
                return False
    for fid, name in changed(a, b):
        if fid == a.fid:
            mine, theirs = a.env.get(name), b.env.get(name)
            if mine is not None and theirs is not None and (mine.trace is None) != (theirs.trace is None):
                return False
    return True


def reduce_states(states: list[State], live: Callable[[State, State, Any], bool]) -> list[State]:
    """Join the states that need not be kept apart, and the rest when there are too many."""
    if len(states) <= 1:
        return states
    out: list[State] = []
    for state in states:
        for kept in out:
            if kept is not state and compatible(kept, state, live):
                join_states(kept, state)
                break
        else:
            out.append(state)
    while len(out) > MAX_STATES:
        last = out.pop()
        join_states(out[-1], last, lossy=True)
    return out


def join_all(states: list[State]) -> State:
    """Join every state into the first (a call has one continuation)."""
    first = states[0]
    for other in states[1:]:
        join_states(first, other)
    return first
