"""Markdown pages: the fences of Python code in them, and fixed fences put back into the page."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.notebooks.compose import Piece, compose, is_python_cell, python_of
from jaxlint.notebooks.composed import NEWLINE, LostError
from jaxlint.notebooks.document import Document
from jaxlint.source import Source, decode_python, dominant_newline

_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z")
_WORDS = re.compile(r"\{?[.]?(?P<first>[\w+-]+)\}?[ \t]*(?P<second>[\w.+-]*)")
_SEPARATE = re.compile(r"<!--[ \t]*jaxlint:[ \t]*separate[ \t]*-->")
"""What a page says whose fences are programs of their own."""

_OPTION = re.compile(r":[\w-]+:")
_LANGUAGES = frozenset({"ipython", "ipython3", "py", "python", "python3"})
_EXECUTED = frozenset({"code-cell"})
_SHOWN = frozenset({"code", "code-block", "sourcecode"})
_HOLDERS = frozenset(
    {"admonition", "attention", "card", "caution", "collapse", "danger", "details", "dropdown", "error", "example",
     "exercise", "grid", "grid-item", "hint", "important", "list-table", "margin", "note", "proof", "prf", "seealso",
     "sidebar", "solution", "tab", "tab-item", "tab-set", "tip", "todo", "topic", "versionadded", "versionchanged",
     "warning"}
)  # fmt: skip
"""Directives whose body is Markdown, too."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The rows of a piece of code, from `first` up to `last` (counted from 0, without the fences).

    executed: the page runs it, so it must be Python.
    """

    first: int
    last: int
    indent: str
    executed: bool = False


@dataclass(frozen=True)
class Page(Document):
    """A page of Markdown."""

    fences: tuple[Fence, ...] = ()

    def texts(self, data: bytes) -> dict[int | None, str]:
        """The page."""
        return {None: data.removeprefix(codecs.BOM_UTF8).decode("utf-8")}

    def written(self, data: bytes, text: str) -> bytes:
        """The page with the fences of a fixed text."""
        split = NEWLINE.split(self.texts(data)[None])
        pieces = self.composed.pieces(text)
        if len(pieces) != len(self.fences):
            raise LostError
        for fence, piece in reversed(list(zip(self.fences, pieces, strict=True))):
            if piece == _code(split, fence):
                continue
            rows = NEWLINE.split(piece)
            rows[::2] = [fence.indent + row if row.strip() else row for row in rows[::2]]
            split[2 * fence.first : 2 * fence.last - 1] = rows
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        return mark + "".join(split).encode("utf-8")


def decode_page(path: Path, data: bytes) -> Source:
    """The Python of a page as one text."""
    source = decode_python(path, data)
    if source.error is not None or source.encoding != "utf-8":
        return source
    split = NEWLINE.split(source.text)
    fences = [fence for fence in _fences(split[::2]) if _holds_python(_code(split, fence), fence)]
    separate = _SEPARATE.search(source.text) is not None
    composed = compose(
        [Piece(_code(split, fence), None, fence.first + 1, len(fence.indent), separate) for fence in fences]
    )
    document = Page(composed, tuple(fences))
    text = composed.text
    return Source(str(path), text, data, "utf-8", dominant_newline(text), source.bom, document=document)


def _holds_python(code: str, fence: Fence) -> bool:
    """Whether a fence is to be looked at: what only shows code may show parts of programs, which mean nothing here."""
    tree = python_of(code) if is_python_cell(code) else []
    return fence.executed if tree is None else bool(tree)


def _code(split: Sequence[str], fence: Fence) -> str:
    """The code of a fence without its indentation; `split` are rows and the newlines between them."""
    rows = list(split[2 * fence.first : 2 * fence.last - 1])
    rows[::2] = [row[_common(row, fence.indent) :] for row in rows[::2]]
    return "".join(rows)


def _common(row: str, indent: str) -> int:
    """How much of the indentation of a fence a row has."""
    size = 0
    while size < len(indent) and row[size : size + 1] == indent[size]:
        size += 1
    return size


def _fences(rows: Sequence[str]) -> Iterator[Fence]:
    """The fences of Python, in order."""
    holders: list[str] = []
    index = 0
    while index < len(rows):
        opening = _FENCE.match(rows[index])
        index += 1
        if opening is None:
            continue
        fence, info = opening["fence"], opening["info"].strip()
        if not info and any(_closes(fence, holder) for holder in holders):
            while not _closes(fence, holders.pop()):
                pass
            continue
        if _first_word(info) in _HOLDERS and info.startswith("{"):
            holders.append(fence)
            continue
        last = next((row for row in range(index, len(rows)) if _is_closing(rows[row], fence)), len(rows))
        executed = _is_python(info)
        if executed is not None:
            first = _after_options(rows, index, last) if info.startswith("{") else index
            if first < last:
                yield Fence(first, last, opening["indent"], executed)
        index = last + 1


def _closes(fence: str, opening: str) -> bool:
    return fence[0] == opening[0] and len(fence) >= len(opening)


def _is_closing(row: str, opening: str) -> bool:
    match = _FENCE.match(row)
    return match is not None and not match["info"].strip() and _closes(match["fence"], opening)


def _first_word(info: str) -> str:
    match = _WORDS.match(info)
    return match["first"].lower() if match else ""


def _is_python(info: str) -> bool | None:
    """Whether a fence is executed Python; None when it is none."""
    match = _WORDS.match(info)
    if match is None:
        return None
    first, second = match["first"].lower(), match["second"].lower()
    if info.startswith("{") and first in _EXECUTED:
        return True if not second or second in _LANGUAGES else None
    if info.startswith("{") and first in _SHOWN:
        return False if second in _LANGUAGES else None
    return False if first in _LANGUAGES else None


def _after_options(rows: Sequence[str], first: int, last: int) -> int:
    """The row behind the options of a directive: fields, or a block between dashes."""
    if first < last and rows[first].strip() == "---":
        return next((row + 1 for row in range(first + 1, last) if rows[row].strip() == "---"), last)
    while first < last and _OPTION.match(rows[first].strip()):
        first += 1
    return first
