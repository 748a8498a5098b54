"""The table of verdicts over installed packages: what is drawn, how it is counted, what contradicts a judgement."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from jaxlint.devtools import sampled
from jaxlint.devtools.precision import Place
from jaxlint.devtools.sampled import Tried
from jaxlint.findings import Confirmation, Finding, Severity, Span


def tried(package: str, code: str, row: int, verdict: str = "", judgement: str = "") -> Tried:
    finding = Finding(code, "x", Severity.ERROR, "m", f"/site/{package}.py", Span(row, 1, row, 9), "")
    if verdict:
        finding = replace(finding, confirmation=Confirmation(verdict, "seen", "`f`: x=1"))
    return Tried(finding, Place(f"{package}-1.0", f"{package}.py", row, code), judgement)


def test_each_pair_of_package_and_code_has_its_turn() -> None:
    many = [tried("large", "JAX201", row) for row in range(100)]
    few = [tried("large", "JAX502", 1), tried("small", "JAX201", 1), tried("small", "JAX201", 2)]
    drawn = sampled.draw([*many, *few], 8, seed=6)
    assert drawn == sampled.draw([*many, *few], 8, seed=6)
    assert Counter((part.place.package, part.place.code) for part in drawn) == {
        ("large-1.0", "JAX201"): 5, ("large-1.0", "JAX502"): 1, ("small-1.0", "JAX201"): 2,
    }  # fmt: skip
    assert len(sampled.draw(few, 8, seed=6)) == 3


def test_verdicts_are_counted_by_code() -> None:
    done = [
        tried("p", "JAX502", 1, "inconclusive"),
        tried("p", "JAX201", 2, "confirmed"),
        tried("p", "JAX201", 3, "refuted"),
    ]
    assert sampled.table(done).splitlines()[2:] == [
        "| JAX201 | 1 | 1 | 0 | 100% |",
        "| JAX502 | 0 | 0 | 1 | 0% |",
        "| all | 1 | 1 | 1 | 67% |",
    ]


def test_a_verdict_against_a_judgement_is_marked() -> None:
    assert (
        tried("p", "JAX201", 1, "refuted", "right").line().startswith("! refuted: p-1.0/p.py:1: JAX201 (right): seen")
    )
    assert tried("p", "JAX201", 1, "confirmed", "wrong").contradicts
    assert not tried("p", "JAX201", 1, "refuted", "wrong").contradicts
    assert not tried("p", "JAX201", 1, "confirmed", "unclear").contradicts


def test_only_modules_that_are_installed_with_the_same_content_count(tmp_path: Path) -> None:
    unpacked, site = tmp_path / "corpus" / "p-1.0", tmp_path / "site"
    items = []
    for name, text in (("same.py", "x = 1\n"), ("other.py", "x = 1\n"), ("absent.py", "x = 1\n")):
        for folder in (unpacked, site):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text if folder == unpacked or name == "same.py" else "x = 2\n")
        place = {"location": {"row": 1, "column": 1}, "end_location": {"row": 1, "column": 2}}
        related = [{"filename": str(unpacked / name), "message": "first", **place}]
        items.append(
            {"code": "JAX201", "name": "key-reuse", "severity": "error", "message": "m", "cell": None,
             "filename": str(unpacked / name), "related": related, **place}
        )  # fmt: skip
    (site / "absent.py").unlink()
    report = tmp_path / "p-1.0.json"
    report.write_text(json.dumps(items))
    known = {Place("p-1.0", "same.py", 1, "JAX201"): "right"}
    (found,) = sampled.installed(report, site, known)
    assert found.finding.path == found.finding.related[0].path == str(site / "same.py")
    assert (found.place.file, found.judgement) == ("same.py", "right")


def test_the_table_stands_in_the_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / sampled.PAGE
    page.write_text(f"before\n{sampled.TABLE_START}old\n{sampled.TABLE_END}after\n")
    sampled.record(tmp_path, "Measured.", "| code |")
    assert page.read_text() == f"before\n{sampled.TABLE_START}\nMeasured.\n\n| code |\n\n{sampled.TABLE_END}after\n"
