"""From the paths of the command line to the files that are linted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxlint.config.resolver import Resolver
from jaxlint.config.settings import Settings
from jaxlint.files.disk import exists, is_folder
from jaxlint.files.gitignore import Ignores


@dataclass(slots=True)
class Discovered:
    """The files in order, and what could not be looked at."""

    files: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def discover(paths: Sequence[str], resolver: Resolver) -> Discovered:
    """Files named on the command line are always taken, unless `force-exclude` is set; folders are searched."""
    result = Discovered()
    taken: dict[Path, None] = {}
    for text in paths:
        path = Path(os.path.abspath(resolver.cwd / text))  # noqa: PTH100 (symlinks stay as the user names them)
        if is_folder(path):
            walk = _Walk(path, resolver, lambda folder, reason: result.unreadable.append(f"{folder}: {reason}"))
            taken.update(dict.fromkeys(walk.files()))
        elif not exists(path):
            result.missing.append(text)
        elif not is_force_excluded(path, resolver.for_file(path)):
            taken[path] = None
    result.files = sorted(_without_second_names(taken))
    return result


def is_force_excluded(path: Path, settings: Settings) -> bool:
    """Whether a file that was named is left out all the same."""
    return settings.force_exclude and settings.is_excluded(path)


def _without_second_names(paths: Iterable[Path]) -> Iterator[Path]:
    """Leave out symlinks to files that are linted under their own name."""
    known = set(paths)
    for path in known:
        if not path.is_symlink() or Path(os.path.realpath(path)) not in known:
            yield path


class _Walk:
    """One folder of the command line. Symlinked folders inside it are not entered, so there are no loops."""

    def __init__(self, start: Path, resolver: Resolver, on_error: Callable[[Path, str], None]) -> None:
        self._start = start
        self._resolver = resolver
        self._on_error = on_error
        self._inside: dict[int, Settings] = {}

    def files(self) -> Iterator[Path]:
        settings = self._resolver.for_folder(self._start)
        if settings.force_exclude and settings.is_excluded(self._start, folder=True):
            return
        ignores = Ignores.at(self._start, self._resolver.cwd) if settings.respect_gitignore else Ignores()
        pending = [(self._start, ignores)]
        while pending:
            folder, above = pending.pop()
            settings = self._settings(folder)
            ignores = above.entering(folder) if settings.respect_gitignore else Ignores()
            try:
                with os.scandir(folder) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self._on_error(folder, (error.strerror or type(error).__name__).lower())
                continue
            for entry in found:
                path = folder / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not (settings.is_excluded(path, folder=True) or ignores.leaves_out(path, folder=True)):
                        pending.append((path, ignores))
                elif (
                    settings.is_included(path)
                    and _is_regular(entry)
                    and not (settings.is_excluded(path) or ignores.leaves_out(path, folder=False))
                ):
                    yield path

    def _settings(self, folder: Path) -> Settings:
        """The folder's settings without the excludes that meet the start folder, which was asked for by name."""
        settings = self._resolver.for_folder(folder)
        known = self._inside.get(id(settings))
        if known is None:
            known = replace(
                settings,
                exclude=tuple(p.without_those_that_match(self._start) for p in settings.exclude),
                extend_exclude=tuple(p.without_those_that_match(self._start) for p in settings.extend_exclude),
            )
            self._inside[id(settings)] = known
        return known


def _is_regular(entry: os.DirEntry[str]) -> bool:
    """A file, or a symlink to one; not a pipe, and not an editor's dangling lock."""
    try:
        return entry.is_file()
    except OSError:
        return False
