"""The outside world is read while JAX traces, at the flagged line: the value is a constant of the compiled program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Watch clocks, generators of numbers and the environment at the line."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            if event.kind == "outside" and event.staged and event.rows[0] in question.rows:
                # The environment is the same in the next trace.
                varies = event.name != "os.environ"
                changed = programs.also(lab, question, lambda: programs.unequal(lab, run)) if varies else ""
                times = _count(run, event.name)
                return confirmed(f"`{event.name}` ran {times} while JAX traced: later calls keep its value{changed}")
        return None

    return lab.search(question, examine)


def _count(run: Run, name: str) -> str:
    count = sum(event.kind == "outside" and event.name == name and event.staged for event in run.events)
    return "once" if count == 1 else f"{count} times"
