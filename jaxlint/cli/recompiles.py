"""`jaxlint recompiles`."""

from __future__ import annotations

from jaxlint.cli.arguments import Parser
from jaxlint.config.errors import UsageError
from jaxlint.lab.command import (
    Task,
    add_factory,
    add_jit,
    add_running,
    add_target,
    check_jit,
    check_target,
    positive,
    show,
)
from jaxlint.lab.report.recompiles import text

_EXIT_FAILED_CALL = 1


def recompiles(arguments: list[str]) -> int:
    """Show which of some calls compile, and why; the exit code is 1 when a call raised."""
    parser = Parser(
        prog="jaxlint recompiles",
        description="Call a function with several cases, and show which call compiled what, and why. This imports and "
        "runs your program.",
        epilog='Cases in JSON: [{"name": "small", "args": [{"$shape": [8, 3], "$dtype": "float32"}], '
        '"kwargs": {"n": 2}}]; '
        '{"$array": [1, 2]}, {"$key": 0} and {"$tuple": [1, 2]} stand for what JSON lacks. '
        "Exit codes: 0 all calls succeeded, 1 some failed, 2 an error.",
    )
    add_target(parser)
    add_factory(parser, "returns or yields the cases, each `(args, kwargs)` or `(name, args, kwargs)`: *")
    parser.add_argument("--cases", metavar="FILE", help="a JSON file with the cases")
    parser.add_argument(
        "--repeat", type=positive, default=1, metavar="N", help="run the cases that many times (default: 1)"
    )
    add_jit(parser)
    add_running(parser)
    options = parser.parse(arguments)
    target = check_target(options.target)
    if bool(options.factory) == bool(options.cases):
        raise UsageError("recompiles: the cases come either from --factory or from --cases")
    check_jit(options)
    request = {
        "target": target, "factory": options.factory, "cases": options.cases, "repeat": options.repeat,
        "jit": options.jit, "static": options.static,
    }  # fmt: skip
    report = Task("recompiles", request, options).run()
    show(report, text(report), options.format)
    return 0 if report["ok"] else _EXIT_FAILED_CALL
