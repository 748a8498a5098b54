"""`jaxlint bench`."""

from __future__ import annotations

from pathlib import Path

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
    positive_real,
    save,
    show,
)
from jaxlint.lab.plot import svg
from jaxlint.lab.report.bench import text, with_figures

_EXIT_FAILED = 1


def bench(arguments: list[str]) -> int:
    """Time functions; the exit code is 1 when one of them raised."""
    options = _parser().parse(arguments)
    check_jit(options)
    targets = [check_target(text) for text in (options.target, *options.compare)]
    plot = Path(options.plot) if options.plot else None
    if plot is not None and not plot.parent.is_dir():
        raise UsageError(f"--plot: there is no folder {plot.parent}")
    request = {
        "sides": [
            {"target": target, "label": label, "factory": options.factory}
            for target, label in zip(targets, _labels(targets), strict=True)
        ],
        "jit": options.jit, "static": options.static, "state": options.state,
        "rounds": options.rounds, "seconds": options.seconds, "steps": options.steps,
    }  # fmt: skip
    report = with_figures(Task("bench", request, options).run())
    if plot is not None and report["ok"]:
        save(plot, svg(report))
    show(report, text(report), options.format)
    return 0 if report["ok"] else _EXIT_FAILED


def _parser() -> Parser:
    parser = Parser(
        prog="jaxlint bench",
        description="Time a function: the first call, compilation and the steady state apart. Each call gets fresh "
        "inputs, made outside of the timer; its result is awaited inside. This imports and runs your program.",
        epilog="Exit codes: 0 measured, 1 the program failed, 2 an error, such as a factory that gives a donated "
        "buffer again.",
    )
    add_target(parser)
    add_factory(parser, "makes `(args, kwargs)` anew for each call: *")
    parser.add_argument(
        "--compare", action="append", default=[], metavar="FILE::FUNC",
        help="time another function in turn with the first, on inputs of the same factory (may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--rounds", type=positive, default=50, metavar="N", help="timings of each function (default: 50)"
    )
    parser.add_argument(
        "--seconds", type=positive_real, default=20.0, metavar="S", help="stop early after that long (default: 20)"
    )
    parser.add_argument(
        "--state", action="store_true",
        help="training throughput: the first argument is the state, and the result (or its first part) the next one",
    )  # fmt: skip
    parser.add_argument(
        "--steps", type=positive, default=20, metavar="N", help="steps of a timing with --state (default: 20)"
    )
    add_jit(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw the samples into an SVG file")
    add_running(parser)
    return parser


def _labels(targets: list[str]) -> list[str]:
    """The functions' names, with their places only where names alone are not enough."""
    names = [target.partition("::")[2] for target in targets]
    return names if len(set(names)) == len(names) else targets
