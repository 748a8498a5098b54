"""Writing fixed files: in their own encoding, through a temporary file."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from jaxlint.source import Source


def encoded(source: Source) -> bytes:
    """The bytes of a source as its file holds them."""
    if source.error is not None or source.document is not None:
        return source.data
    return (codecs.BOM_UTF8 if source.bom else b"") + source.text.encode(source.encoding)


def write_source(source: Source, before: bytes) -> str:
    """Put a source in the place of its file, whole or not at all; why that failed, or nothing.

    A file that is no longer what was read is left alone.
    """
    target = Path(os.path.realpath(source.path))
    try:
        data = encoded(source)
        if target.read_bytes() != before:
            return "the file has changed while it was checked, so it is left alone"
        _replace(target, data)
    except OSError as error:
        return f"cannot be written: {(error.strerror or str(error)).lower()}"
    except UnicodeEncodeError:
        return f"the fixed text cannot be written as {source.encoding}"
    return ""


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        shutil.copymode(target, name)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
