"""The results of a SARIF run: places with their source, the story of each finding as links and steps, fixes, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jaxlint.findings import Applicability, Finding, Related, Span, is_applicable
from jaxlint.report.cells import file_span
from jaxlint.report.edits import whole_edits
from jaxlint.report.identity import LineHashes, keys
from jaxlint.report.paths import absolute_uri, relative_to, uri, well_formed
from jaxlint.report.sarif_rules import LEVELS

BASE = "%SRCROOT%"
KEY = "jaxlint/v1"
_AROUND = 2
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


class Places:
    """Physical locations below the folder `root`.

    `rows` gives the rows of a file or of one of its cells, `file_rows` where in the file those of a cell are.
    """

    def __init__(
        self,
        root: Path,
        rows: Callable[[str, int | None], Sequence[str]],
        file_rows: Callable[[str, int], Sequence[int]] = lambda _path, _cell: (),
    ) -> None:
        self.root = root
        self.rows = rows
        self._file_rows = file_rows

    def artifact(self, path: str) -> dict[str, Any]:
        """A file: relative to the root, or where it is when it lies outside."""
        relative = relative_to(path, self.root)
        return {"uri": absolute_uri(path)} if relative is None else {"uri": uri(relative), "uriBaseId": BASE}

    def name(self, path: str) -> str:
        """The path that keys are made of: it does not depend on the machine."""
        return relative_to(path, self.root) or path

    def primary(self, finding: Finding) -> dict[str, Any]:
        """The place of a finding: its first row, since GitHub shows an alert in a review only if all its rows changed.

        The rest stands in the region around it.
        """
        span = self._in_file(finding.path, finding.span, finding.cell)
        rows = self.rows(finding.path, None) if finding.cell is None else ()
        physical = self._physical(finding.path, _first_row(span, rows), finding.cell)
        last = min(max(span.end_row, span.row), len(rows))
        if span.row <= last:
            first, last = max(1, span.row - _AROUND), min(len(rows), last + _AROUND)
            around = Span(first, 1, last, len(rows[last - 1]) + 1)
            physical["contextRegion"] = _region(around, "\n".join(rows[first - 1 : last]))
        return {"physicalLocation": physical}

    def related(self, related: Related) -> dict[str, Any]:
        """A place that explains a finding, with what it says."""
        span = self._in_file(related.path, related.span, related.cell)
        physical = self._physical(related.path, span, related.cell)
        return {"physicalLocation": physical, "message": {"text": _sentence(_plain(related.message))}}

    def file(self, path: str) -> dict[str, Any]:
        """A file as a place."""
        return {"physicalLocation": {"artifactLocation": self.artifact(path)}}

    def _in_file(self, path: str, span: Span, cell: int | None) -> Span:
        """A span; of one in a cell, the row of the notebook's file."""
        rows = self._file_rows(path, cell) if cell is not None else ()
        if 1 <= span.row <= len(rows):
            return Span(rows[span.row - 1], 1, rows[span.row - 1], 1)
        return file_span(span, cell)

    def _physical(self, path: str, span: Span, cell: int | None) -> dict[str, Any]:
        text = _slice(self.rows(path, None), span) if cell is None else ""
        return {"artifactLocation": self.artifact(path), "region": _region(span, text)}


class Results:
    """Makes results; `indices` gives the place of a rule among the rules of the run."""

    def __init__(self, places: Places, indices: Mapping[str, int], *, unsafe: bool) -> None:
        self._places = places
        self._indices = indices
        self._unsafe = unsafe
        self._hashes: dict[str, LineHashes] = {}

    def all(self, findings: Sequence[Finding]) -> list[dict[str, Any]]:
        """One result a finding."""
        paths = {finding.path: self._places.name(finding.path) for finding in findings}
        found = keys(findings, paths, lambda finding: self._places.rows(finding.path, finding.cell))
        return [self._result(finding, key) for finding, key in zip(findings, found, strict=True)]

    def _result(self, finding: Finding, key: str) -> dict[str, Any]:
        location = self._places.primary(finding)
        row = location["physicalLocation"]["region"]["startLine"]
        found: dict[str, Any] = {
            "ruleId": finding.code,
            "level": LEVELS[finding.severity],
            "message": {"text": message(finding)},
            "locations": [location],
            "partialFingerprints": {"primaryLocationLineHash": self._line_hash(finding.path, row), KEY: key},
        }
        if finding.code in self._indices:
            found["ruleIndex"] = self._indices[finding.code]
        if finding.confirmation is not None:
            found["properties"] = {"confirmation": asdict(finding.confirmation)}
        if finding.related:
            story = [self._places.related(related) for related in finding.related]
            found["relatedLocations"] = [{"id": number, **place} for number, place in enumerate(story, 1)]
            physical = {k: v for k, v in location["physicalLocation"].items() if k != "contextRegion"}
            end = {"physicalLocation": physical, "message": {"text": _sentence(_plain(finding.message))}}
            steps = [{"location": place} for place in (*story, end)]
            found["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
        changes = self._changes(finding)
        if changes:
            found["fixes"] = [changes]
        return found

    def _line_hash(self, path: str, row: int) -> str:
        if path not in self._hashes:
            try:
                data = Path(path).read_bytes()
            except OSError:  # standard input
                data = "\n".join(self._places.rows(path, None)).encode("utf-8", "replace")
            self._hashes[path] = LineHashes(data)
        return self._hashes[path].of(row)

    def _changes(self, finding: Finding) -> dict[str, Any] | None:
        fix = finding.fix
        if fix is None or finding.cell is not None or not is_applicable(finding, unsafe=self._unsafe):
            return None
        edits = whole_edits(fix, self._places.rows(finding.path, None))
        if not edits:
            return None
        unsafe = " (may change what the program does)" if fix.applicability is Applicability.UNSAFE else ""
        replacements = [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": well_formed(edit.content)}}
            for edit in edits
        ]
        change = {"artifactLocation": self._places.artifact(finding.path), "replacements": replacements}
        return {"description": {"text": _sentence(_plain(fix.message) + unsafe)}, "artifactChanges": [change]}


def message(finding: Finding) -> str:
    """The message, then its related places as links, then the help.

    GitHub shows related places only when they are linked.
    """
    cell = f" (cell {finding.cell}, row {finding.span.row})" if finding.cell is not None else ""
    parts = [_sentence(_plain(finding.message) + cell)]
    if finding.confirmation is not None:
        told = f"{finding.confirmation.verdict.capitalize()} by running it: {_plain(finding.confirmation.evidence)}"
        parts.append(_sentence(told))
    if finding.related:
        links = (f"[{_in_link(related.message)}]({number})" for number, related in enumerate(finding.related, 1))
        parts.append(f"See: {', '.join(links)}.")
    if finding.help:
        parts.append(_sentence(f"To mend it: {_plain(finding.help)}"))
    return " ".join(parts)


def _first_row(span: Span, rows: Iterable[str]) -> Span:
    rows = list(rows)
    if span.end_row <= span.row or span.row > len(rows):
        return span
    return Span(span.row, span.column, span.row, max(span.column, len(rows[span.row - 1].rstrip()) + 1))


def _region(span: Span, text: str = "") -> dict[str, Any]:
    row, column = max(span.row, 1), max(span.column, 1)
    end_row = max(span.end_row, row)
    end_column = max(span.end_column, column if end_row == row else 1)
    region: dict[str, Any] = {"startLine": row, "startColumn": column, "endLine": end_row, "endColumn": end_column}
    if text:
        region["snippet"] = {"text": well_formed(text)}
    return region


def _slice(rows: Sequence[str], span: Span) -> str:
    if not 1 <= span.row <= len(rows):
        return ""
    chosen = list(rows[span.row - 1 : max(span.end_row, span.row)])
    if span.end_row <= len(rows):
        chosen[-1] = chosen[-1][: span.end_column - 1]
    chosen[0] = chosen[0][span.column - 1 :]
    return "\n".join(chosen)


def _plain(text: str) -> str:
    """Text in which no bracket begins a link by chance."""
    return _LINK.sub(r"\\[", well_formed(text))


def _in_link(text: str) -> str:
    return re.sub(r"([\[\]\\])", r"\\\1", well_formed(text))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
