"""A document that holds code: what the rest of the linter asks of notebooks and pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jaxlint.findings import Span
from jaxlint.notebooks.composed import Composed
from jaxlint.source import Source, decode_source


@dataclass(frozen=True)
class Document:
    """Where the rows of a `Source.text` come from. The document itself is `Source.data`."""

    composed: Composed

    @property
    def fixable(self) -> bool:
        """Whether fixes can be written back: not into pieces that know nothing of the imports of others."""
        return not any(part.separate for part in self.composed.parts)

    def place(self, span: Span) -> tuple[int | None, Span]:
        """The cell of a region of the text, and the region in the cell (in the file, when there are no cells)."""
        return self.composed.place(span)

    def row(self, row: int) -> int:
        """The row in its cell of a row of the text."""
        return self.place(Span(row, 1, row, 1))[1].row

    def texts(self, data: bytes) -> dict[int | None, str]:
        """What is shown to people: the text of each cell of code by its number, or of the whole file as None."""
        raise NotImplementedError

    def file_rows(self, data: bytes, cell: int) -> list[int]:
        """The rows of the file that hold the rows of a cell, as far as they are known."""
        return []

    def written(self, data: bytes, text: str) -> bytes:
        """The document with a fixed text; raises `LostError` when it cannot be told what belongs where."""
        raise NotImplementedError

    def rewritten(self, source: Source, text: str) -> Source:
        """The source, of this document, with a fixed text; raises `LostError`."""
        return decode_source(Path(source.path), self.written(source.data, text))


@dataclass(frozen=True)
class Cells(Document):
    """The cells of a notebook without a file, as an editor knows them. numbers: the cell of each piece."""

    numbers: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()

    def texts(self, data: bytes) -> dict[int | None, str]:
        """The text of each cell of code."""
        return dict(zip(self.numbers, self.sources, strict=True))

    def fixed(self, text: str) -> dict[int, str]:
        """The cells of a fixed text, by number; raises `LostError`."""
        return dict(zip(self.numbers, self.composed.pieces(text), strict=True))

    def rewritten(self, source: Source, text: str) -> Source:
        """The source with the cells of a fixed text; raises `LostError`."""
        from jaxlint.notebooks.ipynb import source_of_cells  # noqa: PLC0415 (which knows this class)

        fixed = self.fixed(text)
        return source_of_cells(Path(source.path), [fixed.get(number) for number in range(1, max(fixed, default=0) + 1)])
