"""What IPython understands and Python does not: which rows of a cell are magics, shell lines or questions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from jaxlint.syntax.python import python_tree

SHARING_CELLS = frozenset(
    {"capture", "debug", "heat", "ipytest", "lprun", "mprun", "prun", "pyinstrument", "scalene", "snakeviz", "time"}
)
"""Cell magics that run the cell as the program that it stands in."""

ISOLATED_CELLS = frozenset({"memit", "timeit"})
"""Cell magics that run the cell as a function of its own: what it binds and what it does leaves no trace."""

_SHARING_LINES = frozenset({"lprun", "mprun", "prun", "pyinstrument", "time"})
_ISOLATED_LINES = frozenset({"memit", "timeit"})
_COMMANDS = frozenset(
    {"bash", "cat", "cd", "conda", "config", "cp", "debug", "env", "history", "less", "load", "load_ext", "ls",
     "mamba", "man", "matplotlib", "mkdir", "more", "mv", "pdb", "pip", "pwd", "pylab", "reload_ext", "reset", "rm",
     "rmdir", "run", "tb", "time", "timeit", "uv", "who", "whos", "xmode"}
)  # fmt: skip
"""Magics that are often written without their sign, which IPython allows."""

_CANDIDATE = re.compile(r"^[ \t]*[%!?/,;]|\?[ \t]*$|=[ \t]*[%!]", re.MULTILINE)
_MAGIC = re.compile(r"%\s*(?P<name>[\w.]+)(?P<rest>.*)", re.DOTALL)
_OPTIONS = re.compile(r"[ \t]+(?:-(?:[nrplsTDvfmu](?:[ \t]+|=)?[^\s-]\S*|-?[a-zA-Z][\w-]*)[ \t]+)*")
_PART = r"[A-Za-z_][\w.]*(?:\[[^\]=]*\])?"
_ASSIGNED = re.compile(rf"(?P<targets>{_PART}(?:[ \t]*,[ \t]*{_PART})*)[ \t]*=[ \t]*[%!]")
_COMMAND = re.compile(r"(?P<name>[A-Za-z_]+)(?:[ \t]+(?P<rest>[^=(\[.,:\s].*))?$")
_TOKEN = re.compile(r"\\.|\"\"\"|'''|[\"'#()\[\]{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Magic:
    """A row that is not Python. `statement`: where in the row a Python statement begins that it runs, if it does.

    targets: what it assigns to. isolated: the statement leaves no trace. continues: the row belongs to the one before.
    """

    targets: str = ""
    statement: int | None = None
    isolated: bool = False
    continues: bool = False


def cell_magic(row: str) -> str | None:
    """The name of the magic that a cell begins with."""
    match = re.match(r"%%[ \t]*([\w.!]+)", row)
    return match.group(1) if match else None


def magics(rows: Sequence[str], *, commands: bool = False) -> dict[int, Magic]:
    """The rows that are not Python, by index. commands: also those that are magics without their sign."""
    if not commands and not any(_CANDIDATE.search(row) for row in rows):
        return {}
    found: dict[int, Magic] = {}
    scanner = _Scanner()
    continued = False
    for index, row in enumerate(rows):
        if continued:
            found[index] = Magic(continues=True)
            continued = row.endswith("\\")
            continue
        starts = scanner.at_start
        magic = _starting(row, commands=commands) if starts else None
        if magic is None:
            code = scanner.scan(row).rstrip()
            if starts and scanner.at_start and code.endswith("?"):
                magic = Magic()
        if magic is not None:
            found[index] = magic
            continued = row.endswith("\\")
    return found


def _starting(row: str, *, commands: bool) -> Magic | None:
    """What a row is by its beginning, where a statement may begin."""
    text = row.lstrip(" \t")
    if not text:
        return None
    if text[0] in "!?/,;":
        return Magic()
    if text[0] == "%":
        return _with_statement(row, text)
    assigned = _ASSIGNED.match(text)
    if assigned:
        return Magic(assigned["targets"])
    if commands:
        command = _COMMAND.match(text)
        if command is not None and command["name"] in _COMMANDS:
            return Magic()
    return None


def _with_statement(row: str, text: str) -> Magic:
    match = _MAGIC.match(text)
    if match is None or match["name"] not in _SHARING_LINES | _ISOLATED_LINES or not match["rest"].strip():
        return Magic()
    isolated = match["name"] in _ISOLATED_LINES
    options = _OPTIONS.match(match["rest"])
    start = match.start("rest") + (options.end() if options is not None else 0)
    body = statements(text[start:])
    if not body or (isolated and not all(_is_simple(statement) for statement in body)):
        return Magic()
    return Magic(statement=len(row) - len(text) + start, isolated=isolated)


def _is_simple(statement: ast.stmt) -> bool:
    return not hasattr(statement, "body")


class _Scanner:
    """Follows strings, brackets and continued rows, so that it knows where statements may begin."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._continued = False

    @property
    def at_start(self) -> bool:
        """Whether a statement may begin on the next row."""
        return not (self._quote or self._depth or self._continued)

    def scan(self, row: str) -> str:
        """Go through a row; what of it stands before a comment."""
        end = len(row)
        self._continued = False
        for match in _TOKEN.finditer(row):
            token = match.group()
            if self._quote:
                if token == self._quote or (len(self._quote) == 1 and token == self._quote * 3):
                    self._quote = ""
            elif token == "#":
                end = match.start()
                break
            elif token[0] in "\"'":
                self._quote = token
            elif token in "([{":
                self._depth += 1
            elif token in ")]}":
                self._depth = max(self._depth - 1, 0)
        if self._open_end(row[:end]):
            self._continued = True
        elif len(self._quote) == 1:
            self._quote = ""  # a string that its row leaves open is a mistake, which the parser tells
        return row[:end]

    @staticmethod
    def _open_end(code: str) -> bool:
        """Whether a row ends in a backslash that continues it."""
        return (len(code) - len(code.rstrip("\\"))) % 2 == 1


def statements(text: str) -> list[ast.stmt] | None:
    """The statements of a piece of code; None where it is no Python."""
    try:
        return python_tree(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
