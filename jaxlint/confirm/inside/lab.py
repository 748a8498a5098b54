"""The laboratory of one file: runs of the program, each watched and recorded, until one of them decides."""

from __future__ import annotations

import ast
import contextlib
import time
from collections.abc import Callable
from typing import Any

from jaxlint.child.loading import Loaded
from jaxlint.confirm.inside.entries import Entries
from jaxlint.confirm.inside.recorders import Recorder
from jaxlint.confirm.inside.runs import (
    Examine,
    Mode,
    Question,
    Run,
    describe,
    finished,
    time_limit,
)  # fmt: skip
from jaxlint.confirm.inside.sources import Asked, Sources
from jaxlint.confirm.inside.target import Finding, Target, target_of
from jaxlint.confirm.inside.values import AXIS
from jaxlint.confirm.inside.verdict import CONFIRMED, Verdict, inconclusive
from jaxlint.confirm.inside.watch import Hook, Watcher

_MOST_REACHED = 4
_MOST_FAILED = 16
_LONGEST_RUN = 8.0
_LONGEST_OF_PROGRAM = 12.0
"""What the program itself does is worth more time."""


class Lab:
    """Runs the program of one file."""

    def __init__(self, loaded: Loaded, watcher: Watcher, recorder: Recorder, request: dict[str, Any]) -> None:
        self.loaded = loaded
        self.watcher = watcher
        self.recorder = recorder
        self.entries = Entries(loaded, request.get("devices") or AXIS)
        self.seconds: float = request.get("seconds", 30.0)
        self.sources = Sources(self, request.get("inputs"), main=request.get("main", True))
        self.arguments: list[Any] = []
        """Those of the run that is under way."""
        self.blocked: set[int] = set()

    def question(self, finding: Finding) -> Question:
        """What is asked about a finding, with the time until which an answer is sought."""
        target = target_of(self.loaded.tree, finding)
        rows = range(target.first_row, target.last_row + 1)
        return Question(finding, target, time.monotonic() + 0.75 * self.seconds, rows)

    def search(
        self, question: Question, examine: Examine, mode: Mode | None = None,
        hooks: dict[int, list[Hook]] | None = None, *, ours_refute: bool = True,
    ) -> Verdict:  # fmt: skip
        """Run until one run confirms; a refutation needs every run to have passed.

        A run that passed with inputs of the program or the user refutes. Inputs of our own refute only when two runs
        passed and every line of the function up to the flagged one ran; never where another path to the line, or
        another number, could make the difference (`ours_refute`).
        """
        passed: list[tuple[Run, Verdict]] = []
        reached = failed = 0
        covered: set[int] = set()
        failure = ""
        self.blocked = set()
        self.recorder.rows = question.rows
        for run in self.sources.runs(Asked(question, mode or Mode(), hooks)):
            answer = examine(run)
            covered |= run.watched.rows.keys()
            if answer is not None:
                answer = Verdict(answer.kind, answer.evidence, answer.inputs or f"{run.what}: {run.inputs}")
                if answer.kind == CONFIRMED:
                    return answer
                passed.append((run, answer))
            if run.error is not None:
                failure = failure or describe(run.error)
                self._note_block(run, question)
            if run.watched.row(question.rows.start, question.rows.stop - 1).ran:
                self.sources.reached.add(question.rows.start)
                reached += run.error is None
                failed += run.error is not None
            if reached >= _MOST_REACHED or failed >= _MOST_FAILED:
                break
        trusted = [answer for run, answer in passed if run.trusted]
        missing = uncovered(question.target, covered)
        if trusted:
            return trusted[0]
        if len(passed) >= 2 and not missing and ours_refute:
            return passed[0][1]
        if passed:
            why = (
                "with inputs of our own"
                if not ours_refute
                else f"row {missing[0]} before it never did"
                if missing
                else "with one set of inputs only"
            )
            return inconclusive(f"the flagged line ran and nothing happened, but {why}", passed[0][1].inputs)
        if reached or failed:
            what = "the flagged line ran, but not under the conditions of the finding"
            return inconclusive(f"{what}{': ' + failure if failure else ''}")
        return inconclusive(f"the flagged line was not reached{': ' + failure if failure else ''}")

    def call(
        self, what: str, inputs: str, function: Callable[..., Any], arguments: tuple[Any, ...],
        keywords: dict[str, Any], mode: Mode, *, trusted: bool = False, hooks: dict[int, list[Hook]] | None = None,
    ) -> Run:  # fmt: skip
        """One run."""
        import jax

        if mode not in (Mode(), Mode(jit=False)):
            jax.clear_caches()
        self.arguments = [*arguments, *keywords.values()]
        recorder = self.recorder
        recorder.events = []
        recorder.fill, recorder.process, recorder.stop, recorder.enabled = mode.fill, mode.process, mode.stop, True
        recorder.typed = mode.checked
        error: BaseException | None = None
        result: Any = None
        context: Any = contextlib.nullcontext() if mode.jit else jax.disable_jit()
        if mode.checked:
            context = jax.debug_key_reuse(True)
        with self.watcher.watching(hooks) as watched:
            try:
                with context, time_limit(_LONGEST_OF_PROGRAM if trusted else _LONGEST_RUN):
                    result = finished(function(*arguments, **keywords))
            except BaseException as caught:
                error = caught
            finally:
                recorder.fill, recorder.process, recorder.stop, recorder.enabled = None, None, False, False
                recorder.typed = False
        run = Run(
            what, inputs, trusted, error, result, watched, recorder.events, mode, (*arguments, *keywords.values())
        )
        if trusted and mode.is_plain:
            self.sources.note("the tests" if what.startswith("the test ") else "the program", watched)
        return run

    def is_late(self, question: Question) -> bool:
        """Whether the time for a finding is over."""
        return time.monotonic() > question.deadline

    def _note_block(self, run: Run, question: Question) -> None:
        for path, row, _ in run.frames():
            if path == self.loaded.path:
                if row not in question.rows:
                    self.blocked.add(row)
                return


def uncovered(target: Target, covered: set[int]) -> list[int]:
    """Rows of the target's function, up to the flagged one, that never ran."""
    if target.function is None or isinstance(target.function, ast.Lambda):
        return []
    rows: list[int] = []
    todo: list[ast.stmt] = list(target.function.body)
    while todo:
        statement = todo.pop(0)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Global | ast.Nonlocal):
            continue
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if statement.lineno < target.first_row and not is_text and not isinstance(statement, ast.Pass | ast.Try):
            rows.append(statement.lineno)
        for name in ("body", "orelse"):
            todo += [part for part in getattr(statement, name, []) if isinstance(part, ast.stmt)]
    return sorted(row for row in rows if row not in covered)
