"""Which files of a project import given files, directly or through others.

What a function is given when it is traced may be decided in a file that imports it. So that a file linted alone has the
findings that it has in the whole, the files that import it are analysed as well; only the named files are reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from jaxlint.files.mentions import mentions_jax
from jaxlint.files.roots import import_roots

_NAMES = r"\([^)]*\)|[^\n#]*"
_IMPORT = re.compile(
    rf"[ \t]*(?:from[ \t]+(?P<source>\.*[\w.]*)[ \t]+import[ \t]*(?P<names>{_NAMES})|import[ \t]+(?P<plain>[^\n#]+))",
)
_COMMENT = re.compile(r"#[^\n]*")
_JSON_ROWS = re.compile(r'\\n|"')
"""What divides the rows of code in a notebook's file. Rows of prose are looked at, too, which costs little."""

_SKIPPED = frozenset({"build", "dist", "node_modules", "site-packages", "venv", "__pycache__"})

MOST_FILES = 4_000
"""Files of a project beyond which importers are not looked for."""


@dataclass(frozen=True, slots=True)
class FileImports:
    """What a file imports, as it is written, and whether a library of JAX occurs in it."""

    imports: tuple[tuple[str, tuple[str, ...]], ...]
    mentions: bool


class ImportGraph:
    """Which Python files of a project import which. They are read when they are first asked about, and once."""

    def __init__(self, project: Path, read: Callable[[str], FileImports] | None = None) -> None:
        self.project = project
        self._read = read or read_imports
        self._files: dict[str, FileImports] | None = None

    @property
    def files(self) -> dict[str, FileImports]:
        """The files by path; none when there are more than `MOST_FILES`."""
        if self._files is None:
            paths = list(islice(_python_files(self.project), MOST_FILES + 1))
            self._files = {} if len(paths) > MOST_FILES else {path: self._read(path) for path in paths}
        return self._files

    def importers(self, files: Iterable[Path], roots: Iterable[Path]) -> list[Path]:
        """The files that import one of `files`, directly or not, without those files themselves."""
        listed = {str(path) for path in files}
        if listed >= self.files.keys():
            return []
        starts = [str(root) for root in roots]
        known = {path: module_names(path, starts) for path in self.files}
        by_name: dict[str, set[str]] = {}
        for path, names in known.items():
            for name in names:
                by_name.setdefault(name, set()).add(path)
        importing: dict[str, set[str]] = {}
        for path, names in known.items():
            for target in imported(self.files[path], path, names):
                for file in by_name.get(target, ()):
                    importing.setdefault(file, set()).add(path)
        found: set[str] = set()
        queue = list(listed)
        while queue:
            for path in importing.get(queue.pop(), ()):
                if path not in found:
                    found.add(path)
                    queue.append(path)
        return sorted(Path(path) for path in found - listed)

    @cached_property
    def reached(self) -> set[str]:
        """The files that JAX may reach: those that lead to a mention of it, and all that those import.

        Imports count from every folder that any file may import from, so it is rather too many than too few.
        """
        roots = [str(root) for root in import_roots(map(Path, self.files))]
        names = {path: module_names(path, roots) for path in self.files}
        by_name: dict[str, list[str]] = {}
        for path, own in names.items():
            for name in own:
                by_name.setdefault(name, []).append(path)
        imports: dict[str, set[str]] = {}
        importing: dict[str, set[str]] = {}
        for path, file in self.files.items():
            modules = {module for target in imported(file, path, names[path]) for module in with_packages(target)}
            imports[path] = {found for module in modules for found in by_name.get(module, ())}
            for found in imports[path]:
                importing.setdefault(found, set()).add(path)
        leading = _closure((path for path, file in self.files.items() if file.mentions), importing)
        return _closure(leading, imports)


def importers(files: Iterable[Path], roots: Iterable[Path], project: Path) -> list[Path]:
    """The files of `project` that import one of `files`, as they lie on the disk now."""
    return ImportGraph(project).importers(files, roots)


def read_imports(path: str) -> FileImports:
    """The imports of a file; of one that cannot be read, none."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return FileImports((), mentions=False)
    text = data.decode("utf-8", "replace")
    return imports_of(_JSON_ROWS.sub("\n", text) if path.endswith(".ipynb") else text)


def imports_of(text: str) -> FileImports:
    """The imports of a text."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for match in _import_rows(text):
        if match["plain"] is not None:
            found += [(_without_alias(part), ()) for part in match["plain"].split(",")]
        else:
            listed = _COMMENT.sub("", match["names"]).strip("() \t\n")
            names = (_without_alias(part) for part in listed.split(","))
            found.append((match["source"], tuple(filter(None, names))))
    return FileImports(tuple(found), mentions_jax(text))


def _import_rows(text: str) -> Iterator[re.Match[str]]:
    """The imports, found by their word: a search with the expression alone would look at every row."""
    at, done = text.find("import"), 0
    while at >= 0:
        row = text.rfind("\n", 0, at) + 1
        match = _IMPORT.match(text, row) if row >= done else None
        if match is not None:
            yield match
            done = match.end()
        at = text.find("import", max(done, at + 1))


def module_names(path: str, roots: list[str]) -> list[str]:
    """The dotted names under which a file can be imported; a notebook has none."""
    names: list[str] = []
    for root in roots:
        prefix = root.rstrip(os.sep) + os.sep
        if path.startswith(prefix) and path.endswith(".py"):
            parts = Path(path[len(prefix) : -len(".py")]).parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def imported(file: FileImports, path: str, names: Sequence[str]) -> Iterator[str]:
    """The dotted names that a file may import, itself known under `names`."""
    package = Path(path).name == "__init__.py"
    for source, parts in file.imports:
        for module in _absolute(source, names, package=package):
            yield module
            for part in parts:
                yield f"{module}.{part}" if module else part


def with_packages(name: str) -> Iterator[str]:
    """A dotted name, and those of the packages around it, which an import runs as well."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _closure(start: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    found = set(start)
    queue = list(found)
    while queue:
        fresh = edges.get(queue.pop(), set()) - found
        found |= fresh
        queue += fresh
    return found


def _without_alias(part: str) -> str:
    return part.partition(" as ")[0].strip()


def _absolute(source: str, names: Sequence[str], *, package: bool) -> Iterator[str]:
    dots = len(source) - len(source.lstrip("."))
    if not dots:
        yield source
        return
    for name in names:
        parts = name.split(".")
        kept = parts[: len(parts) - (dots - 1 if package else dots)]
        rest = source[dots:]
        yield ".".join([*kept, rest] if rest else kept)


def _python_files(project: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        for name in sorted(files):
            if name.endswith((".py", ".ipynb")):
                yield str(Path(folder) / name)
