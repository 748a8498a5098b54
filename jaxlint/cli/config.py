"""`jaxlint config`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from jaxlint.cli.arguments import config_parser, sources
from jaxlint.cli.show import settings_object, show_settings
from jaxlint.cli.streams import write
from jaxlint.config.catalogue import load_catalogue
from jaxlint.config.resolver import Resolver
from jaxlint.files.disk import is_folder


def config(arguments: list[str]) -> int:
    """Show the settings that hold for a file or a folder; the exit code is 0, or 2 when they are wrong."""
    options = config_parser().parse(arguments)
    cwd = Path.cwd()
    resolver = Resolver(load_catalogue(), sources(options, cwd), cwd)
    path = Path(os.path.abspath(cwd / options.path))  # noqa: PTH100 (symlinks stay as the user names them)
    settings = resolver.for_folder(path) if is_folder(path) else resolver.for_file(path)
    if options.format == "json":
        write(json.dumps(settings_object(path, settings), indent=2) + "\n")
    else:
        write(show_settings(path, settings))
    return 0
