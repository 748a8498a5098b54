"""A `try` whose handler says what to do where a value is traced: what it attempts is no fault, and may end its body."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.semantics.events import (
    ArgumentConcrete,
    Concretized,
    Event,
    HostArrayIndexed,
    MaskIndexed,
    ShapeUnknown,
    TruthTested,
)
from jaxlint.semantics.values import ABSTRACT, BATCHED, DEFAULTED, Trace
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Frame
    from jaxlint.semantics.interpreter import Interpreter

_NUMBERS = (TruthTested, Concretized)
_CONCRETIZING = (*_NUMBERS, ArgumentConcrete, MaskIndexed, HostArrayIndexed, ShapeUnknown)


class Attempt:
    """The running body of such a `try`. `failed`: it met a traced value that certainly ends it."""

    def __init__(self, it: Interpreter, stmt: ir.Try) -> None:
        self.failed = False
        self._it = it
        self._frame: Frame = it.fr
        self._emit: Callable[[Event], None] = it.emit
        statement_of = it.fr.fn.module.statement_of
        self._always = {statement_of[part.id] for part in _straight(stmt.body)}

    def emit(self, event: Event) -> None:
        """Emit events, except those of what is expected to fail; a summary is not part of the attempt."""
        if isinstance(event, _CONCRETIZING) and self._inside():
            module, node = event.place
            if self._it.fr is self._frame and module.statement_of[node] in self._always and _fails(event):
                self.failed = True
            return
        self._emit(event)

    def _inside(self) -> bool:
        running: Frame | None = self._it.fr
        while running is not None:
            if running is self._frame:
                return True
            running = running.parent
        return False


def _straight(body: list[ir.Stmt]) -> list[ir.Stmt]:
    """The statements at the beginning of a block that run one after the other."""
    found: list[ir.Stmt] = []
    for stmt in body:
        if not isinstance(stmt, ir.Assign | ir.AugAssign | ir.ExprStmt):
            break
        found.append(stmt)
    return found


def _fails(event: Event) -> bool:
    """Whether what happened raises for certain."""
    trace: Trace | None = event.value.trace if isinstance(event, _NUMBERS) else getattr(event, "trace", None)
    return (
        trace is not None and trace.certain and bool(trace.flags & (ABSTRACT | BATCHED)) and not trace.flags & DEFAULTED
    )
