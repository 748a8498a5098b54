"""The table of JAX's changes: well formed, and in agreement with what installed versions said when they were asked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter

import pytest

from jaxlint.devtools import api_changes
from jaxlint.knowledge import rows
from jaxlint.knowledge.changes import TABLE, load, public_names
from jaxlint.target import version
from tests.support import ROOT

KINDS = {"argument", "behaviour", "default", "import", "module", "name", "tuning"}
VERSION = re.compile(r"(\d+(\.\d+){1,3})?")
TABLE_ROWS = list(rows(TABLE))
RECORDED = list(rows(ROOT / api_changes.RECORD))
VERSIONS = [name for name in RECORDED[0] if name not in ("name", "kind")]


def test_rows_are_well_formed() -> None:
    for row in TABLE_ROWS:
        assert row["kind"] in KINDS, row
        assert VERSION.fullmatch(row["deprecated_in"]) and VERSION.fullmatch(row["removed_in"]), row
        assert row["deprecated_in"] or row["removed_in"], row
        if row["deprecated_in"] and row["removed_in"]:
            assert version(row["deprecated_in"]) <= version(row["removed_in"]), row
        assert row["drop_in"] in ("yes", "no") and (row["replacement"] or row["drop_in"] == "no"), row
        assert row["limit"] == "" or row["limit"].isdigit(), row
        assert row["evidence"], row


def test_names_are_unique() -> None:
    counts = Counter(row["name"] for row in TABLE_ROWS)
    assert not [name for name, count in counts.items() if count > 1]


def test_each_row_was_asked_of_three_versions() -> None:
    assert [row["name"] for row in RECORDED] == [row["name"] for row in TABLE_ROWS], (
        "record again: python -m jaxlint.devtools api-changes /path/to/python …"
    )
    assert {version(name)[:2] for name in VERSIONS} >= {(0, 4), (0, 7), (0, 12)}


@pytest.mark.parametrize("running", VERSIONS)
def test_the_record_contradicts_no_row(running: str) -> None:
    wrong = [
        (row["name"], seen[running])
        for row, seen in zip(TABLE_ROWS, RECORDED, strict=True)
        if api_changes.disagrees(row, running, seen[running])
    ]
    assert not wrong


def test_what_takes_the_place_of_a_name_is_there() -> None:
    """The replacement of a drop-in row exists in the newest version."""
    newest = VERSIONS[-1]
    observed = {row["name"]: row[newest] for row in RECORDED if row["kind"] != "import"}
    gone = [
        row["name"]
        for row in TABLE_ROWS
        if row["drop_in"] == "yes" and observed.get(row["replacement"], "present") == "gone"
    ]
    assert not gone


def test_loader() -> None:
    changes = load()
    assert changes.imports["jax.config"].kind == "import"
    assert "jax.config" not in changes.names
    assert changes.names["jax.tree_map"].replacement == "jax.tree.map"
    assert {row.argument for row in changes.arguments["jax.numpy.clip"]} == {"a", "a_min", "a_max"}


def test_installed_version_agrees() -> None:
    pytest.importorskip("jax")
    running, _, answers = api_changes.observe(sys.executable, TABLE_ROWS)
    wrong = [
        (row["name"], answer)
        for row, answer in zip(TABLE_ROWS, answers, strict=True)
        if api_changes.disagrees(row, running, answer)
    ]
    assert not wrong


def test_public_names_exist_in_the_installed_version() -> None:
    jax = pytest.importorskip("jax")
    if version(jax.__version__) < (0, 12):
        pytest.skip("the names are those of JAX 0.12")
    questions = [["name", public, "", ""] for public in public_names().values()]
    probe = ROOT / "jaxlint" / "devtools" / "probe_api.py"
    ran = subprocess.run(
        [sys.executable, str(probe)], input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    answers = json.loads(ran.stdout.splitlines()[-1])["answers"]
    assert not [question[1] for question, answer in zip(questions, answers, strict=True) if answer == "gone"]
