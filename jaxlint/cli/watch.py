"""`jaxlint check --watch`: check, and check again when a file that matters is saved.

Files are looked at by their dates every now and then, with what the operating system tells about each: that needs no
library, and works on network drives and in containers, where notifications do not arrive.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

from jaxlint.cli.main import complain
from jaxlint.config.errors import UsageError
from jaxlint.config.resolver import Resolver
from jaxlint.config.toml import FILE_NAMES
from jaxlint.files.discovery import discover
from jaxlint.files.requirements import forget_requirements
from jaxlint.files.roots import forget_roots, project_folder

CLEAR = "\033[2J\033[3J\033[H"
_PAUSE = 0.3
"""Seconds between two looks."""
_LONGEST = 2.0
"""Seconds that listing a project may take; of one that takes longer, only what was asked for is watched."""
_SETTLED = 0.05
"""Seconds without a change after which a save is taken to be over."""
_SHARE = 10
"""A look that takes long is followed by a pause this many times as long, so that watching stays cheap."""

_REQUIREMENTS = ("requirements*.txt", "setup.py", "setup.cfg", "*.lock")

Stamps = dict[Path, tuple[int, int, int]]
"""What tells that a file has changed: its date, size and number."""


def watch(options: argparse.Namespace, check: Callable[[], int], resolver: Callable[[], Resolver]) -> int:
    """Check until the user ends it with Ctrl-C, which is no failure."""
    if "-" in options.paths or options.stdin_filename is not None:
        raise UsageError("--watch watches files, and cannot watch standard input")
    if options.add_noqa is not None or options.write_baseline is not None:
        raise UsageError("--watch would take each new finding as known: leave out --add-noqa and --write-baseline")
    watched = _Watched(options.paths or ["."], resolver)
    seen = watched.look()
    try:
        while True:
            clear(sys.stdout)
            _run(check)
            if not (options.quiet or options.silent):
                complain(f"watching {len(seen)} file{'s' if len(seen) != 1 else ''}; Ctrl-C ends it", "info")
            seen = watched.changed(seen)
    except KeyboardInterrupt:
        return 0


def clear(stream: TextIO) -> None:
    """Empty a terminal."""
    if stream.isatty():
        stream.write(CLEAR)
        stream.flush()


def _run(check: Callable[[], int]) -> None:
    forget_roots()
    forget_requirements()
    try:
        check()
    except UsageError as error:  # settings that are wrong now may be right after the next save
        complain(str(error))


class _Watched:
    """The files that decide what is found."""

    def __init__(self, paths: list[str], resolver: Callable[[], Resolver]) -> None:
        self._paths = paths
        self._resolver = resolver
        self._files: set[Path] = set()
        self._whole = True

    def look(self) -> Stamps:
        """The files with their stamps; while settings are wrong, those that were there before."""
        try:
            self._files = set(self._found(self._resolver()))
        except UsageError:
            if not self._files:
                raise
        return dict(_stamps(self._files))

    def changed(self, before: Stamps) -> Stamps:
        """Wait for a change, until it is over."""
        while True:
            started = time.monotonic()
            now = self.look()
            if now != before:
                return self._settled(now)
            time.sleep(max(_PAUSE, _SHARE * (time.monotonic() - started)))

    def _settled(self, before: Stamps) -> Stamps:
        while True:
            time.sleep(_SETTLED)
            now = self.look()
            if now == before:
                return now
            before = now

    def _found(self, resolver: Resolver) -> Iterator[Path]:
        """Files to check and those of their project, which they may import; settings, tables, requirements."""
        files = discover(self._paths, resolver).files
        folders = {path.parent for path in files} | {resolver.cwd}
        projects = {project for folder in folders if (project := project_folder(folder)) is not None}
        yield from files
        if self._whole:
            started = time.monotonic()
            yield from discover([str(project) for project in projects], resolver).files
            self._whole = time.monotonic() - started < _LONGEST
        for above in {above for folder in folders for above in (folder, *folder.parents)}:
            yield from (above / name for name in FILE_NAMES)
        for folder in folders:
            settings = resolver.for_folder(folder)
            yield from settings.sources
            yield from (path for path, _ in settings.extend_knowledge)
        for project in projects:
            for pattern in _REQUIREMENTS:
                yield from project.glob(pattern)


def _stamps(paths: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    for path in paths:
        try:
            found = path.stat()
        except OSError:
            continue
        yield path, (found.st_mtime_ns, found.st_size, found.st_ino)
