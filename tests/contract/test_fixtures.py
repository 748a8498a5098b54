"""Every fixture: what its labels announce is reported, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.rules.meta.reserved import RESERVED
from tests.support import FIXTURES, catalogue, lint, mismatches, opt_in, read_labels, rules

WAITING = set(RESERVED)
"""Codes whose fixtures were written before the rule."""

FILES = sorted(path for path in FIXTURES.glob("*/*.py") if path.parent.name.partition("_")[0] not in WAITING)


def _id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _code(path: Path) -> str:
    return path.parent.name.partition("_")[0]


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_reports_what_its_labels_say(path: Path) -> None:
    reports = lint([path], extend_select=opt_in(_code(path))).get(path.resolve(), [])
    problems = mismatches(read_labels(path), reports)
    assert not problems, "\n".join([str(path.relative_to(FIXTURES.parent)), *problems])


@pytest.mark.parametrize("path", FILES, ids=_id)
def test_is_named_for_what_it_does(path: Path) -> None:
    code, expected = _code(path), read_labels(path).codes()
    if path.name.startswith("reports_"):
        assert code in expected, f"a fixture that reports expects {code} somewhere"
    else:
        assert path.name.startswith("silent_"), "fixtures are called reports_*.py or silent_*.py"
        assert code not in expected, f"a silent fixture expects no {code}"


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda folder: folder.name)
def test_folders_belong_to_rules(folder: Path) -> None:
    code = folder.name.partition("_")[0]
    assert code in rules(), f"no rule {code}"
    assert folder == catalogue()[code].fixture_folder


def test_the_file_list_changes_nothing() -> None:
    """One run over all files finds what a run for each file finds, whatever the order."""
    default = [path for path in FILES if not opt_in(_code(path))]
    together = lint(reversed(default))
    alone = {path.resolve(): found for path in default for found in lint([path]).values()}
    assert together == alone
