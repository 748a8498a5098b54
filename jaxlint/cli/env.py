"""`jaxlint env`."""

from __future__ import annotations

import os
from typing import Any

from jaxlint.child.places import interpreter, require_jax
from jaxlint.child.process import Child, ChildEndedError, Limits, Setting
from jaxlint.cli.arguments import Parser
from jaxlint.lab.command import add_running, show
from jaxlint.lab.redaction import relevant_names, scrub, without_people
from jaxlint.lab.report.environment import text
from jaxlint.lab.wire import joined

_EXIT_BROKEN = 1


def env(arguments: list[str]) -> int:
    """Show what JAX runs on here, and whether it works; the exit code is 1 if it does not."""
    parser = Parser(
        prog="jaxlint env",
        description="Show versions, backend, devices and settings of JAX, and whether it works here.",
        epilog="Environment variables are listed by name; their values are never shown. Exit codes: 0 JAX works, "
        "1 it does not, 2 an error.",
    )
    parser.add_argument("--no-redact", action="store_true", help="show home folders and user names in paths")
    add_running(parser)
    options = parser.parse(arguments)
    python = interpreter(options.python)
    require_jax(python)
    redacted = not options.no_redact
    variables = relevant_names(os.environ)
    request: dict[str, Any] = {"variables": variables, "redacted": redacted}
    setting = Setting(python, None, options.platform or "", options.devices)
    texts: list[str] = []
    try:
        with Child("jaxlint.lab.inside.tasks:environment", request, setting, Limits(options.time_limit)) as child:
            texts += [message["text"] for message in child.messages()]
        report = joined(texts)
    except ChildEndedError as end:
        report = _crashed(end, variables, redacted=redacted)
    show(report, text(report), options.format)
    return 0 if report["ok"] else _EXIT_BROKEN


def _crashed(end: ChildEndedError, variables: list[str], *, redacted: bool) -> dict[str, Any]:
    """The report on a JAX that took its process down. What it printed may hold values, so these are taken out."""
    last = scrub("\n".join(end.output.strip().splitlines()[-5:]), os.environ)
    if redacted:
        last = without_people(os.environ)(last)
    failure = {"stage": "process", "error": "crash", "message": f"{end}\n{last}".strip()}
    return {"environment_variables": variables, "versions": {}, "smoke": [], "failures": [failure], "ok": False}
