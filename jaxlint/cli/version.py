"""`jaxlint version`."""

from __future__ import annotations

import json
import sys

import jaxlint
from jaxlint.cli.arguments import Parser, add_format


def version(arguments: list[str]) -> int:
    """Show the version, as text or as JSON."""
    parser = Parser(prog="jaxlint version", description="show the version")
    add_format(parser, ("text", "json"))
    options = parser.parse(arguments)
    text = (
        json.dumps({"version": jaxlint.__version__}) if options.format == "json" else f"jaxlint {jaxlint.__version__}"
    )
    sys.stdout.write(text + "\n")
    return 0
