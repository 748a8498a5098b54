"""`--format sarif`, as GitHub's code scanning reads it. `.ci/sarif` holds it against the real validator as well."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from jaxlint.findings import Applicability, Edit, Failure, Finding, Fix, Related, Severity, Span
from jaxlint.report import precision, sarif
from jaxlint.report.formats import Report
from jaxlint.report.identity import LineHashes
from jaxlint.report.paths import repository
from jaxlint.report.sarif_results import message
from jaxlint.report.style import Style
from jaxlint.report.text import TextContext
from tests.interface.fake import catalogue, run, write
from tests.support import ROOT

FAULT = "fault_JAX201()\n"


def log(text: str) -> dict[str, Any]:
    """The only run of a log."""
    document = json.loads(text)
    assert document["version"] == "2.1.0"
    (found,) = document["runs"]
    assert isinstance(found, dict)
    return found


def test_a_run_with_all_rules(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n" + FAULT})
    ran = run(tmp_path, "--format", "sarif")
    assert (ran.code, ran.err) == (1, "")
    found = log(ran.out)
    assert found["columnKind"] == "unicodeCodePoints"
    assert found["automationDetails"]["id"] == "jaxlint/"
    rules = found["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["JAX001", "JAX002", "JAX201", "JAX203", "JAX206", "JAX301"]
    rule = rules[2]
    assert rule["name"] == "KeyReuse"
    assert rule["shortDescription"]["text"] == "A fault."
    assert rule["fullDescription"]["text"] == "A fault. More of it. It is bad."
    assert "## Wrong\n```python\nwrong()" in rule["help"]["markdown"]
    assert rule["helpUri"].startswith("https://")
    assert rule["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert rule["properties"]["problem.severity"] == "error"
    assert "security-severity" not in rule["properties"]
    assert rules[4]["defaultConfiguration"] == {"enabled": False, "level": "note"}
    assert rules[4]["properties"]["problem.severity"] == "recommendation"
    assert rules[4]["properties"]["tags"] == ["jax", "interface", "opt-in"]


def test_a_result(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\ns = '\N{DESERET CAPITAL LETTER LONG I}'; " + FAULT})
    (result,) = log(run(tmp_path, "--format", "sarif").out)["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("JAX201", 2, "error")
    assert result["message"]["text"].endswith(". See: [it began here](1). To mend it: mend `it`.")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {
        "startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 23, "snippet": {"text": "fault_JAX201("},
    }  # fmt: skip
    assert place["contextRegion"]["snippet"]["text"].startswith("x = 1\ns = ")
    (related,) = result["relatedLocations"]
    assert (related["id"], related["message"]["text"]) == (1, "it began here.")
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps] == [1, 2]
    assert steps[-1]["location"]["message"]["text"].startswith("key-reuse in")


def test_no_findings_and_findings_that_comments_silence(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()  # noqa: JAX201\n"})
    ran = run(tmp_path, "--format", "sarif")
    found = log(ran.out)
    assert (ran.code, found["results"]) == (0, [])
    assert found["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    assert len(log(run(tmp_path, "--format", "sarif", "--ignore-noqa").out)["results"]) == 1


def test_files_that_fail_are_notifications(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "bad file.py": "crash\n", "broken.py": "unclosed(\n"})
    ran = run(tmp_path, "--format", "sarif", ".", "nowhere.py")
    assert ran.code == 2
    found = log(ran.out)
    assert {result["ruleId"] for result in found["results"]} == {"JAX001", "JAX201"}
    (invocation,) = found["invocations"]
    assert invocation["executionSuccessful"] is False
    notes = invocation["toolExecutionNotifications"]
    uris = [note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for note in notes]
    assert sorted(uris) == ["bad%20file.py", "broken.py", "nowhere.py"]
    assert notes[-1]["associatedRule"] == {"id": "JAX001"}


def test_paths_are_those_of_the_repository(tmp_path: Path) -> None:
    write(tmp_path, {"repository/.git/HEAD": "", "repository/part one/pyproject.toml": "",
                     "repository/part one/a#b.py": FAULT, "outside.py": FAULT})  # fmt: skip
    part = tmp_path / "repository" / "part one"
    found = log(run(part, "--format", "sarif", ".", "../../outside.py").out)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in found["results"]}
    assert uris == {"part%20one/a%23b.py", (tmp_path / "outside.py").as_uri()}
    root = found["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    assert root == (tmp_path / "repository").as_uri() + "/"
    assert found["automationDetails"]["id"] == "jaxlint/part%20one/"
    above = log(run(tmp_path, "--format", "sarif", "repository").out)
    (result,) = above["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "part%20one/a%23b.py"
    assert repository([], part) == tmp_path / "repository"


@pytest.mark.skipif(os.name == "nt", reason="such names need a file system of bytes")
def test_odd_names(tmp_path: Path) -> None:
    names = [b"\xff.py", b"new\nline.py", b"co:lon.py", b"per%20cent.py", b"\xc3\xa9.py", b"quo\"t'e.py"]
    (tmp_path / "real").mkdir()
    for name in names:
        Path(os.fsdecode(bytes(tmp_path) + b"/real/" + name)).write_text(FAULT, encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "co:lon.py")
    found = log(run(tmp_path, "--format", "sarif").out)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in found["results"]}
    assert uris == {
        "real/%FF.py", "real/new%0Aline.py", "real/co%3Alon.py", "real/per%2520cent.py", "real/%C3%A9.py",
        "real/quo%22t%27e.py",
    }  # fmt: skip


def _report(finding: Finding, rows: list[str], folder: Path, *, unsafe: bool = False) -> Report:
    return Report([finding], TextContext(folder, Style(), lambda _: rows, unsafe), rules=catalogue())


def _finding(folder: Path, span: Span, **more: object) -> Finding:
    path = str(folder / "a.py")
    return Finding("JAX201", "key-reuse", Severity.ERROR, "a fault in `x[0](1)`", path, span, "randomness", **more)  # type: ignore[arg-type]


def test_a_finding_of_several_rows_is_placed_on_its_first(tmp_path: Path) -> None:
    rows = ["", "if a:  ", "    b", "", "c", "d", "e"]
    found = sarif.document(_report(_finding(tmp_path, Span(2, 1, 5, 2)), rows, tmp_path))
    place = found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {
        "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 6, "snippet": {"text": "if a:"}
    }  # fmt: skip
    assert place["contextRegion"]["endLine"] == 7


def test_fixes_hold_their_imports(tmp_path: Path) -> None:
    rows = ["import os", "", "x = f()", ""]
    edit = Edit(Span(3, 5, 3, 8), "jax.g()")
    safe = Fix("use `g`", Applicability.SAFE, (edit,), ("import jax",))
    finding = _finding(tmp_path, edit.span, fix=safe)
    (result,) = sarif.document(_report(finding, rows, tmp_path))["runs"][0]["results"]
    (fix,) = result["fixes"]
    assert fix["description"]["text"] == "use `g`."
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a.py"
    assert [replacement["insertedContent"]["text"] for replacement in change["replacements"]] == [
        "import jax\n", "jax.g()"
    ]  # fmt: skip
    unsafe = _finding(tmp_path, edit.span, fix=Fix("f", Applicability.UNSAFE, (edit,)))
    assert "fixes" not in sarif.document(_report(unsafe, rows, tmp_path))["runs"][0]["results"][0]
    shown = sarif.document(_report(unsafe, rows, tmp_path, unsafe=True))["runs"][0]["results"][0]
    assert shown["fixes"][0]["description"]["text"] == "f (may change what the program does)."


def test_brackets_of_a_message_make_no_link(tmp_path: Path) -> None:
    related = (Related("/p", Span(1, 1, 1, 1), "first `k[0]`"), Related("/p", Span(2, 1, 2, 1), "then"))
    finding = _finding(tmp_path, Span(1, 1, 1, 2), related=related)
    assert message(finding) == "a fault in `x\\[0](1)`. See: [first `k\\[0\\]`](1), [then](2)."


def test_own_keys_stay_when_lines_move(tmp_path: Path) -> None:
    def keys(text: str) -> list[str]:
        write(tmp_path, {"a.py": text})
        results = log(run(tmp_path, "--format", "sarif").out)["results"]
        return [result["partialFingerprints"]["jaxlint/v1"] for result in results]

    before = keys(FAULT + FAULT)
    assert len(set(before)) == 2
    assert keys("\n\nx = 1\n" + FAULT + "\n    \n" + FAULT) == before
    assert keys("fault_JAX301()\n" + FAULT)[1:] == before[:1]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ["c129715d7a2bc9a3:1"]),
        (b" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
        (
            b" hello; \t\r\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
            ["e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
             "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"],
        ),
        (
            b"Lorem ipsum dolor sit amet.\n" * 10,
            [*(f"a7f2ff13bc495cf2:{n}" for n in range(1, 7)), "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1",
             "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"],
        ),
        (
            b"x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n",
            ["e54938cc54b302f1:1", "bb609acbe9138d60:1", "1131fd5871777f34:1", "5c482a0f8b35ea28:1",
             "54517377da7028d2:1", "2c644846cb18d53e:1", "f1b89f20de0d133:1", "c129715d7a2bc9a3:1"],
        ),
    ],
)  # fmt: skip
def test_line_hashes_are_those_of_github(data: bytes, expected: list[str]) -> None:
    """The values are those that GitHub's upload action is tested with."""
    hashes = LineHashes(data)
    assert [hashes.of(row) for row in range(1, len(expected) + 1)] == expected


def test_line_hashes_count_utf_16_units() -> None:
    assert LineHashes("\U00010400".encode()).of(1) == _slow_hash([0xD801, 0xDC00])


def _slow_hash(units: list[int]) -> str:
    value = 0
    for unit in [*units, 0xFFFF, *[0] * (99 - len(units))]:
        value = (value * 37 + unit) % 2**64
    return f"{value:x}:1"


def test_many_results_are_warned_of(tmp_path: Path) -> None:
    warnings: list[str] = []
    findings = [_finding(tmp_path, Span(1, 1, 1, 2))] * (sarif.KEPT + 1)
    context = TextContext(tmp_path, Style(), lambda _: ["x"])
    assert log("".join(sarif.render(Report(findings, context, warn=warnings.append))))
    assert warnings == ["GitHub keeps 5,000 results of a SARIF run, and this one has 5,001"]
    "".join(sarif.render(Report(findings[1:], context, [Failure("f")], warn=warnings.append)))
    assert len(warnings) == 1


def test_precision_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ROOT / "jaxlint" / "report" / precision.TABLE
    assert table.read_text(encoding="utf-8").startswith("# Judged findings that are still reported")
    judged = precision.judged()
    assert judged, "the table is made by `python -m jaxlint.devtools precision`"
    counts = {"A": (96, 4), "B": (95, 5), "C": (85, 15), "D": (5, 5), "E": (1, 9), "F": (9, 0)}
    monkeypatch.setattr(precision, "judged", lambda: counts)
    assert [precision.level(code) for code in "ABCDEFG"] == [
        "very-high", "very-high", "high", "medium", "low", None, None
    ]  # fmt: skip
