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
    """An open file. `path` is where it lies, or would lie if it was saved. `now` is the program in it."""

    def __init__(self, uri: str, path: str, version: int, text: str) -> None:
        self.uri = uri
        self.path = path
        self.now = Text(version, text)

    @property
    def version(self) -> int:
        """The version that the client counts."""
        return self.now.version

    @property
    def versions(self) -> dict[str, int]:
        """The texts that clients know, by URI, with the versions that they count."""
        return {self.uri: self.now.version}

    def change(self, version: int, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> None:
        """Apply the edits of one notification."""
        self.now = Text(version, changed(self.now.text, changes, encoding))

    def source(self) -> Source:
        """The program as the linter reads it."""
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

    def location(self, span: Span, encoding: Encoding) -> types.Location:
        """Where a region of the program stands."""
        return types.Location(self.uri, encoding.range(self.now.rows, span))

    def span(self, uri: str, region: types.Range, encoding: Encoding) -> Span:
        """The region of the program that stands in a range of one of the texts."""
        return encoding.span(self.now.rows, region)

    def edits(self, after: str, encoding: Encoding) -> dict[str, list[types.TextEdit]]:
        """What makes another program of this one, by URI; nothing where that cannot be done."""
        found = encoding.edits(self.now.text, after)
        return {self.uri: found} if found else {}


def changed(text: str, changes: Sequence[types.TextDocumentContentChangeEvent], encoding: Encoding) -> str:
    """A text after edits, one after the other."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = Rows(text).region(encoding.span(split_rows(text), change.range))
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            text = change.text
    return text


class Documents:
    """The open documents, by URI and by path."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}
        self._by_path: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        """The open documents."""
        return iter(list(self._by_path.values()))

    def add(self, document: Document) -> None:
        """Take a document that was opened, or has other texts than before."""
        self._by_uri = {uri: held for uri, held in self._by_uri.items() if held is not document}
        self._by_uri.update(dict.fromkeys((document.uri, *document.versions), document))
        self._by_path[document.path] = document

    def remove(self, uri: str) -> Document | None:
        """Forget a document that was closed."""
        document = self._by_uri.get(uri)
        self._by_uri = {uri: held for uri, held in self._by_uri.items() if held is not document}
        if document is not None and self._by_path.get(document.path) is document:
            del self._by_path[document.path]
        return document

    def get(self, uri: str) -> Document | None:
        """The open document of a URI."""
        return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The open document of a path."""
        return self._by_path.get(path)

    def location(self, path: str, span: Span, encoding: Encoding) -> types.Location:
        """Where a region of a file stands, in an editor or on disk."""
        document = self._by_path.get(path)
        if document is not None:
            return document.location(span, encoding)
        return types.Location(Path(path).as_uri(), encoding.range(_rows_on_disk(path, _stamp(path)), span))


def is_saved(document: Document) -> bool:
    """Whether a document is as its file is."""
    return document.now.rows == _rows_on_disk(document.path, _stamp(document.path))


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
