"""Which values the rest of a function can still reach: paths that differ only in others need not be kept apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.state import State
from jaxlint.semantics.values import (
    Array,
    Content,
    Func,
    Key,
    Opaque,
    Partial,
    Ref,
    TupleV,
    Union,
    Value,
    ancestors,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def liveness(it: Interpreter) -> Callable[[State, State, Any], bool]:
    """The question whether a key or buffer that differs between two paths can still be reached on one of them."""
    reachable: dict[int, set[int] | None] = {}

    def live(a: State, b: State, resource: Any) -> bool:
        uses = a.res.get(resource) or b.res.get(resource)
        first = uses[0] if isinstance(uses, tuple) and uses else uses
        value = getattr(first, "value", None)
        if not isinstance(value, Value):
            return True
        for state in (a, b):
            if id(state) not in reachable:
                reachable[id(state)] = _reachable(it, state)
            uids = reachable[id(state)]
            if uids is None or any(item.uid in uids for item in ancestors(value)):
                return True
        return False

    return live


def _reachable(it: Interpreter, state: State) -> set[int] | None:
    """Identities that names read later lead to; None when a function may lead anywhere."""
    loops = it.fr.loops
    horizon = loops[0].start if loops else it.here
    found: set[int] = set()
    stack: list[tuple[Value, int]] = []
    for fid, env in state.frames.items():
        loads = it.fr.fn.loads if fid == it.fr.fid else None
        stack += [(held, 0) for name, held in env.items() if loads is None or loads.get(name, -1) >= horizon]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, Key | Opaque | Array):
            found.update(item.uid for item in ancestors(value))
            continue
        if isinstance(value, Func) and value.closure is not None:
            return None
        if value.uid:
            found.add(value.uid)
        if depth > 3:
            continue
        if isinstance(value, TupleV):
            stack += [(item, depth + 1) for item in value.items]
        elif isinstance(value, Union):
            stack += [(item, depth + 1) for item in value.members]
        elif isinstance(value, Partial):
            stack += [(item, depth + 1) for item in (value.func, *value.args, *value.kwargs.values())]
        elif isinstance(value, Ref):
            content: Content = state.content(value)
            items = content.items.values() if isinstance(content.items, dict) else content.items
            stack += [(item, depth + 1) for item in items]
    return found
