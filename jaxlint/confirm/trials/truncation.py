"""A 64-bit type is asked for with x64 off: JAX warns at the flagged line that it truncates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the line and listen."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            if event.kind == "warning" and "truncated" in event.data["text"] and event.rows[0] in question.rows:
                return confirmed(f"{event.name}: {event.data['text'].splitlines()[0][:200]}")
        if run.error is None and run.watched.row(question.rows.start, question.rows.stop - 1).ran:
            return refuted("the line ran and nothing was truncated")
        return None

    return lab.search(question, examine)
