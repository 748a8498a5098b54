"""What a name in the file means to Python: the object of a library, found without running the line."""

from __future__ import annotations

import ast
import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from jaxlint.child.loading import Loaded
from jaxlint.confirm.inside.runs import describe
from jaxlint.confirm.inside.target import Finding, dotted


@dataclass(slots=True)
class Looked:
    """What became of a look-up: the value or the error, and warnings that it gave."""

    name: str
    value: Any = None
    error: Exception | None = None
    warned: tuple[str, ...] = ()


def imports(tree: ast.Module) -> dict[str, str]:
    """Names that the file imports, with what they stand for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def at(loaded: Loaded, finding: Finding) -> list[tuple[str, str]]:
    """Module and attribute of what is imported at a place, or the full names of chains of attributes there.

    A name that the module did not get to import was guarded, unless its import failed.
    """
    tree = loaded.tree
    bound = vars(loaded.module)
    known = {name: full for name, full in imports(tree).items() if name in bound or loaded.failures}
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _covers(node, finding):
            inside = [alias for alias in node.names if _touches(alias, finding)]
            found += [(node.module, alias.name) for alias in inside or node.names]
        elif isinstance(node, ast.Import) and _covers(node, finding):
            inside = [alias for alias in node.names if _touches(alias, finding)]
            found += [(alias.name, "") for alias in inside or node.names]
    if found:
        return found
    chains = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name) and _touches(node, finding)]
    for node in sorted(chains, key=lambda node: -len(dotted(node))):
        full = full_name(node, known)
        if full:
            return [("", full)]
    return []


def full_name(node: ast.AST, known: dict[str, str]) -> str:
    """The name of a chain of attributes, with its first part as it was imported."""
    root, dot, rest = dotted(node).partition(".")
    return f"{known[root]}{dot}{rest}" if root in known else ""


def look_up(module: str, name: str) -> Looked:
    """Import a module and read a name from it; without a module, split the name where modules end."""
    shown = ".".join(part for part in (module, name) if part)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = _read(module, name) if module else _resolve(name)
        except (ImportError, AttributeError) as error:
            return Looked(shown, error=error)
    texts = [
        f"{item.category.__name__}: {item.message}".splitlines()[0][:200]
        for item in heard
        if issubclass(item.category, DeprecationWarning | FutureWarning)
    ]
    return Looked(shown, value, warned=tuple(texts))


def told(looked: Looked) -> str:
    """The error of a look-up on one line."""
    return f"`{looked.name}`: {describe(looked.error)}" if looked.error is not None else f"`{looked.name}` is there"


def _read(module: str, name: str) -> Any:
    value = importlib.import_module(module)
    if not name or name == "*":
        return value
    try:
        return getattr(value, name)
    except AttributeError:
        try:
            return importlib.import_module(f"{module}.{name}")
        except ModuleNotFoundError:
            raise ImportError(f"cannot import name {name!r} from {module!r}") from None


def _resolve(name: str) -> Any:
    parts = name.split(".")
    value: Any = importlib.import_module(parts[0])
    for index, part in enumerate(parts[1:], 2):
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = importlib.import_module(".".join(parts[:index]))
            except ModuleNotFoundError:
                raise AttributeError(f"module {'.'.join(parts[: index - 1])!r} has no attribute {part!r}") from None
    return value


def _covers(node: ast.AST, finding: Finding) -> bool:
    return getattr(node, "lineno", 0) <= finding.row <= (getattr(node, "end_lineno", 0) or 0)


def _touches(node: ast.AST, finding: Finding) -> bool:
    start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    end = (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
    return start < (finding.end_row, finding.end_column) and (finding.row, finding.column) < end
