"""Reverse-mode differentiation meets a loop without a fixed number of passes: `ValueError` where it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import evidence, matches
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"[Rr]everse-mode differentiation does not work"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run what differentiates."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None:
            rows = {row for file, row, _ in run.frames() if file == lab.loaded.path}
            made_here = (
                run.watched.row(question.rows.start, question.rows.stop - 1).ran or question.target.function is None
            )
            if matches(run.error, [], _WORDS) and (rows & set(question.rows) or made_here):
                return confirmed(evidence(run, lab.loaded.path))
            return None
        if run.watched.row(question.rows.start, question.rows.stop - 1).ran and question.target.function is not None:
            return refuted("the gradient was computed")
        return None

    return lab.search(question, examine)
