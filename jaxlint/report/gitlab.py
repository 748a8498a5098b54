"""GitLab's code quality report, in the form of Code Climate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from jaxlint.findings import Finding, Severity
from jaxlint.report.cells import file_span, with_cell
from jaxlint.report.formats import Report
from jaxlint.report.identity import keys
from jaxlint.report.paths import in_repository, well_formed

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report) -> Iterator[str]:
    """`--format gitlab`."""
    name = in_repository((finding.path for finding in report.findings), report.context.cwd)
    paths = {finding.path: name(finding.path) for finding in report.findings}
    fingerprints = keys(report.findings, paths, lambda finding: report.context.rows(finding.path, finding.cell))
    issues = [
        _issue(finding, paths[finding.path], fingerprint)
        for finding, fingerprint in zip(report.findings, fingerprints, strict=True)
    ]
    yield json.dumps(issues, indent=2) + "\n"


def _issue(finding: Finding, path: str, fingerprint: str) -> dict[str, Any]:
    span = file_span(finding.span, finding.cell)
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {well_formed(with_cell(finding))}",
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": path,
            "positions": {
                "begin": {"line": span.row, "column": span.column},
                "end": {"line": span.end_row, "column": span.end_column},
            },
        },
    }
