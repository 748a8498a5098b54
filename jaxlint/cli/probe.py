"""`jaxlint probe`."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from jaxlint.cli.arguments import Parser
from jaxlint.config.errors import UsageError
from jaxlint.lab.command import Task, add_factory, add_running, add_target, check_target, save, show
from jaxlint.lab.report.probe import text

_EXIT_PARTIAL = 1


def probe(arguments: list[str]) -> int:
    """Show what JAX makes of a function; the exit code is 1 when a step of it failed."""
    options = _parser().parse(arguments)
    request = {"sides": _sides(options), "static": options.static, "compile": options.compile}
    report = Task("probe", request, options).run()
    if options.write_dir:
        save(Path(options.write_dir) / "report.json", json.dumps(report, indent=2) + "\n")
    show(report, text(report), options.format)
    return 0 if report["ok"] else _EXIT_PARTIAL


def _parser() -> Parser:
    parser = Parser(
        prog="jaxlint probe",
        description="Show what JAX makes of a function: its jaxpr, its lowered and its compiled program, and how long "
        "each takes. This imports and runs your program.",
        epilog="Exit codes: 0 all steps succeeded, 1 some failed, 2 an error.",
    )
    add_target(parser)
    add_factory(parser, "returns `(args, kwargs)`: *; without one, likely inputs are tried")
    parser.add_argument(
        "--static",
        action="append",
        default=[],
        metavar="NAME",
        help="an argument to keep static, if FUNC is not jitted",
    )
    parser.add_argument("--compile", action="store_true", help="compile, too: fusions, cost, memory, collectives")
    parser.add_argument("--compare", metavar="FILE::FUNC", help="show a second function, and the difference")
    parser.add_argument("--compare-factory", metavar="NAME", help="show a second set of inputs, and the difference")
    parser.add_argument("--write-dir", metavar="FOLDER", help="write the programs and the report there")
    add_running(parser)
    return parser


def _sides(options: argparse.Namespace) -> list[dict[str, Any]]:
    first = check_target(options.target)
    sides: list[dict[str, Any]] = [{"target": first, "factory": options.factory}]
    if options.compare or options.compare_factory:
        second = check_target(options.compare) if options.compare else first
        sides.append({"target": second, "factory": options.compare_factory or options.factory})
    folder = Path(options.write_dir).resolve() if options.write_dir else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"--write-dir: {options.write_dir} is no folder")
    for number, side in enumerate(sides):
        side["label"] = _label(sides, number)
        parted = folder is not None and len(sides) > 1
        side["folder"] = str(folder / ("first", "second")[number] if parted else folder) if folder else None
    return sides


def _label(sides: list[dict[str, Any]], number: int) -> str:
    """The function, or what tells the sides apart where that is the same."""
    side = sides[number]
    if len(sides) == 1 or sides[0]["target"] != sides[1]["target"]:
        return str(side["target"])
    names = [re.split(r"::?", other["factory"] or "")[-1] for other in sides]
    inputs = names[number] if names[0] != names[1] else side["factory"]
    return f"{side['target']} on {inputs}"
