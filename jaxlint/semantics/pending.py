"""What a trace leaves behind when it ends: stores into containers of the caller, and keys used by other names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from jaxlint.semantics.attributes import get_attr
from jaxlint.semantics.events import Use
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.keys import CONSUMING, consume, used_in_next_pass
from jaxlint.semantics.lifting import Lifting
from jaxlint.semantics.values import (
    Opaque,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def replay_origins(it: Interpreter, liftings: list[Lifting], place: Place) -> None:
    """A key that the body used up under an identity of its own is used up for the caller too."""
    rows, it.row_origins = it.row_origins, []
    for origins in (rows, *(lifting.origins for lifting in liftings)):
        for origin, uses in _used(it, origins, place):
            use = next((use for use in uses if use.how in CONSUMING), None)
            if use is not None:
                consume(it, origin, "call", place, definite=use.definite, inner=use)


def carried_uses(it: Interpreter, lifting: Lifting, place: Place) -> None:
    """The second pass of a loop has used keys that the first one handed on: tell of those that it had used up."""
    for origin, uses in _used(it, lifting.origins, place):
        for use in uses:
            used_in_next_pass(it, origin, use)


Origins = list[tuple[Value, Value]]


def _used(it: Interpreter, origins: Origins, place: Place) -> Iterable[tuple[Value, list[Use]]]:
    """What was used of the values that a body received, as the values that they stand for, with the uses."""
    known = {made.uid: origin for made, origin in origins}
    if not known:
        return
    for held in list(it.st.res.values()):
        uses = [use for use in held if isinstance(use, Use)] if isinstance(held, tuple) else []
        origin = _origin(it, uses[0].value, known, place) if uses else None
        if origin is not None:
            yield origin, uses


def _origin(it: Interpreter, value: Value, known: dict[int, Value], place: Place) -> Value | None:
    """What a value, or an attribute of one, stands for."""
    names: list[str] = []
    while value.uid not in known:
        parent = value.parent if isinstance(value, Opaque) else None
        if (
            parent is None
            or not isinstance(value, Opaque)
            or not isinstance(value.tag, tuple)
            or value.tag[0] != "attr"
        ):
            return None
        names.append(value.tag[1])
        value = parent
    origin = known[value.uid]
    for name in reversed(names):
        origin = get_attr(it, origin, name, place)
    return origin


def flush_pending(it: Interpreter, ctx: Ctx, out: Value) -> None:
    """Tell the stores into argument containers that the function does not return."""
    if not ctx.pending:
        return
    returned_uids: set[int] = set()
    collect(it, out, returned_uids, 0)
    for uids, event in ctx.pending:
        if not uids & returned_uids:
            it.emit(event)
    ctx.pending = []


def collect(it: Interpreter, value: Value, found: set[int], depth: int) -> None:
    """The identities of a value and of all that it holds or is part of."""
    if value.uid:
        found.add(value.uid)
    if depth > 4:
        return
    for item in value.members if isinstance(value, Union) else _held(it, value):
        collect(it, item, found, depth + 1)
    if isinstance(value, Opaque):
        parent = value.parent
        while parent is not None:
            found.add(parent.uid)
            parent = getattr(parent, "parent", None)


def collect_own(it: Interpreter, value: Value, found: set[int], depth: int) -> None:
    """The identities of a value that was made for the traced function, and of what it holds."""
    if value.uid and isinstance(value, Opaque | Ref):
        found.add(value.uid)
    if depth > 4:
        return
    for item in _held(it, value):
        collect_own(it, item, found, depth + 1)


def _held(it: Interpreter, value: Value) -> Iterable[Value]:
    """What a tuple or a container of the program holds on this path."""
    if isinstance(value, TupleV):
        return value.items
    if not isinstance(value, Ref):
        return ()
    items = it.st.content(value).items
    return items.values() if isinstance(items, dict) else items
