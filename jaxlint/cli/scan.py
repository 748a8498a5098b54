"""`jaxlint scan`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jaxlint.cli.arguments import Parser, add_format, sources
from jaxlint.cli.clean import cache_folder
from jaxlint.cli.main import EXIT_ERROR, complain
from jaxlint.cli.progress import Progress
from jaxlint.cli.streams import write
from jaxlint.config.catalogue import load_catalogue
from jaxlint.config.errors import UsageError
from jaxlint.config.resolver import Resolver
from jaxlint.files.discovery import discover
from jaxlint.report.text import shown_path
from jaxlint.scan.inventory import Scanner
from jaxlint.scan.text import text
from jaxlint.workers import available_cores


def scan(arguments: list[str]) -> int:
    """Show what of JAX a project uses, and where. The code is read and never run."""
    parser = Parser(
        prog="jaxlint scan",
        description="Take the inventory of a project: transformed functions, sources of keys, meshes, collectives, "
        "donation, custom derivatives, changed names of JAX, findings by family. The code is read and never run.",
        epilog="Exit codes: 0 done, 2 an error.",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: .)")
    add_format(parser, ("text", "json"))
    parser.add_argument(
        "--config", action="append", default=[], metavar="FILE|SETTING", help="settings, as for `jaxlint check`"
    )
    parser.add_argument(
        "--isolated", action="store_true", help="read no settings file, and not what the project requires"
    )
    parser.add_argument("-n", "--no-cache", action="store_true", help="neither read nor write results of earlier runs")
    options = parser.parse(arguments)
    cwd = Path.cwd()
    catalogue = load_catalogue()
    resolver = Resolver(catalogue, sources(options, cwd), cwd)
    found = discover(options.paths or ["."], resolver)
    if found.missing:
        raise UsageError(f"{found.missing[0]}: no such file or folder")
    for message in found.unreadable:
        complain(f"cannot look into {message}", "warning")
    progress = Progress(len(found.files), sys.stderr, enabled=True)
    scanner = Scanner(
        catalogue,
        resolver,
        available_cores(),
        None if options.no_cache else cache_folder(resolver.for_folder(cwd), cwd),
        lambda path: shown_path(str(path), cwd),
        progress.file,
    )
    try:
        report, outcome = scanner.scan(found.files)
    finally:
        progress.close()
    write(json.dumps(report, indent=2) + "\n" if options.format == "json" else text(report))
    for error in outcome.errors:
        complain(str(error.message))
    return EXIT_ERROR if outcome.errors else 0
