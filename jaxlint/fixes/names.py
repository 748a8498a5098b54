"""How a file spells a qualified name: by its own aliases, with a new import where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.fixes import tree
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADED = frozenset(
    {"debug", "dtypes", "errors", "image", "lax", "nn", "numpy", "profiler", "random", "scipy", "sharding", "stages",
     "tree", "tree_util", "typing"}
)  # fmt: skip
"""Modules of jax that `import jax` loads, in every version of the last years."""


class Names:
    """The names that one module binds by imports at its top."""

    def __init__(self, module: ir.ModuleIR) -> None:
        self.module = module
        self._imported: dict[str, str] | None = None
        self._taken: set[str] | None = None

    def all_names(self) -> set[str]:
        """Every name that occurs in the module, but for those in the paths of imported modules."""
        if self._taken is None:
            nodes = self.module.nodes
            self._taken = _occurring(nodes[0])
        return self._taken

    def origin(self, name: str) -> str:
        """The qualified name behind a name that an import at the top binds."""
        return self._imports().get(name, "")

    def spell(self, qualified: str, at: int) -> tuple[str, tuple[str, ...]] | None:
        """How the node numbered `at` may write a qualified name, and the imports that it takes."""
        hidden = self._hidden(at)
        best: tuple[int, str] | None = None
        for bound, full in self._imports().items():
            if bound in hidden or not (qualified == full or qualified.startswith(full + ".")):
                continue
            rest = qualified[len(full) :]
            if rest.count(".") > 1 and not self._loaded(qualified):
                continue
            if best is None or len(full) > best[0]:
                best = (len(full), bound + rest)
        if best is not None:
            return best[1], ()
        root = qualified.partition(".")[0]
        if root in hidden or (root in self.all_names() and self._imports().get(root) != root):
            return self._from_import(qualified, hidden)
        parts = qualified.split(".")
        loaded = root == "jax" and (len(parts) == 2 or parts[1] in LOADED)
        return qualified, (f"import {root if loaded else '.'.join(parts[:-1])}",)

    def _from_import(self, qualified: str, hidden: set[str]) -> tuple[str, tuple[str, ...]] | None:
        package, _, name = qualified.rpartition(".")
        if not package or name in hidden or name in self.all_names():
            return None
        return name, (f"from {package} import {name}",)

    def _loaded(self, qualified: str) -> bool:
        """Whether a name can be reached from its package, or the file imports its module anyway."""
        parts = qualified.split(".")
        if len(parts) == 2 or (parts[0] == "jax" and parts[1] in LOADED):
            return True
        package = ".".join(parts[:-1])
        return any(
            isinstance(stmt, ir.Import)
            and any(module == package or module.startswith(package + ".") for module, _, _ in stmt.names)
            for stmt in self.module.body
        )

    def _imports(self) -> dict[str, str]:
        if self._imported is None:
            found = {bound: full for stmt in self.module.body for bound, full in _bindings(stmt)}
            bound_again = self._assigned(found)
            self._imported = {bound: full for bound, full in found.items() if bound not in bound_again}
        return self._imported

    def _assigned(self, imported: dict[str, str]) -> set[str]:
        """Names that the module also binds in other ways at its top."""
        nodes = self.module.nodes
        found: set[str] = set()
        tops = nodes[0].body if isinstance(nodes[0], cst.Module) else ()
        for line in tops:
            if isinstance(line, cst.FunctionDef | cst.ClassDef):
                found.add(line.name.value)
            elif isinstance(line, cst.SimpleStatementLine):
                assigns = [small for small in line.body if isinstance(small, cst.Assign)]
                targets = [target.target for assign in assigns for target in assign.targets]
                found |= {target.value for target in targets if isinstance(target, cst.Name)} & imported.keys()
        return found

    def _hidden(self, at: int) -> set[str]:
        """Names that functions around a node bind for themselves."""
        found: set[str] = set()
        for fn in self.module.functions:
            if fn.id <= at < fn.id + fn.size:
                found |= fn.locals
        return found


def _occurring(root: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Name):
            found.add(node.value)
        elif isinstance(node, cst.Import):
            found |= {alias.evaluated_alias or alias.evaluated_name.partition(".")[0] for alias in node.names}
        elif isinstance(node, cst.ImportFrom):
            names = () if isinstance(node.names, cst.ImportStar) else node.names
            found |= {alias.evaluated_alias or alias.evaluated_name for alias in names}
        else:
            stack.extend(tree.children(node))
    return found


def _bindings(stmt: ir.Stmt) -> Iterator[tuple[str, str]]:
    if isinstance(stmt, ir.Import):
        for module, bound, top in stmt.names:
            yield bound, bound if top else module
    elif isinstance(stmt, ir.ImportFrom) and not stmt.level:
        for name, bound, _ in stmt.names or ():
            yield bound, f"{stmt.module}.{name}"
