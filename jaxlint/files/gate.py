"""Which files need an analysis at all, told from texts: a file out of JAX's reach has no findings.

JAX reaches a file in which a library of JAX is named, what such a file imports and what imports it, for functions are
traced where they are given to a transformation, and values come from where they were made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from jaxlint.files.importers import FileImports, ImportGraph, imported, imports_of, module_names, read_imports
from jaxlint.files.roots import import_roots, project_folder


class Gate:
    """Remembers what it has read. `graph` gives the imports of a project by its folder."""

    def __init__(self, graph: Callable[[Path], ImportGraph]) -> None:
        self._graph = graph
        self._read: dict[str, FileImports] = {}

    def opens(self, path: Path, text: str) -> bool:
        """Whether JAX may reach the file `path`, whose text is given."""
        own = imports_of(text)
        if own.mentions or self._meets([(str(path), own)], import_roots([path])):
            return True
        project = project_folder(path.parent)
        if project is None:
            return False
        graph = self._graph(project)
        if not any(file.mentions for file in graph.files.values()):
            return False
        beside = graph.importers([path], import_roots([path]))
        roots = import_roots([path, *beside])
        return self._meets([(str(file), self._imports(str(file))) for file in beside], roots)

    def _meets(self, start: Iterable[tuple[str, FileImports]], roots: Iterable[Path]) -> bool:
        """Whether JAX is named in one of the files, or in one that they import, directly or not."""
        folders = [str(root) for root in roots]
        pending = list(start)
        seen = {path for path, _ in pending}
        while pending:
            path, file = pending.pop()
            if file.mentions:
                return True
            for name in imported(file, path, module_names(path, folders)):
                for found in _files_of(name, folders):
                    if found not in seen:
                        seen.add(found)
                        pending.append((found, self._imports(found)))
        return False

    def _imports(self, path: str) -> FileImports:
        found = self._read.get(path)
        if found is None:
            found = self._read[path] = read_imports(path)
        return found


def _files_of(name: str, roots: Iterable[str]) -> Iterator[str]:
    """The files that an import of a module runs: its own, and those of the packages around it."""
    parts = name.split(".")
    for root in roots:
        base = root
        for part in parts:
            base = os.path.join(base, part)  # noqa: PTH118 (pathlib is slow, and this asks for many files)
            for candidate in (base + ".py", os.path.join(base, "__init__.py")):  # noqa: PTH118
                if os.path.isfile(candidate):  # noqa: PTH113
                    yield candidate
