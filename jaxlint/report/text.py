"""The formats for people: one line a finding, or the finding with its source, its reasons and its remedy."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import Applicability, Finding, Severity, is_applicable
from jaxlint.report.cells import in_cell
from jaxlint.report.frame import excerpt
from jaxlint.report.reference import reference_path, rule_url
from jaxlint.report.style import Style, visible

if TYPE_CHECKING:
    from jaxlint.report.formats import Report

_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("note", "notes"),
}


@dataclass(frozen=True, slots=True)
class TextContext:
    """What the text formats need besides the findings.

    lines: gives the rows of a file by its path; cells: those of a cell of a notebook, and file_rows: where in the file
    they are. unsafe: fixes that may change the meaning count as well. columns: how wide the terminal is; 0 when it is
    none.
    """

    cwd: Path
    style: Style
    lines: Callable[[str], Sequence[str]]
    unsafe: bool = False
    columns: int = 0
    cells: Callable[[str, int], Sequence[str]] = lambda _path, _cell: ()
    file_rows: Callable[[str, int], Sequence[int]] = lambda _path, _cell: ()

    def rows(self, path: str, cell: int | None) -> Sequence[str]:
        """The rows in which a place of a file, or of one of its cells, is counted."""
        return self.lines(path) if cell is None else self.cells(path, cell)


def render_full(report: Report) -> Iterator[str]:
    """`--format full`."""
    return full(report.findings, report.context)


def render_concise(report: Report) -> Iterator[str]:
    """`--format concise`."""
    return concise(report.findings, report.context)


def concise(findings: Iterable[Finding], context: TextContext) -> Iterator[str]:
    """`path:row:column: CODE [*] message`; the mark says that `--fix` mends it."""
    style = context.style
    for finding in findings:
        code = painted_code(finding, context)
        place = _place(finding.path, finding.span.row, finding.span.column, context.cwd, finding.cell)
        yield f"{style.bold(place)}: {code}{fixable_mark(finding, context)} {visible(finding.told)}\n"


def full(findings: Iterable[Finding], context: TextContext) -> Iterator[str]:
    """The message, the source with the span marked, each related place with its own source, the help, the reference."""
    for finding in findings:
        yield "\n".join(_block(finding, context)) + "\n\n"


def summary(findings: Sequence[Finding], *, fixed: int = 0, unsafe: bool = False) -> str:
    """How many errors, warnings and notes there are, how many were fixed, and how many more can be."""
    mended = f"Fixed {fixed} finding{'s' if fixed != 1 else ''}; " if fixed else ""
    if not findings:
        return f"{mended}nothing is left.\n" if mended else "All checks passed!\n"
    counts = [(sum(finding.severity is severity for finding in findings), _NOUNS[severity]) for severity in Severity]
    parts = [f"{count} {one if count == 1 else many}" for count, (one, many) in counts if count]
    listed = f"{', '.join(parts[:-1]) + ' and ' if len(parts) > 1 else ''}{parts[-1]}"
    first = f"{mended}{listed} left.\n" if mended else f"Found {listed}.\n"
    return first + _fixable(findings, unsafe=unsafe)


def _fixable(findings: Sequence[Finding], *, unsafe: bool) -> str:
    """What `--fix` would mend, and what it would mend with `--unsafe-fixes`."""
    now = sum(is_applicable(finding, unsafe=unsafe) for finding in findings)
    hidden = sum(is_applicable(finding, unsafe=True) for finding in findings) - now
    more = f"({hidden} hidden fix{'es' if hidden != 1 else ''} can be enabled with the `--unsafe-fixes` option)"
    if now:
        return f"[*] {now} fixable with the `--fix` option{' ' + more if hidden else ''}.\n"
    return f"No fixes available {more}.\n" if hidden else ""


def fixes(
    counts: Mapping[str, Counter[tuple[str, str]]], context: TextContext, *, would: bool = False
) -> Iterator[str]:
    """What was fixed, by file and rule."""
    total = sum(counter.total() for counter in counts.values())
    if not total:
        return
    yield f"{'Would fix' if would else 'Fixed'} {total} finding{'s' if total != 1 else ''}:\n"
    for path in sorted(counts):
        yield f"- {context.style.bold(shown_path(path, context.cwd))}:\n"
        for (code, name), count in sorted(counts[path].items(), key=lambda item: (-item[1], item[0])):
            yield f"    {count} x {code} ({name})\n"


def shown_path(path: str, cwd: Path) -> str:
    """Relative to the current folder when it is below it."""
    prefix = str(cwd).rstrip(os.sep) + os.sep
    return visible(path[len(prefix) :] if path.startswith(prefix) else path)


def _block(finding: Finding, context: TextContext) -> Iterator[str]:
    style = context.style

    def mark(text: str) -> str:
        return style.severity(text, finding.severity)

    place = _place(finding.path, finding.span.row, finding.span.column, context.cwd, finding.cell)
    lines = context.rows(finding.path, finding.cell)
    gutter, frame = excerpt(lines, finding.span, style, mark, columns=context.columns)
    yield f"{painted_code(finding, context)}{fixable_mark(finding, context)} {style.bold(visible(finding.message))}"
    yield f"{' ' * gutter}{style.frame('-->')} {place}"
    yield from frame
    for related in finding.related:
        others = context.rows(related.path, related.cell)
        gutter, frame = excerpt(
            others, related.span, style, style.related, mark="-", context=0, columns=context.columns
        )
        yield f"{style.related('note:')} {visible(related.message)}"
        place = _place(related.path, related.span.row, related.span.column, context.cwd, related.cell)
        yield f"{' ' * gutter}{style.frame('-->')} {place}"
        yield from frame
    if finding.confirmation is not None:
        confirmation = finding.confirmation
        yield f"{style.related(confirmation.verdict + ':')} {visible(confirmation.evidence)}"
        if confirmation.inputs:
            yield f"{style.related('inputs:')} {visible(confirmation.inputs)}"
    if finding.help:
        yield f"{style.help('help:')} {visible(finding.help)}"
    if finding.fix is not None:
        unsafe = " (unsafe)" if finding.fix.applicability is Applicability.UNSAFE else ""
        yield f"{style.help('fix:')} {visible(finding.fix.message)}{unsafe}"
    yield style.faint(f"see: {reference_path(finding.reference)}, `jaxlint explain {finding.code}`")


def painted_code(finding: Finding, context: TextContext) -> str:
    """The code, which on a terminal leads to the page of the rule."""
    code = context.style.severity(finding.code, finding.severity)
    return context.style.link(code, rule_url(finding.code, finding.reference))


def fixable_mark(finding: Finding, context: TextContext) -> str:
    """` [*]` where `--fix` mends a finding."""
    if not is_applicable(finding, unsafe=context.unsafe):
        return ""
    return f" [{context.style.help('*')}]"


def _place(path: str, row: int, column: int, cwd: Path, cell: int | None) -> str:
    return f"{shown_path(path, cwd)}:{in_cell(cell)}{row}:{column}"
