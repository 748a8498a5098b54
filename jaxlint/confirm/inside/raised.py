"""Reading exceptions: whether one came from the flagged line, and what it is as evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jaxlint.confirm.inside.lab import Lab
from jaxlint.confirm.inside.runs import Question, Run, TooLongError, describe
from jaxlint.confirm.inside.verdict import Verdict, confirmed, refuted


def place(run: Run, path: str) -> tuple[int, str] | None:
    """The innermost row of the file that an exception passed, with the function."""
    for file, row, name in run.frames():
        if file == path:
            return row, name
    return None


def raised_at(run: Run, question: Question, path: str) -> bool:
    """Whether the flagged line is the innermost of the file that the run's exception passed."""
    found = place(run, path)
    return found is not None and found[0] in question.rows


def passed_through(run: Run, question: Question, path: str) -> bool:
    """Whether the exception passed the flagged line at all."""
    return any(file == path and row in question.rows for file, row, _ in run.frames())


def evidence(run: Run, path: str) -> str:
    """The exception with its place in the program."""
    assert run.error is not None
    found = place(run, path)
    where = f" (row {found[0]}, in {found[1]})" if found is not None else ""
    return f"{describe(run.error)}{where}"


def matches(error: BaseException | None, types: Sequence[type[BaseException]], pattern: str) -> bool:
    """Whether an exception is of a type, or of another with a message like `pattern`."""
    if error is None or isinstance(error, TooLongError):
        return False
    return isinstance(error, tuple(types)) or (bool(pattern) and re.search(pattern, str(error)) is not None)


def error_at_line(
    lab: Lab, question: Question, run: Run, types: Sequence[type[BaseException]], pattern: str, *, traced: bool = False
) -> Verdict | None:
    """Confirmed by such an exception from the flagged line; refuted when the line ran and the run ended well.

    traced: the line must have run under a trace to refute.
    """
    path = lab.loaded.path
    if run.error is not None:
        if raised_at(run, question, path) and matches(run.error, types, pattern):
            return confirmed(evidence(run, path))
        return None
    row = run.watched.row(question.rows.start, question.rows.stop - 1)
    if row.traced if traced else row.ran:
        under = f" under {', '.join(row.kinds)}" if row.kinds else ""
        return refuted(f"the line ran {row.ran} times{under} and raised nothing")
    return None
