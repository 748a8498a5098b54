"""The options of the commands. Those of `check` that are also settings come from the table of settings."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.config.kinds import Choice, Flag
from jaxlint.config.resolver import Sources
from jaxlint.config.settings import ANALYSIS, FILES, FIXES, OPTIONS, OUTPUT, RULES
from jaxlint.config.toml import Layer, read_inline

SETTINGS = "Settings"
_COLOURS = ("auto", "always", "never")


DESCRIBE = "--describe-options"
"""Given alone, asks a command for its parser instead of running it: see `Described`."""


class Described(Exception):  # noqa: N818 (no error: it carries an answer past a command)
    """Carries the parser of a command."""

    def __init__(self, parser: Parser) -> None:
        super().__init__(parser.prog)
        self.parser = parser


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are ours, with the nearest right option."""

    def __init__(self, *, prog: str, description: str, usage: str | None = None, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            usage=usage,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=34, width=110),
        )

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options, which may stand between paths. A value that may be left out stands after `=`, or is empty.

        What follows `--` are paths, also those that begin with a dash, which argparse takes for options all the same.
        """
        if list(arguments) == [DESCRIBE]:
            raise Described(self)
        bare = {flag for flag, action in self._option_string_actions.items() if action.nargs == "?"}
        end = arguments.index("--") if "--" in arguments else len(arguments)
        given = [f"{word}=" if word in bare else word for word in arguments[:end]]
        paths = [f"./{word}" if word.startswith("-") and word != "-" else word for word in arguments[end + 1 :]]
        options, unknown = self.parse_known_intermixed_args([*given, *paths])
        if unknown:
            word = unknown[0].partition("=")[0]
            near = did_you_mean(word, self._option_string_actions)
            raise UsageError(
                f"unknown option `{word}`{near}" if word.startswith("-") else f"unexpected argument `{word}`"
            )
        return options

    def error(self, message: str) -> NoReturn:
        """A mistake in the arguments."""
        raise UsageError(message.removeprefix("argument "))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """After `--help`."""
        sys.stdout.write(message or "")
        raise SystemExit(status)


class OneOf(argparse.Action):
    """A choice with a hint at the nearest word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store one of the words that `const` lists."""
        words = self.const
        if values not in words:
            near = did_you_mean(values, words)
            raise UsageError(f"{option_string} must be one of {', '.join(words)}, not `{values}`{near}")
        setattr(namespace, self.dest, values)


def add_format(parser: Parser, words: tuple[str, ...]) -> None:
    """`--format` of the commands that are not `check`."""
    parser.add_argument(
        "--format", "--output-format", action=OneOf, const=words, default=words[0], help=f"one of {', '.join(words)}",
        metavar="FORMAT",
    )  # fmt: skip


def add_color(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """`--color`."""
    parser.add_argument(
        "--color", action=OneOf, const=_COLOURS, default="auto", metavar="WHEN",
        help="when to use colour: auto (on a terminal, unless NO_COLOR is set), always, never",
    )  # fmt: skip


def check_parser() -> Parser:
    """The options of `jaxlint check`."""
    parser = Parser(
        prog="jaxlint check",
        usage="jaxlint [check] [OPTIONS] [PATHS]...",
        description="Check files and folders for mistakes with JAX.",
        epilog="Exit codes: 0 nothing found, 1 findings, 2 an error. `@FILE` stands for the lines of a file.",
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATHS", help="files and folders; `-` is standard input (default: .)"
    )
    groups = _add_groups(parser, (RULES, FIXES, FILES, OUTPUT, ANALYSIS, SETTINGS))
    groups[RULES].add_argument(
        "--add-noqa", nargs="?", metavar="REASON", help="silence all findings by comments, with a reason after `=`"
    )
    groups[RULES].add_argument("--ignore-noqa", action="store_true", help="show findings that comments silence")
    files = groups[FILES]
    files.add_argument("--stdin-filename", metavar="PATH", help="the name of what is read from standard input")
    files.add_argument("--show-files", action="store_true", help="list the files that would be checked")
    files.add_argument("-w", "--watch", action="store_true", help="check again whenever a file is saved, until Ctrl-C")
    _add_fixes(groups[FIXES])
    _add_output(groups[OUTPUT])
    analysis = groups[ANALYSIS]
    analysis.add_argument(
        "-n", "--no-cache", action="store_true", help="neither read nor write results of earlier runs"
    )
    analysis.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="processes to use, or auto")
    add_confirmation(parser)
    groups[SETTINGS].add_argument(
        "--show-settings", action="store_true", help="show the settings of the first file, with their sources"
    )
    return parser


def config_parser() -> Parser:
    """The options of `jaxlint config`."""
    parser = Parser(
        prog="jaxlint config",
        usage="jaxlint config [OPTIONS] [PATH]",
        description="Show the settings that hold for a file or a folder, and where each comes from.",
    )
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="a file or a folder (default: .)")
    add_format(parser, ("text", "json"))
    _add_groups(parser, (RULES, FIXES, FILES, ANALYSIS, SETTINGS))
    return parser


def sources(options: argparse.Namespace, cwd: Path) -> Sources:
    """Where settings come from, as the options say."""
    file: Path | None = None
    inline: list[Layer] = []
    for item in options.config:
        path = cwd / Path(item).expanduser()
        is_file = False
        with contextlib.suppress(OSError, ValueError):
            is_file = path.is_file()
        if not is_file and ("=" in item and not item.endswith(".toml")):
            inline.append(read_inline(item, cwd))
        elif not is_file:
            raise UsageError(f"--config: no such file: {item}")
        elif file is not None:
            raise UsageError("--config: only one settings file can be given")
        else:
            file = path
    if file is not None and options.isolated:
        raise UsageError("--config with a file and --isolated exclude each other")
    return Sources(setting_layer(options, cwd), tuple(inline), file, options.isolated)


def add_confirmation(parser: Parser, *, optional: bool = True) -> None:
    """How to run the program under review. Nothing here is a setting: only who starts jaxlint may run code."""
    group = parser.add_argument_group("Confirmation (runs your program)")
    if optional:
        group.add_argument(
            "--confirm", action="store_true",
            help="run JAX on each finding and say whether it is so; --confirm=drop-refuted keeps refuted ones out of "
            "the exit code",
        )  # fmt: skip
    hidden = argparse.SUPPRESS if optional else "keep refuted findings out of the exit code"
    group.add_argument("--drop-refuted", action="store_true", help=hidden)
    group.add_argument("--inputs", metavar="MODULE:NAME", help="a function that returns `(args, kwargs)` to call with")
    group.add_argument("--python", metavar="PATH", help="the interpreter of your project, which has JAX")
    group.add_argument(
        "--time-limit", type=_positive, default=30.0, metavar="SECONDS", help="time for each finding (default: 30)"
    )
    group.add_argument(
        "--memory-limit", type=_positive, default=4.0, metavar="GIB", help="memory of the program (default: 4)"
    )
    group.add_argument("--platform", metavar="NAME", help="JAX's platform (default: JAX_PLATFORMS, or cpu)")


def confirmation_words(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--confirm=drop-refuted` as a word of its own: a value after a blank would be a path."""
    words = ["--drop-refuted" if word == "--confirm=drop-refuted" else word for word in arguments]
    wrong = next((word for word in words if word.startswith("--confirm=")), None)
    if wrong is not None:
        raise UsageError(f"--confirm is given alone or as --confirm=drop-refuted, not as `{wrong}`")
    return words


def confirm_parser() -> Parser:
    """The options of `jaxlint confirm`."""
    parser = Parser(
        prog="jaxlint confirm",
        usage="jaxlint confirm [OPTIONS] FILE[::QUALNAME]...",
        description="Check files, or single functions and classes of them, and run JAX on what is found.",
        epilog="Options of `jaxlint check` count, too. Exit codes: 0 nothing found, 1 findings, 2 an error.",
    )
    parser.add_argument("targets", nargs="+", metavar="FILE[::QUALNAME]", help="what to check and to run")
    add_confirmation(parser, optional=False)
    return parser


def setting_layer(options: argparse.Namespace, cwd: Path) -> Layer:
    """What the command line says about settings."""
    values: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        given = getattr(options, name, None)
        if given is not None:
            key = name.replace("_", "-")
            values[key] = given if isinstance(given, bool) else option.kind.from_texts(given, f"--{key}")
    return Layer(values, cwd, "--{key}")


def _add_groups(parser: Parser, names: Sequence[str]) -> dict[str, argparse._ArgumentGroup]:
    """The settings of some groups as options, and the options that say where settings come from."""
    groups = {name: parser.add_argument_group(name) for name in names}
    for name, option in OPTIONS.items():
        if option.group in groups:
            _add_setting(groups[option.group], name)
    settings = groups[SETTINGS]
    settings.add_argument(
        "--config", action="append", default=[], metavar="FILE|SETTING",
        help="a settings file in place of those beside the code, or one setting such as 'ignore = [\"JAX801\"]'",
    )  # fmt: skip
    isolated = "read no settings file, and not what the project requires"
    settings.add_argument("--isolated", action="store_true", help=isolated)
    return groups


def _add_setting(group: argparse._ArgumentGroup, name: str) -> None:
    option = OPTIONS[name]
    flags = [*option.flags, f"--{name.replace('_', '-')}"]
    if isinstance(option.kind, Flag):
        group.add_argument(*flags, dest=name, action=argparse.BooleanOptionalAction, default=None, help=option.doc)
        return
    doc = option.doc
    if isinstance(option.kind, Choice) and not any(word in doc for word in option.kind.words):
        doc = f"{doc}: {', '.join(option.kind.words)}"
    group.add_argument(*flags, dest=name, action="append", default=None, metavar=option.kind.metavar, help=doc)


def _add_fixes(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fix", action="store_true", help="mend what can be mended safely")
    group.add_argument("--fix-only", action="store_true", help="mend, and do not report what is left")
    group.add_argument("--diff", action="store_true", help="show what would be mended as a diff, and write nothing")
    group.add_argument("--show-fixes", action="store_true", help="list what was mended")
    group.add_argument("--exit-non-zero-on-fix", action="store_true", help="exit with 1 when something was mended")


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output-file", metavar="FILE", help="write the findings to a file")
    group.add_argument(
        "--write-baseline", metavar="FILE", help="take all findings as known: write them to a file for --baseline"
    )
    group.add_argument("--statistics", action="store_true", help="show counts by rule instead of findings")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even when there are findings")
    group.add_argument("-q", "--quiet", action="store_true", help="show findings and nothing else")
    group.add_argument("-s", "--silent", action="store_true", help="show nothing; the exit code tells")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="show what was done, and where the linter itself failed"
    )
    add_color(group)


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number, not `{text}`")
    return number


def _jobs(text: str) -> int:
    if text == "auto":
        return 0
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be a positive number or auto, not `{text}`")
    return number
