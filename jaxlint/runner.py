"""From files to findings: the engine over every file, then selection and suppressions, file by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jaxlint.baseline import Baseline
from jaxlint.cache import Cache
from jaxlint.config.catalogue import Catalogue
from jaxlint.config.resolver import Resolver
from jaxlint.config.settings import Settings
from jaxlint.files.importers import importers
from jaxlint.files.requirements import judged_against
from jaxlint.files.roots import import_roots, project_folder
from jaxlint.files.suppressions import Suppressions, UnusedSuppression, silence
from jaxlint.findings import Applicability, Failure, Finding, Fix, Related
from jaxlint.rule import Rule
from jaxlint.source import Source, read_source
from jaxlint.workers import Analysed, analyse

EngineFactory = Callable[..., Any]
"""Makes what `jaxlint.workers` runs: an object like `jaxlint.engine.Engine`."""


def default_engine(**options: Any) -> Any:
    """The engine, imported when it is needed."""
    from jaxlint.engine import Engine  # noqa: PLC0415 (the parser takes longer to load than most commands to run)

    return Engine(**options)


@dataclass(slots=True)
class Outcome:
    """What a run found. `errors` tell of files that the linter failed on; `warnings` never change the exit code."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    settings: Settings
    rules: frozenset[str]


class Runner:
    """Checks files with up to `jobs` processes, keeping results under `cache`.

    `baseline` hides the findings that it knows. `shown` turns a path into its name in messages; `on_file` hears of each
    file before it is read. `importing` finds, from files, import roots and a project's folder, the files that import
    the first.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        resolver: Resolver,
        *,
        engine: EngineFactory = default_engine,
        jobs: int = 1,
        cache: Path | None = None,
        ignore_noqa: bool = False,
        baseline: Baseline | None = None,
        verbose: bool = False,
        shown: Callable[[Path], str] = str,
        on_file: Callable[[Path], None] = lambda _: None,
        importing: Callable[[Sequence[Path], Sequence[Path], Path], list[Path]] = importers,
    ) -> None:
        self._catalogue = catalogue
        self._resolver = resolver
        self._engine = engine
        self._jobs = jobs
        self._cache = cache
        self._ignore_noqa = ignore_noqa
        self._baseline = baseline
        self._verbose = verbose
        self._shown = shown
        self._on_file = on_file
        self._importing = importing

    def check(self, files: Iterable[Path], unsaved: Mapping[str, Source] | None = None) -> Outcome:
        """Check files; `unsaved` holds, by path, what stands in for files."""
        outcome = Outcome()
        groups: dict[tuple[tuple[str, object], ...], list[_File]] = {}
        for path in files:
            settings = self._resolver.for_file(path)
            judged = judged_against(settings, path)[0]
            options = tuple(sorted({**settings.engine_options(), "target_jax": judged}.items()))
            groups.setdefault(options, []).append(_File(path, settings, settings.rules_for(path)))
        for options, group in groups.items():
            self._check_group(group, dict(options), unsaved or {}, outcome)
        outcome.findings.sort(key=Finding.sort_key)
        return outcome

    def _check_group(
        self, group: Sequence[_File], options: dict[str, object], unsaved: Mapping[str, Source], outcome: Outcome
    ) -> None:
        """Files for which the engine runs with the same options."""
        on = frozenset[str]().union(*(file.rules for file in group))
        rules = [rule for rule in self._catalogue if rule.code in on]
        listed = [file.path for file in group]
        roots = import_roots(listed)
        beside = self._importers(listed, roots)
        roots = import_roots([*listed, *beside])
        paths = [str(path) for path in (*listed, *beside)]
        engine_options = {**options, "rules": rules, "roots": sorted(str(root) for root in roots)}
        found, failed = self._analysed(paths, engine_options, unsaved, outcome)
        for file in group:
            source = unsaved.get(str(file.path)) or read_source(file.path)
            suppressions = Suppressions(source, self._catalogue)
            judge = source.error is None and str(file.path) not in failed
            remaining = self._remaining(file, found.get(str(file.path), ()), suppressions, judge=judge)
            if self._baseline is not None:
                remaining = self._baseline.remaining(file.path, remaining, source.lines, file.rules)
            outcome.findings += remaining
            if not self._ignore_noqa:
                shown = self._shown(file.path)
                outcome.warnings += [f"{shown}:{source.row_shown(row)}: {text}" for row, text in suppressions.warnings]

    def _importers(self, listed: Sequence[Path], roots: Sequence[Path]) -> list[Path]:
        """Files that import the listed ones: how they call them decides what is traced there."""
        found: dict[Path, None] = {}
        for project in {project for path in listed if (project := project_folder(path.parent)) is not None}:
            inside = [path for path in listed if path.is_relative_to(project)]
            found.update(dict.fromkeys(self._importing(inside, roots, project)))
        known = set(listed)
        return [path for path in found if path not in known]

    def _analysed(
        self, paths: Sequence[str], options: dict[str, Any], unsaved: Mapping[str, Source], outcome: Outcome
    ) -> tuple[dict[str, list[Finding]], set[str]]:
        """Findings by file, from the cache where it knows them, and the files that the analysis failed on."""
        identity = {**options, "rules": sorted(rule.code for rule in options["rules"])}
        cache = Cache(self._cache, identity, unsaved) if self._cache is not None else None
        known = {path: result for path in paths if cache is not None and (result := cache.get(path)) is not None}
        todo = [path for path in paths if path not in known]
        analysed = Analysed()
        if todo:
            analysed = analyse(todo, self._engine, options, jobs=self._jobs, unsaved=unsaved, on_file=self._on_file)
        outcome.counters.update(analysed.counters)
        for path, message, trace in analysed.failures:
            what = self._shown(Path(path)) if path is not None else "the analysis as a whole"
            outcome.errors.append(Failure(self._failure(what, message, trace), path))
        failed = {path for path, _, _ in analysed.failures if path is not None}
        found: dict[str, dict[tuple[str, object], Finding]] = {}
        for result in (*known.values(), *analysed.results):
            if cache is not None and result.path not in known and result.path not in failed:
                cache.put(result)
            for finding in result.findings:
                kept = found.setdefault(finding.path, {})
                place = (finding.code, finding.span)
                if place not in kept or _preference(finding) < _preference(kept[place]):
                    kept[place] = finding
        if cache is not None:
            if not analysed.failures and not unsaved:
                cache.save()
            outcome.warnings += cache.notes
        return {path: list(kept.values()) for path, kept in found.items()}, failed

    def _remaining(
        self, file: _File, found: Sequence[Finding], suppressions: Suppressions, *, judge: bool
    ) -> list[Finding]:
        selected = [_mendable(finding, file.settings) for finding in found if finding.code in file.rules]
        if self._ignore_noqa:
            return selected
        remaining = silence(selected, suppressions)
        judging = self._catalogue.with_handler("on_unused_suppression")
        broken = self._catalogue.with_handler("on_unparsable_file")
        unparsed = broken is not None and any(finding.code == broken.code for finding in found)
        if judging is None or judging.code not in file.rules or unparsed or not judge:
            return remaining
        unused = [
            _mendable(_unused_finding(judging, event), file.settings)
            for event in suppressions.unused(file.rules, judging.code)
        ]
        return remaining + silence(unused, suppressions)

    def _failure(self, what: str, message: str, trace: str) -> str:
        text = f"{what}: jaxlint failed here, which is a bug in jaxlint: {message}"
        return f"{text}\n{trace.rstrip()}" if self._verbose else text + " (-v shows where)"


def _mendable(finding: Finding, settings: Settings) -> Finding:
    """The finding, without its fix where the settings want none of its rule."""
    return finding if finding.fix is None or finding.code in settings.mendable else replace(finding, fix=None)


def _preference(finding: Finding) -> tuple[int, str, list[Related]]:
    """Of several reports of one code and place, the one with the shortest explanation is shown."""
    return (len(finding.related), finding.message, list(finding.related))


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
