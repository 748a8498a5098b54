"""The part of `jaxlint check` that fixes: which fixes, where the result goes, what the exit code says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from jaxlint.cli.streams import write
from jaxlint.fixes.session import Fixed, fix_files
from jaxlint.fixes.write import encoded, write_source
from jaxlint.runner import Runner
from jaxlint.source import Source


class Fixing:
    """What the options ask for. `unsaved` is what standard input holds, if that is read."""

    def __init__(self, options: argparse.Namespace, unsaved: Source | None) -> None:
        self._options = options
        self._unsaved = unsaved
        self.only: bool = options.fix_only or options.diff
        self.applies: bool = options.fix or self.only
        self.prints_source: bool = self.applies and not options.diff and unsaved is not None

    def run(self, runner: Runner, files: Sequence[Path]) -> Fixed:
        """Check, and fix in memory where that is asked for."""
        texts = {self._unsaved.path: self._unsaved} if self._unsaved is not None else {}
        if not self.applies:
            return Fixed(runner.check(files, texts))
        return fix_files(runner, files, texts, unsafe=self._options.unsafe_fixes)

    def finish(self, fixed: Fixed, shown: Callable[[Path], str]) -> list[str]:
        """Write the fixed files, the fixed standard input or the diff; what went wrong, a line each."""
        errors = [f"{shown(Path(path))}: {message}" for path, message in fixed.problems]
        if self._options.diff:
            write(fixed.diff({path: shown(Path(path)) for path in fixed.after}))
        elif self._unsaved is not None:
            if self.applies:
                _write_bytes(_result(self._unsaved, fixed))
        else:
            for path, source in fixed.after.items():
                problem = write_source(source, fixed.before[path].data)
                if problem:
                    errors.append(f"{shown(Path(path))}: {problem}")
        return errors

    def status(self, fixed: Fixed) -> int:
        """0 when nothing is left to complain of, else 1."""
        if self._options.diff:
            return 1 if fixed.after else 0
        if self._options.exit_non_zero_on_fix and fixed.after:
            return 1
        return 1 if fixed.outcome.findings and not self.only else 0


def _result(unsaved: Source, fixed: Fixed) -> bytes:
    """The fixed text in the encoding that it came in; what was not fixed, byte for byte."""
    source = fixed.after.get(unsaved.path)
    if source is None:
        return unsaved.data
    try:
        return encoded(source)
    except UnicodeEncodeError:
        return unsaved.data


def _write_bytes(data: bytes) -> None:
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
    else:
        sys.stdout.flush()
        buffer.write(data)
    sys.stdout.flush()
