"""Functions whose results Python caches, and what a trace makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.events import (
    ArgumentConcrete,
    CacheTraced,
    Concretized,
    HostArrayIndexed,
    MaskIndexed,
    ShapeUnknown,
    SliceBoundTraced,
    TruthTested,
)
from jaxlint.semantics.values import (
    ABSTRACT,
    DEFAULTED,
    MAYBE,
    Array,
    Descriptor,
    Func,
    Place,
    Ref,
    TupleV,
    Value,
    fingerprint,
    traced_inside,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxlint.semantics.events import Event
    from jaxlint.semantics.frames import Ctx
    from jaxlint.semantics.interpreter import Interpreter

_ASKING = (TruthTested, Concretized, ArgumentConcrete, ShapeUnknown, MaskIndexed, SliceBoundTraced, HostArrayIndexed)
"""What is told when a number is asked of a tracer."""


def mark(it: Interpreter, value: Value, place: Place) -> None:
    """The decorator at `place` caches what `value` returns."""
    if isinstance(value, Descriptor):
        value = value.func
    if isinstance(value, Func):
        it.cached[id(value.fn)] = place


def outside_the_trace(emit: Callable[[Event], None]) -> Callable[[Event], None]:
    """Tell all but what asks for numbers: what a cached function makes of plain arguments may have them."""

    def told(event: Event) -> None:
        if not isinstance(event, _ASKING):
            emit(event)

    return told


class Meeting:
    """One call of a cached function: looked at before it runs and after."""

    __slots__ = ("arguments", "func", "place", "receiver", "traced")

    def __init__(self, it: Interpreter, func: Func, env: dict[str, Value], place: Place) -> None:
        self.func = func
        self.place = place
        given = list(env.items())
        self.receiver = func.receiver
        if func.receiver is not None:
            given = given[1:]
        self.arguments: tuple[Any, ...] = tuple(fingerprint(value) for _, value in given)
        self.traced = next((name for name, value in given if _certainly_traced(value)), None)

    def may_be_filled(self, ctx: Ctx) -> bool:
        """Whether an earlier call may have made the result, outside the trace that asks for it now."""
        return self.traced is None and ctx.abstract

    def returned(self, it: Interpreter, result: Value) -> None:
        """Tell when the arguments cannot be hashed, or when the result belongs to a trace."""
        ctx = it.fr.ctx
        identity = (id(self.func.fn), self.arguments)
        if ctx.depth == 0:
            if it.fr.fn.parent is None:
                it.cache_filled.add(identity)
            return
        if ctx.shape or identity in it.cache_filled or self._dies_with_trace(it):
            return
        if self.traced is None and not (ctx.abstract and _holds_built(it, result, 0)):
            return
        it.emit(CacheTraced(it.cached[id(self.func.fn)], self.func.fn.name, self.traced, self.place))

    def _dies_with_trace(self, it: Interpreter) -> bool:
        """Whether the cache lives in an object that each trace makes anew."""
        receiver = self.receiver
        return isinstance(receiver, Ref) and (receiver.argument or receiver.depth >= it.fr.ctx.depth)


def _certainly_traced(value: Value) -> bool:
    trace = traced_inside(value)
    return trace is not None and not trace.flags & (MAYBE | DEFAULTED)


def _holds_built(it: Interpreter, value: Value, depth: int) -> bool:
    """Whether a result holds an array that JAX computed under the trace."""
    if isinstance(value, Array):
        return value.lib == "jax" and value.trace is not None and bool(value.trace.flags & ABSTRACT)
    if depth > 3:
        return False
    if isinstance(value, TupleV):
        return any(_holds_built(it, item, depth + 1) for item in value.items)
    if isinstance(value, Ref) and value.kind in ("list", "dict"):
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(_holds_built(it, item, depth + 1) for item in items)
    return False
