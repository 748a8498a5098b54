"""`jaxlint clean`, and where results are kept."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.cli.arguments import Parser
from jaxlint.config.errors import UsageError
from jaxlint.files.roots import project_folder

if TYPE_CHECKING:
    from jaxlint.config.settings import Settings

FOLDER = ".jaxlint_cache"


def cache_folder(settings: Settings, cwd: Path) -> Path:
    """The folder for results: as set, as the environment says, or in the project."""
    chosen = settings.cache_dir or os.environ.get("JAXLINT_CACHE_DIR", "")
    return cwd / Path(chosen).expanduser() if chosen else (project_folder(cwd) or cwd) / FOLDER


def clean(arguments: list[str]) -> int:
    """Remove the cache of the project; the exit code is 0 also when there is none."""
    parser = Parser(prog="jaxlint clean", description="Remove the results of earlier runs.")
    parser.add_argument("--cache-dir", metavar="FOLDER", help="the folder to remove, if it is not the project's own")
    options = parser.parse(arguments)
    cwd = Path.cwd()
    chosen = options.cache_dir or os.environ.get("JAXLINT_CACHE_DIR", "")
    folder = cwd / chosen if chosen else (project_folder(cwd) or cwd) / FOLDER
    if not folder.is_dir():
        sys.stdout.write(f"no cache in {folder}\n")
        return 0
    marker = folder / ".gitignore"
    if folder.name != FOLDER and not marker.is_file():
        raise UsageError(f"{folder} does not look like a cache of jaxlint: it is left alone")
    shutil.rmtree(folder)
    sys.stdout.write(f"removed {folder}\n")
    return 0
