"""A program made of pieces of code: the place of each of its rows, and the pieces again once the program is fixed.

Every row of a piece is one row of the program. Rows that are not Python are masked; each mask carries a mark that
nothing else in the document holds, so that it is found again in a fixed program, wherever fixes have moved it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jaxlint.findings import Span

NEWLINE = re.compile(r"(\r\n|\r|\n)")


class LostError(ValueError):
    """The pieces cannot be told apart in a fixed program."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where a row of the program comes from; columns from `column` on are `shift` further right there."""

    cell: int | None
    row: int
    column: int = 1
    shift: int = 0

    def at(self, column: int) -> int:
        """The column there of a column here."""
        return max(column + self.shift, 1) if column >= self.column else column


@dataclass(frozen=True, slots=True)
class Mask:
    """A row of the program that differs from that of the piece: how it begins there (old) and here (new).

    whole: these are the whole rows. end: what stands behind the statement here, and not there.
    """

    old: str
    new: str
    whole: bool = True
    end: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece in the program: the row in front of it, and how its rows are to be read.

    first: the mask of the cell magic that it begins with. indented: the mask behind which rows are indented.
    shown: what stands in front of its last expression. separate: it is a function of its own.
    lead: what all rows begin with there, and none here.
    """

    marker: str
    first: int | None = None
    indented: int | None = None
    shown: str = ""
    separate: bool = False
    lead: str = ""


@dataclass(frozen=True)
class Composed:
    """The program of some pieces. `lines` has an entry for each row of `text`."""

    text: str
    lines: tuple[Line, ...]
    mark: str = ""
    parts: tuple[Part, ...] = ()
    masks: tuple[Mask, ...] = field(default=(), repr=False)

    def place(self, span: Span) -> tuple[int | None, Span]:
        """The cell of a region of the program, and the region in it."""
        first, last = self._line(span.row), self._line(span.end_row)
        start = (first.row, first.at(span.column))
        end = (last.row, last.at(span.end_column)) if last.cell == first.cell else start
        return first.cell, Span(*start, *max(start, end))

    def _line(self, row: int) -> Line:
        return self.lines[min(max(row, 1), len(self.lines)) - 1]

    def pieces(self, text: str) -> list[str]:
        """The pieces of a fixed program; raises `LostError`."""
        chunks: list[str] = []
        rest = text
        for part in self.parts:
            before, marker, rest = rest.partition(part.marker + "\n")
            if not marker:
                raise LostError
            chunks.append(before)
        chunks.append(rest)
        if chunks[0] and self.parts:
            raise LostError
        reader = _Reader(self)
        pieces = [reader.piece(chunk, part) for chunk, part in zip(chunks[1:], self.parts, strict=True)]
        if reader.seen != list(range(len(self.masks))):
            raise LostError
        return pieces


class _Reader:
    """Takes the masks off a fixed program. seen: those that were met."""

    def __init__(self, composed: Composed) -> None:
        self.seen: list[int] = []
        self._composed = composed
        self._masked = re.compile(rf"  # {composed.mark}:(\d+)(?!\d)|^# {composed.mark}:(\d+)(?!\d)")

    def piece(self, chunk: str, part: Part) -> str:
        """The text of a piece."""
        rows = NEWLINE.split(chunk.removesuffix("\n"))
        shown, inside = 0, part.separate
        for index in range(0, len(rows), 2):
            row = rows[index]
            match = self._masked.search(row)
            if match is not None:
                number = int(match.group(1) or match.group(2))
                rows[index] = self._unmasked(row, match, number)
                if number == part.first and any(map(is_code, rows[:index:2])):
                    raise LostError
                inside = inside or number == part.indented
                continue
            if inside and row:
                if row[0] != " ":
                    raise LostError
                row = row[1:]
            bare = row.lstrip()
            if part.shown and bare.startswith(part.shown):
                shown += 1
                row = row[: len(row) - len(bare)] + bare.removeprefix(part.shown)
            rows[index] = row
        if part.shown and shown != 1:
            raise LostError
        if part.lead:
            rows[::2] = [part.lead + row if row.strip() else row for row in rows[::2]]
        return "".join(rows)

    def _unmasked(self, row: str, match: re.Match[str], number: int) -> str:
        self.seen.append(number)
        if number >= len(self._composed.masks):
            raise LostError
        mask = self._composed.masks[number]
        if mask.whole:
            if row != mask.new:
                raise LostError
            return mask.old
        if not row.startswith(mask.new):
            raise LostError
        code = row[len(mask.new) : match.start()]
        if mask.end:
            if code.count(mask.end) != 1:
                raise LostError
            code = code.replace(mask.end, "")
        return mask.old + code + row[match.end() :]


def is_code(row: str) -> bool:
    """Whether a row is more than blanks and a comment."""
    return bool(row.strip()) and not row.lstrip().startswith("#")
