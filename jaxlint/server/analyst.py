"""What stays warm between the jobs of the analysis process, and the jobs themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from jaxlint.config.catalogue import load_catalogue
from jaxlint.config.errors import UsageError
from jaxlint.config.resolver import Resolver, Sources
from jaxlint.config.toml import Layer
from jaxlint.files.importers import FileImports, ImportGraph, imports_of, read_imports
from jaxlint.files.requirements import forget_requirements
from jaxlint.files.roots import forget_roots, import_roots, project_folder
from jaxlint.findings import Finding
from jaxlint.fixes.session import fix_files
from jaxlint.runner import Outcome, Runner, default_engine
from jaxlint.server.messages import Check, Checked, Configure, Folder, Mend, Mended, Opened
from jaxlint.source import Source
from jaxlint.syntax.lowered import Lowered


@dataclass(frozen=True)
class _Base:
    """A folder that settings are looked for from, and what the client says about the files in it."""

    path: str
    folder: Folder = field(compare=False)


class Analyst:
    """Checks files as the command line does, from what editors hold and what earlier jobs have parsed.

    A file that does not parse stands in the analysis of the others as it was when it last did.
    """

    def __init__(self, checkpoint: Callable[[], None]) -> None:
        self._catalogue = load_catalogue()
        self._lowered = Lowered()
        self._engine = partial(default_engine, lowered=self._lowered, checkpoint=checkpoint)
        self._open: dict[str, Source] = {}
        self._good: dict[str, Source] = {}
        self._folders: tuple[Folder, ...] = (Folder(""),)
        self._resolvers: dict[str, Resolver] = {}
        self._proven: dict[str, Resolver] = {}
        self._imports: dict[str, tuple[object, FileImports]] = {}
        default_engine(rules=[], roots=[])  # loads the parser and the tables before anybody waits for them

    # ---- what the server tells ----

    def configure(self, request: Configure) -> None:
        """Take the folders of the workspace, and read settings anew when they are next needed."""
        self._folders = tuple(sorted(request.folders, key=lambda folder: len(folder.path), reverse=True))
        self._resolvers = {}
        forget_roots()
        forget_requirements()

    def opened(self, request: Opened) -> None:
        """Take what an editor holds."""
        if request.source is None:
            self._open.pop(request.path, None)
            self._good.pop(request.path, None)
        else:
            self._open[request.path] = request.source

    # ---- jobs ----

    def check(self, job: Check) -> Checked:
        """Check open files; in a wide job also the open files that import them."""
        files = [file for file in job.files if file in self._open]
        if job.wide:
            files += self._open_importers(files)
        findings: dict[str, list[Finding]] = {file: [] for file in files}
        problems: dict[str, None] = {}
        errors: list[str] = []
        for base, group in self._by_folder(files).items():
            outcome = self._outcome(base, group, problems, wide=job.wide)
            errors += [error.message for error in outcome.errors]
            for finding in outcome.findings:
                findings[finding.path].append(finding)
        broken = frozenset(file for file, found in findings.items() if any(map(self._says_broken, found)))
        for file in findings.keys() - broken:
            self._good[file] = self._open[file]
        return Checked(job.ticket, findings, broken, tuple(problems), tuple(errors))

    def mend(self, job: Mend) -> Mended:
        """Apply the safe fixes of an open file until nothing changes."""
        text = self._open[job.file].text
        for base, files in self._by_folder([job.file]).items():
            for resolver in self._resolvers_of(base, {}):
                try:
                    fixed = fix_files(self._runner(resolver, wide=False), files, self._texts(files), unsafe=False)
                except UsageError:
                    continue
                return Mended(job.ticket, fixed.after[job.file].text if job.file in fixed.after else text)
        return Mended(job.ticket, text)

    # ---- how ----

    def _outcome(self, base: _Base, files: list[Path], problems: dict[str, None], *, wide: bool) -> Outcome:
        for resolver in self._resolvers_of(base, problems):
            try:
                wanted = [file for file in files if not resolver.for_file(file).is_excluded(file)]
                outcome = self._runner(resolver, wide=wide).check(wanted, self._texts(files))
            except UsageError as error:
                problems[str(error)] = None
                continue
            self._proven[base.path] = resolver
            return outcome
        return Outcome()

    def _runner(self, resolver: Resolver, *, wide: bool) -> Runner:
        return Runner(
            self._catalogue, resolver, engine=self._engine, importing=self._importers if wide else _no_importers
        )

    def _texts(self, files: Sequence[Path]) -> dict[str, Source]:
        """What editors hold: of the files that are checked as it is, of the others as it last made sense."""
        checked = {str(file) for file in files}
        return {
            path: source if path in checked else self._good.get(path, source) for path, source in self._open.items()
        }

    def _says_broken(self, finding: Finding) -> bool:
        broken = self._catalogue.with_handler("on_unparsable_file")
        return broken is not None and finding.code == broken.code

    def _open_importers(self, files: Sequence[str]) -> list[str]:
        """The open files that import one of `files`."""
        paths = [Path(file) for file in files]
        roots = import_roots([Path(file) for file in self._open])
        found: set[str] = set()
        for project in {project_folder(path.parent) for path in paths}:
            if project is not None:
                inside = [path for path in paths if path.is_relative_to(project)]
                found.update(map(str, self._importers(inside, roots, project)))
        return sorted(found & self._open.keys() - set(files))

    def _importers(self, files: Sequence[Path], roots: Sequence[Path], project: Path) -> list[Path]:
        return ImportGraph(project, self._imports_of).importers(files, roots)

    def _imports_of(self, path: str) -> FileImports:
        """What a file imports, as an editor holds it or as it is on disk; known as long as it is the same."""
        source = self._open.get(path)
        mark = source.text if source is not None else _stamp(path)
        known = self._imports.get(path)
        if known is None or known[0] != mark:
            found = imports_of(source.text) if source is not None else read_imports(path)
            known = self._imports[path] = (mark, found)
        return known[1]

    # ---- settings ----

    def _by_folder(self, files: Sequence[str]) -> dict[_Base, list[Path]]:
        """Files by the innermost folder of the workspace; those outside of it by their own."""
        groups: dict[_Base, list[Path]] = {}
        for file in map(Path, files):
            inside = (folder for folder in self._folders if folder.path and file.is_relative_to(folder.path))
            outside = (folder for folder in self._folders if not folder.path)
            folder = next(inside, None) or next(outside, Folder(""))
            groups.setdefault(_Base(folder.path or str(file.parent), folder), []).append(file)
        return groups

    def _resolvers_of(self, base: _Base, problems: dict[str, None]) -> Iterator[Resolver]:
        """Where settings come from: as they are now, else as they last were in order, else nowhere."""
        if base.path not in self._resolvers:
            try:
                self._resolvers[base.path] = self._resolver(base)
            except UsageError as error:
                problems[str(error)] = None
        current = self._resolvers.get(base.path)
        yield from (resolver for resolver in (current, self._proven.get(base.path)) if resolver is not None)
        folder = Path(base.path)
        yield Resolver(self._catalogue, Sources(Layer({}, folder, ""), isolated=True), folder)

    def _resolver(self, base: _Base) -> Resolver:
        folder = Path(base.path)
        settings = Layer(base.folder.settings, folder, "the editor's setting `{key}`")
        file = folder / Path(base.folder.configuration).expanduser() if base.folder.configuration else None
        return Resolver(self._catalogue, Sources(settings, file=file), folder)


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116 (asked of every file of a project)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def _no_importers(files: Sequence[Path], roots: Sequence[Path], project: Path) -> list[Path]:  # noqa: ARG001
    return []
