"""Where arguments come from: each kind of source decides a finding and is named; earlier kinds come first."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jaxlint.child.process import Limits
from jaxlint.confirm.session import Conditions, confirm
from jaxlint.findings import Confirmation, Finding, Severity, Span

pytest.importorskip("jax")

PROGRAM = """\
import jax
import jax.numpy as jnp


def clipped(x, word):
    entry = LIMITS[word[::-1]]
    if jnp.sum(x) > entry:
        return entry
    return x


LIMITS = {"right": 1.0}
run = jax.jit(clipped, static_argnames="word")
"""
"""No search finds the word that it takes."""

CALL = "run(jnp.ones(2), 'thgir')"


def verdict(folder: Path, text: str, *, inputs: str | None = None, name: str = "program.py") -> Confirmation:
    path = folder / name
    path.write_text(text)
    row = next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith("if jnp.sum"))
    finding = Finding("X", "x", Severity.ERROR, "m", str(path), Span(row, 5, row, 26), "")
    conditions = Conditions(sys.executable, folder, inputs, Limits(seconds=40))
    (found,) = confirm([finding], {"X": "tracer_error"}, conditions)
    assert found.confirmation is not None
    return found.confirmation


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--no-such-option'\n")
    return tmp_path


def test_a_call_of_the_file(project: Path) -> None:
    found = verdict(project, PROGRAM + f"\nif __name__ == '__main__':\n    {CALL}\n")
    assert (found.verdict, found.inputs) == ("confirmed", "the `__main__` block: its own")


def test_without_a_call_it_stays_open(project: Path) -> None:
    assert verdict(project, PROGRAM).verdict == "inconclusive"


TESTS = {
    "a function": f"from program import run\nimport jax.numpy as jnp\n\n\ndef test_it():\n    {CALL}\n",
    "parameters and fixtures": (
        "import jax.numpy as jnp\nimport program\nimport pytest\n\n\n@pytest.fixture\ndef word():\n"
        "    return 'thgir'\n\n\n@pytest.mark.parametrize('size', [2, 3])\ndef test_it(word, size):\n"
        "    program.run(jnp.ones(size), word)\n"
    ),
    "a case of unittest": (
        "import unittest\nimport jax.numpy as jnp\nimport program\n\n\nclass Case(unittest.TestCase):\n"
        f"    def test_it(self):\n        program.{CALL}\n"
    ),
}


@pytest.mark.parametrize("text", TESTS.values(), ids=TESTS)
def test_a_test_file(text: str, project: Path) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "test_program.py").write_text(text)
    found = verdict(project, PROGRAM)
    assert found.verdict == "confirmed"
    assert found.inputs.startswith("the test `test_program.py::")
    assert found.inputs.endswith(": its own")


def test_a_test_of_a_package_beside_the_module(tmp_path: Path) -> None:
    package = tmp_path / "parcel"
    package.mkdir()
    (package / "__init__.py").write_text("from parcel.inner import run\n")
    text = f"import parcel\nimport jax.numpy as jnp\n\ndef test_it():\n    parcel.{CALL}\n"
    (package / "inner_test.py").write_text(text)
    found = verdict(package, PROGRAM, name="inner.py")
    assert found.inputs == "the test `inner_test.py::test_it`: its own"


def test_a_test_that_is_the_finding_itself(project: Path) -> None:
    text = (
        "import jax\nimport jax.numpy as jnp\nimport pytest\n\n\n@pytest.mark.parametrize('limit', [{'a': 1}])\n"
        "def test_it(limit):\n    @jax.jit\n    def f(x):\n        if jnp.sum(x) > limit['a']:\n            return x\n"
        "        return -x\n\n    f(jnp.ones(3))\n"
    )
    found = verdict(project, text, name="test_self.py")
    assert (found.verdict, found.inputs) == ("confirmed", "the test `test_self.py::test_it[limit0]`: its own")


def test_what_a_test_does_wrong_does_no_harm(project: Path) -> None:
    broken = "import program\nimport sys\n\n\ndef test_it():\n    assert program.run\n    sys.exit(3)\n"
    (project / "test_program.py").write_text(broken)
    (project / "test_other.py").write_text("import program, no_such_module\n\ndef test_run(): pass\n")
    (project / "conftest.py").write_text("import pytest\n\n@pytest.fixture(autouse=True)\ndef f():\n    1 / 0\n")
    assert verdict(project, PROGRAM).verdict == "inconclusive"


TYPED = """\
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def clipped(x: Float[Array, "n 3"], limit: Float[Array, ""]):
    if jnp.sum(x) > limit:
        return limit
    return x


run = jax.jit(clipped)
"""


def test_annotations_of_jaxtyping_come_before_calls(project: Path) -> None:
    pytest.importorskip("jaxtyping")
    text = TYPED + "\nif __name__ == '__main__':\n    run(jnp.ones((2, 3)), jnp.ones(()))\n"
    found = verdict(project, text)
    assert found.verdict == "confirmed"
    told = "x=float32[4, 3] (its annotation), limit=float32[] (its annotation)"
    assert found.inputs in {f"`run`: tried {told}", f"`clipped`: tried {told}"}


def test_a_factory_comes_before_annotations(project: Path) -> None:
    pytest.importorskip("jaxtyping")
    text = TYPED + "\n\ndef make():\n    return (jnp.ones((5, 3)), jnp.ones(())), {}\n"
    found = verdict(project, text, inputs="make")
    assert (found.verdict, found.inputs.partition(": ")[2]) == ("confirmed", "from `make`")
    commented = text.replace("def clipped", "# jaxlint: inputs=make\ndef clipped")
    assert verdict(project, commented).inputs.partition(": ")[2] == "from `make`"


METHOD = """\
import jax
import jax.numpy as jnp

LIMITS = {"right": 1.0}


class Layer:
    def __init__(self, word):
        self.limit = LIMITS[word[::-1]]

    def apply(self, x, y):
        def inside(x):
            if jnp.sum(x) > self.limit:
                return x
            return -x

        return jax.jit(inside)(x) * LIMITS[y]
"""


def test_a_method_on_an_instance_of_the_factory(project: Path) -> None:
    text = METHOD + "\n\ndef make():\n    return (Layer('thgir'), jnp.ones(3), 'right'), {}\n"
    found = verdict(project, text, inputs="make")
    assert (found.verdict, found.inputs) == ("confirmed", "`Layer.apply`: from `make`")


def test_a_method_as_an_example_called_it(project: Path) -> None:
    call = "Layer('thgir').apply(jnp.ones(3), 'right')"
    (project / "test_program.py").write_text(
        f"import jax.numpy as jnp\nfrom program import Layer\n\n\ndef test_it():\n    {call}\n"
    )
    found = verdict(project, METHOD)
    assert (found.verdict, found.inputs) == ("confirmed", "the test `test_program.py::test_it`: its own")


def test_defaults_come_before_a_search(project: Path) -> None:
    found = verdict(project, PROGRAM.replace("(x, word)", "(x, word='thgir')"))
    assert (found.verdict, found.inputs) == ("confirmed", "`run`: tried x=float32[4], word=its default 'thgir'")


def test_a_search_comes_last(project: Path) -> None:
    text = PROGRAM.replace("LIMITS[word[::-1]]", 'word["only"]').replace(', static_argnames="word"', "")
    assert verdict(project, text).inputs == "`run`: tried x=float32[4, 4], word={only: float32[]}"


def test_a_field_that_an_error_names_is_added(project: Path) -> None:
    text = PROGRAM.replace("LIMITS[word[::-1]]", 'jnp.sum(getattr(word, "le" + "vel"))')
    found = verdict(project, text.replace(', static_argnames="word"', ""))
    assert (found.verdict, found.inputs) == ("confirmed", "`run`: tried x=float32[4], word={level: float32[4]}")


def test_one_option_at_a_time_departs_from_its_default(project: Path) -> None:
    text = PROGRAM.replace("(x, word)", "(x, low=None, high=None)").replace(', static_argnames="word"', "")
    text = text.replace(
        "LIMITS[word[::-1]]", "(low if high is None else high) + 0.0 * (0 if None in (low, high) else {}[1])"
    )
    found = verdict(project, text)
    assert (found.verdict, found.inputs.partition("low=")[2].count("its default None")) == ("confirmed", 1)
