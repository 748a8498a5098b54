"""A key is made of a constant seed, again and again: in each pass of a loop, or once and for all in a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.recorders import Event
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Watch the seeds at the line."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        seeds = [
            event
            for event in run.events
            if event.kind == "seed" and event.at(question.rows.start, question.rows.stop - 1) is not None
        ]
        for index, event in enumerate(seeds):
            if not event.data["constant"] or event.data["abstract"]:
                continue
            if event.staged:
                made = programs.also(lab, question, lambda: programs.equation(lab, run, question.rows, "random_seed"))
                return confirmed(
                    f"`{event.name}({event.data['seed']})` ran while JAX traced: the key is a constant there{made}"
                )
            for earlier in seeds[:index]:
                if earlier.data["seed"] == event.data["seed"] and (row := _repeated(earlier, event)):
                    return confirmed(f"`{event.name}({event.data['seed']})` ran again in a later pass of row {row}")
        return None

    return lab.search(question, examine)


def _repeated(earlier: Event, later: Event) -> int | None:
    """The row that one frame was on both times: a loop came round."""
    for row, frame in zip(later.rows, later.frames, strict=True):
        for other_row, other in zip(earlier.rows, earlier.frames, strict=True):
            if other is frame and other_row == row:
                return row
    return None
