"""Pylint's lines, which many tools parse."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.report.cells import file_span, with_cell
from jaxlint.report.formats import Report
from jaxlint.report.style import visible
from jaxlint.report.text import shown_path


def render(report: Report) -> Iterator[str]:
    """`--format pylint`: `path:row: [CODE] message`."""
    for finding in report.findings:
        row = file_span(finding.span, finding.cell).row
        yield f"{shown_path(finding.path, report.context.cwd)}:{row}: [{finding.code}] {visible(with_cell(finding))}\n"
