"""Looking at the disk. Where one may not look there is nothing: before Python 3.14 `Path` raises an error there."""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is a file, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path) -> bool:
    """Whether there is a folder, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112


def exists(path: Path) -> bool:
    """Whether there is anything; a link that leads nowhere is nothing."""
    return os.path.exists(path)  # noqa: PTH110
