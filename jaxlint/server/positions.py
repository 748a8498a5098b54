"""Places in the units that client and server have agreed on, to and from rows and columns of code points."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from lsprotocol import types

from jaxlint.findings import Span
from jaxlint.source import split_rows

_WIDTHS = {types.PositionEncodingKind.Utf16: "utf-16-le", types.PositionEncodingKind.Utf8: "utf-8"}


_ROWS = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class Encoding:
    """What `character` counts in positions."""

    def __init__(self, kind: types.PositionEncodingKind | str | None = None) -> None:
        self._codec = _WIDTHS.get(types.PositionEncodingKind(kind or types.PositionEncodingKind.Utf16))
        self._size = 2 if self._codec == "utf-16-le" else 1

    def units(self, text: str) -> int:
        """How many units a text has."""
        if self._codec is None or text.isascii():
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // self._size

    def points(self, line: str, units: int) -> int:
        """How many code points of a line its first `units` are; a unit inside a code point counts as its start."""
        if self._codec is None or line.isascii():
            return min(units, len(line))
        at = 0
        for index, char in enumerate(line):
            at += self.units(char)
            if at > units:
                return index
        return len(line)

    def position(self, rows: Sequence[str], row: int, column: int) -> types.Position:
        """The position of a row and column, which start at 1; what lies behind the text is its end."""
        if row > len(rows):
            row, column = len(rows), len(rows[-1]) + 1
        return types.Position(row - 1, self.units(rows[row - 1][: column - 1]))

    def range(self, rows: Sequence[str], span: Span) -> types.Range:
        """The range of a span."""
        return types.Range(
            self.position(rows, span.row, span.column), self.position(rows, span.end_row, span.end_column)
        )

    def place(self, rows: Sequence[str], position: types.Position) -> tuple[int, int]:
        """The row and column, which start at 1, of a position; what lies behind a row is its end."""
        if position.line >= len(rows):
            return len(rows), len(rows[-1]) + 1
        return position.line + 1, self.points(rows[position.line], position.character) + 1

    def span(self, rows: Sequence[str], region: types.Range) -> Span:
        """The span of a range."""
        return Span(*self.place(rows, region.start), *self.place(rows, region.end))

    def edits(self, before: str, after: str) -> list[types.TextEdit]:
        """What makes one text of another: the rows that differ."""
        old, new = _ROWS.findall(before), _ROWS.findall(after)
        rows = split_rows(before)

        def start(row: int) -> types.Position:
            return types.Position(row, 0) if row < len(rows) else self.position(rows, len(rows) + 1, 1)

        edits: list[types.TextEdit] = []
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            if tag != "equal":
                edits.append(types.TextEdit(types.Range(start(first), start(last)), "".join(new[new_first:new_last])))
        return edits
