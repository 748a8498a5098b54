"""The feature table: each "yes" of jaxlint is shown by a test that exists."""

from __future__ import annotations

import re

from tests.support import ROOT

PAGE = ROOT / "docs" / "features.md"


def test_each_yes_names_tests_that_exist() -> None:
    rows = [line.strip("|\n").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if "**yes**" in line]
    rows = [row for row in rows if len(row) > 2 and row[1].strip() == "**yes**"]
    assert len(rows) > 25
    known = {
        (path.name, name)
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for row in rows:
        named = re.findall(r"`(?:tests/\w+/)?(test_\w+\.py)::(test_\w+)`", row[-1])
        assert named, f"{row[0].strip()}: no test is named"
        assert set(named) <= known, f"{row[0].strip()}: no such test"
