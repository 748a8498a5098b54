"""File patterns of settings, in the language of `.gitignore`, anchored at the folder of the file that holds them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pathspec


@dataclass(frozen=True)
class Patterns:
    """A list of patterns. `tests/*` is relative to `base`; `conftest.py` is met in any folder."""

    base: Path
    texts: tuple[str, ...]

    @cached_property
    def _spec(self) -> pathspec.GitIgnoreSpec:
        return pathspec.GitIgnoreSpec.from_lines(_anchored(text, self.base) for text in self.texts)

    @cached_property
    def _anywhere(self) -> pathspec.GitIgnoreSpec:
        """The patterns that need no folder, for files outside `base`."""
        return pathspec.GitIgnoreSpec.from_lines(text for text in self.texts if "/" not in text.rstrip("/"))

    def match(self, path: Path, *, folder: bool = False) -> bool:
        """Whether a file, or a folder above it, is met by the patterns."""
        relative = relative_text(path, self.base)
        if relative is None:
            return bool(self._anywhere.match_file(path.as_posix().lstrip("/") + ("/" if folder else "")))
        return bool(relative) and bool(self._spec.match_file(relative + ("/" if folder else "")))

    def without_those_that_match(self, folder: Path) -> Patterns:
        """The patterns that do not already meet this folder or one above it."""
        return Patterns(
            self.base, tuple(t for t in self.texts if not Patterns(self.base, (t,)).match(folder, folder=True))
        )


def relative_text(path: Path, base: Path) -> str | None:
    """The path below `base` with forward slashes, empty for `base` itself, None outside of it."""
    text, start = str(path), str(base)
    if text == start:
        return ""
    start = start.rstrip(os.sep) + os.sep
    return text[len(start) :].replace(os.sep, "/") if text.startswith(start) else None


def _anchored(text: str, base: Path) -> str:
    """Accept `./x` and absolute paths, which `.gitignore` does not know."""
    if text.startswith("./"):
        return text[1:]
    prefix = base.as_posix().rstrip("/") + "/"
    return "/" + text[len(prefix) :] if text.startswith(prefix) else text
