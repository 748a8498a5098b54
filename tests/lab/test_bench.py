"""`jaxlint bench` measures what it says, and refuses what would not be fair."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.lab.support import jaxlint, needs_jax, write

pytestmark = needs_jax

PROGRAM = """
import functools
import time

import jax
import jax.numpy as jnp

KEPT = jnp.ones((4, 3))
COUNT = [0]


@jax.jit
def double(x, y):
    return {"sum": x + y, "twice": 2 * x}


@functools.partial(jax.jit, donate_argnums=0)
def donating(x, y):
    return {"sum": x + y, "twice": 2.0 * x}


def slow(x, y):
    time.sleep(0.02)
    return double(x, y)


def other(x, y):
    return x


def recompiling(x, y):
    return jax.jit(lambda v: v + 1)(x)


def failing(x, y):
    COUNT[0] += 1
    if COUNT[0] > 3:
        raise ValueError("enough")
    return x


@functools.partial(jax.jit, donate_argnums=0)
def train(state, x):
    return state - 0.1 * x, jnp.sum(state)


@functools.partial(jax.jit, donate_argnums=1)
def eats_batch(state, x):
    return state + x


@jax.jit
def shapeless(state, x):
    return jnp.sum(state)


def make():
    time.sleep(0.05)  # must not be timed
    return (jnp.ones((4, 3)), jnp.float32(1)), {}


def same():
    return (KEPT, jnp.float32(1)), {}


def growing():
    COUNT[0] += 1
    return (jnp.ones((COUNT[0], 3)), jnp.float32(1)), {}


def batch():
    return (jnp.ones(3), jnp.ones(3)), {}
"""
QUICK = ("--rounds", "6")


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> str:
    return write(tmp_path, PROGRAM)


def test_functions_in_turn_with_their_ratio(program: str, tmp_path: Path) -> None:
    picture = tmp_path / "samples.svg"
    run = jaxlint(
        "bench", f"{program}::double", "--factory", "make", "--compare", f"{program}::slow", "--compare",
        f"{program}::donating", *QUICK, "--plot", str(picture), "--format", "json",
    )  # fmt: skip
    assert run.code == 0, run.err
    report = run.report
    double, slow, donating = report["functions"]
    assert [len(function["samples"]) for function in report["functions"]] == [6, 6, 6]
    assert double["steady"]["median"] < 0.02 < slow["steady"]["median"] < 0.05 + slow["steady"]["minimum"]
    assert double["steady"]["interval"]["low"] <= double["steady"]["median"] <= double["steady"]["interval"]["high"]
    first = double["first_call"]
    assert first["seconds"] > first["compilation"] > 0 and first["trace"] > 0 and first["programs"] == 1
    assert slow["first_call"]["programs"] == 1, "what another function compiled is compiled again"
    assert (double["donated_arrays"], donating["donated_arrays"]) == (0, 1)
    assert all(function["fresh_inputs"] and function["compiled_when_steady"] == 0 for function in report["functions"])
    assert report["ratios"][0]["decided"] and report["ratios"][0]["value"] > 1
    assert report["agreement"][0] == {"same_structure": True, "same_types": True, "largest_difference": 0.0}
    assert report["machine"]["jax"] and report["machine"]["cpu"] and report["machine"]["matmul_precision"] == "default"
    root = ET.fromstring(picture.read_text(encoding="utf-8"))
    circles = [element for element in root.iter() if element.tag.endswith("circle")]
    assert len(circles) == 18


def test_a_donated_argument_is_not_given_again(program: str) -> None:
    run = jaxlint("bench", f"{program}::donating", "--factory", "same", *QUICK)
    assert run.code == 2 and run.out == ""
    assert "a buffer that an earlier call has taken over (donated)" in run.err


def test_inputs_that_change_are_refused(program: str) -> None:
    run = jaxlint("bench", f"{program}::double", "--factory", "growing", *QUICK)
    assert run.code == 2
    assert "the factory is not constant: shape of `x` was float32[1,3], and is now float32[2,3]" in run.err


def test_notes_on_what_was_measured(program: str) -> None:
    run = jaxlint("bench", f"{program}::double", "--factory", "same", "--compare", f"{program}::other", "--compare",
                  f"{program}::recompiling", *QUICK)  # fmt: skip
    assert run.code == 0, run.err
    assert "the same arrays again" in run.out
    assert "`other` is not jitted" in run.out
    assert "other returns ANOTHER STRUCTURE than double" in run.out
    assert "`recompiling` compiled 6 programs in its steady state" in run.out
    for words in ("first call", "trace", "lowering", "compilation", "median", "quartiles", "times [", "precision"):
        assert words in run.out


def test_errors_reach_the_user(program: str) -> None:
    run = jaxlint("bench", f"{program}::failing", "--factory", "make", *QUICK)
    assert run.code == 1
    assert "FAILED: ValueError: enough" in run.out and 'raise ValueError("enough")' in run.out


def test_state_is_carried_and_said_to_be_another_workload(program: str) -> None:
    run = jaxlint(
        "bench", f"{program}::train", "--factory", "batch", "--state", "--steps", "5", *QUICK, "--format", "json"
    )
    assert run.code == 0, run.err
    assert run.report["mode"] == "state" and run.report["steps"] == 5
    (function,) = run.report["functions"]
    assert len(function["samples"]) == 6 and function["dispatch"] == [] and function["donated_arrays"] == 1
    from jaxlint.lab.report.bench import text

    assert "another workload" in text(run.report) and "steps a second" in text(run.report)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("eats_batch", "an argument beside the state is donated"),
        ("shapeless", "returns the next state, or a tuple that starts with it"),
    ],
)
def test_state_that_cannot_be_carried(program: str, function: str, words: str) -> None:
    run = jaxlint("bench", f"{program}::{function}", "--factory", "batch", "--state", *QUICK)
    assert run.code == 2 and words in run.err


def test_options_that_do_not_fit(program: str, tmp_path: Path) -> None:
    run = jaxlint("bench", f"{program}::double")
    assert run.code == 2 and "`double` needs inputs" in run.err
    run = jaxlint("bench", f"{program}::double", "--static", "x")
    assert run.code == 2 and "--static is for --jit" in run.err
    run = jaxlint("bench", f"{program}::double", "--factory", "make", "--plot", str(tmp_path / "no" / "plot.svg"))
    assert run.code == 2 and "--plot" in run.err
