"""Which files need an analysis at all, told from texts: a file out of JAX's reach has no findings.

JAX reaches a file in which a library of JAX is named, what such a file imports and what imports it, for functions are
traced where they are given to a transformation, and values come from where they were made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from jaxlint.files.importers import (
    FileImports,
    ImportGraph,
    imported,
    imports_of,
    module_names,
    read_imports,
    with_packages,
)
from jaxlint.files.roots import import_roots, project_folder


class Gate:
    """Remembers what it has read. `graph` gives the imports of a project by its folder."""

    def __init__(self, graph: Callable[[Path], ImportGraph]) -> None:
        self._graph = graph
        self._read: dict[str, FileImports] = {}
        # Files that are known to lead nowhere near JAX, by the folders that they import from.
        self._clear: dict[tuple[str, ...], set[str]] = {}

    def opens(self, path: Path, text: str) -> bool:
        """Whether JAX may reach the file `path`, whose text is given."""
        if self._leads_to_jax(path, imports_of(text)):
            return True
        project = project_folder(path.parent)
        return project is not None and str(path) in self._graph(project).reached

    def _leads_to_jax(self, start: Path, own: FileImports) -> bool:
        """Whether JAX is named in a file, or in one that it imports, directly or not."""
        roots = tuple(str(root) for root in import_roots([start]))
        clear = self._clear.setdefault(roots, set())
        pending = [(str(start), own)]
        seen = {str(start)}
        while pending:
            path, file = pending.pop()
            if file.mentions:
                return True
            for target in imported(file, path, module_names(path, list(roots))):
                for found in _files_of(target, roots):
                    if found not in seen and found not in clear:
                        seen.add(found)
                        pending.append((found, self._imports(found)))
        clear |= seen - {str(start)}
        return False

    def _imports(self, path: str) -> FileImports:
        found = self._read.get(path)
        if found is None:
            found = self._read[path] = read_imports(path)
        return found


def _files_of(name: str, roots: tuple[str, ...]) -> Iterator[str]:
    """The files that an import of a module runs."""
    for module in with_packages(name):
        relative = module.replace(".", os.sep)
        for root in roots:
            base = os.path.join(root, relative)  # noqa: PTH118 (pathlib is slow, and this asks for many files)
            for candidate in (base + ".py", os.path.join(base, "__init__.py")):  # noqa: PTH118
                if os.path.isfile(candidate):  # noqa: PTH113
                    yield candidate
