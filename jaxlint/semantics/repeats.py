"""Keys made from a constant seed: whether they are made again and again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.semantics.compiles import nodes
from jaxlint.semantics.events import KeyRepeated
from jaxlint.semantics.values import Const, Key, Place, Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Frame
    from jaxlint.semantics.interpreter import Interpreter

_TESTS = re.compile(r"(^|[/\\])(tests?[/\\]|conftest\.py$|test_[^/\\]*$|[^/\\]*_tests?\.py$)")


class Origin:
    """Where a constant key was made, in which function, and what repeated it there."""

    __slots__ = ("function", "how", "place")

    def __init__(self, place: Place, function: str, how: str | None) -> None:
        self.place = place
        self.function = function
        self.how = how


def made(it: Interpreter, key: Key, place: Place) -> None:
    """Remember a key that was made from a constant seed."""
    fr = it.fr
    if fr.defaulting or it.muted_keys or fr.ctx.shape or not _written_down(it, place):
        return
    how = None
    if fr.ctx.depth > 0:
        how = "traced"
    elif len(it.passes) > fr.passes:
        how = "loop"
    elif it.passes:
        how = "call"
    it.constant_keys[key.uid] = Origin(place, fr.fn.name, how)


def returned(it: Interpreter, key: Key, again: Key) -> None:
    """A callee handed a key out: `again` is the one that this call of it made."""
    origin = it.constant_keys.get(key.uid)
    if origin is not None:
        how = "traced" if it.fr.ctx.depth > 0 else "call" if it.passes else None
        it.constant_keys[again.uid] = Origin(origin.place, origin.function, origin.how or how)


def used(it: Interpreter, value: Value, place: Place) -> None:
    """A key is used up: tell when it, or what it was derived from by constants alone, is made again and again."""
    current: Value | None = value
    while isinstance(current, Key):
        origin = it.constant_keys.get(current.uid)
        if origin is not None:
            _tell(it, origin, place)
            return
        tag = current.tag
        if isinstance(tag, tuple) and tag[0] == "fold" and not isinstance(tag[1], Const):
            return
        current = current.parent if current.parent is not None else None


def replayed(it: Interpreter, origins: list[Origin], place: Place) -> None:
    """A callee that makes and uses constant keys is called."""
    for origin in origins:
        how = "traced" if it.fr.ctx.depth > 0 and not it.fr.ctx.shape else "call" if it.passes else None
        if it.muted_keys or it.fr.ctx.shape:
            continue
        _tell(it, Origin(origin.place, origin.function, how), place)


def _tell(it: Interpreter, origin: Origin, place: Place) -> None:
    if origin.how is None:
        it.repeatable.append(origin)
    elif not _excused(it, origin):
        it.emit(KeyRepeated(origin.place, origin.function, origin.how, place if origin.how == "call" else None))


def _excused(it: Interpreter, origin: Origin) -> bool:
    """Whether a test makes the key: it wants the same numbers each time."""
    if _TESTS.search(origin.place[0].path):
        return True
    fr: Frame | None = it.fr
    while fr is not None:
        if fr.fn.name.startswith("test") or _TESTS.search(fr.fn.module.path):
            return True
        fr = fr.parent
    return False


def _written_down(it: Interpreter, place: Place) -> bool:
    """Whether the seed is a literal or a named constant at the call itself: a parameter is the caller's choice."""
    node = place[0].nodes[place[1]]
    if not isinstance(node, cst.Call):
        return False
    for argument in node.args:
        if argument.keyword is None or argument.keyword.value == "seed":
            return not argument.star and _constant(it, argument.value)
    return False


def _constant(it: Interpreter, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Integer):
        return True
    if isinstance(node, cst.UnaryOperation):
        return _constant(it, node.expression)
    if isinstance(node, cst.BinaryOperation):
        return _constant(it, node.left) and _constant(it, node.right)
    if isinstance(node, cst.Name):
        fn: ir.FunctionIR | None = it.fr.fn
        while fn is not None:
            if any(param.name == node.value for param in fn.params) or _counts(fn, node.value):
                return False
            fn = fn.parent
        return True
    return False


def _counts(fn: ir.FunctionIR, name: str) -> bool:
    """Whether a loop of the function binds the name: each pass has a seed of its own."""
    targets = [node.target for node in nodes(fn.body) if isinstance(node, ir.For | ir.Clause)]
    return any(type(part) is ir.Name and part.name == name for target in targets for part in nodes([target]))


def evaluate_arm(it: Interpreter, cond: ir.Cond, arm: ir.Expr) -> Value:
    """The value of an arm of a conditional expression; what it makes in place of something missing is a default."""
    from jaxlint.semantics.expressions import evaluate

    missing = asks_for_missing(cond.test)
    if missing is None or (arm is cond.body) != (missing == "body"):
        return evaluate(it, arm)
    it.fr.defaulting += 1
    value = evaluate(it, arm)
    it.fr.defaulting -= 1
    return value


def asks_for_missing(test: ir.Expr) -> str | None:
    """The branch ("body" or "orelse") that a test such as `key is None` takes when something was not given."""
    if isinstance(test, ir.Compare) and len(test.parts) == 1:
        op, right = test.parts[0]
        if op in ("is", "is not") and isinstance(right, ir.Lit) and right.value is None:
            return "body" if op == "is" else "orelse"
    if isinstance(test, ir.Unary) and test.op == "not" and isinstance(test.operand, ir.Name | ir.Attr):
        return "body"
    if isinstance(test, ir.Bool):
        return asks_for_missing(test.left) or asks_for_missing(test.right)
    return None
