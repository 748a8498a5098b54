"""Which files of a project import given files, directly or through others.

What a function is given when it is traced may be decided in a file that imports it. So that a file linted alone has the
findings that it has in the whole, the files that import it are analysed as well; only the named files are reported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_NAMES = r"\([^)]*\)|[^\n#]*"
_IMPORT = re.compile(
    rf"^[ \t]*(?:from[ \t]+(?P<source>\.*[\w.]*)[ \t]+import[ \t]*(?P<names>{_NAMES})|import[ \t]+(?P<plain>[^\n#]+))",
    re.MULTILINE,
)
_SKIPPED = frozenset({"build", "dist", "node_modules", "site-packages", "venv", "__pycache__"})

MOST_FILES = 4_000
"""Files of a project beyond which importers are not looked for."""


def importers(files: Iterable[Path], roots: Iterable[Path], project: Path) -> list[Path]:
    """The files of `project` that import one of `files`, directly or not, without those files themselves."""
    listed = {str(path) for path in files}
    known = {path: module_names(path, [str(root) for root in roots]) for path in _python_files(project)}
    if len(known) > MOST_FILES or listed >= known.keys():
        return []
    by_name: dict[str, set[str]] = {}
    for path, names in known.items():
        for name in names:
            by_name.setdefault(name, set()).add(path)
    importing: dict[str, set[str]] = {}
    for path, names in known.items():
        for target in _imported(path, names):
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


def module_names(path: str, roots: list[str]) -> list[str]:
    """The dotted names under which a file can be imported."""
    names: list[str] = []
    for root in roots:
        prefix = root.rstrip(os.sep) + os.sep
        if path.startswith(prefix):
            parts = Path(path[len(prefix) : -len(".py")]).parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def _imported(path: str, names: list[str]) -> Iterator[str]:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    package = Path(path).name == "__init__.py"
    for match in _IMPORT.finditer(text):
        if match["plain"] is not None:
            for part in match["plain"].split(","):
                dotted = part.split(" as ")[0].strip()
                yield dotted
            continue
        for source in _absolute(match["source"], names, package=package):
            yield source
            for part in match["names"].strip("() \t\n").split(","):
                name = part.split(" as ")[0].strip()
                if name:
                    yield f"{source}.{name}" if source else name


def _absolute(source: str, names: list[str], *, package: bool) -> Iterator[str]:
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
            if name.endswith(".py"):
                yield str(Path(folder) / name)
