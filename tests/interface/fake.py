"""A stand-in for the engine: `fault_JAX201()` in a file is a finding of JAX201."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from jaxlint.cli import check as check_command
from jaxlint.cli.main import main
from jaxlint.config.catalogue import Catalogue
from jaxlint.findings import Finding, Related, Severity, Span
from jaxlint.results import FileResult
from jaxlint.rule import Explanation, Rule
from jaxlint.source import Source, UnparsableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPLANATION = Explanation("A fault. More of it.", "It is bad.", "wrong()  # no\n", "right('yes')\n", "Mend it.")


def make_rule(code: str, name: str, severity: Severity = Severity.ERROR, *, default: bool = True) -> Rule:
    """A rule without a module."""
    attributes: dict[str, Any] = {
        "code": code, "name": name, "severity": severity, "default": default, "messages": {"default": "a fault"},
        "help": "mend `it`", "reference": "randomness", "explanation": _EXPLANATION,
    }  # fmt: skip
    rule: Rule = type(f"Rule{code}", (Rule,), attributes)()
    return rule


def catalogue() -> Catalogue:
    """A few rules of each kind, and the real ones about the linter itself."""
    from jaxlint.registry import rule_classes

    own = [rule() for rule in rule_classes() if rule.code in {"JAX001", "JAX002"}]
    rules = [
        *own,
        make_rule("JAX201", "key-reuse"),
        make_rule("JAX203", "discarded-key", Severity.WARNING),
        make_rule("JAX206", "legacy-prng-key", Severity.INFO, default=False),
        make_rule("JAX301", "branch-on-tracer"),
    ]
    return Catalogue(rules, lambda: {"JAX403": "host-sync-in-loop"})


class FakeEngine:
    """Finds `fault_CODE`; a file with `crash` in it makes it fail; an unclosed bracket makes a file unparsable."""

    instances: list[FakeEngine]

    def __init__(
        self,
        *,
        rules: Sequence[Rule],
        roots: Sequence[Path],
        target_jax: str,
        unsaved: Mapping[str, Source] | None = None,
    ) -> None:
        self.rules = {rule.code: rule for rule in rules}
        self.roots = list(roots)
        self.target_jax = target_jax
        self.found: dict[str, list[Finding]] = {}
        self.sources: list[Source] = []
        self.counters: Mapping[str, int] = {"unknown callee": 2}
        FakeEngine.instances.append(self)

    def analyse(self, source: Source) -> None:
        self.sources.append(source)
        if "crash" in source.text:
            raise KeyError("x")
        found = self.found.setdefault(source.path, [])
        error = source.error
        if error is not None or "unclosed" in source.text:
            span = error.span if error else Span(1, 1, 1, 2)
            event = UnparsableFile(source.path, span, error.message if error else "`(` is never closed")
            rule = self.rules.get("JAX001")
            if rule is not None:
                handler = getattr(rule, "on_unparsable_file")  # noqa: B009
                kind, values = handler(event, None)
                found.append(self._finding(rule, source, span, rule.messages[kind].format(**values)))
            return
        for row, line in enumerate(source.lines, 1):
            for match in re.finditer(r"fault_([A-Z]+\d+)\(?", line):
                rule = self.rules.get(match.group(1))
                if rule is not None:
                    span = Span(row, match.start() + 1, row, match.end() + 1)
                    found.append(self._finding(rule, source, span, f"{rule.name} in `{line.strip()[:12]}`"))

    def results(self) -> list[FileResult]:
        paths = [source.path for source in self.sources]
        return [FileResult(path, list(self.found.get(path, ())), [path]) for path in dict.fromkeys(paths)]

    @staticmethod
    def _finding(rule: Rule, source: Source, span: Span, message: str) -> Finding:
        last = span.row
        while last < len(source.lines) and source.lines[last - 1].rstrip().endswith("("):
            last += 1
        related = (Related(source.path, Span(1, 1, 1, 2), "it began here"),) if span.row > 1 else ()
        return Finding(
            rule.code, rule.name, rule.severity, message, source.path, span, rule.reference, rule.help,
            related, None, tuple(dict.fromkeys((span.row, last))),
        )  # fmt: skip


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class _Input(io.StringIO):
    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.buffer = io.BytesIO(data)  # type: ignore[misc]


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(folder: Path, *arguments: str, stdin: bytes | str = b"") -> Ran:
    """Run the whole command line in a folder, over the fake engine."""
    FakeEngine.instances = []
    out, err = io.StringIO(), io.StringIO()
    data = stdin.encode() if isinstance(stdin, str) else stdin
    with (
        _in(folder),
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", _Input(data)),
        mock.patch.object(check_command, "load_catalogue", catalogue),
        mock.patch("jaxlint.cli.rules.load_catalogue", catalogue),
        mock.patch("jaxlint.cli.config.load_catalogue", catalogue),
        mock.patch("jaxlint.cli.completion.load_catalogue", catalogue),
        mock.patch("jaxlint.cli.check.default_engine", FakeEngine),
    ):
        code = main(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Create files with their folders."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
