"""A progress bar on a terminal, for runs that take more than a second."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TextIO

_DELAY = 1.0
_INTERVAL = 0.1
_BAR = 24


class Progress:
    """Told of each file. It draws nothing during the first second, and nothing at all where no terminal listens."""

    def __init__(self, total: int, stream: TextIO, *, enabled: bool) -> None:
        self._total = total
        self._stream = stream
        self._enabled = enabled and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._done = 0
        self._next = time.monotonic() + _DELAY
        self._drawn = False

    def file(self, path: Path) -> None:
        """The next file starts."""
        if self._enabled and time.monotonic() >= self._next:
            self._draw(path)
        self._done += 1

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn:
            self._stream.write("\r\033[K")
            self._stream.flush()
            self._drawn = False

    def _draw(self, path: Path) -> None:
        filled = _BAR * self._done // max(self._total, 1)
        bar = "\N{BOX DRAWINGS HEAVY HORIZONTAL}" * filled + "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (_BAR - filled)
        self._stream.write(f"\r\033[K{bar} {self._done}/{self._total} {path.name}"[: _columns()])
        self._stream.flush()
        self._drawn = True
        self._next = time.monotonic() + _INTERVAL


def _columns() -> int:
    try:
        return os.get_terminal_size(2).columns
    except OSError:
        return 80
