"""Writing comments that silence findings, in the one form that every tool reads: `# noqa: JAX201`."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlint.files.comments import NOT_TOKENS
from jaxlint.files.suppressions import Directive, Suppressions
from jaxlint.findings import Edit, Finding, Span
from jaxlint.source import Source

_LINE_ENDS = {tokenize.NEWLINE, tokenize.NL}
_STRING_STARTS = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")} - {None}
_STRING_ENDS = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")} - {None}


@dataclass(slots=True)
class Silencing:
    """The edits of one file, the findings that they silence, and those that no comment can silence."""

    edits: list[Edit] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    impossible: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class _Place:
    """Where the codes of some findings go: into the list of a comment that is there, or into a new comment."""

    row: int
    directive: Directive | None = None
    codes: dict[str, None] = field(default_factory=dict)


def silencing(
    source: Source, findings: Iterable[Finding], suppressions: Suppressions, *, reason: str = ""
) -> Silencing:
    """How to silence findings of a file.

    A comment stands in the first row of the finding, which is the one that flake8 and ruff look at; where that row ends
    inside a string, at the end of the statement's header.
    """
    result = Silencing()
    rows = _rows_that_end(source.text)
    places: dict[int, _Place] = {}
    for finding in findings:
        place = _place(finding, suppressions, rows)
        if place is None or finding.cell is not None:
            result.impossible.append(finding)
            continue
        places.setdefault(place.row, place).codes[finding.code] = None
        result.silenced.append(finding)
    result.edits = [_edit(place, source, reason) for place in places.values()]
    return result


def _place(finding: Finding, suppressions: Suppressions, rows: set[int]) -> _Place | None:
    wanted = finding.noqa_rows or (finding.span.row,)
    for row in dict.fromkeys((finding.span.row, wanted[-1], *wanted)):
        directive = suppressions.list_at(row)
        if directive is not None or row in rows:
            return _Place(row, directive)
    return None


def _edit(place: _Place, source: Source, reason: str) -> Edit:
    if place.directive is not None:
        directive = place.directive
        words = dict.fromkeys([*(match["word"] for match in directive.words or ()), *place.codes])
        return Edit(directive.span, f"# noqa: {', '.join(words)}")
    line = source.lines[place.row - 1]
    code = line.rstrip()
    comment = f"# noqa: {', '.join(sorted(place.codes))}{f'  # {reason}' if reason else ''}"
    return Edit(Span(place.row, len(code) + 1, place.row, len(line) + 1), f"  {comment}")


def _rows_that_end(text: str) -> set[int]:
    """The rows that a comment can follow: they end neither inside a string nor with a backslash."""
    rows: set[int] = set()
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            depth += int(token.type in _STRING_STARTS) - int(token.type in _STRING_ENDS)
            if token.type in _LINE_ENDS and depth == 0:
                rows.add(token.start[0])
    except NOT_TOKENS:
        return set()
    return rows
