"""What JAX is tracing at this moment, for every version that we run on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def _stack() -> Iterator[tuple[Any, str]]:
    """The traces that are open, innermost first, each with the name of its kind."""
    from jax._src import core

    if hasattr(core, "trace_ctx"):
        trace: Any = core.trace_ctx.trace
        while trace is not None:
            yield trace, type(trace).__name__
            trace = getattr(trace, "parent_trace", None)
        return
    for main in reversed(core.thread_local_state.trace_state.trace_stack.stack):
        yield main, main.trace_type.__name__


def current() -> Any:
    """The innermost open trace, as an object to compare; None outside of all."""
    trace, kind = next(_stack(), (None, "EvalTrace"))
    return None if kind == "EvalTrace" else trace


def kinds() -> tuple[str, ...]:
    """The kinds of the open traces, innermost first: `DynamicJaxprTrace`, `BatchTrace`, `JVPTrace` and so on."""
    return tuple(kind for _, kind in _stack() if kind != "EvalTrace")


def is_staged() -> bool:
    """Whether operations are recorded into a program rather than run: under `jit`, in loop bodies and the like."""
    return "DynamicJaxprTrace" in kinds()


def is_tracer(value: object) -> bool:
    """Whether a value is traced."""
    import jax

    return isinstance(value, jax.core.Tracer)


def holds_tracer(value: object, depth: int = 4) -> bool:
    """Whether a value is traced or a container or object holds one that is."""
    return next(tracers_in(value, depth), None) is not None


def tracers_in(value: object, depth: int = 4) -> Iterator[tuple[str, Any]]:
    """Traced values that an object holds, each with the path to it."""
    seen: set[int] = set()
    todo: list[tuple[str, object, int]] = [("", value, depth)]
    while todo:
        path, item, left = todo.pop()
        if is_tracer(item):
            yield path, item
        elif left and id(item) not in seen:
            seen.add(id(item))
            todo += [(path + step, part, left - 1) for step, part in parts(item)]


def parts(item: object) -> list[tuple[str, object]]:
    """What a container or a plain object holds, with the step to each."""
    if isinstance(item, dict):
        return [(f"[{key!r}]", part) for key, part in list(item.items())[:200]]
    if isinstance(item, list | tuple | set | frozenset):
        return [(f"[{index}]", part) for index, part in enumerate(list(item)[:200])]
    held = getattr(item, "__dict__", None)
    if isinstance(held, dict) and not isinstance(item, type) and not callable(getattr(item, "lower", None)):
        return [(f".{name}", part) for name, part in list(held.items())[:200]]
    return []
