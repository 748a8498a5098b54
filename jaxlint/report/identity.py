"""What a finding is, whatever line it stands on: keys that survive when code moves."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from jaxlint.findings import Finding, Span

_LONGEST = 200
_BLOCK = 100
_BASE = 37
_WORD = 1 << 64
_END = chr(0xFFFF)


def text_of(span: Span, rows: Sequence[str]) -> str:
    """The source of a span on one line with single spaces; of a long one the beginning and a digest."""
    last = min(span.end_row, len(rows))
    pieces = [
        rows[row - 1][span.column - 1 if row == span.row else 0 : span.end_column - 1 if row == span.end_row else None]
        for row in range(max(span.row, 1), last + 1)
    ]
    text = " ".join("\n".join(pieces).split())
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}... {digest(text)}"


def digest(*parts: str) -> str:
    """A short hash of texts."""
    data = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest()[:16]


def keys(findings: Iterable[Finding], paths: Mapping[str, str], rows: Callable[[Finding], Sequence[str]]) -> list[str]:
    """A key for each finding, none twice: of its code, path and source, and its number among equal ones.

    `paths` gives the path as it is part of the key, `rows` the source in which the span of a finding counts.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    result: list[str] = []
    for finding in findings:
        parts = (finding.code, paths[finding.path], text_of(finding.span, rows(finding)))
        result.append(digest(*parts, str(seen[parts])))
        seen[parts] += 1
    return result


class LineHashes:
    """GitHub's own fingerprint of the lines of a file, `primaryLocationLineHash`.

    It is a polynomial over the 100 UTF-16 units from the start of the line on that are no blanks, the end of the file
    and padding included, and a count of the earlier lines that have the same.
    """

    def __init__(self, data: bytes) -> None:
        text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        stream = text.replace(" ", "").replace("\t", "")
        if not stream.isascii():
            stream = "".join(map(chr, array("H", stream.encode("utf-16-le"))))
        self._windows: list[str] = []
        padded, start = stream + _END + "\0" * _BLOCK, 0
        while start >= 0:
            self._windows.append(padded[start : start + _BLOCK])
            end = stream.find("\n", start)
            start = end + 1 if end >= 0 else -1

    def of(self, row: int) -> str:
        """The hash of a row, `hexadecimal:count`; the last one's of a row that the file has not."""
        row = min(max(row, 1), len(self._windows))
        window = self._windows[row - 1]
        value = 0
        for unit in window:
            value = (value * _BASE + ord(unit)) % _WORD
        return f"{value:x}:{self._windows[:row].count(window)}"
