"""Issues of Azure Pipelines: logging commands in the log."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.findings import Severity
from jaxlint.report.cells import file_span, with_cell
from jaxlint.report.formats import Report
from jaxlint.report.paths import for_log

_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"})


def render(report: Report) -> Iterator[str]:
    """`--format azure`. Azure knows errors and warnings only."""
    for finding in report.findings:
        span = file_span(finding.span, finding.cell)
        properties = {
            "type": "error" if finding.severity is Severity.ERROR else "warning",
            "sourcepath": for_log(finding.path),
            "linenumber": span.row,
            "columnnumber": span.column,
            "code": finding.code,
        }
        shown = "".join(f"{key}={str(value).translate(_PROPERTY)};" for key, value in properties.items())
        yield f"##vso[task.logissue {shown}]{for_log(with_cell(finding)).translate(_DATA)}\n"
