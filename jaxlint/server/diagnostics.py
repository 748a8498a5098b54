"""Findings as diagnostics, and what becomes of findings while the text around them is edited."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lsprotocol import types

from jaxlint.findings import Applicability, Finding, Severity, Span
from jaxlint.report.reference import rule_url
from jaxlint.server.documents import Text

SOURCE = "jaxlint"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}


@dataclass(frozen=True)
class Writer:
    """Makes diagnostics. `related`: the client shows related places; `locate` places a span of a file."""

    shown_as: Callable[[str], str]
    locate: Callable[[str, Span], types.Location]
    related: bool = True

    def diagnostic(self, finding: Finding) -> tuple[str, types.Diagnostic]:
        """One finding, with the URI of the text that it stands in."""
        url = rule_url(finding.code, finding.reference)
        tag = _TAGS.get(self.shown_as(finding.code))
        related = [
            types.DiagnosticRelatedInformation(self.locate(place.path, place.span), place.message)
            for place in (finding.related if self.related else ())
        ]
        here = self.locate(finding.path, finding.span)
        return here.uri, types.Diagnostic(
            range=here.range,
            message=finding.message,
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            code_description=types.CodeDescription(url) if url else None,
            source=SOURCE,
            tags=[tag] if tag is not None else None,
            related_information=related or None,
            data=data_of(finding),
        )


def data_of(finding: Finding) -> dict[str, object]:
    """What a code action may want to know of a finding."""
    fix = finding.fix
    return {
        "name": finding.name,
        "help": finding.help,
        "fix": None if fix is None else {"message": fix.message, "applicability": fix.applicability.value},
    }


def without_fix(finding: Finding) -> Finding:
    """A finding whose edits no longer fit the text."""
    return dataclasses.replace(finding, fix=None) if finding.fix is not None else finding


def moved(findings: Iterable[Finding], before: Text, after: Text) -> list[Finding]:
    """Findings of an earlier version where their rows are now; those on rows that were edited are left out."""
    shift = _Shift(before.rows, after.rows)
    found: list[Finding] = []
    for finding in findings:
        span = shift.span(finding.span)
        if span is not None:
            rows = tuple(shift.row(row) or row for row in finding.noqa_rows)
            found.append(dataclasses.replace(without_fix(finding), span=span, noqa_rows=rows))
    return found


class _Shift:
    """Two versions of a text: equal rows at the top and at the bottom, and what was edited between them."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        most = min(len(before), len(after))
        self._top = next((n for n in range(most) if before[n] != after[n]), most)
        most -= self._top
        bottom = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
        self._bottom = len(before) - bottom
        self._by = len(after) - len(before)

    def row(self, row: int) -> int | None:
        """Where a row is now; None when it was edited."""
        if row <= self._top:
            return row
        return row + self._by if row > self._bottom else None

    def span(self, span: Span) -> Span | None:
        """Where a span is now; None when a row of it was edited."""
        row, end_row = self.row(span.row), self.row(span.end_row)
        if row is None or end_row is None or end_row - row != span.end_row - span.row:
            return None
        return Span(row, span.column, end_row, span.end_column)


class Report:
    """What is known of one version of a document.

    The quick look at a file alone comes first. What the later look at the files that import it adds and takes away is
    remembered, and done to the quick looks that follow, so that findings do not come and go with each keystroke.
    `broken` is the syntax error of a text that does not parse: what was found before it stands, moved with the text.
    The error itself is shown once typing pauses, since most texts are broken while they are typed; then it stays.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self.broken: list[Finding] = []
        self._shows_broken = False
        self._added: list[Finding] = []
        self._removed: list[Finding] = []
        self._alone: list[Finding] = []

    def looked_alone(self, text: Text, found: list[Finding]) -> Report:
        """The report after the file was looked at without those that import it."""
        report = Report(text)
        report._alone = found
        report._added = moved(self._added, self.text, text)
        report._removed = moved(self._removed, self.text, text)
        removed = {_identity(finding) for finding in report._removed}
        known = {_identity(finding) for finding in found}
        report.findings = [finding for finding in found if _identity(finding) not in removed]
        report.findings += [finding for finding in report._added if _identity(finding) not in known]
        report.findings.sort(key=Finding.sort_key)
        return report

    def looked_around(self, text: Text, found: list[Finding]) -> Report:
        """The report after the files that import this one were looked at, too."""
        report = Report(text)
        report.findings = found
        report._alone = self._alone if self.text is text else found
        alone = {_identity(finding) for finding in report._alone}
        whole = {_identity(finding) for finding in found}
        report._added = [finding for finding in found if _identity(finding) not in alone]
        report._removed = [finding for finding in report._alone if _identity(finding) not in whole]
        return report

    def broke(self, text: Text, error: list[Finding]) -> Report:
        """The report of a text that does not parse."""
        report = Report(text)
        report.findings = moved(self.findings, self.text, text)
        report._added = moved(self._added, self.text, text)
        report._removed = moved(self._removed, self.text, text)
        report.broken = error
        report._shows_broken = self._shows_broken or self.text.version < 0
        return report

    def show_broken(self) -> bool:
        """Show the syntax error from now on; whether that makes a difference."""
        before, self._shows_broken = self._shows_broken, bool(self.broken)
        return self._shows_broken and not before

    @property
    def shown(self) -> list[Finding]:
        """The findings to show, in order."""
        return [*(self.broken if self._shows_broken else ()), *self.findings]


def _identity(finding: Finding) -> tuple[object, ...]:
    return (finding.code, finding.cell, finding.span)


def is_offered(finding: Finding) -> bool:
    """Whether a fix is one to apply and not only to show."""
    return finding.fix is not None and finding.fix.applicability is not Applicability.DISPLAY
