"""The analysis of files for flake8: the command line's, with the settings that are not about selection."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from jaxlint.cli.clean import cache_folder
from jaxlint.config.catalogue import Catalogue, load_catalogue
from jaxlint.config.errors import UsageError
from jaxlint.config.resolver import Resolver, Sources
from jaxlint.config.settings import Settings
from jaxlint.config.toml import Layer
from jaxlint.files.importers import ImportGraph
from jaxlint.files.suppressions import Suppressions
from jaxlint.findings import Finding
from jaxlint.flake8 import FAILED, Options
from jaxlint.runner import Outcome, Runner
from jaxlint.source import Source, universal_text
from jaxlint.workers import available_cores

Found = tuple[int, int, str]
"""Row from 1, column from 0, code and message."""


class Analysis:
    """Runs the engine. `graph` gives the imports of a project by its folder."""

    def __init__(self, options: Options, cwd: Path, graph: Callable[[Path], ImportGraph]) -> None:
        self._raw = options.raw
        self._catalogue = load_catalogue()
        self._settings = _Settings(self._catalogue, options, cwd)
        folder = cache_folder(self._settings.for_folder(cwd), cwd)
        alone = multiprocessing.parent_process() is not None  # a process of flake8's may have no children
        self._runner = Runner(
            self._catalogue,
            self._settings,
            jobs=1 if alone else options.jobs or available_cores(),
            cache=None if options.no_cache else folder,
            ignore_noqa=True,
            importing=lambda files, roots, project: graph(project).importers(files, roots),
        )

    def found(self, texts: Mapping[Path, str]) -> dict[Path, list[Found]]:
        """Findings by path; what failed stands among them, under its code."""
        found: dict[Path, list[Found]] = {path: [] for path in texts}
        checked: dict[Path, str] = {}
        for path, text in texts.items():
            problem = self._settings.problem(path)
            if problem:
                found[path].append((1, 0, f"{FAILED} {problem}"))
            elif not self._settings.leaves_out(path):
                checked[path] = text
        outcome = self._outcome(checked)
        for finding in self._heard(outcome.findings, checked):
            place = finding.span.row, finding.span.column - 1
            found[Path(finding.path)].append((*place, f"{finding.code} {finding.message}"))
        for path, message in _failures(outcome, checked):
            found[path].append((1, 0, f"{FAILED} {message}"))
        return found

    def _outcome(self, texts: Mapping[Path, str]) -> Outcome:
        unsaved = {str(path): _source(path, text) for path, text in texts.items() if universal_text(path) != text}
        limit = sys.getrecursionlimit()
        try:
            return self._runner.check(texts, unsaved)
        finally:
            sys.setrecursionlimit(limit)  # other plugins run on stacks that the limit of the analysis is not made for

    def _heard(self, findings: Iterable[Finding], texts: Mapping[Path, str]) -> Iterator[Finding]:
        """The findings without those that a comment of ours silences in the whole file: flake8 knows only its own."""
        silent: dict[str, Suppressions] = {}
        if not self._raw:
            silent = {
                str(path): Suppressions(_source(path, text), self._catalogue)
                for path, text in texts.items()
                if "jaxlint" in text
            }
        for finding in findings:
            suppressions = silent.get(finding.path)
            if suppressions is None or not suppressions.silences_in_file(finding):
                yield finding


class _Settings(Resolver):
    """The settings beside the code, but for what flake8 decides: which findings are shown."""

    def __init__(self, catalogue: Catalogue, options: Options, cwd: Path) -> None:
        values = {"target-jax": options.target, "cache-dir": options.cache_dir}
        layer = Layer({key: value for key, value in values.items() if value}, cwd, "--jax-{key}")
        if options.config and options.isolated:
            raise UsageError("--jax-config and --jax-isolated exclude each other")
        file = cwd / options.config if options.config else None
        super().__init__(catalogue, Sources(layer, (), file, options.isolated), cwd)
        self._on = frozenset(_rules_on(catalogue, options))

    def for_folder(self, folder: Path) -> Settings:
        """The settings of the files that stand in a folder."""
        return replace(super().for_folder(folder), rules=self._on, per_file_ignores=(), extend_per_file_ignores=())

    def problem(self, path: Path) -> str:
        """What is wrong with the settings of a file; empty when nothing is."""
        try:
            self.for_file(path)
        except UsageError as error:
            return " ".join(str(error).split())
        return ""

    def leaves_out(self, path: Path) -> bool:
        """Whether the settings exclude a file. The default excludes are flake8's business."""
        settings = self.for_file(path)
        return ("exclude" in settings.origins or "extend_exclude" in settings.origins) and settings.is_excluded(path)


def _rules_on(catalogue: Catalogue, options: Options) -> Iterator[str]:
    """The default rules, those that are enabled, and those that flake8's own selection calls by their whole codes."""
    for rule in catalogue:
        if rule.default or rule.code in options.chosen:
            yield rule.code
    for word in options.enable:
        yield from catalogue.select(word, "--jax-enable").codes


def _failures(outcome: Outcome, paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """What the analysis failed on, by path; what concerns the run as a whole concerns each file."""
    for failure in outcome.errors:
        for path in paths:
            if failure.path in {None, str(path)}:
                yield path, failure.message.removeprefix(f"{path}: ")


def _source(path: Path, text: str) -> Source:
    return Source(str(path), text, text.encode("utf-8", "surrogatepass"))
