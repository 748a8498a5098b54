"""The formats for other tools: their exact text, and that they are valid whatever is found and files are called."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from jaxlint.findings import Applicability, Edit, Failure, Finding, Fix, Related, Severity, Span
from jaxlint.report.formats import FORMATS, TEXT_FORMATS, Report, format_named
from jaxlint.report.style import Style
from jaxlint.report.text import TextContext
from tests.interface.fake import run, write

ROWS = ["import os", "s = '\N{DESERET CAPITAL LETTER LONG I}'; f(", "    key)", ""]
FIX = Fix("split it", Applicability.UNSAFE, (Edit(Span(3, 5, 3, 8), "sub"),), ("import jax",))


def _finding(severity: Severity = Severity.ERROR, path: str = "/p/a.py", **more: object) -> Finding:
    values: dict[str, object] = {"span": Span(2, 10, 2, 11), "help": "split it", **more}
    return Finding("JAX201", "key-reuse", severity, "key `k` is used again", path, reference="randomness", **values)  # type: ignore[arg-type]


FINDINGS = [
    _finding(fix=FIX, related=(Related("/p/b.py", Span(3, 5, 3, 8), "first used here"),)),
    _finding(Severity.WARNING, span=Span(2, 10, 3, 9)),
    _finding(Severity.INFO, path="/p/n.ipynb", span=Span(7, 1, 7, 2), cell=3),
]


def _text(name: str, findings: list[Finding] | None = None, failures: list[Failure] | None = None) -> str:
    context = TextContext(Path("/p"), Style(), lambda _: ROWS)
    return "".join(format_named(name)(Report(FINDINGS if findings is None else findings, context, failures or [])))


def test_grouped() -> None:
    assert _text("grouped", [*FINDINGS, _finding(path="/p/n.ipynb", span=Span(12, 34, 12, 35))]) == (
        """\
a.py:
  2:10 JAX201 key `k` is used again
  2:10 JAX201 key `k` is used again

n.ipynb:
  cell 3:7:1  JAX201 key `k` is used again
        12:34 JAX201 key `k` is used again

"""
    )


def test_github() -> None:
    told = "JAX201 key `k` is used again%0A  help: split it"
    story = "JAX201 key `k` is used again%0A  note: b.py:3:5: first used here%0A  help: split it"
    assert _text("github").splitlines() == [
        f"::error title=jaxlint (JAX201),file=a.py,line=2,col=10,endLine=2,endColumn=11::a.py:2:10: {story}",
        f"::warning title=jaxlint (JAX201),file=a.py,line=2,endLine=3::a.py:2:10: {told}",
        f"::notice title=jaxlint (JAX201),file=n.ipynb,line=1,col=1,endLine=1,endColumn=1::n.ipynb:cell 3:7:1: {told}",
    ]


def test_github_shows_ten_of_a_level_and_tells_the_rest() -> None:
    notes = [_finding(Severity.INFO, help="")] * 3
    lines = _text("github", [*notes, *[_finding(help="")] * 12]).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 10 + ["::notice"] * 3 + ["error:"] * 2
    assert lines[-1] == "error: a.py:2:10: JAX201 key `k` is used again"


def test_gitlab() -> None:
    issues = json.loads(_text("gitlab"))
    fingerprints = [issue.pop("fingerprint") for issue in issues]
    assert len(set(fingerprints)) == 3
    assert issues[0] == {
        "check_name": "JAX201",
        "description": "JAX201: key `k` is used again",
        "severity": "major",
        "location": {
            "path": "a.py",
            "positions": {"begin": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}},
        },
    }
    assert [issue["severity"] for issue in issues] == ["major", "minor", "info"]
    assert issues[2]["location"]["positions"]["begin"] == {"line": 1, "column": 1}
    twice = [issue["fingerprint"] for issue in json.loads(_text("gitlab", FINDINGS[:1] * 2))]
    assert twice[0] == fingerprints[0] != twice[1]


def test_pylint() -> None:
    assert _text("pylint") == (
        "a.py:2: [JAX201] key `k` is used again\n"
        "a.py:2: [JAX201] key `k` is used again\n"
        "n.ipynb:1: [JAX201] key `k` is used again (cell 3, row 7)\n"
    )


def test_azure() -> None:
    place = "sourcepath=/p/a.py;linenumber=2;columnnumber=10;code=JAX201;"
    cell = "sourcepath=/p/n.ipynb;linenumber=1;columnnumber=1;code=JAX201;"
    assert _text("azure").splitlines() == [
        f"##vso[task.logissue type=error;{place}]key `k` is used again",
        f"##vso[task.logissue type=warning;{place}]key `k` is used again",
        f"##vso[task.logissue type=warning;{cell}]key `k` is used again (cell 3, row 7)",
    ]


def test_rdjson_counts_bytes() -> None:
    document = json.loads(_text("rdjson"))
    assert document["source"]["name"] == "jaxlint"
    assert document["severity"] == "WARNING"
    first, second, third = document["diagnostics"]
    url = first["code"].pop("url")
    assert url.startswith("https://")
    assert first == {
        "message": "key `k` is used again",
        "location": {
            "path": "/p/a.py",
            "range": {"start": {"line": 2, "column": 13}, "end": {"line": 2, "column": 14}},
        },
        "severity": "ERROR",
        "code": {"value": "JAX201"},
        "suggestions": [
            {"range": {"start": {"line": 2, "column": 1}, "end": {"line": 2, "column": 1}}, "text": "import jax\n"},
            {"range": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 8}}, "text": "sub"},
        ],
        "relatedLocations": [
            {
                "message": "first used here",
                "location": {
                    "path": "/p/b.py",
                    "range": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 8}},
                },
            }
        ],
    }
    assert (second["severity"], third["severity"]) == ("WARNING", "INFO")
    assert third["location"]["range"]["start"] == {"line": 1, "column": 1}


def test_junit() -> None:
    text = _text("junit", failures=[Failure("b.py: it broke", "/p/b.py")])
    assert text.startswith(
        """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jaxlint" tests="4" skipped="0" failures="3" errors="1">
    <testsuite name="/p/a.py" tests="2" skipped="0" errors="0" failures="2" package="org.jaxlint">
        <testcase name="org.jaxlint.JAX201" classname="/p/a" line="2" column="10">
            <properties>
                <property name="severity" value="error"/>
            </properties>
            <failure message="key `k` is used again">line 2, col 10, key `k` is used again</failure>
        </testcase>
"""
    )
    root = ET.fromstring(text)
    assert [suite.get("name") for suite in root] == ["/p/a.py", "/p/n.ipynb", "/p/b.py"]
    case = root[1][0]
    assert (case.get("line"), case[1].text) == (None, "cell 3, line 7, col 1, key `k` is used again")
    assert root[2][0][0].get("message") == "b.py: it broke"


def test_junit_of_a_clean_run_has_a_case_that_passes() -> None:
    assert _text("junit", []) == (
        """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="jaxlint" tests="1" skipped="0" failures="0" errors="0">
    <testsuite name="jaxlint" tests="1" skipped="0" errors="0" failures="0" package="org.jaxlint">
        <testcase name="No errors found" classname="jaxlint"/>
    </testsuite>
</testsuites>
"""
    )


def test_json_lines() -> None:
    pieces = format_named("json-lines")(Report(FINDINGS, TextContext(Path("/p"), Style(), lambda _: ROWS)))
    first = json.loads(next(pieces))
    assert (first["code"], first["filename"], first["noqa_row"]) == ("JAX201", "/p/a.py", 2)
    assert len(list(pieces)) == 2


def _parsed(name: str, text: str) -> object:
    """The document, by the strictest reader there is: it fails where the document is not valid."""
    assert not re.search("[\ud800-\udfff]", text)
    text.encode("utf-8")
    if name in {"json", "gitlab", "rdjson", "sarif"}:
        return json.loads(text)
    if name == "json-lines":
        return [json.loads(line) for line in text.splitlines()]
    if name == "junit":
        return ET.fromstring(text)
    lines = text.splitlines()
    starts = {"github": "::error title=", "azure": "##vso[task.logissue type=error;", "pylint": ""}
    assert all(line.startswith(starts[name]) for line in lines)
    return lines


_POSITION = {
    "type": "object",
    "required": ["line", "column"],
    "additionalProperties": False,
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
}
_TEXT = {"type": "string", "minLength": 1}


def _object(required: dict[str, object], **optional: object) -> dict[str, object]:
    properties = {**required, **optional}
    return {
        "type": "object", "required": list(required), "additionalProperties": False, "properties": properties
    }  # fmt: skip


_RANGE = _object({"start": _POSITION, "end": _POSITION})
_PLACE = _object({"path": _TEXT, "range": _RANGE})
_SEVERITY = {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]}
SCHEMAS = {
    # The messages of reviewdog's proto/rdf/reviewdog.proto.
    "rdjson": _object(
        {"source": _object({"name": _TEXT}, url=_TEXT), "severity": _SEVERITY,
         "diagnostics": {"type": "array", "items": _object(
             {"message": _TEXT, "location": _PLACE},
             severity=_SEVERITY,
             code=_object({"value": _TEXT}, url=_TEXT),
             suggestions={"type": "array", "items": _object({"range": _RANGE, "text": {"type": "string"}})},
             relatedLocations={"type": "array", "items": _object({"location": _PLACE}, message=_TEXT)},
         )}}
    ),
    # What GitLab's documentation asks of a code quality report.
    "gitlab": {"type": "array", "items": _object(
        {"check_name": _TEXT, "description": _TEXT, "fingerprint": _TEXT,
         "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
         "location": _object(
             {"path": {"type": "string", "pattern": "^[^/]"},
              "positions": _object({"begin": _POSITION, "end": _POSITION})}
         )}
    )},
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_documents_fit_their_schemas(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for findings in (FINDINGS, []):
        jsonschema.validate(json.loads(_text(name, findings)), SCHEMAS[name])


MACHINE_FORMATS = [name for name in FORMATS if name not in TEXT_FORMATS]


@pytest.mark.parametrize("name", MACHINE_FORMATS)
def test_documents_are_valid_without_findings_and_when_a_file_fails(name: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n", "worse.py": "crash\n"})
    clean = run(tmp_path, "--format", name, "a.py")
    assert (clean.code, clean.err) == (0, "")
    _parsed(name, clean.out)
    failing = run(tmp_path, "--format", name)
    assert failing.code == 2
    _parsed(name, failing.out)
    assert len(failing.err.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="such names need a file system of bytes")
@pytest.mark.parametrize("name", MACHINE_FORMATS)
def test_documents_are_valid_with_odd_names(name: str, tmp_path: Path) -> None:
    names = [
        b"\xff.py", b"new\nline.py", b"co:lon,comma.py", b"per%0Acent.py", b"\xc3\xa9.py", b"quo\"t'e.py",
        b"::error x.py", b"semi;]colon.py", b"<&]]>.py", b"\x1b[31m\x01.py",
    ]  # fmt: skip
    for file in names:
        Path(os.fsdecode(bytes(tmp_path) + b"/" + file)).write_text("fault_JAX201()\n", encoding="utf-8")
    ran = run(tmp_path, "--format", name)
    assert ran.code == 1
    _parsed(name, ran.out)
    shown = "".join(ran.out.split())
    assert not re.search(r"[\x00-\x08\x1b]", shown)


def test_properties_of_commands_are_escaped() -> None:
    odd = [_finding(path="/p/a:b,c;d]e%f\ng.py", help="")]
    assert "file=a%3Ab%2Cc;d]e%25f%0Ag.py," in _text("github", odd)
    assert "sourcepath=/p/a:b,c%3Bd%5De%AZP25f%0Ag.py;" in _text("azure", odd)


def test_several_formats_at_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()\n"})
    ran = run(tmp_path, "--format", "sarif:out.sarif", "--output-format", "junit:out.xml", "--format", "concise")
    assert ran.out.startswith("a.py:1:1: JAX201")
    assert json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert ET.parse(tmp_path / "out.xml").getroot().get("failures") == "1"
    only = run(tmp_path, "--format", "json:out.json", "--color", "always")
    assert (only.code, only.out) == (1, "")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))[0]["code"] == "JAX201"
    both = run(tmp_path, "--format", "json:out.json", "--format", "pylint", "-o", "out.txt")
    assert both.out == ""
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("a.py:1: [JAX201]")
    last = run(tmp_path, "--format", "json", "--format", "concise", "-q")
    assert last.out.startswith("a.py:1:1: JAX201")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("sarf:x", "not `sarf`; did you mean `sarif`?"),
        ("json:", "`json:` names no file after the colon"),
        ("json:none/x.json", "none/x.json: cannot be written: no such file or directory"),
        ("json:a.py", "`a.py` is a program: nothing is written over it"),
    ],
)
def test_formats_that_cannot_be(word: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    ran = run(tmp_path, "--format", word)
    assert ran.code == 2
    assert message in ran.err
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 1\n"


def test_a_file_holds_one_format(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    for other in (["--format", "json:./out"], ["--output-file", "out"]):
        ran = run(tmp_path, "--format", "sarif:out", *other)
        assert (ran.code, ran.err.endswith("out` cannot hold the output of two formats\n")) == (2, True)
        assert not (tmp_path / "out").exists()


def test_statistics_are_text_or_json(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()\n"})
    assert run(tmp_path, "--statistics", "--format", "grouped").out.startswith("1  JAX201")
    ran = run(tmp_path, "--statistics", "--format", "junit")
    assert (ran.code, ran.out) == (2, "")
    assert "--statistics is shown in the formats full, concise, grouped, json, not in `junit`" in ran.err


def test_links_only_with_colour(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()\n"})
    for name in TEXT_FORMATS:
        painted = run(tmp_path, "--format", name, "--color", "always").out
        assert re.search("\033]8;;https://[^\033]*JAX201/\033\\\\.*JAX201.*\033]8;;\033\\\\", painted)
        assert "\033" not in run(tmp_path, "--format", name).out
