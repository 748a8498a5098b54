"""The part of `jaxlint check` that reports: which formats, where each goes, and what people are told besides."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.cli.streams import refuse_programs, write
from jaxlint.config.catalogue import Catalogue
from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.findings import Failure
from jaxlint.fixes.session import Fixed
from jaxlint.notebooks.places import located
from jaxlint.report import statistics, text
from jaxlint.report.formats import FORMATS, TEXT_FORMATS, Report, format_named
from jaxlint.report.style import Style, wants_colour
from jaxlint.source import Source, read_source


@dataclass(frozen=True, slots=True)
class _Output:
    """A format and its file; without one it goes to a standard stream."""

    format: str
    file: str | None


@dataclass(slots=True)
class Reporting:
    """What the options ask for. `setting` is the format that the settings say."""

    options: argparse.Namespace
    cwd: Path
    catalogue: Catalogue
    setting: str
    warn: Callable[[str], None]
    _outputs: list[_Output] = field(init=False)

    def __post_init__(self) -> None:
        self._outputs = _outputs(self.options, self.setting)
        files: set[Path] = set()
        for output in self._outputs:
            if output.file is not None:
                refuse_programs(output.file, self.cwd)
                if self.cwd / output.file in files:
                    raise UsageError(f"`{output.file}` cannot hold the output of two formats")
                files.add(self.cwd / output.file)
            if self.options.statistics and output.format not in (*TEXT_FORMATS, "json"):
                words = ", ".join((*TEXT_FORMATS, "json"))
                raise UsageError(f"--statistics is shown in the formats {words}, not in `{output.format}`")

    def report(
        self, fixed: Fixed, unsaved: Source | None, failures: Sequence[Failure], known: int = 0, *, to_stderr: bool
    ) -> list[str]:
        """Show or write the findings, besides `known` ones of a baseline; what went wrong, a line each."""
        texts = {**({unsaved.path: unsaved} if unsaved is not None else {}), **fixed.after}
        rows = _Rows(texts)
        findings = located(fixed.outcome.findings, rows.source)
        problems: list[str] = []
        for output in self._outputs:
            if output.file is None and self.options.silent:
                continue
            stream = sys.stderr if to_stderr else sys.stdout
            always = self.options.color == "always"
            colour = always or (output.file is None and wants_colour(self.options.color, stream))
            columns = shutil.get_terminal_size().columns if output.file is None and stream.isatty() else 0
            context = text.TextContext(
                self.cwd, Style(colour), rows, self.options.unsafe_fixes, columns, rows, rows.file_rows
            )
            report = Report(findings, context, failures, self.catalogue, self.warn)
            pieces = self._pieces(output.format, report, fixed, known)
            if output.file is None:
                write(pieces, stream)
            else:
                problems += _write_file(self.cwd / output.file, output.file, pieces)
        return problems

    def tell_fixes(self, fixed: Fixed, *, would: bool) -> None:
        """One line, or the list of them, beside a diff or when nothing else is shown."""
        if self.options.show_fixes:
            context = text.TextContext(self.cwd, Style(wants_colour(self.options.color, sys.stderr)), lambda _: ())
            sys.stderr.writelines(text.fixes(fixed.fixes, context, would=would))
        else:
            verb = ("Would fix" if fixed.count else "Would fix nothing") if would else "Fixed"
            count = f" {fixed.count} finding{'s' if fixed.count != 1 else ''}" if fixed.count or not would else ""
            sys.stderr.write(f"{verb}{count}.\n")

    def _pieces(self, name: str, report: Report, fixed: Fixed, known: int) -> Iterator[str]:
        findings, context = report.findings, report.context
        counted = statistics.count(findings, unsafe=context.unsafe)
        if name not in TEXT_FORMATS:
            yield from [statistics.as_json(counted)] if self.options.statistics else format_named(name)(report)
            return
        if self.options.statistics:
            yield from statistics.as_text(counted, context.style)
        else:
            yield from format_named(name)(report)
        if self.options.show_fixes:
            yield from text.fixes(fixed.fixes, context)
        if not self.options.quiet and not (report.failures and not findings):
            yield text.summary(findings, fixed=fixed.count, unsafe=context.unsafe)
            if known:
                yield f"{known} known finding{'s' if known != 1 else ''} of the baseline not shown.\n"


class _Rows:
    """The rows of files, read once more for excerpts."""

    def __init__(self, texts: Mapping[str, Source]) -> None:
        self._sources = dict(texts)
        self._rows: dict[tuple[str, int | None], list[str]] = {}
        self._file_rows: dict[tuple[str, int], list[int]] = {}

    def source(self, path: str) -> Source:
        """The file, as it was fixed or is on the disk."""
        found = self._sources.get(path)
        if found is None:
            found = self._sources[path] = read_source(Path(path))
        return found

    def __call__(self, path: str, cell: int | None = None) -> Sequence[str]:
        rows = self._rows.get((path, cell))
        if rows is None:
            source = self.source(path)
            rows = self._rows[path, cell] = source.rows_shown(cell)
        return rows

    def file_rows(self, path: str, cell: int) -> Sequence[int]:
        """The rows of a notebook's file that hold the rows of a cell."""
        rows = self._file_rows.get((path, cell))
        if rows is None:
            source = self.source(path)
            known = source.document.file_rows(source.data, cell) if source.document is not None else []
            rows = self._file_rows[path, cell] = known
        return rows


def _outputs(options: argparse.Namespace, setting: str) -> list[_Output]:
    """The files that `--format NAME:FILE` asks for, and the one format of standard output or of `--output-file`."""
    found: list[_Output] = []
    given: Sequence[str] = options.output_format or ()
    for word in given:
        name, colon, file = word.partition(":")
        if not colon:
            continue
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise UsageError(f"--output-format must be one of {', '.join(FORMATS)}, not `{name}`{near}")
        if not file:
            raise UsageError(f"--output-format: `{word}` names no file after the colon")
        found.append(_Output(name, file))
    if len(found) == len(given) > 0 and options.output_file is None:
        return found
    found.append(_Output(setting, options.output_file))
    return found


def _write_file(path: Path, shown: str, pieces: Iterable[str]) -> list[str]:
    text = "".join(pieces)
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        return [f"{shown}: cannot be written: {(error.strerror or str(error)).lower()}"]
    return []
