"""From files to findings: the engine over every file, then selection and suppressions, file by file."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from jaxlint.config.catalogue import Catalogue
from jaxlint.config.resolver import Resolver
from jaxlint.config.settings import Settings
from jaxlint.files.roots import import_roots
from jaxlint.files.suppressions import Suppressions, UnusedSuppression, silence
from jaxlint.findings import Applicability, Finding, Fix
from jaxlint.rule import Rule
from jaxlint.source import Source, read_source


class EngineLike(Protocol):
    """What the runner asks of the engine."""

    @property
    def counters(self) -> Mapping[str, int]:
        """Where the analysis gave up, and how often."""

    def analyse(self, source: Source) -> None:
        """Analyse one file as an entry."""

    def findings(self) -> Mapping[str, Sequence[Finding]]:
        """Absolute path to findings, unsuppressed."""


EngineFactory = Callable[..., EngineLike]


def default_engine(**options: Any) -> EngineLike:
    """The engine, imported when it is needed."""
    from jaxlint.engine import Engine  # noqa: PLC0415 (the parser takes longer to load than most commands to run)

    return cast("EngineLike", Engine(**options))


@dataclass(slots=True)
class Outcome:
    """What a run found. `errors` name files that the linter failed on; `warnings` never change the exit code."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    settings: Settings
    rules: frozenset[str]


class Runner:
    """Checks files. `shown` turns a path into its name in messages; `on_file` hears of each file before it is read."""

    def __init__(
        self,
        catalogue: Catalogue,
        resolver: Resolver,
        *,
        engine: EngineFactory = default_engine,
        ignore_noqa: bool = False,
        verbose: bool = False,
        shown: Callable[[Path], str] = str,
        on_file: Callable[[Path], None] = lambda _: None,
    ) -> None:
        self._catalogue = catalogue
        self._resolver = resolver
        self._engine = engine
        self._ignore_noqa = ignore_noqa
        self._verbose = verbose
        self._shown = shown
        self._on_file = on_file

    def check(self, files: Iterable[Path], unsaved: Source | None = None) -> Outcome:
        """Check files; `unsaved` stands in for the file of its path."""
        outcome = Outcome()
        groups: dict[tuple[tuple[str, object], ...], list[_File]] = {}
        for path in files:
            settings = self._resolver.for_file(path)
            options = tuple(sorted(settings.engine_options().items()))
            groups.setdefault(options, []).append(_File(path, settings, settings.rules_for(path)))
        for options, group in groups.items():
            self._check_group(group, dict(options), unsaved, outcome)
        outcome.findings.sort(key=Finding.sort_key)
        return outcome

    def _check_group(
        self, group: Sequence[_File], options: dict[str, object], unsaved: Source | None, outcome: Outcome
    ) -> None:
        """Files for which the engine runs with the same options."""
        on = frozenset[str]().union(*(file.rules for file in group))
        rules = [rule for rule in self._catalogue if rule.code in on]
        try:
            engine = self._engine(rules=rules, roots=import_roots(file.path for file in group), **options)
        except Exception as error:
            outcome.errors.append(self._failure("the start of the analysis", error))
            return
        suppressions: dict[Path, Suppressions] = {}
        failed: set[Path] = set()
        for file in group:
            self._on_file(file.path)
            source = unsaved if unsaved is not None and unsaved.path == str(file.path) else read_source(file.path)
            suppressions[file.path] = Suppressions(source, self._catalogue)
            if source.error is not None:
                failed.add(file.path)
            try:
                engine.analyse(source)
            except Exception as error:
                failed.add(file.path)
                outcome.errors.append(self._failure(self._shown(file.path), error))
        try:
            found = engine.findings()
        except Exception as error:
            outcome.errors.append(self._failure("the analysis as a whole", error))
            return
        outcome.counters.update(engine.counters)
        for file in group:
            outcome.findings += self._remaining(
                file, found.get(str(file.path), ()), suppressions[file.path], judge=file.path not in failed
            )
            if not self._ignore_noqa:
                shown = self._shown(file.path)
                outcome.warnings += [f"{shown}:{row}: {text}" for row, text in suppressions[file.path].warnings]

    def _remaining(
        self, file: _File, found: Sequence[Finding], suppressions: Suppressions, *, judge: bool
    ) -> list[Finding]:
        selected = [finding for finding in found if finding.code in file.rules]
        if self._ignore_noqa:
            return selected
        remaining = silence(selected, suppressions)
        judging = self._catalogue.with_handler("on_unused_suppression")
        broken = self._catalogue.with_handler("on_unparsable_file")
        unparsed = broken is not None and any(finding.code == broken.code for finding in found)
        if judging is None or judging.code not in file.rules or unparsed or not judge:
            return remaining
        unused = [_unused_finding(judging, event) for event in suppressions.unused(file.rules, judging.code)]
        return remaining + silence(unused, suppressions)

    def _failure(self, what: str, error: Exception) -> str:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        message = f"{what}: jaxlint failed here, which is a bug in jaxlint: {text}"
        if self._verbose:
            return message + "\n" + "".join(traceback.format_exception(error)).rstrip()
        return message + " (-v shows where)"


def _unused_finding(rule: Rule, event: UnusedSuppression) -> Finding:
    handler: Callable[[UnusedSuppression, object], tuple[str, dict[str, str]]] = getattr(rule, "on_unused_suppression")  # noqa: B009
    kind, values = handler(event, None)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=rule.messages[kind].format(**values),
        path=event.path,
        span=event.span,
        reference=rule.reference,
        help=rule.help,
        fix=Fix("remove the unused suppression", Applicability.SAFE, event.edits),
        noqa_rows=(event.span.row,),
    )
