"""`jaxlint recompiles` names each compilation and its cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lab.support import Run, jaxlint, needs_jax, write

pytestmark = needs_jax

PROGRAM = """
import functools

import jax
import jax.numpy as jnp
import numpy as np

y = jnp.ones(3)


@functools.partial(jax.jit, static_argnames=("n", "f"))
def scale(x, y, n=1, f=None):
    return jax.tree_util.tree_map(lambda a: a * n + jnp.sum(y), x)


def closure():
    return lambda q: q


def cases():
    yield "first", (y, y), {}
    yield "same", (y, y), {}
    yield "shape", (jnp.ones(4), y), {}
    yield "dtype", (jnp.ones(3, int), y), {}
    yield "scalar", (jnp.float32(2), y), {}
    yield "weak type", (2.0, y), {}
    yield "numpy", (np.ones(3, "float32"), y), {}
    yield "static", (y, y), {"n": 2}
    yield "static value", (y, y), {"n": 3}
    yield "pytree structure", ({"a": y}, y), {}
    yield "pytree structure", ({"a": y, "b": y}, y), {}
    yield "f", (y, y), {"f": closure()}
    yield "closure identity", (y, y), {"f": closure()}
    yield "same", (y, y), {}


def failing():
    return [((y, y), {}), ((y, "text"), {})]


@jax.jit
def inner(x, k):
    return x @ x.T * k


def plain(x):
    fresh = jax.jit(lambda q: q * 2)
    return fresh(inner(x, 1.0))


def batches():
    return [((jnp.ones((n, 3)),), {}) for n in (2, 2, 3)]


def under(precision):
    with jax.default_matmul_precision(precision):
        return inner(jnp.ones((2, 3)), 1.0)


def precisions():
    return [((name,), {}) for name in ("float32", "bfloat16", "float32")]


@jax.jit
def total(x):
    return x.sum()


def placed():
    x = jnp.ones(4)
    first, second = jax.devices()[:2]
    return [("uncommitted", (x,), {}), ("sharding", (jax.device_put(x, second),), {})]
"""


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> str:
    return write(tmp_path, PROGRAM)


def _causes(run: Run) -> list[tuple[str, set[str]]]:
    return [
        (call["case"], {cause["kind"] for made in call["compilations"] if made["own"] for cause in made["causes"]})
        for call in run.report["calls"]
    ]


def test_each_cause_by_its_name(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::scale", "--factory", "cases", "--format", "json")
    assert run.code == 0, run.err
    causes = _causes(run)
    assert causes[0] == ("first", {"first call"})
    for case, kinds in causes[1:]:
        if case in {"shape", "dtype", "weak type", "static value", "pytree structure", "closure identity"}:
            assert kinds == {case}
        elif case in {"same", "numpy"}:
            assert kinds == set()
    shape = run.report["calls"][2]["compilations"][0]["causes"][0]
    assert (shape["argument"], shape["before"], shape["now"]) == ("x", "float32[3]", "float32[4]")
    assert shape["source"] == "jax" and "CACHE MISS" in run.report["calls"][2]["compilations"][0]["jax"]


def test_the_table_says_what_to_do(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::scale", "--factory", "cases", "--repeat", "2")
    assert run.code == 0, run.err
    assert "shape of `x`: float32[3] -> float32[4] (since call 2)" in run.out
    assert "static value of `n`: 2 -> 3 (since call 8)" in run.out
    assert "28 calls" in run.out and "x shape: pad to a few sizes" in run.out
    second = [line for line in run.out.splitlines() if line.split()[:1] == ["17"]]
    assert second and second[0].endswith("-"), "what was compiled in the first pass is not compiled again"


def test_functions_inside_a_plain_one(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::plain", "--factory", "batches", "--format", "json")
    assert run.code == 0, run.err
    theirs: list[list[tuple[str, str]]] = [
        [(made["function"], made["causes"][0]["kind"]) for made in call["compilations"] if not made["operation"]]
        for call in run.report["calls"]
    ]
    assert theirs[0] == [("inner", "first call"), ("<lambda>", "first call")]
    assert theirs[1] == [("<lambda>", "closure identity")]
    assert theirs[2] == [("inner", "shape"), ("<lambda>", "closure identity")]


def test_a_setting_of_jax(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::under", "--factory", "precisions", "--format", "json")
    assert run.code == 0, run.err
    theirs = [[made["causes"][0]["kind"] for made in call["compilations"] if made["function"] == "inner"]
              for call in run.report["calls"]]  # fmt: skip
    assert theirs == [["first call"], ["context"], []]


def test_a_sharding(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::total", "--factory", "placed", "--devices", "2", "--format", "json")
    assert run.code == 0, run.err
    assert _causes(run) == [("uncommitted", {"first call"}), ("sharding", {"sharding"})]


def test_a_call_that_raises(program: str) -> None:
    run = jaxlint("recompiles", f"{program}::scale", "--factory", "failing")
    assert run.code == 1 and "call 2 FAILED: TypeError" in run.out


def test_cases_in_json(program: str, tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = [
        {"name": "a", "args": [{"$shape": [3], "$dtype": "bfloat16"}, {"$array": [1, 2]}], "kwargs": {"n": 2}},
        {"args": [{"$tuple": [1.0, {"a": 2}]}, 1]},
    ]
    path = write(tmp_path, json.dumps(entries), "cases.json")
    run = jaxlint("recompiles", f"{program}::scale", "--cases", path, "--format", "json")
    assert run.code == 0, run.out
    first, second = run.report["calls"]
    assert (first["case"], second["case"]) == ("a", "case 2")
    assert "bfloat16[3]" in first["compilations"][0]["types"] and "int32[2]" in first["compilations"][0]["types"]


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ("{", "not JSON"),
        ("{}", "a list of objects"),
        ('[{"arguments": []}]', "`arguments`"),
        ('[{"args": [{"$zeros": [3]}]}]', "`$zeros` is not one of"),
        ('[{"args": [{"$shape": [3], "$dtype": "float31"}]}]', "`float31` is no dtype"),
        ("[]", "there are no cases"),
    ],
)
def test_bad_cases_are_told(cases: str, words: str, tmp_path: Path) -> None:
    program = write(tmp_path, "def f(x):\n    return x\n")
    path = write(tmp_path, cases, "cases.json")
    run = jaxlint("recompiles", f"{program}::f", "--cases", path)
    assert run.code == 2 and words in run.err and "cases" in run.err


def test_cases_are_asked_for_once(program: str) -> None:
    for arguments in ([], ["--factory", "cases", "--cases", "cases.json"]):
        run = jaxlint("recompiles", f"{program}::scale", *arguments)
        assert run.code == 2 and "either from --factory or from --cases" in run.err
