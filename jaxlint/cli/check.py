"""`jaxlint check`."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from jaxlint.cli.arguments import check_parser, setting_layer
from jaxlint.cli.clean import cache_folder
from jaxlint.cli.fixing import Fixing
from jaxlint.cli.main import COMMANDS, EXIT_ERROR, complain
from jaxlint.cli.progress import Progress
from jaxlint.cli.show import show_settings
from jaxlint.config.catalogue import Catalogue, load_catalogue
from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.config.resolver import Resolver, Sources
from jaxlint.config.toml import Layer, read_inline
from jaxlint.files.discovery import discover, is_force_excluded
from jaxlint.fixes.session import Fixed
from jaxlint.report import machine, statistics, text
from jaxlint.report.style import Style, wants_colour
from jaxlint.runner import EngineFactory, Outcome, Runner, default_engine
from jaxlint.source import Source, decode_source, read_source, split_rows
from jaxlint.workers import available_cores

_TEXT_FORMATS = ("full", "concise")
_STDIN = "-"


def check(arguments: list[str]) -> int:
    """Check files and report; the exit code is 0, 1 or 2."""
    options = check_parser().parse(arguments)
    cwd = Path.cwd()
    catalogue = load_catalogue()
    resolver = Resolver(catalogue, _sources(options, cwd), cwd)
    return _Check(options, cwd, catalogue, resolver, default_engine).run()


@dataclass(slots=True)
class _Check:
    """One run of the command."""

    options: argparse.Namespace
    cwd: Path
    catalogue: Catalogue
    resolver: Resolver
    engine: EngineFactory
    failed: bool = False

    def run(self) -> int:
        started = time.perf_counter()
        files, unsaved = self._inputs()
        if self.options.show_files or self.options.show_settings:
            first = files[0] if files else self.cwd / _STDIN
            shown = "".join(f"{file}\n" for file in files)
            _write(shown if self.options.show_files else show_settings(first, self.resolver.for_file(first)))
            return EXIT_ERROR if self.failed else 0
        if self.resolver.idle:
            self._warn(f"{', '.join(self.resolver.idle)}: a code of the catalogue that has no rule yet")
        progress = Progress(len(files), sys.stderr, enabled=not (self.options.quiet or self.options.silent))
        runner = Runner(
            self.catalogue,
            self.resolver,
            engine=self.engine,
            jobs=self.options.jobs or available_cores(),
            cache=None if self.options.no_cache else cache_folder(self.resolver.for_folder(self.cwd), self.cwd),
            ignore_noqa=self.options.ignore_noqa,
            verbose=self.options.verbose,
            shown=self._shown,
            on_file=progress.file,
        )
        fixing = Fixing(self.options, unsaved)
        try:
            fixed = fixing.run(runner, files)
        finally:
            progress.close()
        outcome = fixed.outcome
        for warning in outcome.warnings:
            self._warn(warning)
        for error in (*outcome.errors, *fixing.finish(fixed, self._shown)):
            self._fail(error)
        if not fixing.only:
            self._report(fixed, unsaved, to_stderr=fixing.prints_source)
        elif not self.options.silent and not self.options.quiet:
            self._tell_fixes(fixed, would=self.options.diff)
        if self.options.verbose:
            self._account(outcome, len(files), time.perf_counter() - started)
        if self.failed:
            return EXIT_ERROR
        return 0 if self.options.exit_zero else fixing.status(fixed)

    def _inputs(self) -> tuple[list[Path], Source | None]:
        paths: list[str] = self.options.paths or ["."]
        if self.options.stdin_filename is not None or paths == [_STDIN]:
            return self._standard_input([path for path in self.options.paths if path != _STDIN])
        if _STDIN in paths:
            raise UsageError("`-` (standard input) cannot be checked together with files")
        found = discover(paths, self.resolver)
        for path in found.missing:
            near = did_you_mean(path, COMMANDS) if path.isidentifier() else ""
            self._fail(f"{path}: no such file or folder{near}")
        for message in found.unreadable:
            self._warn(f"cannot look into {message}")
        if not found.files and not found.missing:
            self._warn("no Python files under the given paths")
        return found.files, None

    def _standard_input(self, others: Sequence[str]) -> tuple[list[Path], Source | None]:
        if others:
            self._warn(f"`{others[0]}` is not read, since --stdin-filename asks for standard input")
        path = Path(os.path.abspath(self.cwd / (self.options.stdin_filename or _STDIN)))  # noqa: PTH100
        source = decode_source(path, sys.stdin.buffer.read())
        excluded = self.options.stdin_filename is not None and is_force_excluded(path, self.resolver.for_file(path))
        return ([] if excluded else [path]), source

    def _report(self, fixed: Fixed, unsaved: Source | None, *, to_stderr: bool) -> None:
        output_format = self.resolver.for_folder(self.cwd).output_format
        target: str | None = self.options.output_file
        if target is None and self.options.silent:
            return
        stream = sys.stderr if to_stderr else sys.stdout
        colour = wants_colour(self.options.color, stream) and (target is None or self.options.color == "always")
        pieces = self._rendered(fixed, output_format, Style(colour), unsaved)
        if target is None:
            _write(pieces, stream)
            return
        try:
            with open(target, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
                file.writelines(pieces)
        except OSError as error:
            self._fail(f"{target}: cannot be written: {(error.strerror or str(error)).lower()}")

    def _rendered(self, fixed: Fixed, output_format: str, style: Style, unsaved: Source | None) -> Iterator[str]:
        findings, unsafe = fixed.outcome.findings, self.options.unsafe_fixes
        counted = statistics.count(findings, unsafe=unsafe)
        if output_format not in _TEXT_FORMATS:
            yield statistics.as_json(counted) if self.options.statistics else machine.as_json(findings)
            return
        texts = {**({unsaved.path: unsaved} if unsaved is not None else {}), **fixed.after}
        context = text.TextContext(self.cwd, style, _Rows(texts), unsafe)
        if self.options.statistics:
            yield from statistics.as_text(counted, style)
        else:
            yield from (text.full if output_format == "full" else text.concise)(findings, context)
        if self.options.show_fixes:
            yield from text.fixes(fixed.fixes, context)
        if not self.options.quiet and not (self.failed and not findings):
            yield text.summary(findings, fixed=fixed.count, unsafe=unsafe)

    def _tell_fixes(self, fixed: Fixed, *, would: bool) -> None:
        """One line, or the list of them, beside a diff or when nothing else is shown."""
        if self.options.show_fixes:
            context = text.TextContext(self.cwd, Style(wants_colour(self.options.color, sys.stderr)), lambda _: ())
            sys.stderr.writelines(text.fixes(fixed.fixes, context, would=would))
        else:
            verb = ("Would fix" if fixed.count else "Would fix nothing") if would else "Fixed"
            count = f" {fixed.count} finding{'s' if fixed.count != 1 else ''}" if fixed.count or not would else ""
            sys.stderr.write(f"{verb}{count}.\n")

    def _account(self, outcome: Outcome, files: int, seconds: float) -> None:
        complain(f"checked {files} file{'s' if files != 1 else ''} in {seconds:.2f} s", "info")
        for reason, count in sorted(outcome.counters.items()):
            complain(f"the analysis gave up {count} times: {reason}", "info")

    def _shown(self, path: Path) -> str:
        return text.shown_path(str(path), self.cwd)

    def _fail(self, message: str) -> None:
        self.failed = True
        complain(message)

    def _warn(self, message: str) -> None:
        if not (self.options.quiet or self.options.silent):
            complain(message, "warning")


class _Rows:
    """The rows of files, read once more for excerpts."""

    def __init__(self, texts: Mapping[str, Source]) -> None:
        self._known: dict[str, list[str]] = {path: source.lines for path, source in texts.items()}

    def __call__(self, path: str) -> Sequence[str]:
        rows = self._known.get(path)
        if rows is None:
            source = read_source(Path(path))
            # What could not be decoded is shown as far as it can be.
            text = source.text if source.error is None else source.data.decode("utf-8-sig", "replace")
            rows = self._known[path] = split_rows(text)
        return rows


def _sources(options: argparse.Namespace, cwd: Path) -> Sources:
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


def _write(pieces: Iterable[str], stream: TextIO | None = None) -> None:
    """Write to standard output or another stream, whatever its encoding can express."""
    stream = stream or sys.stdout
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    stream.writelines(pieces)
    stream.flush()
