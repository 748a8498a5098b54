"""`jaxlint confirm`, and the part of `jaxlint check` that runs JAX on what was found."""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jaxlint.child.places import interpreter, require_jax
from jaxlint.child.process import Limits
from jaxlint.cli.arguments import check_parser, confirm_parser, confirmation_words
from jaxlint.cli.progress import Progress
from jaxlint.config.catalogue import Catalogue
from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.confirm.session import Conditions
from jaxlint.confirm.session import confirm as confirm_findings
from jaxlint.files.disk import is_file
from jaxlint.findings import Finding
from jaxlint.source import Source
from jaxlint.workers import available_cores


def confirm(arguments: list[str]) -> int:
    """Check the files named and confirm what is found in them, or in one definition of each."""
    from jaxlint.cli.check import check  # noqa: PLC0415 (it imports this module in its turn)

    if {"-h", "--help"} & {*arguments}:
        confirm_parser().print_help()
        return 0
    targets: list[str] = check_parser().parse(confirmation_words(arguments)).paths
    if not targets:
        raise UsageError("name the file to confirm, or a function of it: FILE::QUALNAME")
    only: dict[str, str] = {}
    paths: list[str] = []
    for target in targets:
        path, _, name = target.partition("::")
        if not is_file(Path(path)):
            raise UsageError(f"{path}: no such file")
        paths.append(path)
        if name:
            only[str(Path(path).resolve())] = name
    others = [word for word in arguments if word not in targets]
    return check(["--confirm", *others, *paths], only)


class Confirming:
    """What the options ask for. Whether JAX is there is known before anything is analysed."""

    def __init__(self, options: argparse.Namespace, cwd: Path, catalogue: Catalogue, only: Mapping[str, str]) -> None:
        self._options = options
        self._trials = {rule.code: rule.confirm for rule in catalogue if rule.confirm is not None}
        self._rows = {path: _rows_of(path, name) for path, name in only.items()}
        python = interpreter(options.python)
        require_jax(python)
        self._conditions = Conditions(
            python,
            cwd,
            options.inputs,
            Limits(options.time_limit, int(options.memory_limit * 2**30)),
            options.platform,
            options.jobs or available_cores(),
        )

    def run(self, findings: Sequence[Finding], unsaved: Source | None) -> list[Finding]:
        """The findings that were asked for, with verdicts."""
        if unsaved is not None:
            raise UsageError("--confirm runs files: what is read from standard input cannot be confirmed")
        asked = [finding for finding in findings if self._is_asked(finding)]
        count = sum(finding.code in self._trials for finding in asked)
        quiet = self._options.quiet or self._options.silent
        progress = Progress(count, sys.stderr, enabled=not quiet)
        try:
            return confirm_findings(
                asked, self._trials, self._conditions, lambda finding: progress.file(Path(finding.path))
            )
        finally:
            progress.close()

    def counting(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that count for the exit code."""
        return [
            finding
            for finding in findings
            if not self._options.drop_refuted
            or finding.confirmation is None
            or finding.confirmation.verdict != "refuted"
        ]

    def _is_asked(self, finding: Finding) -> bool:
        rows = self._rows.get(str(Path(finding.path).resolve()))
        return rows is None or finding.span.row in rows


def _rows_of(path: str, name: str) -> range:
    """The rows of the definition that a dotted name means in a file."""
    try:
        body: Sequence[ast.AST] = ast.parse(Path(path).read_bytes()).body
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from None
    rows = range(0)
    for part in name.split("."):
        if part == "<locals>":
            continue
        found = {
            node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        if part not in found:
            raise UsageError(f"{path}: there is no `{name}`{did_you_mean(part, found)}")
        node = found[part]
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        rows = range(first, (node.end_lineno or node.lineno) + 1)
        body = node.body
    return rows
