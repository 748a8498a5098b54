"""A Python loop is traced pass by pass: the number of passes in the trace is large, or grows with the arrays."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

from jaxlint.confirm.inside import programs, traces
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_LARGE = 64


class EnoughError(BaseException):
    """Raised in the loop. Not an Exception, so that the program does not handle it."""


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Trace with arrays as they come, then with arrays twice as large."""
    question = lab.question(finding)
    row = question.rows.start
    counted: dict[FrameType, int] = {}

    def stop(frame: FrameType) -> None:
        counted[frame] = counted.get(frame, 0) + traces.is_staged()
        if counted[frame] > _LARGE:
            # Thousands of copies take minutes to trace and prove no more.
            raise EnoughError(f"{_LARGE} passes were traced, and more would have been")

    def copies(run: Run) -> str:
        end = getattr(question.target.statement, "end_lineno", None) or row
        return programs.also(lab, question, lambda: programs.repeated(lab, run, range(row, end + 1)))

    def examine(run: Run) -> Verdict | None:
        counted.clear()
        if isinstance(run.error, EnoughError):
            return confirmed(f"{run.error}: the program holds as many copies of the body{copies(run)}")
        passes = run.watched.row(row, row).staged - 1
        if passes < 1 or run.entry is None or run.error is not None or run.entry.receivers:
            return None
        larger = lab.call(
            run.what, run.inputs, run.entry.call, tuple(_doubled(value) for value in run.arguments), {},
            Mode(fresh=True),
        )  # fmt: skip
        more = larger.watched.row(row, row).staged - 1
        if larger.error is None and more > passes:
            return confirmed(
                f"the loop was traced {passes} times, and {more} times with arrays twice as long{copies(run)}"
            )
        return None

    return lab.search(question, examine, Mode(fresh=True), {row: [stop]})


def _doubled(value: Any) -> Any:
    import jax
    import jax.numpy as jnp

    def double(leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array) or not leaf.ndim or jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return leaf
        return jnp.tile(leaf, (2,) * leaf.ndim)

    return jax.tree.map(double, value)
