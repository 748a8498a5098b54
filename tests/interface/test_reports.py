"""How findings are shown."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from jaxlint.findings import Applicability, Edit, Finding, Fix, Related, Severity, Span
from jaxlint.report import machine, statistics
from jaxlint.report.frame import excerpt
from jaxlint.report.reference import DOCUMENTATION, rule_url
from jaxlint.report.style import Style, visible, wants_colour, width
from jaxlint.report.text import TextContext, concise, full, summary

PLAIN = Style()
SPAN = Span(2, 5, 2, 8)


def finding(span: Span = SPAN, severity: Severity = Severity.ERROR, path: str = "/p/a.py", **more: object) -> Finding:
    return Finding("JAX201", "key-reuse", severity, "key `k` is used again", path, span, "randomness", **more)  # type: ignore[arg-type]


def frame(text: str, span: Span, **more: int) -> str:
    return "\n".join(excerpt(text.split("\n"), span, PLAIN, str, **more)[1])  # type: ignore[arg-type]


def context(text: str, cwd: str = "/p", *, colour: bool = False) -> TextContext:
    def lines(_: str) -> Sequence[str]:
        return text.split("\n")

    return TextContext(Path(cwd), Style(colour), lines)


def test_full_with_related_places() -> None:
    text = "k = key()\n    g(k)\n\n\nend\n"
    related = (Related("/p/a.py", Span(1, 5, 1, 10), "made here"), Related("/q/b.py", Span(99, 1, 99, 2), "elsewhere"))
    assert "".join(full([finding(related=related, help="split it")], context(text))) == (
        """\
JAX201 key `k` is used again
 --> a.py:2:5
  |
1 | k = key()
2 |     g(k)
  |     ^^^
  |
note: made here
 --> a.py:1:5
  |
1 | k = key()
  |     -----
  |
note: elsewhere
--> /q/b.py:99:1
help: split it
see: references/CODE-REVIEW-RUBRIC.md#randomness, `jaxlint explain JAX201`

"""
    )


def test_concise() -> None:
    assert list(concise([finding()], context(""))) == ["a.py:2:5: JAX201 key `k` is used again\n"]
    assert list(concise([finding()], context("", "/"))) == ["p/a.py:2:5: JAX201 key `k` is used again\n"]
    assert list(concise([finding()], context("", "/x"))) == ["/p/a.py:2:5: JAX201 key `k` is used again\n"]
    assert next(concise([finding(cell=3)], context(""))).startswith("a.py:cell 3:2:5: ")


def test_colour_only_when_asked() -> None:
    text = "k\n    g(k)\n"
    plain = "".join(full([finding()], context(text)))
    painted = "".join(full([finding()], context(text, colour=True)))
    assert "\033" not in plain
    assert "\033[1;91mJAX201\033[0m" in painted
    assert "\033[1;91m^^^\033[0m" in painted


def test_wide_characters_and_tabs_are_aligned() -> None:
    assert frame("\tx = '日本' + bad(e\u0301)", Span(1, 13, 1, 20)) == (
        "  |\n1 |     x = '日本' + bad(e\u0301)\n  |                  ^^^^^^\n  |"
    )


def test_span_of_several_rows() -> None:
    text = "before\nx = f(\n    a,\n)\nafter\n"
    assert frame(text, Span(2, 5, 4, 2)) == (
        """\
  |
1 |   before
2 |   x = f(
  |  _____^
3 | |     a,
4 | | )
  | |_^
5 |   after
  |"""
    )
    assert frame(text, Span(2, 1, 4, 2)).split("\n")[2:5] == ["2 | / x = f(", "3 | |     a,", "4 | | )"]


def test_long_span_is_shortened() -> None:
    rows = frame("\n".join(f"row{n}" for n in range(1, 31)), Span(3, 1, 28, 6)).split("\n")
    assert [row.split("|")[0].strip() for row in rows] == [
        "", "1", "2", "3", "4", "5", "6", "...", "25", "26", "27", "28", "", "29", "30", "",
    ]  # fmt: skip


def test_long_lines_are_cut_around_the_span() -> None:
    text = "a = 1\n" + "x" * 400 + "BAD" + "y" * 400
    rows = frame(text, Span(2, 401, 2, 404)).split("\n")
    shown, marks = rows[-3], rows[-2]
    assert len(shown) < 180
    assert shown[marks.index("^") : marks.rindex("^") + 1] == "BAD"


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_rows_fit_the_terminal(columns: int) -> None:
    text = f"short\n\n{'a' * 90} + BAD + {'b' * 90}\n{'c' * 200}\n"
    rows = frame(text, Span(3, 94, 3, 97), columns=columns).split("\n")
    assert max(map(len, rows)) <= columns
    shown, marks = next((row, below) for row, below in itertools.pairwise(rows) if "BAD" in row)
    assert shown[marks.index("^") : marks.rindex("^") + 1] == "BAD"
    several = frame(text, Span(3, 94, 4, 150), columns=columns).split("\n")
    assert max(len(row) for row in several if "^" not in row) <= columns


@pytest.mark.parametrize(
    "span",
    [Span(1, 1, 1, 1), Span(1, 50, 1, 60), Span(1, 1, 99, 1), Span(9, 1, 9, 2), Span(0, 1, 0, 1), Span(2, 5, 1, 1)],
)
def test_spans_that_do_not_fit_still_show(span: Span) -> None:
    excerpt(["x = 1", "y"], span, PLAIN, str)
    excerpt([], span, PLAIN, str)


def test_source_cannot_steer_the_terminal() -> None:
    assert visible("a\033[31mb\x7f\u202e\udcff\x85") == "a␛[31mb␡\ufffd\ufffd\ufffd"
    assert visible("naïve 日本") == "naïve 日本"
    assert width("日本\te\u0301") == 9


def test_summary() -> None:
    error, warning, note = (finding(severity=severity) for severity in Severity)
    assert summary([]) == "All checks passed!\n"
    assert summary([error]) == "Found 1 error.\n"
    assert summary([error, error]) == "Found 2 errors.\n"
    assert summary([error, warning, warning, note]) == "Found 1 error, 2 warnings and 1 note.\n"


def test_json_has_the_shape_of_ruff() -> None:
    fix = Fix("split", Applicability.UNSAFE, (Edit(Span(1, 1, 1, 1), "x\n"),), ("import jax",))
    related = (Related("/q/b.py", Span(9, 1, 9, 2), "there"),)
    (found,) = json.loads(machine.as_json([finding(fix=fix, related=related, noqa_rows=(2, 4), help="h")]))
    assert found == {
        "cell": None,
        "code": "JAX201",
        "confirmation": None,
        "end_location": {"row": 2, "column": 8},
        "filename": "/p/a.py",
        "fix": {
            "applicability": "unsafe",
            "edits": [{"content": "x\n", "location": {"row": 1, "column": 1}, "end_location": {"row": 1, "column": 1}}],
            "imports": ["import jax"],
            "message": "split",
        },
        "help": "h",
        "location": {"row": 2, "column": 5},
        "message": "key `k` is used again",
        "name": "key-reuse",
        "noqa_row": 4,
        "reference": "references/CODE-REVIEW-RUBRIC.md#randomness",
        "related": [
            {"filename": "/q/b.py", "location": {"row": 9, "column": 1}, "end_location": {"row": 9, "column": 2},
             "message": "there"}
        ],
        "severity": "error",
        "url": f"{DOCUMENTATION}rules/JAX201/",
    }  # fmt: skip
    assert json.loads(machine.as_json([])) == []
    assert machine.as_json([finding(path="/p/\udcff é.py")]).isascii()


def test_rules_of_other_packages_have_their_own_pages() -> None:
    assert rule_url("JAX201", "randomness") == f"{DOCUMENTATION}rules/JAX201/"
    assert rule_url("JAX299", "https://example.org/rules#stale-key") == "https://example.org/rules#stale-key"


def test_statistics() -> None:
    fix = Fix("f", Applicability.SAFE, ())
    other = Finding("JAX101", "hidden-mutation", Severity.WARNING, "m", "/p/a.py", Span(1, 1, 1, 2), "r", fix=fix)
    counts = statistics.count([other, finding(), finding(fix=fix), *[other] * 10])
    assert "".join(statistics.as_text(counts, PLAIN)) == "11  JAX101  [*] hidden-mutation\n 2  JAX201  [-] key-reuse\n"
    assert json.loads(statistics.as_json(counts))[1] == {
        "code": "JAX201", "name": "key-reuse", "count": 2, "fixable": False, "fixable_count": 1,
    }  # fmt: skip
    assert json.loads(statistics.as_json([])) == []


def test_stories_of_one_length_have_an_order() -> None:
    """Of two reports at one place the runner shows the lesser, on every run."""
    near, far = Related("/p/a.py", Span(1, 1, 1, 2), "m"), Related("/p/b.py", Span(1, 1, 1, 2), "m")
    assert sorted([[far], [near]]) == [[near], [far]]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "environment", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR": "0"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
    ],
)
def test_colour(choice: str, environment: dict[str, str], terminal: bool, expected: bool) -> None:
    assert wants_colour(choice, Terminal() if terminal else io.StringIO(), environment) is expected
