"""How much of a call JAX spends on tracing, lowering and compiling, by its own monitoring events."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import jax.monitoring

_STAGES = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compilation",
}


class Durations:
    """Intervals of each stage while `watching` is entered. No listener can be taken back, so there is one."""

    def __init__(self) -> None:
        self._intervals: dict[str, list[tuple[float, float]]] = {}
        self._on = False
        jax.monitoring.register_event_duration_secs_listener(self._hear)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Forget what was, and listen."""
        self._intervals = {stage: [] for stage in _STAGES.values()}
        self._on = True
        try:
            yield
        finally:
            self._on = False

    def seconds(self) -> dict[str, float]:
        """The time of each stage. What is traced inside another trace counts once."""
        return {stage: _covered(intervals) for stage, intervals in self._intervals.items()}

    def compilations(self) -> int:
        """How many programs were compiled."""
        return len(self._intervals["compilation"])

    def _hear(self, event: str, duration: float, **_: str | int) -> None:
        stage = _STAGES.get(event)
        if self._on and stage is not None:
            end = time.perf_counter()
            self._intervals[stage].append((end - duration, end))


def _covered(intervals: list[tuple[float, float]]) -> float:
    total, reached = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
