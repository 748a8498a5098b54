"""The findings of each file under its name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from jaxlint.findings import Finding
from jaxlint.report.cells import in_cell
from jaxlint.report.formats import Report
from jaxlint.report.style import visible
from jaxlint.report.text import fixable_mark, painted_code, shown_path


def render(report: Report) -> Iterator[str]:
    """`--format grouped`."""
    context = report.context
    for path, group in groupby(report.findings, key=lambda finding: finding.path):
        findings = list(group)
        rows = max(len(_row(finding)) for finding in findings)
        columns = max(len(str(finding.span.column)) for finding in findings)
        yield f"{context.style.bold(shown_path(path, context.cwd))}:\n"
        for finding in findings:
            place = f"{_row(finding):>{rows}}:{finding.span.column:<{columns}}"
            code = f"{painted_code(finding, context)}{fixable_mark(finding, context)}"
            yield f"  {place} {code} {visible(finding.told)}\n"
        yield "\n"


def _row(finding: Finding) -> str:
    return f"{in_cell(finding.cell)}{finding.span.row}"
