"""One project's inventory: files, libraries, transformations, key sources, sharding, API currency, findings."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.config.catalogue import Catalogue
from jaxlint.config.resolver import Resolver
from jaxlint.files.requirements import judged_against
from jaxlint.files.roots import import_roots, project_folder
from jaxlint.findings import Finding
from jaxlint.knowledge import load
from jaxlint.runner import EngineFactory, Outcome, Runner, default_engine
from jaxlint.scan.observers import observers
from jaxlint.source import read_source
from jaxlint.target import NEWEST, Target, version
from jaxlint.workers import analyse

_IMPORT = re.compile(r"^\s*(?:from\s+([a-zA-Z_]\w*)[\w.]*\s+import|import\s+([a-zA-Z_]\w*))", re.MULTILINE)
_KINDS = {
    "control flow": "control_flow", "key source": "key_sources", "mesh": "meshes", "sharding": "shardings",
    "collective": "collectives", "donation": "donations", "callback": "callbacks", "setting": "settings",
}  # fmt: skip
_CUSTOM = "custom"
_DONATES = re.compile(r"^donate")


@dataclass(frozen=True, slots=True)
class Scanner:
    """Makes inventories. `shown` turns a path into its name in the report."""

    catalogue: Catalogue
    resolver: Resolver
    jobs: int
    cache: Path | None
    shown: Callable[[Path], str]
    on_file: Callable[[Path], None] = lambda _: None
    engine: EngineFactory = default_engine

    def scan(self, files: Sequence[Path]) -> tuple[dict[str, Any], Outcome]:
        """The inventory of some files, and what checking them came to."""
        runner = Runner(
            self.catalogue, self.resolver, engine=self.engine, jobs=self.jobs, cache=self.cache, shown=self.shown,
            on_file=self.on_file,
        )  # fmt: skip
        outcome = runner.check(files)
        requirement = self._requirement(files)
        # From the lowest release that the project takes to the newest there is, whatever it takes today.
        target = str(Target.parse(f"{requirement['target'].partition('..')[0]}..{NEWEST}"))
        notes = self._notes(files, target)
        return {
            "files": _files(files),
            "jax": requirement,
            **self._used(notes),
            "currency": self._currency(notes, target),
            "findings": self._findings(outcome.findings),
        }, outcome

    def _notes(self, files: Sequence[Path], target: str) -> list[Finding]:
        """What the observers noted, by place; several processes may have met the same."""
        settings = self.resolver.for_folder(files[0].parent) if files else None
        options: dict[str, Any] = {**(settings.engine_options() if settings else {}), "target_jax": target}
        options |= {"rules": observers(), "roots": sorted(map(str, import_roots(files)))}
        analysed = analyse([str(path) for path in files], self.engine, options, jobs=self.jobs)
        inside = {str(path) for path in files}
        notes = {
            (note.path, note.span, note.code, note.message): note
            for result in analysed.results
            for note in result.findings
            if note.path in inside
        }
        return sorted(notes.values(), key=Finding.sort_key)

    def _place(self, note: Finding) -> dict[str, Any]:
        return {"path": self.shown(Path(note.path)), "row": note.span.row}

    def _requirement(self, files: Sequence[Path]) -> dict[str, str]:
        if not files:
            return {"target": NEWEST, "origin": "default"}
        text, origin = judged_against(self.resolver.for_file(files[0]), files[0])
        return {"target": text or NEWEST, "origin": origin}

    def _used(self, notes: Iterable[Finding]) -> dict[str, Any]:
        report: dict[str, Any] = {"transformations": [], **{section: [] for section in _KINDS.values()}}
        report["custom_derivatives"] = []
        known = load().transforms
        for note in notes:
            facts = json.loads(note.message)
            entry = {"name": facts["name"], **self._place(note)}
            if note.code == "transformation":
                entry |= {"function": facts["function"], "options": facts["options"]}
                info = known.get(facts["name"])
                section = "custom_derivatives" if info is not None and info.mode == _CUSTOM else "transformations"
                report[section].append(entry)
                if any(_DONATES.match(name) for name in facts["options"]):
                    report["donations"].append(entry)
            elif note.code == "call":
                report[_KINDS[facts["kind"]]].append(entry)
        return report

    def _currency(self, notes: Iterable[Finding], target: str) -> dict[str, Any]:
        changes: dict[str, dict[str, Any]] = {}
        for note in notes:
            if note.code != "currency":
                continue
            facts = json.loads(note.message)
            guarded = facts.pop("guarded")
            change = changes.setdefault(facts["name"], {**facts, "guarded": True, "places": []})
            change["guarded"] = change["guarded"] and guarded
            change["places"].append(self._place(note))
        removed = [
            change["removed_in"]
            for change in changes.values()
            if change["removed_in"]
            and not change["guarded"]
            and change["kind"] in ("name", "module", "import", "argument")
        ]
        return {
            "judged_against": target,
            "runs_before": min(removed, key=version) if removed else None,
            "changes": sorted(changes.values(), key=lambda change: change["name"]),
        }

    def _findings(self, findings: Iterable[Finding]) -> dict[str, Any]:
        families: dict[str, Counter[str]] = {}
        for finding in findings:
            rule = self.catalogue.by_code[finding.code]
            family = type(rule).__module__.rpartition(".")[0].rpartition(".")[2]
            families.setdefault(family, Counter())[f"{finding.code} {finding.name}"] += 1
        counted = {family: dict(sorted(codes.items())) for family, codes in sorted(families.items())}
        return {"count": sum(sum(codes.values()) for codes in counted.values()), "families": counted}


def _files(files: Sequence[Path]) -> dict[str, Any]:
    """How much code there is, and which libraries it imports, by the number of files."""
    known = {name.partition(".")[0] for name in load().functions} - sys.stdlib_module_names
    rows = 0
    libraries: Counter[str] = Counter()
    for path in files:
        text = read_source(path).text
        rows += text.count("\n")
        libraries.update({match[1] or match[2] for match in _IMPORT.finditer(text)} & known)
    projects = {folder for path in files if (folder := project_folder(path.parent)) is not None}
    return {
        "count": len(files),
        "rows": rows,
        "projects": len(projects),
        "libraries": dict(sorted(libraries.items(), key=lambda item: (-item[1], item[0]))),
    }
