"""What editors hold: the texts of open files, and where they lie."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from jaxlint.findings import Span
from jaxlint.fixes.text import Rows
from jaxlint.server.positions import Encoding
from jaxlint.source import Source, SourceError, dominant_newline, read_source, split_rows

_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class Text:
    """One version of a document."""

    version: int
    text: str

    @cached_property
    def rows(self) -> list[str]:
        """The rows without their newlines."""
        return split_rows(self.text)


class Document:
    """An open file. `path` is where it lies, or would lie if it was saved."""

    def __init__(self, uri: str, path: str, version: int, text: str) -> None:
        self.uri = uri
        self.path = path
        self.now = Text(version, text)

    @property
    def version(self) -> int:
        """The version that the client counts."""
        return self.now.version

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> None:
        """Apply the edits of one notification, in order."""
        text = self.now.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = Rows(text).region(encoding.span(split_rows(text), change.range))
                text = text[:start] + change.text + text[max(start, end) :]
            else:
                text = change.text
        self.now = Text(version, text)

    def source(self) -> Source:
        """The text as the linter reads it."""
        text = self.now.text
        try:
            text.encode()
        except UnicodeEncodeError:  # half a surrogate pair
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        null = text.find("\0")
        if null >= 0:
            rows = split_rows(text[:null])
            span = Span(len(rows), len(rows[-1]) + 1, len(rows), len(rows[-1]) + 2)
            return Source(self.path, "", error=SourceError("source code cannot hold null bytes", span))
        return Source(self.path, text, newline=dominant_newline(text))


class Documents:
    """The open documents, by URI and by path."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}
        self._by_path: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        """The open documents."""
        return iter(list(self._by_path.values()))

    def add(self, document: Document) -> None:
        """Take an opened document."""
        self._by_uri[document.uri] = document
        self._by_path[document.path] = document

    def remove(self, uri: str) -> Document | None:
        """Forget a document that was closed."""
        document = self._by_uri.pop(uri, None)
        if document is not None and self._by_path.get(document.path) is document:
            del self._by_path[document.path]
        return document

    def get(self, uri: str) -> Document | None:
        """The open document of a URI."""
        return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The open document of a path."""
        return self._by_path.get(path)

    def uri(self, path: str) -> str:
        """The URI of a file, as the client spells it if it is open."""
        document = self._by_path.get(path)
        return document.uri if document is not None else Path(path).as_uri()

    def rows(self, path: str) -> Sequence[str]:
        """The rows of a file, as an editor holds it or as it is on disk."""
        document = self._by_path.get(path)
        return document.now.rows if document is not None else _rows_on_disk(path, _stamp(path))


def path_of(uri: str, folder: str) -> str:
    """Where the document of a URI lies; one without a file has a name of its own in `folder`."""
    path = to_fs_path(uri)
    if path is None:
        path = os.path.join(folder, f"{_UNSAFE.sub('_', uri)}.py")  # noqa: PTH118
    return os.path.abspath(path)  # noqa: PTH100 (symlinks stay as the user names them)


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = Path(path).stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _rows_on_disk(path: str, stamp: tuple[int, int]) -> Sequence[str]:  # noqa: ARG001 (another stamp is another file)
    return read_source(Path(path)).lines
