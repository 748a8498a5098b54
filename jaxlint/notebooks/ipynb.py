"""Jupyter notebooks: which cells hold Python, and fixed cells put back into the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.findings import Span
from jaxlint.notebooks.compose import Piece, compose, is_python_cell
from jaxlint.notebooks.composed import LostError
from jaxlint.notebooks.document import Cells, Document
from jaxlint.notebooks.jsontext import BadJsonError, Value, elements, lines_like, members, read, string_like
from jaxlint.source import Source, SourceError, dominant_newline, failed, point, split_rows

_PYTHON = ("python", "ipython", "xpython", "sage")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A code cell. source: the value that holds its text."""

    number: int
    source: Value
    text: str


@dataclass(frozen=True)
class Notebook(Document):
    """A notebook's file."""

    def texts(self, data: bytes) -> dict[int | None, str]:
        """The text of each cell of Python."""
        return {cell.number: cell.text for cell in _python_cells(_text(data))}

    def written(self, data: bytes, text: str) -> bytes:
        """The file with the cells of a fixed text. Everything around changed cells stays as it is, byte for byte."""
        document = _text(data)
        cells = list(_python_cells(document))
        pieces = self.composed.pieces(text)
        if len(pieces) != len(cells):
            raise LostError
        found: list[str] = []
        done = 0
        for cell, piece in zip(cells, pieces, strict=True):
            if piece != cell.text:
                found += (document[done : cell.source.start], _spelled(piece, document, cell.source))
                done = cell.source.end
        found.append(document[done:])
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        return mark + "".join(found).encode("utf-8")

    def file_rows(self, data: bytes, cell: int) -> list[int]:
        """The rows of the file that hold the rows of a cell."""
        document = _text(data)
        source = next((found.source for found in _python_cells(document) if found.number == cell), None)
        return _file_rows(document, source) if source is not None else []


def decode_notebook(path: Path, data: bytes) -> Source:
    """The Python of a notebook as one text. Whatever is wrong with the notebook is told by `Source.error`."""
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        document = _text(data)
    except UnicodeDecodeError as error:
        body = data.removeprefix(codecs.BOM_UTF8)
        byte = body[error.start : error.start + 1].hex()
        prefix = body[: error.start].decode("utf-8", "replace")
        return failed(path, data, f"byte 0x{byte} is not valid utf-8", point(prefix))
    if not document.strip():
        return failed(path, data, "the notebook is empty, not even JSON", Span(1, 1, 1, 1))
    try:
        cells = list(_python_cells(document))
        _check(cells)
    except BadJsonError as error:
        return failed(path, data, error.message, point(document[: error.offset]))
    composed = compose([Piece(cell.text, cell.number) for cell in cells])
    text = composed.text
    return Source(str(path), text, data, "utf-8", dominant_newline(text), bom, document=Notebook(composed))


def source_of_cells(path: Path, cells: Sequence[str | None]) -> Source:
    """A notebook that an editor holds: the text of each code cell in Python, None for each other cell."""
    numbered = [(number, text) for number, text in enumerate(cells, 1) if text is not None and is_python_cell(text)]
    composed = compose([Piece(text, number) for number, text in numbered])
    numbers, texts = tuple(number for number, _ in numbered), tuple(text for _, text in numbered)
    document = Cells(composed, numbers, texts)
    for number, text in numbered:
        message = _unusable(text)
        if message:
            return Source(str(path), "", error=SourceError(f"cell {number}: {message}", Span(1, 1, 1, 1)))
    return Source(str(path), composed.text, b"", "utf-8", dominant_newline(composed.text), document=document)


def _text(data: bytes) -> str:
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")


def _check(cells: Sequence[_Cell]) -> None:
    for cell in cells:
        message = _unusable(cell.text)
        if message:
            raise BadJsonError(f"cell {cell.number}: {message}", cell.source.start)


def _unusable(text: str) -> str:
    """Why a text is no Python in any encoding."""
    if "\0" in text:
        return "source code cannot hold null bytes"
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "half a surrogate pair is no character"
    return ""


# ---- the structure of the file --------------------------------------------------------------------------------------


def _python_cells(document: str) -> Iterator[_Cell]:
    """The cells whose text is Python; raises `BadJsonError` for what is no notebook."""
    try:
        notebook = read(document)
    except BadJsonError as error:
        raise BadJsonError(f"the notebook is not valid JSON: {error.message}", error.offset) from None
    if not isinstance(notebook.value, dict):
        raise BadJsonError("the notebook is no JSON object", notebook.start)
    if not _is_python(notebook.value.get("metadata")):
        return
    for number, value in enumerate(_all_cells(document, notebook), 1):
        cell = _code_cell(document, number, value)
        if cell is not None and is_python_cell(cell.text):
            yield cell


def _all_cells(document: str, notebook: Value) -> Iterator[Value]:
    """The cells of a notebook, whatever its version: those of the fourth are its own, older ones have worksheets."""
    top = members(document, notebook)
    holders = [("the notebook", notebook, top)]
    if "cells" not in top and "worksheets" in top:
        sheets = top["worksheets"]
        if not isinstance(sheets.value, list):
            raise BadJsonError("`worksheets` of the notebook is no list", sheets.start)
        holders = [
            ("a worksheet of the notebook", sheet, members(document, sheet)) for sheet in elements(document, sheets)
        ]
    for name, holder, inside in holders:
        cells = inside.get("cells")
        if cells is None:
            raise BadJsonError(f"{name} has no cells", holder.start)
        if not isinstance(cells.value, list):
            raise BadJsonError(f"`cells` of {name} is no list", cells.start)
        yield from elements(document, cells)


def _code_cell(document: str, number: int, value: Value) -> _Cell | None:
    """The cell if it holds code in Python."""
    inside = members(document, value)
    kind = inside.get("cell_type")
    if not isinstance(value.value, dict):
        raise BadJsonError(f"cell {number} is no JSON object", value.start)
    if kind is None or not isinstance(kind.value, str):
        raise BadJsonError(f"cell {number} has no `cell_type`", (kind or value).start)
    if kind.value != "code" or not _is_python_here(value.value):
        return None
    source = inside.get("source", inside.get("input"))
    if source is None:
        raise BadJsonError(f"cell {number} has no `source`", value.start)
    lines = source.value if isinstance(source.value, list) else [source.value]
    if not all(isinstance(line, str) for line in lines):
        raise BadJsonError(f"`source` of cell {number} is neither a string nor a list of strings", source.start)
    return _Cell(number, source, "".join(lines))


def _is_python(metadata: object) -> bool:
    """Whether the kernel speaks Python; without a word about it, it does."""
    known = metadata if isinstance(metadata, dict) else {}
    for holder, key in (("language_info", "name"), ("kernelspec", "language")):
        spec = known.get(holder)
        language = spec.get(key) if isinstance(spec, dict) else None
        if isinstance(language, str) and language:
            return language.lower().startswith(_PYTHON)
    return True


def _is_python_here(cell: dict[str, object]) -> bool:
    """Whether a cell of a notebook with several languages is one in Python."""
    metadata = cell.get("metadata")
    editor = metadata.get("vscode") if isinstance(metadata, dict) else None
    named = editor.get("languageId") if isinstance(editor, dict) else cell.get("language")
    return not isinstance(named, str) or named.lower().startswith(_PYTHON)


# ---- single cells ---------------------------------------------------------------------------------------------------


def _spelled(text: str, document: str, source: Value) -> str:
    """The text of a cell as JSON, spelled as it was before."""
    if isinstance(source.value, list):
        return lines_like(text, document, source)
    return string_like(text, document[source.start : source.end])


def _file_rows(document: str, source: Value) -> list[int]:
    """The rows of the file on which the rows of a cell begin."""
    rows: list[int] = []
    starts = True
    for piece in elements(document, source) or [source]:
        row = document.count("\n", 0, piece.start) + 1
        text = piece.value if isinstance(piece.value, str) else ""
        rows += [row] * (len(split_rows(text)) - (0 if starts else 1))
        if text.endswith("\n"):
            rows.pop()  # the row behind it begins in the next piece
        starts = text.endswith("\n")
    return rows
