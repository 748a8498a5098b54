"""Comments that silence findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jaxlint.files.comments import Comment, _scanned, comments
from jaxlint.files.suppressions import Suppressions, UnusedSuppression
from jaxlint.findings import Edit, Finding, Severity, Span
from jaxlint.source import Source, decode_source
from tests.interface.fake import catalogue

CATALOGUE = catalogue()
ALL_CODES = frozenset({"JAX001", "JAX002", "JAX201", "JAX203", "JAX301"})


def source(text: str) -> Source:
    return decode_source(Path("/p/a.py"), text.encode())


def finding(code: str = "JAX201", row: int = 1, *rows: int) -> Finding:
    return Finding(code, "n", Severity.ERROR, "m", "/p/a.py", Span(row, 1, row, 2), "r", noqa_rows=rows or (row,))


def silenced(text: str, code: str = "JAX201", row: int = 1, *rows: int) -> bool:
    return Suppressions(source(text), CATALOGUE).silences(finding(code, row, *rows))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa", "#noqa", "# NOQA", "# NoQA", "# noqa this is fine", "# type: ignore # noqa", "# a reason  # noqa",
        "# noqa: JAX201", "#noqa:JAX201", "# noqa : JAX201", "# noqa:JAX201,E501", "# noqa: E501 JAX201",
        "# noqa: jax201", "# noqa: JAX2", "# noqa: JAX20", "# noqa: JAX", "# noqa: JAX301, JAX2",
        "# noqa: key-reuse", "# noqa: key_reuse", "# noqa: E501, key-reuse", "# noqa: JAX201 because of that",
        "# noqa: JAX201  # a reason", "# noqa JAX301",
    ],
)  # fmt: skip
def test_silences(comment: str) -> None:
    assert silenced(f"f(key)  {comment}\n")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: JAX301", "# noqa: JAX3", "# noqa: E501", "# noqa: J", "# noqa: because", "# noqa:", "# see noqa",
        "# noqatic", "# noqa: branch-on-tracer", "# noqa: JAX301 key-reuse", "# noqa: JAX301 all of this",
        "# noqa: JAX301 as jax does", "# ruff: noqa", "# jaxlint: noqa", "# noqa: ALL", "# noqa: JAX2011",
    ],
)  # fmt: skip
def test_does_not_silence(comment: str) -> None:
    assert not silenced(f"f(key)  {comment}\n")


def test_counts_on_the_rows_of_the_finding() -> None:
    text = "f(  # noqa: JAX201\n    key,\n)  # noqa: JAX301\n"
    assert silenced(text, "JAX201", 1, 1, 3)
    assert silenced(text, "JAX301", 1, 1, 3)
    assert not silenced(text, "JAX203", 1, 1, 3)
    assert not silenced("f(\n    key,  # noqa\n)\n", "JAX201", 1, 1, 3)


def test_comments_come_from_tokens() -> None:
    assert not silenced("f('# noqa')\n")
    assert not silenced('f("""\n# jaxlint: noqa\n""")\n', row=1)
    assert silenced('f("""\n# x\n""")  # noqa\n', "JAX201", 1, 1, 3)


@pytest.mark.parametrize(
    "comment", ["# jaxlint: noqa", "# jaxlint:noqa: JAX2", "#jaxlint: NOQA: JAX201", "# flake8: noqa"]
)
def test_whole_file(comment: str) -> None:
    assert silenced(f"x = 1\n    {comment}\nf(key)\n", row=3)


@pytest.mark.parametrize(
    "comment", ["x = 1  # jaxlint: noqa", "# jaxlint: noqa: JAX3", "# ruff: noqa", "# flake8: noqa: E1"]
)
def test_not_the_whole_file(comment: str) -> None:
    assert not silenced(f"{comment}\nf(key)\n", row=2)


def test_warnings() -> None:
    suppressions = Suppressions(
        source("x = 1  # jaxlint: noqa\ny = 2  # noqa: because\nz  # flake8: noqa\n"), CATALOGUE
    )
    assert suppressions.warnings == [
        (1, "a file-level `noqa` must stand on a line of its own"),
        (2, "`noqa:` is followed by no code, so it silences nothing"),
    ]


def unused(text: str, *found: Finding, enabled: frozenset[str] = ALL_CODES) -> list[UnusedSuppression]:
    suppressions = Suppressions(source(text), CATALOGUE)
    for each in found:
        suppressions.silences(each)
    return suppressions.unused(enabled, "JAX002")


def apply(text: str, edit: Edit) -> str:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begin = starts[edit.span.row - 1] + edit.span.column - 1
    end = starts[edit.span.end_row - 1] + edit.span.end_column - 1
    return text[:begin] + edit.content + text[end:]


@pytest.mark.parametrize(
    ("text", "codes", "fixed"),
    [
        ("x  # noqa: JAX201\n", ["JAX201"], "x\n"),
        ("x  # noqa: JAX201", ["JAX201"], "x"),
        ("# noqa: JAX201\nx\n", ["JAX201"], "x\n"),
        ("x\n    # jaxlint: noqa: JAX201\ny\n", ["JAX201"], "x\ny\n"),
        ("x\n# jaxlint: noqa: JAX201", ["JAX201"], "x\n"),
        ("x  # noqa: JAX201, E501\n", ["JAX201"], "x  # noqa: E501\n"),
        ("x  # noqa: E501,JAX201,F401\n", ["JAX201"], "x  # noqa: E501, F401\n"),
        ("x  # noqa: E501 JAX201 F401 because\n", ["JAX201"], "x  # noqa: E501, F401 because\n"),
        ("x  # noqa: JAX201, key-reuse, JAX3\n", ["JAX201", "key-reuse", "JAX3"], "x\n"),
        ("x  # noqa: JAX201 because of that\n", ["JAX201"], "x  # because of that\n"),
        ("x  # noqa: JAX201 - because\n", ["JAX201"], "x  # because\n"),
        ("x  # noqa: JAX201  # because\n", ["JAX201"], "x  # because\n"),
        ("x  # type: ignore # noqa: JAX201\n", ["JAX201"], "x  # type: ignore\n"),
        ("x  # type: ignore # noqa: JAX201 # why\n", ["JAX201"], "x  # type: ignore # why\n"),
        ("x = 'é日'  # noqa: JAX201\r\n", ["JAX201"], "x = 'é日'\r\n"),
    ],
)
def test_unused_and_its_fix(text: str, codes: list[str], fixed: str) -> None:
    (event,) = unused(text)
    assert list(event.codes) == codes
    assert apply(text, event.edits[0]) == fixed


@pytest.mark.parametrize(
    "text",
    ["x  # noqa\n", "x  # noqa: E501\n", "x  # noqa: JAX999\n", "x  # noqa: JAX206\n", "x  # noqa: JAX403\n",
     "x  # noqa: JAX002\n", "x  # noqa: JAX0\n", "# jaxlint: noqa\n", "# flake8: noqa\n", "x = '# noqa: JAX201'\n"],
)  # fmt: skip
def test_not_judged(text: str) -> None:
    assert unused(text) == []


def test_used_codes_are_kept() -> None:
    assert unused("x  # noqa: JAX201\n", finding("JAX201")) == []
    assert unused("x  # noqa: JAX2\n", finding("JAX203")) == []
    assert unused("# jaxlint: noqa: JAX201\nx\n", finding("JAX201", 2)) == []
    (event,) = unused("x  # noqa: JAX201, JAX301\n", finding("JAX301"))
    assert event.codes == ("JAX201",)


def test_only_rules_that_are_on_are_judged() -> None:
    assert unused("x  # noqa: JAX201\n", enabled=frozenset({"JAX203", "JAX002"})) == []
    assert unused("x  # noqa: JAX2\n", enabled=frozenset({"JAX201", "JAX002"})) == [], "JAX203 did not run"
    assert unused("x  # noqa: JAX2\n", enabled=frozenset({"JAX201", "JAX203"})) != [], "JAX206 is opt-in"
    assert unused("x  # noqa: JAX206\n", enabled=frozenset({"JAX206"})) != []


def test_event_says_whether_it_is_of_the_whole_file() -> None:
    assert unused("# jaxlint: noqa: JAX201\n")[0].whole_file
    (event,) = unused("x  # noqa: JAX201\n")
    assert not event.whole_file
    assert event.span == Span(1, 4, 1, 18)


def test_comments_of_a_file_that_does_not_tokenize() -> None:
    text = "x = (  # noqa: JAX201\ny = '# noqa'\nz = '''\n# noqa\n'''  # one\n  # two\n'open\n# three \"\n"
    assert [(c.row, c.column, c.alone) for c in comments(text)] == [
        (1, 8, False),
        (5, 6, False),
        (6, 3, True),
        (8, 1, True),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_scanner_agrees_with_the_tokenizer(newline: str) -> None:
    lines = [
        "# a",
        "x = 'it\\'s # no'  # b",
        'y = """',
        "# no",
        '"""  # c',
        "if x:",
        "    # d",
        "    é = r'\\'  # e",
        "",
    ]
    text = newline.join(lines).replace("r'\\'", "b'z'")
    assert list(_scanned(text)) == comments(text)
    assert [comment.text for comment in comments(text)] == ["# a", "# b", "# c", "# d", "# e"]


@example(" X\n\n\0é\x002']'{")
@given(st.text(alphabet="#'\"\\\r\n\tnoqa: JX201(){}[]é\0\x0c", max_size=60))
def test_any_text_has_comments(text: str) -> None:
    for comment in comments(text):
        assert isinstance(comment, Comment)
        assert comment.text.startswith("#")
    Suppressions(Source("/p/a.py", text), CATALOGUE).unused(ALL_CODES, "JAX002")
