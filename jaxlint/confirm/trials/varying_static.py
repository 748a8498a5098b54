"""A static argument or a shape changes with each pass: each pass compiles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_FEWEST = 3


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Count the compilations of one name at the line, and its passes."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        passes = run.watched.row(question.rows.start, question.rows.stop - 1).ran
        names = Counter(
            event.name
            for event in run.events
            if event.kind == "compiled" and event.at(question.rows.start, question.rows.stop - 1) is not None
        )
        name, count = names.most_common(1)[0] if names else ("", 0)
        if count >= max(_FEWEST, 0.6 * passes):
            function = name.removeprefix("jit(").removesuffix(")")
            changed = programs.also(lab, question, lambda: programs.between_calls(lab, run, function))
            return confirmed(
                f"{name or 'the program'} was compiled {count} times in {passes} passes of the line{changed}"
            )
        if run.error is None and passes > _FEWEST and count <= 1:
            return refuted(f"the line compiled {count} times in {passes} passes")
        return None

    return lab.search(question, examine, Mode(fresh=True))
