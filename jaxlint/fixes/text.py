"""Places of a text as offsets, and edits applied to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.findings import Edit, Span

_NEWLINE = re.compile(r"\r\n|\r|\n")

Region = tuple[int, int, str]
"""A piece of a text, from and to, and what takes its place."""


class Rows:
    """Where the rows of a text begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def offset(self, row: int, column: int) -> int:
        """The offset of a place; rows and columns start at 1."""
        if row > len(self.starts):
            return len(self.text)
        return min(self.starts[row - 1] + column - 1, len(self.text))

    def region(self, span: Span) -> tuple[int, int]:
        """From where to where a span reaches."""
        return self.offset(span.row, span.column), self.offset(span.end_row, span.end_column)

    def slice(self, span: Span) -> str:
        """The text of a span."""
        start, end = self.region(span)
        return self.text[start:end]


def regions(edits: Iterable[Edit], rows: Rows, newline: str) -> list[Region]:
    """Edits as regions of the text, in order; what they insert has the newlines of the file."""
    found = [(*rows.region(edit.span), _NEWLINE.sub(newline, edit.content)) for edit in edits]
    return sorted(found)


def overlap(one: Sequence[Region], other: Sequence[Region]) -> bool:
    """Whether two sets of edits meddle with each other; two insertions at one place do."""
    return any(
        a[0] == b[0] or (a[0] < b[1] and b[0] < a[1])
        for a in one
        for b in other
    )  # fmt: skip


def replaced(text: str, edits: Iterable[Region]) -> str:
    """The text with regions replaced that do not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, content in sorted(edits):
        pieces += (text[done:start], content)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)
