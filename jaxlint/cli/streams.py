"""Writing to the standard streams and to files that options name."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from jaxlint.config.errors import UsageError
from jaxlint.config.settings import DEFAULT_INCLUDE
from jaxlint.files.disk import is_file


def write(pieces: str | Iterable[str], stream: TextIO | None = None) -> None:
    """Write to standard output or another stream, whatever its encoding can express."""
    stream = stream or sys.stdout
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    try:
        stream.writelines([pieces] if isinstance(pieces, str) else pieces)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python would fail once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise UsageError(f"the output cannot be written: {(error.strerror or str(error)).lower()}") from None


def refuse_programs(file: str, cwd: Path) -> None:
    """Raise where an option that writes a file was given a program, as a slip of the hand does."""
    path = cwd / file
    if is_file(path) and any(path.match(pattern) for pattern in DEFAULT_INCLUDE):
        raise UsageError(f"`{file}` is a program: nothing is written over it")
