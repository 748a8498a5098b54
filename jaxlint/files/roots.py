"""Where the absolute imports of a file start."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jaxlint.files.disk import exists, is_file, is_folder

_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def import_roots(files: Iterable[Path]) -> list[Path]:
    """The folders that imports may start from, those of the files' own packages first."""
    own: dict[Path, None] = {}
    projects: dict[Path, None] = {}
    for folder in dict.fromkeys(path.parent for path in files):
        own[package_root(folder)] = None
        project = project_folder(folder)
        if project is not None:
            projects[project] = None
            if is_folder(project / "src"):
                own[project / "src"] = None
    return [*dict.fromkeys((*own, *projects))]


@cache
def package_root(folder: Path) -> Path:
    """The first folder from here upwards that is not a package."""
    if is_file(folder / "__init__.py") and folder.parent != folder:
        return package_root(folder.parent)
    return folder


@cache
def project_folder(folder: Path) -> Path | None:
    """The folder of the project that `folder` belongs to, None when nothing marks one."""
    if any(exists(folder / name) for name in _PROJECT_FILES):
        return folder
    return None if folder.parent == folder else project_folder(folder.parent)


def forget_roots() -> None:
    """Look at the folders again, for a process that outlives changes to them."""
    package_root.cache_clear()
    project_folder.cache_clear()
