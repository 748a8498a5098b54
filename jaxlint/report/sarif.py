"""SARIF 2.1.0, as GitHub's code scanning reads it: one run with all rules, the results and what the run failed on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jaxlint
from jaxlint.files.roots import project_folder
from jaxlint.findings import Failure, Finding
from jaxlint.report.formats import Report
from jaxlint.report.paths import absolute_uri, relative_to, repository, uri, well_formed
from jaxlint.report.reference import DOCUMENTATION
from jaxlint.report.sarif_results import BASE, Places, Results
from jaxlint.report.sarif_rules import descriptors

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
KEPT = 5_000
"""How many results of a run GitHub keeps."""


def render(report: Report) -> Iterator[str]:
    """`--format sarif`."""
    if len(report.findings) > KEPT:
        report.warn(f"GitHub keeps {KEPT:,} results of a SARIF run, and this one has {len(report.findings):,}")
    yield json.dumps(document(report), indent=2) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The whole log."""
    cwd = report.context.cwd
    paths = [finding.path for finding in report.findings] or [f.path for f in report.failures if f.path is not None]
    root = repository(paths, cwd)
    places = Places(root, report.context.rows, report.context.file_rows)
    rules = list(report.rules)
    driver: dict[str, Any] = {
        "name": "jaxlint",
        "version": jaxlint.__version__,
        "semanticVersion": jaxlint.__version__,
        "rules": descriptors(rules),
    }
    if DOCUMENTATION:
        driver["informationUri"] = DOCUMENTATION
    unreadable = {rule.code for rule in rules if hasattr(rule, "on_unparsable_file")}
    results = Results(places, {rule.code: index for index, rule in enumerate(rules)}, unsafe=report.context.unsafe)
    notes = [_failed(failure, places) for failure in report.failures]
    notes += [_not_read(finding, places) for finding in report.findings if finding.code in unreadable]
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": _category(cwd, root)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {BASE: {"uri": absolute_uri(str(root)).rstrip("/") + "/"}},
        "invocations": [{"executionSuccessful": not report.failures, "toolExecutionNotifications": notes}],
        "results": results.all(report.findings),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _failed(failure: Failure, places: Places) -> dict[str, Any]:
    found: dict[str, Any] = {"level": "error", "message": {"text": well_formed(failure.message)}}
    if failure.path is not None:
        found["locations"] = [places.file(failure.path)]
    return found


def _not_read(finding: Finding, places: Places) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": well_formed(f"{finding.message}.")},
        "locations": [places.primary(finding)],
        "associatedRule": {"id": finding.code},
    }


def _category(cwd: Path, root: Path) -> str:
    """The run's category at GitHub, where a second run of one category replaces the first: one a project."""
    project = project_folder(cwd)
    below = relative_to(str(project), root) if project is not None else None
    return f"jaxlint/{uri(below)}/" if below else "jaxlint/"
