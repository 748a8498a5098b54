"""The linter's side of confirmation: files to children, messages to verdicts."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jaxlint.child.process import Child, ChildEndedError, Limits, Setting
from jaxlint.findings import Confirmation, Finding

TASK = "jaxlint.confirm.inside.work:work"
_TRIALS = "jaxlint.confirm.trials"


@dataclass(frozen=True, slots=True)
class Conditions:
    """How findings are tried. inputs: a factory of arguments, as `pkg.mod:name`."""

    python: str
    cwd: Path
    inputs: str | None = None
    limits: Limits = field(default_factory=Limits)
    platform: str | None = None
    jobs: int = 1


@dataclass(slots=True)
class Answer:
    """What is known of one finding. blocked: the rows on which runs failed before they reached it."""

    confirmation: Confirmation
    blocked: frozenset[int] = frozenset()


def confirm(
    findings: Sequence[Finding],
    trials: Mapping[str, str],
    conditions: Conditions,
    on_finding: Callable[[Finding], None] = lambda _: None,
) -> list[Finding]:
    """The findings, those that have a dynamic test with a verdict. `trials` gives its name by code."""
    groups: dict[str, list[int]] = {}
    for index, finding in enumerate(findings):
        if finding.code in trials:
            groups.setdefault(finding.path, []).append(index)

    def try_file(path: str) -> dict[int, Answer]:
        asked = {index: findings[index] for index in groups[path]}
        return _File(Path(path), asked, trials, conditions, on_finding).run()

    answers: dict[int, Answer] = {}
    with ThreadPoolExecutor(max(1, conditions.jobs)) as pool:
        for found in pool.map(try_file, groups):
            answers.update(found)
    return [
        replace(finding, confirmation=answers[index].confirmation) if index in answers else finding
        for index, finding in enumerate(findings)
    ]


class _File:
    """The findings of one file."""

    def __init__(
        self,
        path: Path,
        findings: Mapping[int, Finding],
        trials: Mapping[str, str],
        conditions: Conditions,
        on_finding: Callable[[Finding], None],
    ) -> None:
        self._path = path
        self._findings = findings
        self._trials = trials
        self._conditions = conditions
        self._on_finding = on_finding
        self._answers: dict[int, Answer] = {}

    def run(self) -> dict[int, Answer]:
        """Try all; then, past lines that are known to fail, those that these kept from being reached."""
        if any(finding.cell is not None for finding in self._findings.values()):
            self._give_up(list(self._findings), "a notebook is not imported")
            return self._answers
        self._try(list(self._findings), frozenset())
        confirmed = {
            self._findings[index].span.row
            for index, answer in self._answers.items()
            if answer.confirmation.verdict == "confirmed"
        }
        behind = [
            index
            for index, answer in self._answers.items()
            if answer.confirmation.verdict == "inconclusive" and answer.blocked & confirmed
        ]
        if behind:
            self._try(behind, frozenset(confirmed - {self._findings[index].span.row for index in behind}))
        return self._answers

    def _try(self, pending: list[int], soften: frozenset[int]) -> None:
        """Children, one after another, until every finding has an answer: one that ends takes only one with it."""
        main = True
        while pending:
            heard = _Heard()
            try:
                with self._child(pending, soften, main=main) as child:
                    for message in child.messages():
                        self._hear(message, pending, heard)
                self._give_up(pending, heard.reason or "the child ended without an answer")
                return
            except ChildEndedError as end:
                reason = str(end) + _last_words(end.output)
                if heard.trying is None or heard.trying not in pending:
                    self._give_up(pending, f"importing the module: {reason}" if heard.importing else reason)
                    return
                self._give_up([heard.trying], reason)
                pending.remove(heard.trying)
                main = False

    def _child(self, pending: Sequence[int], soften: frozenset[int], *, main: bool) -> Child:
        conditions = self._conditions
        devices = max((_devices(self._trials[self._findings[index].code]) for index in pending), default=0)
        request = {
            "path": str(self._path),
            "findings": [self._asked(index) for index in pending],
            "inputs": conditions.inputs,
            "seconds": conditions.limits.seconds,
            "devices": devices or None,
            "soften": sorted(soften),
            "main": main,
        }
        setting = Setting(conditions.python, conditions.cwd, conditions.platform, devices or None)
        limits = replace(conditions.limits, seconds=conditions.limits.seconds * 1.2 + 5)
        return Child(TASK, request, setting, limits)

    def _asked(self, index: int) -> dict[str, Any]:
        finding = self._findings[index]
        return {
            "index": index,
            "code": finding.code,
            "trial": self._trials[finding.code],
            "message": finding.message,
            "row": finding.span.row,
            "column": finding.span.column - 1,
            "end_row": finding.span.end_row,
            "end_column": finding.span.end_column - 1,
            "related": [related.span.row for related in finding.related if related.path == finding.path],
        }

    def _hear(self, message: dict[str, Any], pending: list[int], heard: _Heard) -> None:
        kind = message.get("kind")
        index = message.get("index")
        if kind == "importing":
            heard.importing = True
        elif kind == "failed":
            heard.reason = str(message.get("reason"))
        elif kind == "trying" and index in pending:
            heard.trying, heard.importing = index, False
            self._on_finding(self._findings[index])
        elif kind == "verdict" and index in pending:
            verdict = str(message.get("verdict"))
            if verdict in ("confirmed", "refuted", "inconclusive"):
                confirmation = Confirmation(verdict, str(message.get("evidence")), str(message.get("inputs") or ""))
                blocked = message.get("blocked")
                rows = frozenset(row for row in blocked if isinstance(row, int)) if isinstance(blocked, list) else None
                self._answers[index] = Answer(confirmation, rows or frozenset())
                pending.remove(index)

    def _give_up(self, indices: Sequence[int], reason: str) -> None:
        for index in indices:
            self._answers[index] = Answer(Confirmation("inconclusive", reason))


@dataclass(slots=True)
class _Heard:
    """What a child has said so far."""

    importing: bool = False
    trying: int | None = None
    reason: str = ""


def _devices(trial: str) -> int:
    module = importlib.import_module(trial if "." in trial else f"{_TRIALS}.{trial}")
    devices = getattr(module, "DEVICES", 0)
    return devices if isinstance(devices, int) else 0


def _last_words(output: str) -> str:
    lines = [line for line in output.strip().splitlines() if line.strip()]
    return f" (its last words: {lines[-1].strip()[:200]})" if lines else ""
