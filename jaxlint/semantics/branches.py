"""Tests: which way they go, what each way teaches, and when the test itself is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, processes, timing
from jaxlint.semantics.events import TruthTested
from jaxlint.semantics.expressions import evaluate
from jaxlint.semantics.liveness import liveness
from jaxlint.semantics.state import State, reduce_states
from jaxlint.semantics.values import (
    NONE,
    Array,
    ClassV,
    Const,
    Func,
    Key,
    ModuleV,
    Opaque,
    Place,
    Ref,
    TupleV,
    Union,
    Unknown,
    Value,
    Wrapped,
    fingerprint,
    is_none,
    weaken,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_NONE = fingerprint(NONE)


def truth(it: Interpreter, value: Value) -> bool | None:
    """Whether a value is true, where that is known."""
    if isinstance(value, Const):
        try:
            return bool(value.value)
        except Exception:  # a literal whose truth is not defined
            return None
    if isinstance(value, TupleV):
        return len(value.items) > 0
    if isinstance(value, Ref) and value.kind in ("list", "dict", "set"):
        content = it.st.content(value)
        if len(content.items) > 0:
            return True
        return None if content.open or content.rest is not None else False
    if isinstance(value, Func | ClassV | ModuleV | Wrapped | Key):
        return True
    if isinstance(value, Union):
        answers = {truth(it, member) for member in value.members}
        return answers.pop() if len(answers) == 1 else None
    return None


def test_value(it: Interpreter, value: Value, construct: str, place: Place, test: Place) -> None:
    """Tell that the truth of `value` is asked for."""
    if it.timeline.active and isinstance(value, Array) and not it.fr.ctx.depth:
        timing.wait(it, value, test, construct)
    if value.trace is not None or it.empties:
        buffers.read(it, value, test, "compared")
        it.emit(TruthTested(place, value, construct, test))


def branch(
    it: Interpreter, test: ir.Expr, state: State, construct: str, place: Place
) -> tuple[list[State], list[State]]:
    """Split a path at a test into the paths where it holds and those where it does not."""
    kind = type(test)
    if kind is ir.Unary and test.op == "not":  # type: ignore[attr-defined]
        true, false = branch(it, test.operand, state, construct, place)  # type: ignore[attr-defined]
        return false, true
    if kind is ir.Bool:
        return _short_circuit(it, test, state, construct, place)  # type: ignore[arg-type]
    it.st = state
    it.testing = test
    value = evaluate(it, test)
    state = it.st
    if not _told_apart(it, test):
        test_value(it, value, construct, place, it.place(test))
    asked = _asked_about(test)
    if asked is not None:
        state.assume(("asked", it.fr.fid, asked), True)
    known = truth(it, value)
    fact = _fact(it, test, value)
    if known is None and fact is not None:
        known = _recall(state, fact)
    if known is not None:
        return ([state], []) if known else ([], [state])
    other = state.fork()
    _learn(it, test, fact, state, True)
    _learn(it, test, fact, other, False)
    if it.meetings.divergent and fact is not None:
        processes.learn(it, it.place(test), fact, state, other)
    if asked is not None:
        _weaken(it, asked, state)
    if _asks_type(test):
        other.assume("untyped", True)
    return [state], [other]


def _told_apart(it: Interpreter, test: ir.Expr) -> bool:
    """Whether a test is on a local variable that is now a number, now an array: this path has asked for its type."""
    tested = test.left if type(test) is ir.Compare else test
    if type(tested) is not ir.Name or ("asked", it.fr.fid, tested.name) not in it.st.facts:
        return False
    return all(param.name != tested.name for param in it.fr.fn.params)


def _asked_about(test: ir.Expr) -> str | None:
    """The variable whose type is asked for."""
    if type(test) is ir.Call and type(test.func) is ir.Name and test.func.name == "isinstance" and test.args:
        return test.args[0].name if type(test.args[0]) is ir.Name else None
    return None


def _weaken(it: Interpreter, name: str, state: State) -> None:
    """A value that may be of the class that was asked for is no traced array for certain."""
    value = state.env.get(name)
    if type(value) is not Opaque or value.hint == "array" or value.trace is None or not value.trace.certain:
        return
    made = Opaque(value.name, trace=weaken(value.trace), hint=value.hint, parent=value.parent, tag=value.tag)
    made.uid = value.uid
    state.bind(name, made)


def _asks_type(test: ir.Expr) -> bool:
    """Whether a test dispatches on the type of a value: nothing is said of types that no branch takes."""
    if type(test) is ir.Bin:
        return _asks_type(test.left) and _asks_type(test.right)
    return type(test) is ir.Call and type(test.func) is ir.Name and test.func.name == "isinstance"


def _short_circuit(
    it: Interpreter, test: ir.Bool, state: State, construct: str, place: Place
) -> tuple[list[State], list[State]]:
    true, false = branch(it, test.left, state, construct, place)
    going, ending = (true, false) if test.op == "and" else (false, true)
    right_true: list[State] = []
    right_false: list[State] = []
    for each in going:
        right = branch(it, test.right, each, construct, place)
        right_true += right[0]
        right_false += right[1]
    if test.op == "and":
        return right_true, reduce_states(ending + right_false, liveness(it))
    return reduce_states(ending + right_true, liveness(it)), right_false


def _fact(it: Interpreter, test: ir.Expr, value: Value) -> Any:
    """What to remember of a test: (kind, fingerprint, constant or None)."""
    tested = _tested_name(test)
    subject = None if tested is None else _subject(it.st, tested.name)
    if subject is not None:
        if type(test) is ir.Compare:
            return (test.parts[0][0], subject, _NONE)
        return ("truth", subject, None)
    if type(value) is Opaque and value.expr is not None and type(value.expr) is tuple and value.expr[0] == "cmp":
        return value.expr
    found = fingerprint(value)
    return None if found is None else ("truth", found, None)


def _subject(state: State, name: str) -> Any:
    """What to call the value of a variable that has no identity of its own."""
    value = state.env.get(name)
    if type(value) is Unknown:
        return state.binding_of(name)
    if type(value) is Union:
        parts = tuple(map(fingerprint, value.members))
        return None if None in parts else ("|", parts)
    return None


def _tested_name(test: ir.Expr) -> ir.Name | None:
    """The name whose truth is asked for, or that is compared with None by identity."""
    if type(test) is ir.Name:
        return test
    if type(test) is ir.Compare and len(test.parts) == 1 and type(test.left) is ir.Name:
        op, right = test.parts[0]
        if op in ("is", "is not") and type(right) is ir.Lit and right.value is None:
            return test.left
    return None


def _recall(state: State, fact: Any) -> bool | None:
    kind, subject, constant = fact[-3:]
    facts = state.facts
    if kind in ("==", "!="):
        equal = facts.get(("eq", subject))
        if equal is not None:
            answer = bool(equal == constant)
        else:
            found = facts.get(("==", subject, constant))
            if found is None:
                return None
            answer = bool(found)
        return answer if kind == "==" else not answer
    if kind in ("is", "is not"):
        found = facts.get(("is", subject, constant))
        if found is None and subject[0] == "|" and all(_differs(facts, part, constant) for part in subject[1]):
            found = False
        return None if found is None else bool(found) == (kind == "is")
    found = facts.get(fact)
    return None if found is None else bool(found)


def _differs(facts: dict[Any, Any], part: Any, constant: Any) -> bool:
    """Whether one of the values that a variable may have is another object than a constant."""
    if part[0] in ("c", "e", "t"):
        return bool(part != constant)
    return facts.get(("is", part, constant)) is False


def _learn(it: Interpreter, test: ir.Expr, fact: Any, state: State, holds: bool) -> None:
    """Remember that the test went this way on `state`, and narrow the tested name."""
    if fact is not None:
        kind, subject, constant = fact[-3:]
        if kind in ("==", "!="):
            equal = holds == (kind == "==")
            state.assume(("==", subject, constant), equal)
            if equal:
                state.assume(("eq", subject), constant)
        elif kind in ("is", "is not"):
            state.assume(("is", subject, constant), holds == (kind == "is"))
        else:
            state.assume(fact, holds)
    _narrow(it, test, state, holds)


def _narrow(it: Interpreter, test: ir.Expr, state: State, holds: bool) -> None:
    tested = _tested_name(test)
    if tested is None or (test is tested and not holds):
        return
    name = tested.name
    wants_none = type(test) is ir.Compare and (test.parts[0][0] == "is") == holds
    value = state.env.get(name)
    if value is None:
        return
    if wants_none:
        if type(value) is Opaque or type(value) is Union:
            state.bind(name, NONE)
    elif type(value) is Union:
        kept = tuple(member for member in value.members if not is_none(member))
        for member in kept:
            state.assume(("is", fingerprint(member), _NONE), False)
        if len(kept) == 1:
            state.bind(name, kept[0])
        elif kept and len(kept) < len(value.members):
            state.bind(name, it.child(("union", tuple(id(m) for m in kept)), lambda: Union(kept)))


def case_split(it: Interpreter, subject: Value, case: ir.Case, state: State) -> tuple[list[State], list[State]]:
    """The paths that may enter a case and those that may go on to the next."""
    if case.irrefutable:
        return [state], []
    if len(case.values) == 1 and not case.binds:
        it.st = state
        constant = evaluate(it, case.values[0])
        left, right = fingerprint(subject), fingerprint(constant)
        if left is not None and right is not None:
            if left[0] == "c" and right[0] == "c":
                return ([state], []) if left == right else ([], [state])
            fact = ("==", left, right)
            known = _recall(state, fact)
            if known is not None:
                return ([state], []) if known else ([], [state])
            other = state.fork()
            state.assume(fact, True)
            state.assume(("eq", left), right)
            other.assume(fact, False)
            return [state], [other]
    return [state], [state.fork()]
