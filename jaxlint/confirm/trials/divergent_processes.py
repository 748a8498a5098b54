"""One process joins and another does not: the program runs as process 0 and as process 1 of two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

DEVICES = 8


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Compare which calls at the line wait for others."""
    question = lab.question(finding)
    first, last = question.rows.start, question.rows.stop - 1

    def joined(run: Run) -> list[str]:
        return [event.name for event in run.events if event.kind == "joined" and event.at(first, last) is not None]

    def examine(run: Run) -> Verdict | None:
        if run.again is None:
            return None
        other = run.again(mode=Mode(process=1))
        one, two = joined(run), joined(other)
        if one != two:
            return confirmed(f"process 0 calls {_listed(one)} at the line, process 1 calls {_listed(two)}")
        return refuted(f"both processes call {_listed(one)}") if one and run.error is None else None

    return lab.search(question, examine, Mode(process=0))


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing"
