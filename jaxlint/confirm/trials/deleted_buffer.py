"""A donated buffer is read: `Array has been deleted` at the flagged line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.raised import evidence, matches, passed_through
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"deleted|previously donated|donate.*(twice|same buffer|but also)|[Aa]ttempt to donate"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the program with arrays that it may donate."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None:
            if matches(run.error, [], _WORDS) and passed_through(run, question, lab.loaded.path):
                donated = programs.also(lab, question, lambda: programs.donation(lab, run))
                return confirmed(evidence(run, lab.loaded.path) + donated)
            return None
        if run.watched.row(question.rows.start, question.rows.stop - 1).ran:
            return refuted("the line ran, and every buffer that it read was there")
        return None

    return lab.search(question, examine, ours_refute=False)
