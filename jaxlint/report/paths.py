"""Paths in reports: relative to the repository, and well formed whatever bytes a file name has."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote_from_bytes

from jaxlint.files.disk import exists
from jaxlint.files.roots import project_folder

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def well_formed(text: str) -> str:
    """Text that every reader of UTF-8 takes: bytes of file names that are none stand as U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def for_log(text: str) -> str:
    """Well-formed text whose newlines are kept, and in which nothing steers the terminal that shows the log."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", well_formed(text))


def repository(paths: Iterable[str], cwd: Path) -> Path:
    """The folder that reports of `paths` are relative to: the top of the git checkout, else that of the project.

    It is the one around `cwd`, whichever folder of it that is, unless all of the paths lie elsewhere.
    """
    here = Path(os.path.realpath(cwd))
    files = [os.path.realpath(path) for path in paths]
    there = Path(os.path.commonpath([os.path.dirname(file) for file in files])) if files else here  # noqa: PTH120
    for top in (_checkout, _project):
        for folder in (here, there):
            found = top(folder)
            if found is not None and (not files or any(_below(file, found) is not None for file in files)):
                return found
    return there


def in_repository(paths: Iterable[str], cwd: Path) -> Callable[[str], str]:
    """Names files of a report below the repository; what lies outside keeps its absolute path."""
    root = repository(paths, cwd)
    return lambda path: well_formed(relative_to(path, root) or path)


def relative_to(path: str, folder: Path) -> str | None:
    """The path below a folder with forward slashes, links resolved; None for what lies outside."""
    found = _below(os.path.realpath(path), folder)
    found = found if found is not None else _below(path, folder)
    return found.replace(os.sep, "/") if found is not None else None


def _checkout(folder: Path) -> Path | None:
    return next((candidate for candidate in (folder, *folder.parents) if exists(candidate / ".git")), None)


def _project(folder: Path) -> Path:
    return project_folder(folder) or folder


def _below(path: str, folder: Path) -> str | None:
    prefix = str(folder).rstrip(os.sep) + os.sep
    return path[len(prefix) :] if path.startswith(prefix) else None


def uri(path: str) -> str:
    """The path as a relative URI reference, its bytes percent-encoded."""
    return quote_from_bytes(os.fsencode(path.replace(os.sep, "/")), safe="/")


def absolute_uri(path: str) -> str:
    """The `file:` URI of a path."""
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100 (links are kept)
