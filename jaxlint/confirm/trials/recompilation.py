"""A fresh callable is compiled each time: a second call with equal arguments compiles again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jaxlint.confirm.inside.lab import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab, Run
    from jaxlint.confirm.inside.recorders import Event
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Count compilations of the second call, or of one name at the line where there is no second call."""
    question = lab.question(finding)
    first, last = question.rows.start, question.rows.stop - 1
    function = question.target.function
    end = getattr(function, "end_lineno", last) or last
    looped = "loop" in finding.message

    def compiled(run: Run) -> list[Event]:
        events = [event for event in run.events if event.kind == "compiled"]
        # What a loop makes at the line may be called on another line of the function.
        return [event for event in events if event.at(first, max(end, last) if looped else last) is not None]

    def examine(run: Run) -> Verdict | None:
        row = run.watched.row(first, last)
        if run.error is not None or row.staged >= row.ran:  # in a trace, everything is compiled once
            return None
        if run.again is None or run.what.startswith("importing"):
            names = Counter(event.name for event in compiled(run) if event.name)
            name, count = names.most_common(1)[0] if names else ("", 0)
            return confirmed(f"{name} was compiled {count} times in one run") if count > 1 and looped else None
        second = run.again(mode=Mode())
        again = compiled(second)
        passes = second.watched.row(first, last).ran
        if again and (not looped or len(again) > 1 or passes == 1):
            listed = ", ".join(sorted({event.name for event in again if event.name})) or "programs"
            return confirmed(f"a second call with equal arguments compiled {len(again)} times again ({listed})")
        if second.error is None and passes and not again:
            return refuted("a second call with equal arguments compiled nothing")
        return None

    return lab.search(question, examine)
