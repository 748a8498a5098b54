"""Reading Python source as the interpreter does: declared encodings, byte order marks, and errors that have a place."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import Span

if TYPE_CHECKING:
    from jaxlint.notebooks.document import Document

_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#.*)?$", re.DOTALL)
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.DOTALL)
_NEWLINE = re.compile(r"\r\n|\r|\n")
_BYTES_NEWLINE = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SourceError:
    """Why a file cannot be read, and where in it. The rest of the file is not known."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class UnparsableFile:
    """Event: a file of which nothing could be checked, because it cannot be read, decoded or parsed."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True)
class Source:
    """One file. `text` has no byte order mark and keeps its newlines; it is empty when there is an `error`.

    Of a `document` (a notebook, a page), `text` is the program that its pieces of code make up; it says where they are.
    """

    path: str
    text: str
    data: bytes = b""
    encoding: str = "utf-8"
    newline: str = "\n"
    bom: bool = False
    error: SourceError | None = None
    document: Document | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The rows of the text without their newlines, divided as Python divides them."""
        return split_rows(self.text)

    def rows_shown(self, cell: int | None = None) -> list[str]:
        """The rows that people know: those of the file, or of a cell of it."""
        if self.document is not None and self.error is None:
            text = self.document.texts(self.data).get(cell)
            if text is not None:
                return split_rows(text)
        # What could not be decoded is shown as far as it can be.
        plain = self.error is None and self.document is None
        return self.lines if plain else split_rows(self.data.decode("utf-8-sig", "replace"))

    def row_shown(self, row: int) -> str:
        """A row of the text as people know it."""
        if self.document is None:
            return str(row)
        cell, span = self.document.place(Span(row, 1, row, 1))
        return f"cell {cell}:{span.row}" if cell is not None else str(span.row)

    def rewritten(self, text: str) -> Source:
        """The source with another text; a document raises `ValueError` when it cannot be told what belongs where."""
        if self.document is None:
            return replace(self, text=text)
        return self.document.rewritten(self, text)


def split_rows(text: str) -> list[str]:
    """Divide at newlines only; `str.splitlines` also divides at form feeds and other characters."""
    return _NEWLINE.split(text)


def read_source(path: Path) -> Source:
    """Read a file. Whatever goes wrong is told by `Source.error`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        return failed(path, b"", f"the file cannot be read: {reason}", Span(1, 1, 1, 1))
    return decode_source(path, data)


def universal_text(path: Path) -> str | None:
    """The text of a file as Python's text files give it, each newline as one character; None if it cannot be read."""
    source = read_source(path)
    return None if source.error is not None else _NEWLINE.sub("\n", source.text)


def decode_source(path: Path, data: bytes) -> Source:
    """The program in a file: of a notebook or a page, that of its pieces of code."""
    decode = _DOCUMENTS.get(path.suffix.lower())
    return decode(path, data) if decode is not None else decode_python(path, data)


def is_document(path: str) -> bool:
    """Whether a file holds code in pieces, which have places of their own."""
    return os.path.splitext(path)[1].lower() in _DOCUMENTS  # noqa: PTH122 (asked for every finding)


def _notebook(path: Path, data: bytes) -> Source:
    from jaxlint.notebooks.ipynb import decode_notebook  # noqa: PLC0415 (most runs meet no notebook)

    return decode_notebook(path, data)


def _page(path: Path, data: bytes) -> Source:
    from jaxlint.notebooks.markdown import decode_page  # noqa: PLC0415

    return decode_page(path, data)


PAGES = (".md", ".markdown")
"""The suffixes of Markdown."""

_DOCUMENTS: dict[str, Callable[[Path, bytes], Source]] = {".ipynb": _notebook, **dict.fromkeys(PAGES, _page)}


def decode_python(path: Path, data: bytes) -> Source:
    """Decode by PEP 263: a byte order mark, else the declaration in the first two lines, else UTF-8."""
    bom = data.startswith(codecs.BOM_UTF8)
    body = data[len(codecs.BOM_UTF8) :] if bom else data
    declared, row = _declared_encoding(body)
    encoding = "utf-8"
    if declared is not None:
        encoding = _python_name(declared)
        line_span = _whole_row(body, row)
        if not _is_text_encoding(encoding):
            return failed(path, data, f"unknown encoding `{declared}`", line_span)
        if bom and encoding != "utf-8":
            return failed(path, data, f"the byte order mark says UTF-8, the declaration says `{declared}`", line_span)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        span = _span_at(body, error.start, encoding)
        byte = body[error.start : error.start + 1].hex()
        return failed(path, data, f"byte 0x{byte} is not valid {encoding}", span)
    except ValueError as error:
        return failed(path, data, f"the file cannot be decoded as {encoding}: {error}", Span(1, 1, 1, 1))
    null = text.find("\0")
    if null >= 0:
        return failed(path, data, "source code cannot hold null bytes", point(text[:null]))
    return Source(str(path), text, data, encoding, dominant_newline(text), bom)


def dominant_newline(text: str) -> str:
    """The newline that most rows end with."""
    if "\r" not in text:
        return "\n"
    windows = text.count("\r\n")
    counts = {"\n": text.count("\n") - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda newline: counts[newline])


def _declared_encoding(body: bytes) -> tuple[str | None, int]:
    for row, line in enumerate(_BYTES_NEWLINE.split(body[:4096], maxsplit=2)[:2], 1):
        match = _CODING.match(line)
        if match:
            return match.group(1).decode("ascii", "replace"), row
        if not _BLANK_OR_COMMENT.match(line):
            break
    return None, 0


def _python_name(declared: str) -> str:
    """The names that Python itself spells in many ways."""
    name = declared.lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    if name in {"latin-1", "iso-8859-1", "iso-latin-1"} or name.startswith(("latin-1-", "iso-8859-1-", "iso-latin-1-")):
        return "iso-8859-1"
    return declared


def _is_text_encoding(name: str) -> bool:
    try:
        b" ".decode(name)
    except (
        LookupError,
        ValueError,
    ):  # ValueError: an encoding of several bytes a character, which no source can declare
        return False
    return True


def _whole_row(body: bytes, row: int) -> Span:
    line = _BYTES_NEWLINE.split(body)[row - 1].decode("utf-8", "replace")
    return Span(row, 1, row, len(line) + 1)


def _span_at(body: bytes, offset: int, encoding: str) -> Span:
    return point(body[:offset].decode(encoding, "replace"))


def point(prefix: str) -> Span:
    """The place of the character that follows `prefix`."""
    rows = split_rows(prefix)
    column = len(rows[-1]) + 1
    return Span(len(rows), column, len(rows), column + 1)


def failed(path: Path, data: bytes, message: str, span: Span) -> Source:
    """A source of which nothing is known but its error."""
    return Source(str(path), "", data, error=SourceError(message, span))
