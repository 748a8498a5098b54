"""The entry point: which command is meant, and what its failures look like."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import jaxlint

COMMANDS = {
    "check": "check files for mistakes with JAX (the default command)",
    "config": "show the settings that hold for a file, and where each comes from",
    "completion": "print what completes the command line in a shell",
    "confirm": "run JAX on what is found in a file or a function of it, and say whether it is so",
    "rules": "list the rules",
    "explain": "explain a rule: what it finds, why that is bad, a wrong and a right program, how to mend it",
    "scan": "take the inventory of a project: what of JAX it uses, and where",
    "env": "show what JAX runs on here, and whether it works",
    "probe": "show what JAX makes of a function: jaxpr, lowered and compiled program, times",
    "recompiles": "show which calls of a function compile, and why",
    "bench": "time functions fairly",
    "server": "serve an editor, by the language server protocol",
    "clean": "remove the results of earlier runs",
    "version": "show the version",
}
# Modules of `jaxlint.cli` with a function of the same name; all but the first run the user's program.
_LABORATORY = {"scan", "env", "probe", "recompiles", "bench"}
_BEFORE_COMMAND = {"-q", "--quiet", "-s", "--silent", "-v", "--verbose", "--isolated"}
_BEFORE_COMMAND_WITH_VALUE = {"--color", "--config"}

EXIT_ERROR = 2
_EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 (clean), 1 (findings) or 2 (an error)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"], ["version"]):
        sys.stdout.write(f"jaxlint {jaxlint.__version__}\n")
        return 0
    if arguments in (["--help"], ["-h"], ["help"]):
        sys.stdout.write(_overview())
        return 0
    verbose = "-v" in arguments or "--verbose" in arguments
    try:
        return _guarded(arguments)
    except SystemExit as end:  # argparse has shown the help
        return end.code if isinstance(end.code, int) else EXIT_ERROR
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone; Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except Exception as error:
        complain(f"jaxlint failed, which is a bug in jaxlint: {type(error).__name__}: {error}")
        if verbose:
            import traceback  # noqa: PLC0415 (only a failure needs it)

            traceback.print_exc()
        return EXIT_ERROR


def complain(message: str, kind: str = "error") -> None:
    """One message on stderr."""
    sys.stderr.write(f"{kind}: {message}\n")


def _guarded(arguments: list[str]) -> int:
    from jaxlint.config.errors import UsageError  # noqa: PLC0415

    try:
        command, rest = _command(_with_argument_files(arguments))
        return runner_of(command)(rest)
    except UsageError as error:
        complain(str(error))
        return EXIT_ERROR


def runner_of(command: str) -> Callable[[list[str]], int]:
    """The commands are imported when they run: `--version` must not wait for a parser."""
    if command == "config":
        from jaxlint.cli.config import config  # noqa: PLC0415

        return config
    if command == "completion":
        from jaxlint.cli.completion import completion  # noqa: PLC0415

        return completion
    if command == "confirm":
        from jaxlint.cli.confirming import confirm  # noqa: PLC0415

        return confirm
    if command == "rules":
        from jaxlint.cli.rules import list_rules  # noqa: PLC0415

        return list_rules
    if command == "explain":
        from jaxlint.cli.rules import explain  # noqa: PLC0415

        return explain
    if command in _LABORATORY:
        from importlib import import_module  # noqa: PLC0415

        runner: Callable[[list[str]], int] = getattr(import_module(f"jaxlint.cli.{command}"), command)
        return runner
    if command == "server":
        from jaxlint.cli.server import server  # noqa: PLC0415

        return server
    if command == "clean":
        from jaxlint.cli.clean import clean  # noqa: PLC0415

        return clean
    if command == "version":
        from jaxlint.cli.version import version  # noqa: PLC0415

        return version
    from jaxlint.cli.check import check  # noqa: PLC0415

    return check


def _command(arguments: list[str]) -> tuple[str, list[str]]:
    """The command and its arguments. Options that every command has may stand before it."""
    index = 0
    while index < len(arguments) and arguments[index] in _BEFORE_COMMAND | _BEFORE_COMMAND_WITH_VALUE:
        index += 2 if arguments[index] in _BEFORE_COMMAND_WITH_VALUE else 1
    if index < len(arguments) and arguments[index] in COMMANDS:
        return arguments[index], arguments[:index] + arguments[index + 1 :]
    return "check", arguments


def _with_argument_files(arguments: list[str]) -> list[str]:
    """Replace `@file` by the lines of the file, except after `--`."""
    from jaxlint.config.errors import UsageError  # noqa: PLC0415

    end = arguments.index("--") if "--" in arguments else len(arguments)
    result: list[str] = []
    for argument in arguments[:end]:
        if not argument.startswith("@") or len(argument) == 1:
            result.append(argument)
            continue
        try:
            with open(argument[1:], encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
                result += [line.strip() for line in file if line.strip()]
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"{argument}: the file of arguments cannot be read: {reason}") from None
    return result + arguments[end:]


def _overview() -> str:
    commands = "\n".join(f"  {name:12}{text}" for name, text in COMMANDS.items())
    return f"""jaxlint: a linter that knows what JAX does to a Python program

usage: jaxlint [check] [OPTIONS] [PATHS]...
       jaxlint COMMAND [OPTIONS]

commands:
{commands}

`jaxlint COMMAND --help` shows the options of a command.
Exit codes: 0 nothing found, 1 findings, 2 an error.
"""
