"""An effect happens while JAX traces: traced values are printed or logged, or a file is opened, at the flagged line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Watch the effects at the line."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            if event.kind not in ("shown", "file") or not event.rows or event.rows[0] not in question.rows:
                continue
            if event.staged and (event.kind == "file" or event.data["traced"]):
                shown = f", and showed `{event.data['shown']}`" if event.kind == "shown" else ""
                return confirmed(f"`{event.name}` ran while JAX traced{shown}")
        if run.error is None and run.watched.row(question.rows.start, question.rows.stop - 1).staged:
            return refuted("the line was traced without an effect on a traced value")
        return None

    return lab.search(question, examine)
