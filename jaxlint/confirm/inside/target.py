"""Where a finding is: its statement, the functions around it, and what of the module leads to it."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Finding:
    """What the parent asks about. Rows start at 1, columns at 0."""

    index: int
    code: str
    trial: str
    message: str
    row: int
    end_row: int
    column: int
    end_column: int
    related: tuple[int, ...] = ()


@dataclass(slots=True)
class Target:
    """The surroundings of a place.

    statement: the innermost statement that holds it. function: the innermost function whose body holds it. chain: the
    names of the definitions around it, outermost first. last_row: where the flagged part of the statement ends.
    """

    statement: ast.stmt | None
    function: Function | None
    chain: tuple[str, ...]
    definitions: tuple[ast.AST, ...] = ()
    first_row: int = 0
    last_row: int = 0


def target_of(tree: ast.Module, finding: Finding) -> Target:
    """The surroundings of a finding."""
    statement: ast.stmt | None = None
    around: list[ast.AST] = []
    body: list[ast.AST] = list(ast.iter_child_nodes(tree))
    while body:
        inside = next((node for node in body if _holds(node, finding.row, finding.column)), None)
        if inside is None:
            break
        if isinstance(inside, ast.stmt):
            statement = inside
        if isinstance(inside, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if any(_holds(node, finding.row, finding.column) for node in inside.decorator_list):
                break
            if finding.row < _body_row(inside):
                break
            around.append(inside)
        elif isinstance(inside, ast.Lambda):
            around.append(inside)
        body = list(ast.iter_child_nodes(inside))
    functions = [node for node in around if isinstance(node, Function)]
    chain = tuple(getattr(node, "name", "<lambda>") for node in around)
    return Target(
        statement, functions[-1] if functions else None, chain, tuple(around), finding.row, last_row(statement, finding)
    )


def last_row(statement: ast.stmt | None, finding: Finding) -> int:
    """The end of what is flagged: a finding about a whole compound statement is about its first line."""
    if isinstance(statement, ast.If | ast.While | ast.For | ast.With | ast.Try | ast.FunctionDef | ast.ClassDef):
        body = getattr(statement, "body", [])
        is_whole = finding.end_row <= (statement.end_lineno or finding.end_row)
        if is_whole and body and finding.row < body[0].lineno <= finding.end_row:
            return max(finding.row, int(body[0].lineno) - 1)
    return max(finding.row, finding.end_row)


def _holds(node: ast.AST, row: int, column: int) -> bool:
    first = getattr(node, "lineno", None)
    last = getattr(node, "end_lineno", None)
    if first is None or last is None:
        return any(_holds(child, row, column) for child in ast.iter_child_nodes(node))
    start, end = int(getattr(node, "col_offset", 0)), int(getattr(node, "end_col_offset", 0))
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        first, start = decorators[0].lineno, 0
    return bool((first, start) <= (row, column) < (last, end))


def _body_row(node: ast.AST) -> int:
    """The row on which a body begins; that of a decorator, where its first statement has one."""
    body: Any = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return int(getattr(node, "lineno", 0))
    return int(min(part.lineno for part in [body[0], *getattr(body[0], "decorator_list", [])]))


@dataclass(slots=True)
class Outline:
    """The module's top level: which statement makes which names, and which names each statement uses."""

    makes: list[tuple[ast.stmt, set[str]]] = field(default_factory=list)
    uses: dict[str, set[str]] = field(default_factory=dict)

    def leading_to(self, names: set[str]) -> Iterator[str]:
        """Names of the top level that lead to any of `names`, the nearest first."""
        seen: set[str] = set()
        queue = deque(sorted(names))
        while queue:
            name = queue.popleft()
            if name in seen:
                continue
            seen.add(name)
            yield name
            queue += sorted(user for user, used in self.uses.items() if name in used and user not in seen)


def outline(tree: ast.Module) -> Outline:
    """The outline of a module."""
    found = Outline()
    for statement in tree.body:
        made = set(_made(statement))
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            # `f.defvjp(fwd, bwd)` makes `f` what it is.
            made = {dotted(statement.value.func).partition(".")[0]} - {""}
        found.makes.append((statement, made))
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        used |= {node.attr for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
        for name in made:
            found.uses.setdefault(name, set()).update(used - {name})
    return found


def _made(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets: list[Any] = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _made(child)


def functions_by_row(tree: ast.Module) -> dict[int, Function]:
    """Functions by the first row that their code objects carry: that of the first decorator, if there is one."""
    found: dict[int, Function] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.decorator_list[0].lineno if node.decorator_list else node.lineno] = node
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, node)
    return found


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a chain of attributes, or an empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""
