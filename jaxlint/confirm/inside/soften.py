"""Letting a program pass lines that are known to fail, so that those after them can be tried."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

_NAME = "__jaxlint_passing__"
_LOOPS = 2
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete, ast.Assert)


class Softener(ast.NodeTransformer):
    """Changes the statements that begin on the given rows: what they raise is dropped.

    A test that fails counts as true, the first times; an assignment that fails takes the first name on its right side.
    """

    def __init__(self, rows: set[int]) -> None:
        self._rows = rows
        self._seen: Counter[int] = Counter()

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """The changed module."""
        if not self._rows:
            return tree
        changed: ast.Module = ast.fix_missing_locations(self.visit(copy.deepcopy(tree)))
        place = next((index for index, part in enumerate(changed.body) if not _stands_first(part)), 0)
        changed.body.insert(place, ast.parse(f"import builtins as _b; {_NAME} = _b.{_NAME}").body[1])
        changed.body.insert(place, ast.parse("import builtins as _b").body[0])
        import builtins

        setattr(builtins, _NAME, self.passing)
        return ast.fix_missing_locations(changed)

    def passing(self, row: int, test: Callable[[], Any]) -> Any:
        """The value of a test, or a stand-in."""
        try:
            return bool(test())
        except Exception:
            self._seen[row] += 1
            return self._seen[row] <= _LOOPS

    def visit(self, node: ast.AST) -> Any:
        """Change a node on one of the rows."""
        row = getattr(node, "lineno", None)
        node = self.generic_visit(node)
        if row not in self._rows:
            return node
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            lambda_ = ast.Lambda(ast.arguments([], [], None, [], [], None, []), node.test)
            node.test = ast.copy_location(
                ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(row), lambda_], []), node.test
            )
            return node
        if isinstance(node, _SIMPLE):
            fallback: list[ast.stmt] = [ast.copy_location(ast.Pass(), node)]
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                fallback = [ast.copy_location(ast.Assign(node.targets, copy.deepcopy(_spare(node.value))), node)]
            handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, fallback)
            return ast.copy_location(ast.Try([node], [ast.copy_location(handler, node)], [], []), node)
        return node


def _spare(value: ast.expr) -> ast.expr:
    """A name that the failing expression is made of, preferably an argument."""
    calls = [part for part in ast.walk(value) if isinstance(part, ast.Call)]
    places: list[ast.AST] = [argument for call in calls for argument in call.args]
    for place in [*places, value]:
        for part in ast.walk(place):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                return part
    return ast.Constant(None)


def _stands_first(statement: ast.stmt) -> bool:
    """Docstrings and `__future__` imports stay where they are."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
