"""Paths in reports: relative to the repository, and well formed whatever bytes a file name has."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from jaxlint.files.roots import project_folder

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Text that every reader of UTF-8 takes: bytes of file names that are none stand as U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def repository(paths: Iterable[str], cwd: Path) -> Path:
    """The folder that reports of `paths` are relative to: the top of the git checkout, else that of the project.

    It is the one around `cwd`, whichever folder of it that is, unless all of the paths lie elsewhere.
    """
    files = [os.path.realpath(path) for path in paths]
    here = _top(Path(os.path.realpath(cwd)))
    if not files or any(_below(file, here) is not None for file in files):
        return here
    return _top(Path(os.path.commonpath([os.path.dirname(file) for file in files])))  # noqa: PTH120


def relative_to(path: str, folder: Path) -> str | None:
    """The path below a folder with forward slashes, links resolved; None for what lies outside."""
    found = _below(os.path.realpath(path), folder)
    found = found if found is not None else _below(path, folder)
    return found.replace(os.sep, "/") if found is not None else None


def _top(folder: Path) -> Path:
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    return project_folder(folder) or folder


def _below(path: str, folder: Path) -> str | None:
    prefix = str(folder).rstrip(os.sep) + os.sep
    return path[len(prefix) :] if path.startswith(prefix) else None
