"""The comments of a file, from its tokens; also of files that do not tokenize."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

# Strings are matched so that a `#` inside one is passed over; the last alternatives are strings that nothing closes.
_SCAN = re.compile(
    r'''
    (?P<string> """(?:[^\\]|\\.)*?""" | \'\'\'(?:[^\\]|\\.)*?\'\'\'
      | (?!"""|\'\'\')(?: "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' )
      | (?:"""|\'\'\')(?:[^\\]|\\.)*\Z )
    | (?P<comment> \#[^\r\n]* )
    ''',
    re.VERBOSE | re.DOTALL,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")

# What Python's tokenizer raises where a text is no Python; the last at null bytes, in some versions.
NOT_TOKENS = (tokenize.TokenError, SyntaxError, ValueError, RecursionError, SystemError)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with the place of its `#`. `alone`: nothing else stands on its row."""

    text: str
    row: int
    column: int
    alone: bool


def comments(text: str) -> list[Comment]:
    """Every comment, in order."""
    try:
        return list(_tokenized(text))
    except NOT_TOKENS:
        return list(_scanned(text))


def _tokenized(text: str) -> Iterator[Comment]:
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            yield Comment(token.string, row, column + 1, not token.line[:column].strip())


def _scanned(text: str) -> Iterator[Comment]:
    row, row_start, done = 1, 0, 0
    for match in _SCAN.finditer(text):
        for newline in _NEWLINE.finditer(text, done, match.start()):
            row, row_start = row + 1, newline.end()
        done = match.start()
        if match.lastgroup == "comment":
            column = match.start() - row_start
            yield Comment(match.group(), row, column + 1, not text[row_start : match.start()].strip())
