"""Derivatives that would have to go back through loops which keep no record of their passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.events import LoopDifferentiated
from jaxlint.semantics.values import (
    ABSTRACT,
    BATCHED,
    DEFAULTED,
    DIFF,
    FLOW,
    LOOPED,
    Array,
    Const,
    Func,
    Opaque,
    Partial,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_BACK = FLOW | LOOPED


def carry_back(it: Interpreter, name: str, bound: dict[str, Value], results: dict[str, Value], given: Value) -> None:
    """Derivatives come back through what a loop carries: from where it starts and from what its body adds."""
    library, _, loop = name.rpartition(".")
    if loop == "scan":
        out = results.get("f")
        if isinstance(out, TupleV) and out.items and isinstance(given, TupleV) and given.items:
            _carry(it, given.items[0], bound.get("init"), out.items[0], looped=False)
        return
    if loop not in ("while_loop", "fori_loop"):
        return
    out = next((results[name] for name in ("body_fun", "body_fn") if name in results), None)
    start = bound.get("init_val", bound.get("init"))
    looped = loop == "while_loop" or any(_unknown_count(bound.get(name)) for name in ("lower", "upper"))
    _carry(it, given, start, out, looped=looped and library not in _CHECKPOINTED)


_CHECKPOINTED = ("equinox.internal",)
"""Modules whose loops keep what the way back needs."""


def _unknown_count(value: Value | None) -> bool:
    """Whether a bound has no number while the loop is traced."""
    if not isinstance(value, Array | Opaque) or value.trace is None:
        return False
    trace = value.trace
    return trace.certain and bool(trace.flags & (ABSTRACT | BATCHED)) and not trace.flags & DEFAULTED


def _carry(
    it: Interpreter, given: Value, start: Value | None, out: Value | None, *, looped: bool, depth: int = 0
) -> None:
    if depth > 4:
        return
    if isinstance(given, TupleV):
        for position, item in enumerate(given.items):
            parts = (_part(it, start, position), _part(it, out, position))
            _carry(it, item, *parts, looped=looped, depth=depth + 1)
        return
    if isinstance(given, Ref):
        content = it.st.content(given)
        pairs = content.items.items() if isinstance(content.items, dict) else enumerate(content.items)
        for key, item in pairs:
            parts = (_part(it, start, key), _part(it, out, key))
            _carry(it, item, *parts, looped=looped, depth=depth + 1)
        return
    if not isinstance(given, Array | Opaque):
        return
    flags = _flags(it, start) | _flags(it, out)
    if looped and flags & FLOW:
        flags |= LOOPED
    if not flags:
        return
    held = given.trace
    why = held.why if held is not None else None
    given.trace = Trace((held.flags if held is not None else DIFF) | flags, why)


def _part(it: Interpreter, value: Value | None, key: object) -> Value | None:
    """The part of a carried value at a position or name; the whole where it has no such parts."""
    if isinstance(value, TupleV) and isinstance(key, int) and key < len(value.items):
        return value.items[key]
    if isinstance(value, Ref):
        items = it.st.content(value).items
        if isinstance(items, dict):
            return items.get(key)
        if isinstance(key, int) and key < len(items):
            return items[key]  # type: ignore[no-any-return]
    return value


def _flags(it: Interpreter, value: Value | None, depth: int = 0) -> int:
    """How derivatives come back through a value or its parts."""
    if value is None or depth > 4:
        return 0
    if isinstance(value, TupleV | Union):
        parts = value.items if isinstance(value, TupleV) else value.members
    elif isinstance(value, Ref):
        content = it.st.content(value)
        parts = tuple(content.items.values()) if isinstance(content.items, dict) else tuple(content.items)
    else:
        return value.trace.flags & _BACK if value.trace is not None else 0
    flags = 0
    for part in parts:
        flags |= _flags(it, part, depth + 1)
    return flags


def forget(it: Interpreter, value: Value, depth: int = 0) -> None:
    """The derivative of the value comes from a rule of its own, whatever loop computed it."""
    if depth > 4:
        return
    if isinstance(value, TupleV):
        for item in value.items:
            forget(it, item, depth + 1)
    elif isinstance(value, Array | Opaque) and value.trace is not None and value.trace.flags & LOOPED:
        value.trace = Trace(value.trace.flags & ~LOOPED, value.trace.why)


def check(it: Interpreter, transform: str, inner: Value, out: Value, options: dict[str, Value], place: Place) -> None:
    """Tell that a derivative in reverse mode would have to go back through a loop that cannot be run backwards."""
    has_aux = options.get("has_aux")
    if isinstance(has_aux, Const) and has_aux.value and isinstance(out, TupleV) and out.items:
        out = out.items[0]
    if _flags(it, out) & LOOPED:
        it.emit(LoopDifferentiated(place, transform, _name(inner)))


def _name(value: Value) -> str:
    while isinstance(value, Partial | Wrapped):
        value = value.func if isinstance(value, Partial) else value.inner
    return value.fn.name if isinstance(value, Func) and not value.fn.is_lambda else ""
