"""The formats for people: one line a finding, or the finding with its source, its reasons and its remedy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.findings import Finding, Severity
from jaxlint.report.frame import excerpt
from jaxlint.report.reference import reference_path
from jaxlint.report.style import Style, visible

_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("note", "notes"),
}


@dataclass(frozen=True, slots=True)
class TextContext:
    """What the text formats need besides the findings: `lines` gives the rows of a file by its path."""

    cwd: Path
    style: Style
    lines: Callable[[str], Sequence[str]]


def concise(findings: Iterable[Finding], context: TextContext) -> Iterator[str]:
    """`path:row:column: CODE message`."""
    style = context.style
    for finding in findings:
        code = style.severity(finding.code, finding.severity)
        place = _place(finding.path, finding.span.row, finding.span.column, context.cwd, finding.cell)
        yield f"{style.bold(place)}: {code} {visible(finding.message)}\n"


def full(findings: Iterable[Finding], context: TextContext) -> Iterator[str]:
    """The message, the source with the span marked, each related place with its own source, the help, the reference."""
    for finding in findings:
        yield "\n".join(_block(finding, context)) + "\n\n"


def summary(findings: Sequence[Finding]) -> str:
    """How many errors, warnings and notes there are."""
    if not findings:
        return "All checks passed!\n"
    counts = [(sum(finding.severity is severity for finding in findings), _NOUNS[severity]) for severity in Severity]
    parts = [f"{count} {one if count == 1 else many}" for count, (one, many) in counts if count]
    return f"Found {', '.join(parts[:-1]) + ' and ' if len(parts) > 1 else ''}{parts[-1]}.\n"


def shown_path(path: str, cwd: Path) -> str:
    """Relative to the current folder when it is below it."""
    prefix = str(cwd).rstrip(os.sep) + os.sep
    return visible(path[len(prefix) :] if path.startswith(prefix) else path)


def _block(finding: Finding, context: TextContext) -> Iterator[str]:
    style = context.style

    def mark(text: str) -> str:
        return style.severity(text, finding.severity)

    place = _place(finding.path, finding.span.row, finding.span.column, context.cwd, finding.cell)
    lines = context.lines(finding.path) if finding.cell is None else ()
    gutter, frame = excerpt(lines, finding.span, style, mark)
    yield f"{mark(finding.code)} {style.bold(visible(finding.message))}"
    yield f"{' ' * gutter}{style.frame('-->')} {place}"
    yield from frame
    for related in finding.related:
        others = context.lines(related.path) if finding.cell is None else ()
        gutter, frame = excerpt(others, related.span, style, style.related, mark="-", context=0)
        yield f"{style.related('note:')} {visible(related.message)}"
        place = _place(related.path, related.span.row, related.span.column, context.cwd, finding.cell)
        yield f"{' ' * gutter}{style.frame('-->')} {place}"
        yield from frame
    if finding.help:
        yield f"{style.help('help:')} {visible(finding.help)}"
    yield style.faint(f"see: {reference_path(finding.reference)}, `jaxlint explain {finding.code}`")


def _place(path: str, row: int, column: int, cwd: Path, cell: int | None) -> str:
    in_cell = f"cell {cell}:" if cell is not None else ""
    return f"{shown_path(path, cwd)}:{in_cell}{row}:{column}"
