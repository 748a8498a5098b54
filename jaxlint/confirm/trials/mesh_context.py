"""`with mesh:` warns of its deprecation at the flagged line, from JAX 0.10.1 on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

DEVICES = 8


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Enter the context and listen for the warning. Versions that do not warn leave it open."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            if event.name == "DeprecationWarning" and event.rows[0] in question.rows and "mesh" in event.data["text"]:
                return confirmed(f"{event.name}: {event.data['text'].splitlines()[0][:200]}")
        return None

    return lab.search(question, examine)
