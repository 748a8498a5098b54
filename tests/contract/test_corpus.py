"""The findings on real code are held against people's judgements of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from jaxlint.devtools import corpus, recall
from jaxlint.devtools.__main__ import main
from jaxlint.devtools.precision import JUDGEMENTS, judgements
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import jax


def draw(key, other):
    a = jax.random.normal(key)
    b = jax.random.normal(key)
    jax.random.split(other)
    return a + b
"""


QUIET = """\
import jax
import jax.numpy as jnp


def both(key):
    key, other_key = jax.random.split(key)
    return jax.random.normal(key) + jax.random.normal(other_key)


def double(x):
    return 2 * x


@jax.jit
def step(x):
    return double(double(x))


def scratch(x):
    return jnp.empty(x.shape).at[:].set(x)
"""


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A checkout with judgements of a corpus of one package, beside it."""
    package = tmp_path / "packages" / "draws-1.0"
    package.mkdir(parents=True)
    (package / "draws.py").write_text(PROGRAM, encoding="utf-8")
    rows = [
        "package\tversion\tfile\tline\tcode\tverdict\treason",
        'draws\t1.0\tdraws.py\t6\tJAX201\tright\tsays "twice" and is right',
        "draws\t1.0\tdraws.py\t99\tJAX201\twrong\tmended since",
    ]
    (tmp_path / "corpus").mkdir()
    (tmp_path / JUDGEMENTS).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_new_and_gone_findings_are_told_apart(judged: Path) -> None:
    counts = corpus.compare(judged, judged / "packages")
    assert counts["JAX201"].verdicts == {"right": 1}
    assert counts["JAX201"].gone == {"wrong": 1}
    assert counts["JAX201"].precision == 1
    assert [(place.file, place.row) for place in counts["JAX203"].new] == [("draws.py", 7)]
    assert counts["JAX203"].precision is None


def test_table_has_a_row_a_code_and_one_for_all(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["corpus", str(judged / "packages"), "--root", str(judged)]
    assert main([*arguments, "--new"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "| JAX201 | 1 | 0 | 0 | 100% | 0 | 1 (1) |" in lines
    assert lines[-1] == "draws-1.0/draws.py:7: JAX203"
    assert main([*arguments, "--strict"]) == 1


def test_the_page_keeps_what_is_around_the_table(judged: Path) -> None:
    page = judged / corpus.PAGE
    page.parent.mkdir()
    page.write_text(f"before\n\n{corpus.TABLE_START}old\n{corpus.TABLE_END}\nafter\n", encoding="utf-8")
    corpus.record(judged, corpus.compare(judged, judged / "packages"), "Measured today.")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    assert "Measured today." in text and "| all | 1 | 0 | 0 | 100% |" in text and "old" not in text


@pytest.fixture
def read(judged: Path) -> Path:
    """A checkout with what readers found missing in the package."""
    rows = [
        "\t".join(recall.COLUMNS),
        "keys\tdraws\t1.0\tdraws.py\t4\tdraw\tmissed JAX201 at 6, mended\tdrawn twice",
        "keys\tdraws\t1.0\tdraws.py\t4\tdraw\tmissed JAX203 at 7, open\tthe keys are dropped",
        "keys\tdraws\t1.0\tdraws.py\t4\tdraw\tclean\t",
    ]
    (judged / recall.SAMPLE).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return judged


def test_what_was_missed_is_held_against_a_run(read: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["recall", str(read / "packages"), "--root", str(read)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines()[0] == "reported now, though open: draws-1.0/draws.py:7: JAX203"
    table = read / recall.SAMPLE
    table.write_text(table.read_text(encoding="utf-8").replace("at 6, mended", "at 8, mended"), encoding="utf-8")
    assert main(arguments) == 1
    assert capsys.readouterr().out.startswith("not reported, though mended: draws-1.0/draws.py:8: JAX201\n")


def test_functions_without_findings_are_chosen(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = judged / "packages" / "draws-1.0" / "more.py"
    program.write_text(QUIET, encoding="utf-8")
    arguments = ["recall", str(judged / "packages"), "--root", str(judged), "--choose", "3"]
    assert main(arguments) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == list(recall.COLUMNS)
    assert {(row[0], row[5]) for row in rows[1:]} == {("keys", "both"), ("traced", "step"), ("buffers", "scratch")}
    assert all(row[1:4] == ["draws", "1.0", "more.py"] for row in rows[1:])


def test_what_was_read_is_complete() -> None:
    rows = recall.read(ROOT / recall.SAMPLE)
    assert Counter(row.kind for row in rows) == recall.SIZES
    assert len({(row.kind, row.package, row.file, row.line) for row in rows}) == len(rows)
    for row in rows:
        assert recall.VERDICT.fullmatch(row.verdict), row
        assert row.reason and row.function, row


def test_judgements_are_complete() -> None:
    found = judgements(ROOT / JUDGEMENTS)
    assert set(found.values()) == set(corpus.VERDICTS)
