"""The command line of the developer tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jaxlint.devtools.new_rule import FAMILIES, ScaffoldError, new_rule


def main(arguments: list[str] | None = None) -> int:
    """Run a developer command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m jaxlint.devtools", description="Tools for jaxlint's authors.")
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new-rule", help="write the files of a rule, with fixtures that fail until it works")
    new.add_argument("code", help="JAX204, or JAX2xx for the next free code of the family")
    new.add_argument("name", help="what the rule finds, in kebab-case: constant-key")
    new.add_argument("--family", choices=sorted(FAMILIES), help="the folder under rules/; it follows from the code")
    new.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    options = parser.parse_args(arguments)
    try:
        rule = new_rule(options.root, options.code, options.name, options.family)
    except ScaffoldError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(rule.report())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
