"""The modules of a project: found, read, parsed and lowered on demand, once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import libcst as cst

from jaxlint.semantics.values import UNKNOWN, Func, Value, Wrapped
from jaxlint.syntax.depth import too_deep
from jaxlint.syntax.lower import lower
from jaxlint.syntax.parse import parse

if TYPE_CHECKING:
    from jaxlint.syntax import ir
    from jaxlint.syntax.lowered import Lowered


MOST_NODES = 1_500_000
"""Characters of source whose trees are kept; a tree takes some 40 bytes a character."""


class ModuleEnv:
    """A module and its global names. `state` is "new", "running" or "done" with respect to its body.

    late: what modules of an import cycle asked for before it was there, as (importer, name here or None for all, name
    there). They get it at the end, so that what they know does not depend on where the cycle was entered.
    """

    __slots__ = (
        "applied",
        "fid",
        "first_imports",
        "functions",
        "imports",
        "ir",
        "late",
        "name",
        "names",
        "path",
        "reports",
        "state",
        "wrappers",
    )

    def __init__(self, module: ir.ModuleIR) -> None:
        self.ir = module
        self.name = module.name
        self.path = module.path
        self.names: dict[str, Value] = {}
        self.state = "new"
        self.fid = 0
        self.imports: set[str] = set()
        self.first_imports: set[str] = set()
        self.functions: list[Func] = []
        self.wrappers: list[Wrapped] = []
        self.reports: set[Any] = set()
        self.late: list[tuple[ModuleEnv, str | None, str]] = []

    def hand_out_late(self) -> None:
        """Give the modules of an import cycle what they asked for too early."""
        late, self.late = self.late, []
        for importer, wanted, bound in late:
            for name, value in self.names.items() if wanted is None else ((wanted, self.names.get(wanted)),):
                here = name if wanted is None else bound
                if value is None or (wanted is None and name.startswith("_")):
                    continue
                if importer.names.get(here, UNKNOWN) is UNKNOWN:
                    importer.names[here] = value
            if importer.state == "done":
                importer.hand_out_late()


class Project:
    """Finds modules by name under `roots` and keeps them.

    `read` returns the text of a file, or None when it cannot be read or decoded. `wide` remembers for files and folders
    whether their program turns 64-bit types on. `lowered` holds what earlier analyses made.
    """

    def __init__(self, roots: list[str], read: Callable[[str], str | None], lowered: Lowered | None = None) -> None:
        self.roots = roots
        self.read = read
        self._lowered = lowered
        self.by_path: dict[str, ModuleEnv | None] = {}
        self._with_nodes: list[tuple[ir.ModuleIR, str]] = []
        self._held = 0
        self.wide: dict[str, bool] = {}
        self._files: dict[tuple[str, str], str | None] = {}
        self._own: dict[str, str] = {}

    def find(self, name: str, importer: str = "") -> str | None:
        """The file of the module `name` as the file `importer` would import it, or None outside the project.

        The importer's own root comes first, so that scripts of different folders may share their names.
        """
        own = self.root_of(importer) if importer else ""
        key = (name, own)
        if key not in self._files:
            self._files[key] = self._look(name, own)
        return self._files[key]

    def _look(self, name: str, own: str) -> str | None:
        relative = name.replace(".", os.sep)
        for root in (own, *self.roots):
            base = os.path.join(root, relative)
            for candidate in (base + ".py", os.path.join(base, "__init__.py")):
                if root and os.path.isfile(candidate):
                    return candidate
        return None

    def root_of(self, path: str) -> str:
        """The longest root that holds a file."""
        folder = os.path.dirname(path)
        found = self._own.get(folder)
        if found is None:
            inside = [root for root in self.roots if path.startswith(root.rstrip(os.sep) + os.sep)]
            found = self._own[folder] = max(inside, key=len, default="")
        return found

    def closure(self, path: str) -> set[str]:
        """The file and every file of the project that it imports, directly or not."""
        return set(self._reached(path, lambda env: env.imports))

    def started(self, path: str) -> list[ModuleEnv]:
        """The module at `path` and those whose bodies run with its own, whatever its functions import later."""
        return [env for env in self._reached(path, lambda env: env.first_imports).values() if env is not None]

    def _reached(self, path: str, edges: Callable[[ModuleEnv], set[str]]) -> dict[str, ModuleEnv | None]:
        found: dict[str, ModuleEnv | None] = {}
        stack = [path]
        while stack:
            current = stack.pop()
            if current not in found:
                env = found[current] = self.by_path.get(current)
                if env is not None:
                    stack.extend(edges(env))
        return found

    def is_package(self, name: str) -> bool:
        """Whether `name` is a folder of the project that holds modules, with or without `__init__.py`."""
        relative = name.replace(".", os.sep)
        return any(os.path.isdir(os.path.join(root, relative)) for root in self.roots)

    def module_name(self, path: str) -> tuple[str, bool]:
        """The dotted name of the module at `path` and whether it is a package."""
        folder, file = os.path.split(path)
        stem = os.path.splitext(file)[0]
        best = self.root_of(path)
        relative = os.path.relpath(folder, best) if best else "."
        parts = [] if relative == "." else relative.split(os.sep)
        if stem == "__init__":
            return ".".join(parts) or "__init__", True
        return ".".join([*parts, stem]), False

    def load(self, path: str) -> ModuleEnv | None:
        """The module at `path`; None when it cannot be read or parsed."""
        if path in self.by_path:
            return self.by_path[path]
        text = self.read(path)
        env = self.recall(path, text) if text is not None else None
        if env is None and text is not None and too_deep(text) is None:
            try:
                tree = parse(text)
            except (cst.ParserSyntaxError, RecursionError):
                tree = None
            if tree is not None:
                env = self.add(path, tree, text)
        self.by_path[path] = env
        return env

    def recall(self, path: str, text: str) -> ModuleEnv | None:
        """The module at `path` from its compact form of an earlier analysis, if that was of this text."""
        found = self._lowered.get(path, text, self.module_name(path)[0]) if self._lowered is not None else None
        if found is None:
            return None
        env = self.by_path[path] = ModuleEnv(found)
        return env

    def add(self, path: str, tree: cst.Module, text: str) -> ModuleEnv | None:
        """Lower the module parsed from `text` and keep it."""
        name, is_package = self.module_name(path)
        try:
            env = ModuleEnv(lower(tree, path, name, is_package))
        except RecursionError:
            return None
        self.by_path[path] = env
        self._keep_nodes(env.ir, text)
        if self._lowered is not None:
            self._lowered.put(text, env.ir)
        return env

    def drop_nodes(self) -> None:
        """Let go of the trees of all modules, which are made again where they are needed."""
        for module, text in self._with_nodes:
            module.drop_nodes(text)
        self._with_nodes = []
        self._held = 0

    def _keep_nodes(self, module: ir.ModuleIR, text: str) -> None:
        """Keep the tree of a module that has just been made; those made longest ago go when there are too many."""
        self._with_nodes.append((module, text))
        self._held += len(text)
        while self._held > MOST_NODES and len(self._with_nodes) > 1:
            oldest, its_text = self._with_nodes.pop(0)
            oldest.drop_nodes(its_text)
            self._held -= len(its_text)


def resolve_relative(module: ir.ModuleIR, level: int, target: str) -> str:
    """The absolute name of `from <level dots><target>` inside `module`."""
    parts = module.name.split(".")
    if not module.is_package:
        parts = parts[:-1]
    if level > 1:
        parts = parts[: len(parts) - (level - 1)]
    return ".".join([*parts, target] if target else parts)
