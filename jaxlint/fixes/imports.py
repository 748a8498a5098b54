"""Imports that fixes need, and imports that fixes leave without use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from jaxlint.files.comments import comments
from jaxlint.fixes.text import Region, Rows, replaced
from jaxlint.source import split_rows
from jaxlint.syntax.python import python_tree

_WORD = re.compile(r"[^\W\d]\w*")


def add_imports(text: str, wanted: Iterable[str], newline: str) -> str:
    """The text with the import lines that it lacks, beside those of the same package or after the last one."""
    return replaced(text, import_regions(text, wanted, newline))


def import_regions(text: str, wanted: Iterable[str], newline: str) -> list[Region]:
    """What `add_imports` inserts, one region for each place."""
    tree = python_tree(text)
    bound = {
        line
        for statement in tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for line in _lines(statement)
    }
    missing = [line for line in dict.fromkeys(wanted) if line not in bound]
    rows = Rows(text)
    leading = _leading(tree.body)
    inserts: list[Region] = []
    for line in missing:
        inserts.append(_insertion(line, leading, tree.body, rows, newline))
    merged: dict[int, list[Region]] = {}
    for insert in inserts:
        merged.setdefault(insert[0], []).append(insert)
    return [(at, at, "".join(content for _, _, content in found)) for at, found in merged.items()]


def _lines(statement: ast.Import | ast.ImportFrom) -> list[str]:
    """An import statement as lines of one name each, which is how fixes ask for imports."""
    prefix = "" if isinstance(statement, ast.Import) else f"from {'.' * statement.level}{statement.module or ''} "
    return [
        f"{prefix}import {alias.name}" + (f" as {alias.asname}" if alias.asname else "") for alias in statement.names
    ]


def _leading(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The docstring and the imports that the module begins with; among them other statements that hold imports only."""
    found: list[ast.stmt] = []
    for statement in body:
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement, ast.Import | ast.ImportFrom) or (docstring and not found):
            found.append(statement)
        elif not (isinstance(statement, ast.If | ast.Try) and _imports_only(statement)):
            break
    return found


def _imports_only(statement: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in ast.walk(statement))


def _package(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name.partition(".")[0]
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return (statement.module or "").partition(".")[0]
    return ""


def _insertion(line: str, leading: Sequence[ast.stmt], body: Sequence[ast.stmt], rows: Rows, newline: str) -> Region:
    package = line.split()[1].partition(".")[0]
    imports = [statement for statement in leading if isinstance(statement, ast.Import | ast.ImportFrom)]
    same = [statement for statement in imports if _package(statement) == package]
    if same and line.startswith("import "):
        plain = [statement for statement in same if isinstance(statement, ast.Import) and _first(statement) < line]
        if not plain and rows.offset(same[0].lineno, 1) == rows.offset(same[0].lineno, same[0].col_offset + 1):
            at = rows.offset(same[0].lineno, 1)
            return at, at, line + newline
        return _after(plain[-1] if plain else same[-1], body, line, rows, newline)
    if same:
        return _after(same[-1], body, line, rows, newline)
    if imports:
        return _after(imports[-1], body, line, rows, newline)
    if leading:
        row = (leading[-1].end_lineno or 1) + 1
        return _at_row(row, newline + line + newline, rows, newline)
    row = _first_free_row(rows)
    gap = newline if rows.text[rows.offset(row, 1) :].strip() else ""
    return _at_row(row, line + newline + gap, rows, newline)


def _first(statement: ast.Import) -> str:
    return _lines(statement)[0]


def _after(statement: ast.stmt, body: Sequence[ast.stmt], line: str, rows: Rows, newline: str) -> Region:
    last = statement.end_lineno or 1
    for other in body:  # `import a; import b` ends where the last of them does
        if other.lineno <= last:
            last = max(last, other.end_lineno or last)
    return _at_row(last + 1, line + newline, rows, newline)


def _at_row(row: int, content: str, rows: Rows, newline: str) -> Region:
    at = rows.offset(row, 1)
    if row > len(rows.starts):  # the last row has no newline
        return at, at, newline + content.removesuffix(newline)
    return at, at, content


def _first_free_row(rows: Rows) -> int:
    """The row behind the comments that a file begins with."""
    for number, row in enumerate(split_rows(rows.text), 1):
        if not row.lstrip().startswith("#"):
            return number
    return len(rows.starts) + 1


# ---- imports without use --------------------------------------------------------------------------------------------


def remove_unused(before: str, after: str) -> str:
    """The fixed text without the imports at its top whose names were used before the fix and are not used any more.

    An import in a package's interface, with a comment beside it or under a condition stays.
    """
    tree = python_tree(after)
    names = {
        _bound(alias): statement
        for statement in tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom) and _package(statement) != "__future__"
        for alias in statement.names
        if alias.name not in ("*", alias.asname)
    }
    if not names:
        return after
    used_before, used = _used(python_tree(before)), _used(tree)
    gone = {name for name in names if name in used_before and name not in used}
    if not gone:
        return after
    rows = Rows(after)
    commented = {comment.row for comment in comments(after)}
    edits: list[Region] = []
    for statement in tree.body:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        dropped = [alias for alias in statement.names if _bound(alias) in gone and alias.asname != alias.name]
        last = statement.end_lineno or statement.lineno
        if not dropped or commented & set(range(statement.lineno, last + 1)):
            continue
        if len(dropped) == len(statement.names):
            edits += _whole(statement, tree.body, rows)
        else:
            edits += _parts(statement, dropped, rows)
    return replaced(after, edits)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _used(tree: ast.Module) -> set[str]:
    """Names that are read, and words of strings, which may be annotations or lists of what a module offers."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            found.update(_WORD.findall(node.value))
    return found


def _whole(statement: ast.stmt, body: Sequence[ast.stmt], rows: Rows) -> list[Region]:
    last = statement.end_lineno or statement.lineno
    shares = [
        other
        for other in body
        if other is not statement and other.lineno <= last and (other.end_lineno or 0) >= statement.lineno
    ]
    if shares:
        return []
    start, end = rows.offset(statement.lineno, 1), rows.offset(last + 1, 1)
    return [(start, end, "")]


def _parts(statement: ast.Import | ast.ImportFrom, dropped: Sequence[ast.alias], rows: Rows) -> list[Region]:
    edits: list[Region] = []
    names = statement.names
    kept = [alias for alias in names if alias not in dropped]
    for number, alias in enumerate(names):
        if alias not in dropped:
            continue
        if names.index(kept[-1]) > number:  # up to the next name
            start, end = (
                _offset(rows, alias.lineno, alias.col_offset),
                _offset(rows, names[number + 1].lineno, names[number + 1].col_offset),
            )
        else:  # from the end of the one before
            before = names[number - 1]
            start = _offset(rows, before.end_lineno or 1, before.end_col_offset or 0)
            end = _offset(rows, alias.end_lineno or 1, alias.end_col_offset or 0)
        edits.append((start, end, ""))
    return edits


def _offset(rows: Rows, row: int, byte: int) -> int:
    """The offset of a place that `ast` gives in bytes."""
    start = rows.starts[row - 1]
    line = rows.text[start : rows.offset(row + 1, 1)]
    return start + len(line.encode("utf-8")[:byte].decode("utf-8", "replace"))
