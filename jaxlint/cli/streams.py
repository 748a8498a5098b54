"""Writing to the standard streams."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO


def write(pieces: str | Iterable[str], stream: TextIO | None = None) -> None:
    """Write to standard output or another stream, whatever its encoding can express."""
    stream = stream or sys.stdout
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    stream.writelines([pieces] if isinstance(pieces, str) else pieces)
    stream.flush()
