"""Fixing files: check, apply, check again until nothing changes. Files are written once, at the end."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import is_applicable
from jaxlint.fixes.apply import apply_fixes
from jaxlint.source import Source, read_source, split_rows

if TYPE_CHECKING:
    from jaxlint.findings import Finding
    from jaxlint.runner import Outcome, Runner

ROUNDS = 10


@dataclass(slots=True)
class Fixed:
    """What fixing came to.

    outcome: the last check, of the fixed texts. before and after: the changed files by path. fixes: how often each
    (code, name) was mended, by path. problems: files whose fixes were dropped, or that did not settle.
    """

    outcome: Outcome
    before: dict[str, Source] = field(default_factory=dict)
    after: dict[str, Source] = field(default_factory=dict)
    fixes: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many findings were mended."""
        return sum(counts.total() for counts in self.fixes.values())

    def diff(self, shown: Mapping[str, str]) -> Iterator[str]:
        """The changes as a unified diff; `shown` names files."""
        for path in sorted(self.after):
            before, after = self.before[path], self.after[path]
            if before.document is None or after.document is None:
                yield from _diff(before.text, after.text, shown[path])
                continue
            old, new = before.document.texts(before.data), after.document.texts(after.data)
            for cell, text in old.items():
                label = shown[path] if cell is None else f"{shown[path]}:cell {cell}"
                end = "" if cell is None or text.endswith("\n") else "\n"
                yield from _diff(text + end, new.get(cell, "") + end, label)


def fix_files(runner: Runner, files: Sequence[Path], unsaved: Mapping[str, Source], *, unsafe: bool) -> Fixed:
    """Mend what can be mended, in memory. `unsaved` holds, by path, what stands in for files."""
    texts = dict(unsaved)
    fixed = Fixed(runner.check(files, texts))
    settled: set[str] = set()
    for _ in range(ROUNDS):
        changed = False
        for path, findings in _by_path(fixed.outcome.findings, unsafe=unsafe).items():
            if path in settled:
                continue
            source = texts.get(path) or read_source(Path(path))
            if source.document is not None and not source.document.fixable:
                continue
            applied = apply_fixes(source, findings, unsafe=unsafe)
            if applied.broken:
                settled.add(path)
                fixed.problems.append((path, applied.broken))
            if applied.text == source.text:
                continue
            try:
                after = source.rewritten(applied.text)
            except ValueError:
                settled.add(path)
                fixed.problems.append((path, "the fixes reach beyond the cells of the document, so they are dropped"))
                continue
            changed = True
            fixed.before.setdefault(path, source)
            texts[path] = fixed.after[path] = after
            counts = fixed.fixes.setdefault(path, Counter())
            counts.update((finding.code, finding.name) for finding in applied.fixed)
        if not changed:
            return fixed
        fixed.outcome = _next(runner.check(files, texts), fixed.outcome)
    for path in _by_path(fixed.outcome.findings, unsafe=unsafe):
        if path not in settled:
            fixed.problems.append((path, f"fixes still change the file after {ROUNDS} rounds"))
    return fixed


def _by_path(findings: Sequence[Finding], *, unsafe: bool) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if is_applicable(finding, unsafe=unsafe):
            found.setdefault(finding.path, []).append(finding)
    return found


def _next(outcome: Outcome, before: Outcome) -> Outcome:
    """The newer outcome, with errors that only the earlier one met."""
    outcome.errors = list(dict.fromkeys([*before.errors, *outcome.errors]))
    return outcome


def _diff(before: str, after: str, shown: str) -> Iterator[str]:
    old, new = _rows(before), _rows(after)
    for line in difflib.unified_diff(old, new, fromfile=shown, tofile=shown):
        yield line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _rows(text: str) -> list[str]:
    """The rows with a plain newline each, so that a diff of a file of any kind reads well."""
    rows = split_rows(text)
    last = rows.pop()
    return [row + "\n" for row in rows] + ([last] if last else [])
