"""What the analysis lets go of to hold less changes no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import workers
from jaxlint.engine import Engine
from jaxlint.registry import rule_classes
from jaxlint.semantics import interpreter, project
from jaxlint.workers import analyse_here

EXAMPLES = Path(__file__).parents[2] / "examples" / "digits"


def _found() -> set[tuple[str, str, int, int, str]]:
    paths = sorted(str(path) for path in EXAMPLES.rglob("*.py"))
    options = {"rules": [rule() for rule in rule_classes()], "roots": [str(EXAMPLES.parent)]}
    analysed = analyse_here(paths, Engine, options)
    assert not analysed.failures
    return {
        (finding.path, finding.code, finding.span.row, finding.span.column, finding.message)
        for result in analysed.results
        for finding in result.findings
    }


def test_forgetting_changes_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _found()
    assert len(whole) > 5
    monkeypatch.setattr(interpreter, "MAX_HELD", 0)
    monkeypatch.setattr(project, "MOST_NODES", 1)
    assert _found() == whole
    monkeypatch.setattr(workers, "MOST", 1)
    assert _found() == whole
