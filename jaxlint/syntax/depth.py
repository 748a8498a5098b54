"""Programs that are nested too deeply to be parsed, found before the parser spends minutes or its stack on them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxlint.syntax.python import python_tree

MAX_DEPTH = 1_000
"""Nested expressions that are still parsed; the parser's time grows with the square of them."""

_LONG_ROW = 2_000
"""Characters of a row that may hold a chain so deep."""

_BRACKETS_OPEN = 150
"""Brackets open at once that call for a closer look; Python itself takes 200."""

_NOT_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))


def too_deep(text: str) -> tuple[str, int, int] | None:
    """What is wrong with a text that must not be given to the parser, with the row and column; None for others."""
    if not (_has_long_row(text) or _has_deep_brackets(text)):
        return None
    try:
        tree = python_tree(text)
    except SyntaxError as error:
        if error.msg and error.msg.startswith("too many"):
            return error.msg, error.lineno or 1, error.offset or 1
        return None  # the parser says it, or knows better
    except ValueError:
        return None
    except (RecursionError, MemoryError):
        return "the file is nested too deeply to be parsed", 1, 1
    for row, column in _deep_places(tree):
        return "the file is nested too deeply to be parsed", row, column
    return None


def _has_long_row(text: str) -> bool:
    start = 0
    while True:
        end = text.find("\n", start)
        if end < 0:
            return len(text) - start > _LONG_ROW
        if end - start > _LONG_ROW:
            return True
        start = end + 1


def _has_deep_brackets(text: str) -> bool:
    """Whether many brackets are open at once; brackets in strings and comments count as well."""
    brackets = text.encode("utf-8", "replace").translate(None, _NOT_BRACKETS)
    for _ in range(_BRACKETS_OPEN):
        shorter = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return brackets.count(b"(") + brackets.count(b"[") + brackets.count(b"{") > _BRACKETS_OPEN


def _deep_places(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The statements whose expressions are nested too deeply; a chain of `elif` is not."""
    stack: list[tuple[ast.AST, int, ast.stmt | None]] = [(tree, 0, None)]
    while stack:
        node, depth, statement = stack.pop()
        if depth > MAX_DEPTH and statement is not None:
            yield statement.lineno, statement.col_offset + 1
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                stack.append((child, 0, child))
            else:
                stack.append((child, depth + 1, statement))
