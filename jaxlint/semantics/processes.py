"""What all processes of a program have to do together, met in a branch that only some of them take.

A path that a test of the process index chose carries a mark until it joins the other one. The mark names the test and
the call that made it, so that a collective further in is told of at the statement under that test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import axes
from jaxlint.semantics.events import ProcessesDiverge
from jaxlint.semantics.values import (
    Array,
    ExtObj,
    Key,
    Opaque,
    Place,
    Ref,
    TupleV,
    Value,
    ancestors,
)

if TYPE_CHECKING:
    from jaxlint.knowledge import FunctionInfo
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.state import State

_MARK = "process"


class Meetings:
    """What the interpreter knows of processes.

    divergent: fingerprints of values that differ between processes. spanning: uids of arrays that span them. meshes:
    uids of meshes of all devices. frames: in which call a test ran last. seen: by test and place, which sides of the
    test got there. sides: by test and side, what was met. always: places that are reached whatever the process. inner:
    what the summary being made meets whatever its caller.
    """

    def __init__(self) -> None:
        self.divergent: set[Any] = set()
        self.spanning: set[int] = set()
        self.meshes: set[int] = set()
        self.frames: dict[Place, int] = {}
        self.seen: dict[tuple[Place, Place], set[bool]] = {}
        self.sides: dict[tuple[Place, bool], set[str]] = {}
        self.always: set[Place] = set()
        self.inner: list[str] = []

    def is_divergent(self, fingerprint: Any) -> bool:
        """Whether a fingerprint is one of a value that differs, or holds one."""
        if not self.divergent:
            return False
        if fingerprint in self.divergent:
            return True
        return isinstance(fingerprint, tuple) and any(
            self.is_divergent(part) for part in fingerprint if isinstance(part, tuple)
        )


def differs(it: Interpreter, value: Value, name: str) -> None:
    """A value that is another one on each process."""
    if isinstance(value, Opaque):
        if value.expr is None:
            value.expr = it.intern(("call", name))
        it.meetings.divergent.add(value.expr)


def learn(it: Interpreter, test: Place, fact: Any, taken: State, other: State) -> None:
    """The two paths behind a test; where its value differs between processes, each has some of them."""
    if it.meetings.is_divergent(fact):
        it.meetings.frames[test] = it.fr.fid
        taken.assume((_MARK, test), True)
        other.assume((_MARK, test), False)


def met(it: Interpreter, place: Place, function: str, how: str) -> None:
    """All processes have to be here."""
    meetings = it.meetings
    marks = [(key[1], holds) for key, holds in it.st.facts.items() if key[0] == _MARK]
    if marks:
        stack = dict(it.stack(place))
        for test, holds in marks:
            at = stack.get(meetings.frames[test])
            if at is not None:
                _note(it, test, holds, at, function, how if at == place else "callee")
                return
    meetings.always.add(place)
    if how != "compiled":
        meetings.inner.append(function)


def _note(it: Interpreter, test: Place, holds: bool, at: Place, function: str, how: str) -> None:
    meetings = it.meetings
    meetings.sides.setdefault((test, holds), set()).add(function)
    sides = meetings.seen.setdefault((test, at), set())
    if holds in sides:
        return
    sides.add(holds)

    def tell() -> None:
        # Both ways lead here, or to the same meeting.
        everyone = len(sides) > 1 or at in meetings.always
        if not everyone and function not in meetings.sides.get((test, not holds), ()):
            it.emit(ProcessesDiverge(at, function, how, test, holds))

    it.later.append(tell)


def called(it: Interpreter, info: FunctionInfo, bound: dict[str, Value], place: Place, result: Value) -> None:
    """Carry out the effects of a library function that has to do with axes or processes."""
    for effect, names in info.effects:
        value = bound.get(names[0]) if names else None
        if effect in ("collective", "axis") and value is not None:
            axes.asked(it, place, info.name, value)
        elif effect == "barrier":
            met(it, place, info.name, "barrier")
        elif effect == "divergent":
            differs(it, result, info.name)
        elif effect == "axes_of":
            axes.check_spec(it, place, value, bound.get(names[1]))
        elif effect == "spans":
            spans(it, result)
        elif effect == "spans_if":
            placed(it, result, value)
        elif effect == "alldevices" and "devices" not in bound and result.uid:
            it.meetings.meshes.add(result.uid)


# ---- arrays that span the processes ---------------------------------------------------------------------------------


def spans(it: Interpreter, value: Value) -> None:
    """An array whose shards are on the devices of all processes."""
    if value.uid:
        it.meetings.spanning.add(value.uid)


def placed(it: Interpreter, value: Value, sharding: Value | None) -> None:
    """`device_put(value, sharding)`."""
    if not isinstance(sharding, ExtObj) or it.knowledge.classes.get(sharding.cls) != "sharding":
        return
    if any(part.uid in it.meetings.meshes for part in sharding.args[:1]):
        spans(it, value)


def compiled(it: Interpreter, values: tuple[Value, ...], place: Place, function: str) -> None:
    """A compiled function is called."""
    if it.meetings.spanning and any(_spanning(it, value, 0) for value in values):
        met(it, place, function, "compiled")


def _spanning(it: Interpreter, value: Value, depth: int) -> bool:
    if isinstance(value, Array | Opaque | Key):
        return any(item.uid in it.meetings.spanning for item in ancestors(value))
    if isinstance(value, TupleV) and depth < 3:
        return any(_spanning(it, item, depth + 1) for item in value.items)
    if isinstance(value, Ref) and depth < 3:
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(_spanning(it, item, depth + 1) for item in items)
    return False
