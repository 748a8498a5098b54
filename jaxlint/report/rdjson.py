"""Reviewdog's diagnostic format, whose columns count the bytes of UTF-8."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from jaxlint.findings import Finding, Severity, Span
from jaxlint.report.cells import file_span, with_cell
from jaxlint.report.edits import whole_edits
from jaxlint.report.formats import Report
from jaxlint.report.paths import well_formed
from jaxlint.report.reference import DOCUMENTATION, rule_url
from jaxlint.report.text import TextContext

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report) -> Iterator[str]:
    """`--format rdjson`."""
    source = {"name": "jaxlint", **({"url": DOCUMENTATION} if DOCUMENTATION else {})}
    diagnostics = [_diagnostic(finding, report.context) for finding in report.findings]
    yield json.dumps({"source": source, "severity": "WARNING", "diagnostics": diagnostics}, indent=2) + "\n"


def _diagnostic(finding: Finding, context: TextContext) -> dict[str, Any]:
    rows = context.lines(finding.path) if finding.cell is None else ()
    url = rule_url(finding.code, finding.reference)
    found: dict[str, Any] = {
        "message": well_formed(with_cell(finding)),
        "location": _location(finding.path, file_span(finding.span, finding.cell), rows),
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, **({"url": url} if url is not None else {})},
    }
    if finding.fix is not None and finding.cell is None:
        suggestions = [
            {"range": _range(edit.span, rows), "text": well_formed(edit.content)}
            for edit in whole_edits(finding.fix, rows)
        ]
        if suggestions:
            found["suggestions"] = suggestions
    if finding.related:
        found["relatedLocations"] = [
            {
                "message": well_formed(related.message),
                "location": _location(
                    related.path,
                    file_span(related.span, related.cell),
                    context.lines(related.path) if related.cell is None else (),
                ),
            }
            for related in finding.related
        ]
    return found


def _location(path: str, span: Span, rows: Sequence[str]) -> dict[str, Any]:
    return {"path": well_formed(path), "range": _range(span, rows)}


def _range(span: Span, rows: Sequence[str]) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": span.row, "column": _bytes(span.row, span.column, rows)},
        "end": {"line": span.end_row, "column": _bytes(span.end_row, span.end_column, rows)},
    }


def _bytes(row: int, column: int, rows: Sequence[str]) -> int:
    if not 1 <= row <= len(rows):
        return column
    before = rows[row - 1][: column - 1]
    return column - len(before) + len(before.encode("utf-8", "surrogatepass"))
