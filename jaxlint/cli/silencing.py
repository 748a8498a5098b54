"""The parts of `jaxlint check` that take findings as known: `--write-baseline` and `--add-noqa`."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.baseline import Baseline, baseline_text, read_baseline
from jaxlint.cli.streams import refuse_programs
from jaxlint.config.catalogue import Catalogue
from jaxlint.config.errors import UsageError
from jaxlint.files.silencing import silencing
from jaxlint.files.suppressions import Suppressions
from jaxlint.findings import Finding
from jaxlint.fixes.text import Rows, regions, replaced
from jaxlint.fixes.write import write_source
from jaxlint.notebooks.places import located
from jaxlint.report.cells import in_cell
from jaxlint.report.text import shown_path
from jaxlint.runner import Outcome
from jaxlint.source import Source, read_source
from jaxlint.syntax.python import python_tree

_SHOWN = 10


@dataclass(slots=True)
class Done:
    """What was done, in a line for the user; the findings that are left; and what went wrong, a line each."""

    message: str = ""
    left: list[Finding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Taking:
    """What the options ask for. `setting` is the baseline that the settings name, absolute, or empty."""

    def __init__(self, options: argparse.Namespace, cwd: Path, catalogue: Catalogue, setting: str) -> None:
        self._options = options
        self._cwd = cwd
        self._catalogue = catalogue
        self._file = Path(setting) if setting else None
        self.asked: bool = options.add_noqa is not None or options.write_baseline is not None

    def refuse_what_excludes_it(self, unsaved: Source | None) -> None:
        """Raise for options that cannot be had together."""
        taking = [name for name in ("--add-noqa", "--write-baseline") if self._given(name)]
        others = [name for name in ("--fix", "--fix-only", "--diff", "--statistics") if self._given(name)]
        if len(taking) + len(others) > 1 and taking:
            raise UsageError(f"{taking[0]} and {[*taking, *others][1]} exclude each other")
        if taking and unsaved is not None:
            raise UsageError(f"{taking[0]} is for files, not for standard input")
        if self._options.write_baseline is not None:
            refuse_programs(self._options.write_baseline, self._cwd)
        reason = self._options.add_noqa
        if reason and not reason.isprintable():
            raise UsageError("--add-noqa: a reason must fit on one line")

    def baseline(self) -> Baseline | None:
        """The known findings; none when they are written anew."""
        if self._file is None or self._options.write_baseline is not None:
            return None
        return read_baseline(self._file, self._shown(self._file))

    def stale(self, baseline: Baseline | None) -> list[str]:
        """What the baseline lists and the code no longer has, a line each."""
        if baseline is None:
            return []
        shown = self._shown(baseline.file)
        stale = baseline.stale()
        lines = [f"{shown}: nothing matches {e.code} in {e.path} any more: `{e.text}`" for e in stale[:_SHOWN]]
        if len(stale) > _SHOWN:
            lines.append(f"{shown}: nor {len(stale) - _SHOWN} more of its entries; `--write-baseline` leaves them out")
        return lines

    def take(self, outcome: Outcome, shown: Callable[[Path], str]) -> Done:
        """Write the baseline or the comments."""
        target = self._options.write_baseline
        if target is not None:
            return write_baseline(self._cwd / target, target, outcome)
        return add_noqa(outcome, self._catalogue, self._options.add_noqa, shown)

    def _given(self, flag: str) -> bool:
        value = getattr(self._options, flag[2:].replace("-", "_"))
        return value is not None and value is not False

    def _shown(self, file: Path) -> str:
        return shown_path(str(file), self._cwd)


def write_baseline(file: Path, shown: str, outcome: Outcome) -> Done:
    """Write a baseline that knows all findings."""
    rows: dict[str, Sequence[str]] = {}
    for finding in outcome.findings:
        if finding.path not in rows:
            rows[finding.path] = read_source(Path(finding.path)).lines
    try:
        file.write_text(baseline_text(file, outcome.findings, rows.__getitem__), encoding="utf-8", newline="\n")
    except OSError as error:
        return Done(problems=[f"{shown}: the baseline cannot be written: {(error.strerror or str(error)).lower()}"])
    return Done(f"Wrote {_counted(len(outcome.findings), 'finding')} to {shown}.")


def add_noqa(outcome: Outcome, catalogue: Catalogue, reason: str, shown: Callable[[Path], str]) -> Done:
    """Silence all findings by comments in their files."""
    done = Done()
    about_comments = catalogue.with_handler("on_unused_suppression")
    silenced = files = 0
    by_path: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        if about_comments is not None and finding.code == about_comments.code:
            done.left.append(finding)  # a comment that silences nothing is to be removed
        else:
            by_path.setdefault(finding.path, []).append(finding)
    for path, findings in by_path.items():
        count, problem = _silence(path, findings, catalogue, reason, done.left)
        silenced, files = silenced + count, files + (count > 0)
        if problem:
            done.problems.append(f"{shown(Path(path))}: {problem}")
    done.message = f"Silenced {_counted(silenced, 'finding')} in {_counted(files, 'file')}."
    if done.left:
        left = located(done.left, lambda path: read_source(Path(path)))
        places = [f"{shown(Path(f.path))}:{in_cell(f.cell)}{f.span.row} {f.code}" for f in left]
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        done.message += f" No comment can silence {', '.join(places[:_SHOWN])}{more}."
    return done


def _silence(
    path: str, findings: Sequence[Finding], catalogue: Catalogue, reason: str, left: list[Finding]
) -> tuple[int, str]:
    """How many findings of a file were silenced, and why the file could not be written."""
    source = read_source(Path(path))
    plan = silencing(source, findings, Suppressions(source, catalogue), reason=reason)
    text = replaced(source.text, regions(plan.edits, Rows(source.text), source.newline))
    try:
        written = source.rewritten(text)
    except ValueError:  # a row of a notebook that cannot take a comment
        left += findings
        return 0, ""
    comments = Suppressions(written, catalogue)
    if not _same_program(source.text, text) or not all(comments.silences(finding) for finding in plan.silenced):
        left += findings
        return 0, ""
    left += plan.impossible
    if not plan.silenced:
        return 0, ""
    problem = write_source(written, source.data)
    return (0 if problem else len(plan.silenced)), problem


def _same_program(before: str, after: str) -> bool:
    try:
        return ast.dump(python_tree(before)) == ast.dump(python_tree(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
