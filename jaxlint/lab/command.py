"""Running one of the instruments in a child, from the command's side."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.child.places import interpreter, require_jax
from jaxlint.child.process import Child, ChildEndedError, Limits, Setting
from jaxlint.cli.arguments import Parser, add_format
from jaxlint.config.errors import UsageError
from jaxlint.lab.wire import joined

FORMATS = ("text", "json")
_NO_MEMORY_LIMIT = 1 << 50
_LAST_WORDS = 12


def add_running(parser: Parser) -> None:
    """The options of how and where the program runs."""
    group = parser.add_argument_group("Running")
    group.add_argument(
        "--python", metavar="PYTHON", help="the interpreter that runs the program (default: of the active environment)"
    )
    group.add_argument("--platform", metavar="NAME", help="the platform for JAX, as in JAX_PLATFORMS")
    group.add_argument("--devices", type=positive, metavar="N", help="pretend to have that many CPU devices")
    group.add_argument(
        "--time-limit", type=positive_real, default=600.0, metavar="SECONDS",
        help="the longest time without any progress (default: 600)",
    )  # fmt: skip
    group.add_argument(
        "--memory-limit", type=positive_real, metavar="GIB", help="end the program when it uses more memory than that"
    )
    add_format(parser, FORMATS)


def add_target(parser: Parser) -> None:
    """The function under the instrument."""
    parser.add_argument("target", metavar="FILE::FUNC", help="a function of a file, or of a module: pkg.mod::FUNC")


def add_factory(parser: Parser, what: str) -> None:
    """Where inputs come from. what: what the function that is named gives."""
    places = "by its name in FILE, as pkg.mod:NAME, or as OTHER_FILE::NAME"
    parser.add_argument("--factory", "--inputs", metavar="NAME", help=f"a function that {what.replace('*', places)}")


def add_jit(parser: Parser) -> None:
    """How functions that are not jitted are called."""
    parser.add_argument("--jit", action="store_true", help="jit functions that are not, as their caller would")
    parser.add_argument(
        "--static", action="append", default=[], metavar="NAME", help="an argument to keep static, with --jit"
    )


def check_jit(options: argparse.Namespace) -> None:
    """What `--static` goes with."""
    if options.static and not options.jit:
        raise UsageError("--static is for --jit")


def check_target(text: str) -> str:
    """A target that can be meant."""
    place, colons, function = text.partition("::")
    if not colons or not place or not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", function):
        raise UsageError(f"`{text}` names no function: write FILE::FUNC, such as `train.py::step`")
    path = Path(place)
    if not path.is_file() and (path.suffix == ".py" or os.sep in place):
        raise UsageError(f"{place}: no such file")
    return text


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the child, with what it needs to know."""

    name: str
    request: dict[str, Any]
    options: argparse.Namespace

    def run(self) -> dict[str, Any]:
        """The report. Whatever keeps it from being made is the user's to mend, and said so."""
        python = interpreter(self.options.python)
        require_jax(python)
        try:
            return self._report(python)
        except ChildEndedError as end:
            last = "\n".join(end.output.strip().splitlines()[-_LAST_WORDS:])
            raise UsageError(f"no report: {end}" + (f"; the last it printed:\n{last}" if last else "")) from None

    def _report(self, python: str) -> dict[str, Any]:
        setting = Setting(python, Path.cwd(), self.options.platform or "", self.options.devices)
        memory = self.options.memory_limit
        limits = Limits(self.options.time_limit, int(memory * 2**30) if memory else _NO_MEMORY_LIMIT)
        texts: list[str] = []
        task = f"jaxlint.lab.inside.tasks:{self.name}"
        with Child(task, self.request, setting, limits) as child, _Progress() as progress:
            for message in child.messages():
                if message["kind"] == "part":
                    texts.append(message["text"])
                elif message["kind"] == "refused":
                    raise UsageError(_refusal(message))
                else:
                    progress.show(message)
        return joined(texts)


def error_line(error: dict[str, Any]) -> str:
    """An exception of the user's program, with its place."""
    message = error["message"].strip().partition("\n")[0]
    place = error.get("place")
    at = f" ({_relative(place['path'])}:{place['row']}: `{place['line']}`)" if place else ""
    return f"{error['type']}: {message}{at}"


def save(path: Path, text: str) -> None:
    """A file that the user asked for."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None


def show(report: dict[str, Any], text: str, format_: str) -> None:
    """The report on standard output."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    sys.stdout.write(json.dumps(report, indent=2) + "\n" if format_ == "json" else text)
    sys.stdout.flush()


class _Progress:
    """What is going on, on a terminal."""

    def __init__(self) -> None:
        self._drawn = False

    def __enter__(self) -> _Progress:  # noqa: PYI034 (`Self` is younger than Python 3.10)
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def show(self, message: dict[str, Any]) -> None:
        """Draw over the last line."""
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            return
        text = message.get("text") or f"round {message.get('round')} of {message.get('rounds')}"
        sys.stderr.write(f"\r\033[K{text[:78]}")
        sys.stderr.flush()
        self._drawn = True


def _refusal(message: dict[str, Any]) -> str:
    error = message.get("error")
    if error is None or error["type"] == "InputError":
        return str(message["message"])
    return f"the program failed: {error_line(error)}"


def _relative(path: str) -> str:
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def positive(text: str) -> int:
    """A count."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a positive number is expected, not `{text}`")
    return int(text)


def positive_real(text: str) -> float:
    """A time or a size."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"a positive number is expected, not `{text}`")
    return value
