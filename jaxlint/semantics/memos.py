"""Stores that a function makes on purpose while JAX traces: filled once, or behind a test for tracers."""

from __future__ import annotations

from jaxlint.semantics.guards import blocks, leaves, parts
from jaxlint.semantics.objects import describe
from jaxlint.semantics.values import Place
from jaxlint.syntax import ir


def deliberate(fn: ir.FunctionIR, place: Place, name: str) -> bool:
    """Whether the statement at `place` stores only where `name` still is None, or only where something is a tracer."""
    if "…" in name:
        name = ""
    return place[0] is fn.module and _found(fn.body, place, name, False) is True


def _found(body: list[ir.Stmt], wanted: Place, name: str, guarded: bool) -> bool | None:
    """Whether the statement `wanted` is guarded; None where it is not in `body`."""
    number_of = wanted[0].statement_of
    for stmt in body:
        if number_of[stmt.id] == number_of[wanted[1]]:
            return guarded
        sides = blocks(stmt)
        for number, block in enumerate(sides):
            inside = guarded or (isinstance(stmt, ir.If) and _guards(stmt.test, name, number == 0))
            found = _found(block, wanted, name, inside)
            if found is not None:
                return found
        if isinstance(stmt, ir.If) and leaves(stmt.body) and _guards(stmt.test, name, False):
            guarded = True
    return None


def _guards(test: ir.Expr, name: str, holds: bool) -> bool:
    """Whether a test that went this way says that `name` has no value yet, or that something is a tracer."""
    if isinstance(test, ir.Unary) and test.op == "not":
        operand = test.operand
        return (holds and describe(operand) == name) or _guards(operand, name, not holds)
    if isinstance(test, ir.Bool):
        sure = (test.op == "and") == holds
        return sure and any(_guards(part, name, holds) for part in (test.left, test.right))
    if isinstance(test, ir.Compare) and len(test.parts) == 1:
        op, right = test.parts[0]
        absent = isinstance(right, ir.Lit) and right.value is None
        return absent and op == ("is" if holds else "is not") and describe(test.left) == name
    if isinstance(test, ir.Call) and holds and describe(test.func) == "isinstance" and len(test.args) == 2:
        kinds = (test.args[1], *parts(test.args[1]))
        return any(describe(kind).rpartition(".")[2] == "Tracer" for kind in kinds)
    return not holds and describe(test) == name
