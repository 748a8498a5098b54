"""`jaxlint check`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.cli.arguments import check_parser, confirmation_words, sources
from jaxlint.cli.clean import cache_folder
from jaxlint.cli.fixing import Fixing
from jaxlint.cli.main import COMMANDS, EXIT_ERROR, complain
from jaxlint.cli.progress import Progress
from jaxlint.cli.reporting import Reporting
from jaxlint.cli.show import show_settings
from jaxlint.cli.silencing import Taking
from jaxlint.cli.streams import write
from jaxlint.config.catalogue import Catalogue, load_catalogue
from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.config.resolver import Resolver
from jaxlint.files.discovery import discover, is_force_excluded
from jaxlint.findings import Failure, Finding
from jaxlint.report.statistics import gave_up
from jaxlint.report.text import shown_path
from jaxlint.runner import EngineFactory, Outcome, Runner, default_engine
from jaxlint.source import Source, decode_source
from jaxlint.workers import available_cores

if TYPE_CHECKING:
    from jaxlint.cli.confirming import Confirming

_STDIN = "-"


def check(arguments: list[str], only: Mapping[str, str] | None = None) -> int:
    """Check files and report; the exit code is 0, 1 or 2.

    only: what `jaxlint confirm` was asked for, the dotted name of a definition by file.
    """
    options = check_parser().parse(confirmation_words(arguments))
    cwd = Path.cwd()
    catalogue = load_catalogue()

    def fresh() -> Resolver:
        return Resolver(catalogue, sources(options, cwd), cwd)

    confirming = None
    if options.confirm or options.drop_refuted:
        from jaxlint.cli.confirming import Confirming  # noqa: PLC0415 (nothing else may reach what runs programs)

        if options.watch:
            raise UsageError("--watch does not run programs: leave out --confirm")
        confirming = Confirming(options, cwd, catalogue, only or {})

    def once() -> int:
        resolver = fresh()
        settled = argparse.Namespace(**{**vars(options), "unsafe_fixes": resolver.for_folder(cwd).unsafe_fixes})
        return _Check(settled, cwd, catalogue, resolver, default_engine, confirming).run()

    if not options.watch:
        return once()
    from jaxlint.cli.watch import watch  # noqa: PLC0415 (few runs watch)

    return watch(options, once, fresh)


@dataclass(slots=True)
class _Check:
    """One run of the command."""

    options: argparse.Namespace
    cwd: Path
    catalogue: Catalogue
    resolver: Resolver
    engine: EngineFactory
    confirming: Confirming | None = None
    failures: list[Failure] = field(default_factory=list)

    def run(self) -> int:
        started = time.perf_counter()
        files, unsaved = self._inputs()
        if self.options.show_files or self.options.show_settings:
            first = files[0] if files else self.cwd / _STDIN
            shown = "".join(f"{file}\n" for file in files)
            write(shown if self.options.show_files else show_settings(first, self.resolver.for_file(first)))
            return EXIT_ERROR if self.failures else 0
        if self.resolver.idle:
            self._warn(f"{', '.join(self.resolver.idle)}: a code of the catalogue that has no rule yet")
        settings = self.resolver.for_folder(self.cwd)
        reporting = Reporting(self.options, self.cwd, self.catalogue, settings.output_format, self._warn)
        taking = Taking(self.options, self.cwd, self.catalogue, settings.baseline)
        taking.refuse_what_excludes_it(unsaved)
        baseline = taking.baseline()
        progress = Progress(len(files), sys.stderr, enabled=not (self.options.quiet or self.options.silent))
        runner = Runner(
            self.catalogue,
            self.resolver,
            engine=self.engine,
            jobs=self.options.jobs or available_cores(),
            cache=None if self.options.no_cache else cache_folder(settings, self.cwd),
            ignore_noqa=self.options.ignore_noqa,
            baseline=baseline,
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
        for warning in dict.fromkeys(outcome.warnings):  # groups of files may share what is wrong
            self._warn(warning)
        for error in (*outcome.errors, *map(Failure, fixing.finish(fixed, self._shown))):
            self._fail(error)
        if self.confirming is not None and not fixing.only and not taking.asked:
            outcome.findings = self.confirming.run(outcome.findings, unsaved)
        for warning in taking.stale(baseline):
            self._warn(warning)
        left: list[Finding] = []
        if taking.asked:
            done = taking.take(outcome, self._shown)
            left = done.left
            for problem in done.problems:
                self._fail(Failure(problem))
            if done.message and not self.options.silent:
                write(f"{done.message}\n")
        elif not fixing.only:
            known = baseline.hidden if baseline is not None else 0
            for problem in reporting.report(fixed, unsaved, self.failures, known, to_stderr=fixing.prints_source):
                self._fail(Failure(problem))
        elif not self.options.silent and not self.options.quiet:
            reporting.tell_fixes(fixed, would=self.options.diff)
        if self.options.verbose:
            self._account(outcome, len(files), time.perf_counter() - started)
        if self.failures:
            return EXIT_ERROR
        if self.confirming is not None:
            outcome.findings = self.confirming.counting(outcome.findings)
        if self.options.exit_zero:
            return 0
        return int(bool(left)) if taking.asked else fixing.status(fixed)

    def _inputs(self) -> tuple[list[Path], Source | None]:
        paths: list[str] = self.options.paths or ["."]
        if self.options.stdin_filename is not None or paths == [_STDIN]:
            return self._standard_input([path for path in self.options.paths if path != _STDIN])
        if _STDIN in paths:
            raise UsageError("`-` (standard input) cannot be checked together with files")
        found = discover(paths, self.resolver)
        for path in found.missing:
            near = did_you_mean(path, COMMANDS) if path == paths[0] and path.isidentifier() else ""
            self._fail(Failure(f"{path}: no such file or folder{near}", str(self.cwd / path)))
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

    def _account(self, outcome: Outcome, files: int, seconds: float) -> None:
        complain(f"checked {files} file{'s' if files != 1 else ''} in {seconds:.2f} s", "info")
        for line in gave_up(outcome.counters):
            complain(line, "info")

    def _shown(self, path: Path) -> str:
        return shown_path(str(path), self.cwd)

    def _fail(self, failure: Failure) -> None:
        self.failures.append(failure)
        complain(failure.message)

    def _warn(self, message: str) -> None:
        if not (self.options.quiet or self.options.silent):
            complain(message, "warning")
