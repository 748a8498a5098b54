"""Two thousand programs by chance: none makes the engine fail. `benchmarks/fuzz.py` runs a hundred thousand."""

from __future__ import annotations

import traceback

import pytest
from hypothesis import HealthCheck, given, settings

from tests.engine.fuzzing import Subject, mutants, programs
from tests.support import FIXTURES, ROOT

MUTANTS = 1_600
GRAMMAR = 400
SHARES = 8


@pytest.fixture(scope="module")
def sources() -> list[str]:
    """Real programs: the fixtures, the examples and jaxlint itself."""
    folders = (FIXTURES, ROOT / "examples", ROOT / "jaxlint", ROOT / "rules")
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return [path.read_text(encoding="utf-8", errors="replace") for path in files]


@pytest.mark.parametrize("seed", range(SHARES))
def test_changed_programs(sources: list[str], seed: int) -> None:
    subject = Subject()
    for number, text in enumerate(mutants(sources, MUTANTS // SHARES, seed)):
        try:
            problems = subject.lint(text)
        except Exception:  # the program is worth more than the traceback alone
            pytest.fail(f"program {number} of seed {seed}:\n{text}\n{traceback.format_exc(limit=-4)}")
        assert problems == [], f"program {number} of seed {seed}:\n{text}"
    assert subject.parsed > MUTANTS // SHARES // 4, "hardly any program can be parsed: the mutations are too wild"


@settings(max_examples=GRAMMAR, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs)
def test_programs_from_a_grammar(text: str) -> None:
    assert Subject().lint(text) == []
