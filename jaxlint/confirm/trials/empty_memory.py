"""Uninitialised memory decides a result: it differs when `empty` at the flagged line holds other numbers.

On the CPU `empty` is zero by accident, so the program runs with it full of zeros, of NaN and of large numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.runs import Mode, describe
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_FILLS = (float("nan"), 1000.0)


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Compare results."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        used = [event for event in run.events if event.kind == "empty" and event.rows[0] in question.rows]
        if not used or run.again is None or run.entry is None or run.error is not None:
            return None

        def shown() -> str:
            return programs.also(lab, question, lambda: programs.equation(lab, run, question.rows, "empty"))

        for fill in _FILLS:
            other = run.again(mode=Mode(fill=fill))
            if other.error is not None:
                return confirmed(
                    f"with {fill:g} in place of zeros, the program fails: {describe(other.error)}{shown()}"
                )
            difference = _difference(run.result, other.result)
            if difference:
                return confirmed(f"with {fill:g} in place of zeros in `{used[0].name}`, {difference}{shown()}")
        return refuted("the result does not depend on what `empty` holds")

    return lab.search(question, examine, Mode(fill=0.0), ours_refute=False)


def _difference(one: Any, two: Any) -> str:
    """How two results differ, or an empty text."""
    import jax
    import numpy as np

    first, second = jax.tree.leaves(one), jax.tree.leaves(two)
    if len(first) != len(second):
        return "the result has another structure"
    for left, right in zip(first, second, strict=True):
        if not hasattr(left, "dtype") and not isinstance(left, int | float | complex):
            continue
        if hasattr(left, "dtype") and jax.dtypes.issubdtype(left.dtype, jax.dtypes.extended):
            continue
        a, b = np.asarray(left), np.asarray(right)
        if a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
            return f"the result is {_brief(b)} and not {_brief(a)}"
    return ""


def _brief(value: Any) -> str:
    import numpy as np

    return " ".join(np.array2string(value, precision=4, threshold=6).split())[:80]
