"""The findings on real code are held against people's judgements of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jaxlint.devtools import corpus
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


def test_judgements_are_complete() -> None:
    found = judgements(ROOT / JUDGEMENTS)
    assert set(found.values()) == set(corpus.VERDICTS)
