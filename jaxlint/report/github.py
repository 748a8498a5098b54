"""Annotations of GitHub Actions: workflow commands in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from jaxlint.findings import Finding, Severity, Span
from jaxlint.report.cells import file_span, in_cell
from jaxlint.report.formats import Report
from jaxlint.report.paths import for_log, in_repository
from jaxlint.report.text import TextContext, shown_path

SHOWN = 10
"""How many annotations of one level GitHub shows for a step."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report) -> Iterator[str]:
    """`--format github`: errors first; what GitHub would not show follows as text."""
    name = in_repository((finding.path for finding in report.findings), report.context.cwd)
    counts: Counter[Severity] = Counter()
    rest: list[Finding] = []
    order = list(Severity)
    for finding in sorted(report.findings, key=lambda finding: order.index(finding.severity)):
        counts[finding.severity] += 1
        if counts[finding.severity] > SHOWN:
            rest.append(finding)
        else:
            yield _command(finding, name(finding.path), report.context)
    for finding in rest:
        # The word before the path keeps a file name from being read as a command.
        yield f"{_LEVELS[finding.severity]}: {_headline(finding, report.context)}\n"


def _command(finding: Finding, path: str, context: TextContext) -> str:
    span = file_span(finding.span, finding.cell)
    properties = {"title": f"jaxlint ({finding.code})", "file": for_log(path), "line": span.row}
    if span.end_row == span.row:  # columns mean nothing across lines
        properties |= {"col": span.column, "endLine": span.end_row, "endColumn": span.end_column}
    else:
        properties["endLine"] = span.end_row
    shown = ",".join(f"{key}={str(value).translate(_PROPERTY)}" for key, value in properties.items())
    lines = [_headline(finding, context)]
    for related in finding.related:
        place = _place(related.path, related.cell, related.span, context)
        lines.append(f"  note: {place}: {for_log(related.message)}")
    if finding.help:
        lines.append(f"  help: {for_log(finding.help)}")
    return f"::{_LEVELS[finding.severity]} {shown}::{_data(lines)}\n"


def _headline(finding: Finding, context: TextContext) -> str:
    place = _place(finding.path, finding.cell, finding.span, context)
    return f"{place}: {finding.code} {for_log(finding.told)}"


def _place(path: str, cell: int | None, span: Span, context: TextContext) -> str:
    return f"{shown_path(path, context.cwd)}:{in_cell(cell)}{span.row}:{span.column}"


def _data(lines: list[str]) -> str:
    return "\n".join(lines).translate(_DATA)
