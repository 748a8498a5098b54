"""Importing the file under review inside the child, once, under its own name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class LoadError(Exception):
    """The file, or what was asked for in it, is not there; the message is for people."""


@dataclass(slots=True)
class Loaded:
    """A module, its syntax, and the statements that failed: (row, exception)."""

    module: types.ModuleType
    tree: ast.Module
    path: str
    failures: list[tuple[int, BaseException]] = field(default_factory=list)


def module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of a file, and the folder from which it is imported: above the last `__init__.py`."""
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name, folder


def load(path: Path, *, tolerant: bool = False, rewrite: Callable[[ast.Module], ast.Module] | None = None) -> Loaded:
    """Import a file under the name that it has in its package.

    tolerant: a statement of the module's body that fails is noted, and the next one runs. rewrite: changes the syntax
    before it is compiled.
    """
    name, root = module_name(path)
    if not name.isidentifier() and "." not in name:
        name = "".join(letter if letter.isalnum() else "_" for letter in f"_{name}")
    tree = parse(path)
    for entry in (str(path.parent), str(root)):
        if entry not in sys.path and not (path.parent / "__init__.py").is_file():
            sys.path.insert(0, entry)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    parent, _, last = name.rpartition(".")
    if parent:
        package = importlib.import_module(parent)
        if name in sys.modules:
            return Loaded(sys.modules[name], tree, str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise LoadError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loaded = Loaded(module, tree, str(path))
    run_body(loaded, rewrite(tree) if rewrite is not None else tree, tolerant=tolerant)
    if parent:
        setattr(package, last, module)
    return loaded


def parse(path: Path) -> ast.Module:
    """The syntax of a file."""
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except OSError as error:
        raise LoadError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except (SyntaxError, ValueError) as error:
        raise LoadError(f"{path}: not valid for Python {sys.version.split()[0]}: {error}") from None


def run_body(loaded: Loaded, tree: ast.Module, *, tolerant: bool) -> None:
    """Run the statements of a module one by one in its namespace."""
    flags = _future_flags(tree)
    names = loaded.module.__dict__
    if tree.body and (text := ast.get_docstring(tree, clean=False)) is not None:
        names["__doc__"] = text
    for statement in tree.body:
        try:
            code = compile(ast.Module([statement], []), loaded.path, "exec", flags, dont_inherit=True)
            exec(code, names)
        except Exception as error:
            if not tolerant:
                raise
            loaded.failures.append((statement.lineno, error))


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return False
    sides = [statement.test.left, *statement.test.comparators]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    return "__name__" in names and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def find(loaded: Loaded, qualname: str) -> Any:
    """What a dotted name means in a module."""
    value: Any = loaded.module
    for index, part in enumerate(qualname.split(".")):
        try:
            value = getattr(value, part)
        except AttributeError:
            known = [name for name, item in vars(loaded.module).items() if callable(item) and not name.startswith("_")]
            hint = f" (it has {', '.join(known[:8])})" if index == 0 and known else ""
            raise LoadError(f"{loaded.path} has no `{qualname}`{hint}") from None
    return value


def _future_flags(tree: ast.Module) -> int:
    import __future__

    flags = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags
