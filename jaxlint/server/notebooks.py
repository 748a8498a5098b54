"""Notebooks that editors hold: their cells, as one program that the linter reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lsprotocol import types

from jaxlint.findings import Span
from jaxlint.notebooks.composed import Line, LostError
from jaxlint.notebooks.document import Cells
from jaxlint.notebooks.ipynb import source_of_cells
from jaxlint.server.documents import Document, Text, changed
from jaxlint.server.positions import Encoding
from jaxlint.source import Source, split_rows

_LANGUAGES = frozenset({"python", "ipython", "xpython"})


class Notebook(Document):
    """An open notebook. Its texts are those of the cells that the client tells of."""

    def __init__(self, uri: str, path: str, version: int) -> None:
        super().__init__(uri, path, version, "")
        self._cells: list[str] = []
        self._texts: dict[str, types.TextDocumentItem] = {}
        self._source = Source(path, "")
        self._lines: dict[tuple[int | None, int], tuple[int, Line]] = {}

    @property
    def versions(self) -> dict[str, int]:
        """The cells by URI, with their versions."""
        return {uri: self._texts[uri].version for uri in self._cells if uri in self._texts}

    def source(self) -> Source:
        """The program that the cells make up."""
        return self._source

    # ---- what the client tells ----

    def open(self, items: Iterable[types.TextDocumentItem]) -> None:
        """Take the texts of cells."""
        self._texts.update((item.uri, item) for item in items)

    def splice(self, start: int, deleted: int, cells: Sequence[types.NotebookCell]) -> None:
        """Put cells in the place of others."""
        self._cells[start : start + deleted] = [cell.document for cell in cells]

    def close(self, items: Iterable[types.TextDocumentIdentifier]) -> list[str]:
        """Forget the texts of cells; their URIs."""
        closed = [item.uri for item in items if self._texts.pop(item.uri, None) is not None]
        self._cells = [uri for uri in self._cells if uri not in closed]
        return closed

    def edit(self, change: types.NotebookDocumentCellContentChanges, encoding: Encoding) -> None:
        """Apply edits to the text of a cell."""
        item = self._texts.get(change.document.uri)
        if item is not None:
            text = changed(item.text, change.changes, encoding)
            self._texts[item.uri] = types.TextDocumentItem(item.uri, item.language_id, change.document.version, text)

    def compose(self, version: int) -> None:
        """Read the cells as one program, once everything of a notification was told."""
        self._source = source_of_cells(Path(self.path), [self._code(uri) for uri in self._cells])
        self.now = Text(version, self._source.text)
        document = self._source.document
        lines = document.composed.lines if document is not None else ()
        # Of two rows that stand for one of a cell, the first was put in front of it.
        self._lines = {(line.cell, line.row): (row, line) for row, line in enumerate(lines, 1)}

    def _code(self, uri: str) -> str | None:
        item = self._texts.get(uri)
        return item.text if item is not None and item.language_id.lower() in _LANGUAGES else None

    # ---- places ----

    def location(self, span: Span, encoding: Encoding) -> types.Location:
        """The cell of a region of the program, and the range in it."""
        document = self._source.document
        number, place = document.place(span) if document is not None else (None, span)
        if number is None or number > len(self._cells):
            return types.Location(self.uri, types.Range(types.Position(0, 0), types.Position(0, 0)))
        uri = self._cells[number - 1]
        return types.Location(uri, encoding.range(split_rows(self._texts[uri].text), place))

    def span(self, uri: str, region: types.Range, encoding: Encoding) -> Span:
        """The region of the program that a range of a cell stands for."""
        rows = split_rows(self._texts[uri].text)
        number = self._cells.index(uri) + 1
        start = self._program(number, *encoding.place(rows, region.start))
        return Span(*start, *max(start, self._program(number, *encoding.place(rows, region.end))))

    def _program(self, number: int, row: int, column: int) -> tuple[int, int]:
        found = self._lines.get((number, row))
        if found is None:
            return len(self.now.rows), 1
        line = found[1]
        return found[0], column - line.shift if column - line.shift >= line.column else column

    def edits(self, after: str, encoding: Encoding) -> dict[str, list[types.TextEdit]]:
        """The edits of each cell that make another program; nothing where its cells cannot be told apart."""
        document = self._source.document
        try:
            cells = document.fixed(after) if isinstance(document, Cells) else {}
        except LostError:
            return {}
        found = {self._cells[number - 1]: text for number, text in cells.items()}
        made = {uri: encoding.edits(self._texts[uri].text, text) for uri, text in found.items()}
        return {uri: edits for uri, edits in made.items() if edits}
