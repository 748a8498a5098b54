"""A fresh callable is compiled each time: a second call with equal arguments compiles again."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import passed_through
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.recorders import Event
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)


def _is_in_loop(tree: ast.Module, function: ast.AST | None, rows: range) -> bool:
    """Whether the place lies in a loop or comprehension of its function."""
    return any(
        isinstance(node, _LOOPS) and node.lineno <= rows.start and rows.stop - 1 <= (node.end_lineno or node.lineno)
        for node in ast.walk(function if function is not None else tree)
    )


def _is_each_time(events: list[Event], run: Run, rows: range) -> bool:
    """Whether a row compiled as often as it ran: what is built once and called in a loop does not."""
    counts = Counter(row for event in events for row in {*event.rows} if row in rows)
    return any(
        count >= run.watched.row(row, row).ran - run.watched.row(row, row).staged for row, count in counts.items()
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Count compilations of the second call, or of one name at the line where there is no second call."""
    question = lab.question(finding)
    first, last = question.rows.start, question.rows.stop - 1
    function = question.target.function
    end = getattr(function, "end_lineno", last) or last
    looped = _is_in_loop(lab.loaded.tree, function, question.rows)
    # What is made at the line, or by its loop, may be called on another line of the function.
    made = looped or isinstance(question.target.statement, ast.FunctionDef | ast.Assign)
    rows = range(first, (max(end, last) if made else last) + 1)

    def compiled(run: Run) -> list[Event]:
        events = [event for event in run.events if event.kind == "compiled"]
        return [event for event in events if event.at(first, rows.stop - 1) is not None]

    def examine(run: Run) -> Verdict | None:
        row = run.watched.row(first, last)
        if row.staged >= row.ran or passed_through(run, question, lab.loaded.path):
            # In a trace, everything is compiled once. What failed at the line was not compiled to its end.
            return None
        if run.again is None or run.what.startswith("importing"):
            names = Counter(event.name for event in compiled(run) if event.name)
            name, count = names.most_common(1)[0] if names else ("", 0)
            return confirmed(f"{name} was compiled {count} times in one run") if count > 1 and looped else None
        # What an instance keeps, it keeps for its own calls.
        same = {"of": run.arguments[0]} if run.entry is not None and run.entry.receivers else {}
        second = run.again(mode=Mode(), **same)
        again = compiled(second)
        passes = second.watched.row(first, last).ran
        if again and (len(again) > 1 or passes == 1 if looped else _is_each_time(again, second, rows)):
            listed = ", ".join(sorted({event.name for event in again if event.name})) or "programs"
            return confirmed(f"a second call with equal arguments compiled {_times(len(again))} again ({listed})")
        if run.error is None and second.error is None and passes and not again:
            return refuted("a second call with equal arguments compiled nothing")
        return None

    return lab.search(question, examine)
