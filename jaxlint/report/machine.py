"""JSON, in ruff's shape with additions. Keys are never removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.findings import Confirmation, Finding, Fix, Span
from jaxlint.report.paths import well_formed
from jaxlint.report.reference import reference_path, rule_url

if TYPE_CHECKING:
    from jaxlint.report.formats import Report


def render(report: Report) -> Iterator[str]:
    """`--format json`."""
    yield as_json(report.findings)


def render_lines(report: Report) -> Iterator[str]:
    """`--format json-lines`: one object a line, handed out as it is made."""
    for finding in report.findings:
        yield json.dumps(finding_object(finding), separators=(",", ":")) + "\n"


def as_json(findings: Iterable[Finding]) -> str:
    """An array with an object a finding. Non-ASCII text is escaped, so that any file name gives a valid document."""
    return json.dumps([finding_object(finding) for finding in findings], indent=2) + "\n"


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding as JSON data."""
    rows = finding.noqa_rows or (finding.span.row,)
    return {
        "cell": finding.cell,
        "code": finding.code,
        "confirmation": _confirmation(finding.confirmation),
        **_span(finding.span),
        "filename": well_formed(finding.path),
        "fix": _fix(finding.fix),
        "help": finding.help,
        "message": finding.message,
        "name": finding.name,
        "noqa_row": rows[-1],
        "reference": reference_path(finding.reference),
        "related": [
            {
                **_cell(related.cell),
                "filename": well_formed(related.path),
                "message": related.message,
                **_span(related.span),
            }
            for related in finding.related
        ],
        "severity": finding.severity.value,
        "url": rule_url(finding.code, finding.reference),
    }


def _confirmation(confirmation: Confirmation | None) -> dict[str, str] | None:
    if confirmation is None:
        return None
    return {
        "evidence": confirmation.evidence,
        "inputs": confirmation.inputs,
        "verdict": confirmation.verdict,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {
        "applicability": fix.applicability.value,
        "edits": [{**_cell(edit.cell), "content": edit.content, **_span(edit.span)} for edit in fix.edits],
        "imports": list(fix.imports),
        "message": fix.message,
    }


def _span(span: Span) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": span.row, "column": span.column},
        "end_location": {"row": span.end_row, "column": span.end_column},
    }


def _cell(cell: int | None) -> dict[str, int]:
    """The cell of a place in a notebook; elsewhere there is no such key."""
    return {} if cell is None else {"cell": cell}
