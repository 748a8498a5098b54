"""What the tests around a statement say of it: that it fills something once, runs for tracers only, counts nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from jaxlint.semantics.guards import blocks, leaves, parts
from jaxlint.semantics.mutations import describe
from jaxlint.semantics.values import Opaque, Place, Ref, Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_Guard = tuple[ir.Expr, bool]
"""A test, and which way it went."""


def deliberate(it: Interpreter, place: Place, name: str) -> bool:
    """Whether the statement at `place` stores only where `name` has no such value yet, or on tracers only."""
    wanted = "" if "…" in name else name
    return any(_says(test, holds, lambda expr: describe(expr) == wanted) for test, holds in _around(it, place))


def first_call(it: Interpreter, place: Place, receiver: Value) -> bool:
    """Whether a method is called only where an attribute of its object has no value yet: it stores but once."""
    if not isinstance(receiver, Ref | Opaque):
        return False
    env = it.st.env

    def of_receiver(expr: ir.Expr) -> bool:
        return type(expr) is ir.Attr and type(expr.obj) is ir.Name and env.get(expr.obj.name) is receiver

    return any(_says(test, holds, of_receiver) for test, holds in _around(it, place))


def counts_nothing(it: Interpreter, place: Place) -> bool:
    """Whether the statement at `place` runs only where something is equal to zero, such as the size of an array."""
    return any(
        isinstance(test, ir.Compare)
        and len(test.parts) == 1
        and test.parts[0][0] == ("==" if holds else "!=")
        and isinstance(test.parts[0][1], ir.Lit)
        and test.parts[0][1].value == 0
        for test, holds in _around(it, place)
    )


def _around(it: Interpreter, place: Place) -> tuple[_Guard, ...]:
    """The tests that decide whether the statement at `place` in the running function is reached."""
    fn = it.fr.fn
    if place[0] is not fn.module:
        return ()
    key = ("guards", id(fn))
    found: dict[int, tuple[_Guard, ...]] | None = it.memo.get(key)
    if found is None:
        number_of = fn.module.statement_of
        found = it.memo[key] = {number_of[stmt.id]: guards for stmt, guards in _guarded(fn.body, ()) if guards}
    return found.get(place[0].statement_of[place[1]], ())


def _guarded(body: Iterable[ir.Stmt], guards: tuple[_Guard, ...]) -> Iterator[tuple[ir.Stmt, tuple[_Guard, ...]]]:
    for stmt in body:
        yield stmt, guards
        for number, block in enumerate(blocks(stmt)):
            inside = (*guards, (stmt.test, number == 0)) if isinstance(stmt, ir.If) else guards
            yield from _guarded(block, inside)
        if isinstance(stmt, ir.If) and leaves(stmt.body):
            guards = (*guards, (stmt.test, False))


def _container(expr: ir.Expr) -> ir.Expr:
    """What is searched by `in`: the mapping itself where its keys are."""
    keys = isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.attr == "keys"
    return expr.func.obj if keys else expr  # type: ignore[attr-defined]


def _says(test: ir.Expr, holds: bool, wanted: Callable[[ir.Expr], bool]) -> bool:
    """Whether a test that went this way says that what is wanted has no value yet, or that something is a tracer."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return (holds and wanted(test.operand)) or _says(test.operand, not holds, wanted)
    if isinstance(test, ir.Bool):
        sure = (test.op == "and") == holds
        return sure and any(_says(part, holds, wanted) for part in (test.left, test.right))
    if isinstance(test, ir.Compare) and len(test.parts) == 1:
        op, right = test.parts[0]
        if op in ("in", "not in"):
            return (op == "not in") == holds and wanted(_container(right))
        absent = isinstance(right, ir.Lit) and right.value is None
        return absent and op == ("is" if holds else "is not") and wanted(test.left)
    if isinstance(test, ir.Call) and holds and describe(test.func) == "isinstance" and len(test.args) == 2:
        kinds = (test.args[1], *parts(test.args[1]))
        return any(describe(kind).rpartition(".")[2] == "Tracer" for kind in kinds)
    return not holds and wanted(test)
