"""Putting pieces of code together as one program. What is not Python is masked row by row.

A mask is a comment, a statement that does to the program what a magic does, or what stands in front of a statement that
a magic runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxlint.notebooks.composed import NEWLINE, Composed, Line, Mask, Part, is_code
from jaxlint.notebooks.magics import ISOLATED_CELLS, SHARING_CELLS, Magic, cell_magic, magics, statements

_UNKNOWN = "get_ipython()"
"""An expression that nobody knows anything of: what magics return."""

_SHOWN = "_ = "
"""In front of an expression whose value is shown or timed: it is not lost."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Code that stands in a document, from row `row` of its cell (or of the file, without cells) on.

    indent: how many columns stand to the left of its rows. separate: it knows nothing of the other pieces.
    """

    text: str
    cell: int | None = None
    row: int = 1
    indent: int = 0
    separate: bool = False


def compose(pieces: Sequence[Piece]) -> Composed:
    """One program of some pieces."""
    composer = _Composer("\n".join(piece.text for piece in pieces))
    for piece in pieces:
        composer.add(piece)
    return composer.done()


def python_of(text: str) -> list[ast.stmt] | None:
    """The statements of a piece of code with its magics; None where it is no Python."""
    return statements(compose([Piece(text)]).text)


def is_python_cell(text: str) -> bool:
    """Whether a code cell holds Python, as far as the magics at its beginning say."""
    for row in NEWLINE.split(text)[::2]:
        name = cell_magic(row)
        if name is not None and name not in SHARING_CELLS | ISOLATED_CELLS:
            return False
        if name is None and is_code(row):
            break
    return True


@dataclass(slots=True)
class _Masked:
    """The rows of a piece as Python."""

    part: Part
    rows: list[str]
    lines: list[Line]

    def tree(self) -> list[ast.stmt] | None:
        """The statements; None where the rows are no Python after all."""
        if not self.part.separate:
            return statements("\n".join(self.rows))
        tree = statements("\n".join([self.part.marker, *self.rows]))
        if tree is None or not isinstance(tree[0], ast.FunctionDef):
            return None
        for statement in tree[0].body:
            ast.increment_lineno(statement, -1)
        return tree[0].body


class _Composer:
    def __init__(self, texts: str) -> None:
        number = 0
        while f"jaxlint-{number}" in texts or f"jaxlint_{number}" in texts:
            number += 1
        self._texts = texts
        self._mark = f"jaxlint-{number}"
        self._isolated = f"_jaxlint_{number}"
        self._text: list[str] = []
        self._lines: list[Line] = []
        self._parts: list[Part] = []
        self._masks: list[Mask] = []
        self._bound: set[str] = set()

    def done(self) -> Composed:
        """What has been put together."""
        last = self._lines[-1] if self._lines else Line(None, 0)
        lines = (*self._lines, Line(last.cell, last.row + 1))
        return Composed("".join(self._text), lines, self._mark, tuple(self._parts), tuple(self._masks))

    def add(self, piece: Piece) -> None:
        """Put a piece behind the others."""
        split = NEWLINE.split(piece.text)
        rows, newlines = split[::2], [*split[1::2], "\n"]
        if len(rows) > 1 and not rows[-1] and newlines[-2] == "\r":  # with the newline behind it, that is one
            rows, newlines = rows[:-1], [*newlines[:-2], "\r\n"]
        lead = _lead(rows)
        if lead:  # IPython takes it away, too
            rows = [row.removeprefix(lead) if row.strip() else row for row in rows]
            piece = replace(piece, indent=piece.indent + len(lead))
        masked = self._as_python(piece, rows)
        masked.part = replace(masked.part, lead=lead)
        tree = masked.tree() or []
        self._show(tree, masked)
        if not piece.separate:
            self._bound |= _names(tree, ast.Store)
        # What is inserted in front of a marker stands at the end of the piece before.
        before = self._lines[-1] if self._lines else Line(piece.cell, piece.row - 1)
        self._emit(masked.part.marker, "\n", Line(before.cell, before.row + 1))
        self._parts.append(masked.part)
        for row, newline, line in zip(masked.rows, newlines, masked.lines, strict=True):
            self._emit(row, newline, line)

    def _emit(self, row: str, newline: str, line: Line) -> None:
        self._text += (row, newline)
        self._lines.append(line)

    def _as_python(self, piece: Piece, rows: Sequence[str]) -> _Masked:
        known = len(self._masks)
        masked = self._masked(piece, rows, commands=False)
        if masked.tree() is None:
            masks = self._masks[known:]
            del self._masks[known:]
            again = self._masked(piece, rows, commands=True)
            if again.tree() is not None:
                return again
            self._masks[known:] = masks
        return masked

    def _masked(self, piece: Piece, rows: Sequence[str], *, commands: bool) -> _Masked:
        """The rows with what is not Python masked. commands: magics may stand without their sign."""
        number = len(self._parts)
        header = f"def {self._isolated}_{number}():  " if piece.separate else ""
        found = _Masked(Part(f"{header}# {self._mark}:piece {number}", separate=piece.separate), [], [])
        start, isolated = _cell_magics(rows)
        inside = " " if piece.separate else ""
        here = magics(rows[start:], commands=commands)
        for index, row in enumerate(rows):
            line = Line(piece.cell, piece.row + index, 1, piece.indent)
            magic = here.get(index - start)
            if index < start and is_code(row):
                magic = Magic()
                if found.part.first is None:
                    found.part = replace(found.part, first=len(self._masks))
            if index == isolated:
                found.part = replace(found.part, indented=len(self._masks))
                row = self._mask(row, self._function(statements("\n".join(rows[start:])) or []))
                inside = " "
            elif magic is not None:
                row, line = self._row(row, magic, line, inside)
            elif inside and row:
                row, line = inside + row, replace(line, column=2, shift=line.shift - 1)
            found.rows.append(row)
            found.lines.append(line)
        return found

    def _row(self, row: str, magic: Magic, line: Line, inside: str) -> tuple[str, Line]:
        indent = inside + row[: len(row) - len(row.lstrip(" \t"))]
        if magic.targets:
            return self._mask(row, f"{indent}{magic.targets} = {_UNKNOWN}"), line
        if magic.statement is None:
            return self._mask(row, f"{indent}pass" if indent and not magic.continues else ""), line
        old, code = row[: magic.statement], row[magic.statement :]
        tree = statements(code) or []
        end = ""
        only = tree[0] if len(tree) == 1 else None
        if magic.isolated and isinstance(only, ast.Expr) and code.count("\n") == 0 and not code.rstrip().endswith(";"):
            # As Python's own timer is given it, which the analysis knows.
            new, end = (
                f"{indent}import timeit as {self._isolated}; {self._isolated}.timeit(lambda: ",
                f', "{self._mark}")',
            )
            stop = len(code.encode()[: only.end_col_offset].decode())
            code = code[:stop] + end + code[stop:]
        else:
            new = f"{indent}{self._function(tree)} " if magic.isolated else indent
            new += _SHOWN if isinstance(only, ast.Expr) else ""
        text = f"{new}{code}  # {self._mark}:{len(self._masks)}"
        self._masks.append(Mask(old, new, whole=False, end=end))
        return text, replace(line, column=len(new) + 1, shift=line.shift + len(old) - len(new))

    def _mask(self, row: str, code: str) -> str:
        new = f"{code}{'  ' if code else ''}# {self._mark}:{len(self._masks)}"
        self._masks.append(Mask(row, new))
        return new

    def _function(self, tree: Sequence[ast.stmt]) -> str:
        """The header of a function for isolated code, to which the values of the program are unknown.

        What code does while it is timed, such as to draw from one key again and again, means nothing.
        """
        return f"def {self._isolated}({', '.join(sorted(_names(tree, ast.Load) & self._bound))}):"

    def _show(self, tree: Sequence[ast.stmt], masked: _Masked) -> None:
        """Give a name to the value of the last expression when it is a call, since it is shown and not lost."""
        last = tree[-1] if tree else None
        if isinstance(last, ast.FunctionDef) and last.name == self._isolated:
            last = last.body[-1]
        if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
            return
        first, end = last.lineno - 1, (last.end_lineno or last.lineno) - 1
        row = masked.rows[first]
        rest = masked.rows[end].encode("utf-8", "replace")[last.end_col_offset or 0 :]
        if row[: last.col_offset].strip() or rest.lstrip().startswith(b";") or self._mark in row:
            return
        number = len(self._parts) + 1
        while re.search(rf"\b_{number}\b", self._texts):
            number += 1000
        prefix = f"_{number} = "
        line = masked.lines[first]
        masked.part = replace(masked.part, shown=prefix)
        masked.rows[first] = row[: last.col_offset] + prefix + row[last.col_offset :]
        masked.lines[first] = replace(line, column=line.column + len(prefix), shift=line.shift - len(prefix))


def _lead(rows: Sequence[str]) -> str:
    """The indentation of the first row that all others share."""
    code = [row for row in rows if row.strip()]
    lead = code[0][: len(code[0]) - len(code[0].lstrip(" \t"))] if code else ""
    return lead if all(row.startswith(lead) for row in code) else ""


def _cell_magics(rows: Sequence[str]) -> tuple[int, int]:
    """How many rows the cell magics take, and the last of them when what it runs is isolated (else -1)."""
    end, isolated = 0, -1
    for index, row in enumerate(rows):
        name = cell_magic(row)
        if name is None and is_code(row):
            return end, isolated
        if name is not None and isolated < 0:
            end = index + 1
            isolated = index if name in ISOLATED_CELLS else -1
    return end, -1  # there is nothing to run


def _names(tree: Sequence[ast.stmt], context: type[ast.expr_context]) -> set[str]:
    """The names that are read or bound outside of functions and classes."""
    found: set[str] = set()
    stack: list[ast.AST] = list(tree)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found.add(node.id)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))
    return found
