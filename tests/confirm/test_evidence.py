"""What a verdict shows of the traced program: equations, two traces that differ, what is donated."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jaxlint.confirm.session import Conditions, confirm
from jaxlint.findings import Confirmation, Finding, Severity, Span
from tests.confirm.test_trials import OLDER, TRIALS, environment

HEAD = "import random\nfrom functools import partial\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"

DONATION = """\
@partial(jax.jit, donate_argnums=0)
def decay(state, rate):
    return {"w": state["w"] * (1.0 - rate)}


def change(size):
    state = {"w": jnp.ones(size)}
    new = decay(state, 0.1)
    return new["w"] - state["w"]  # here
"""
CHANCE = """\
@jax.jit
def scaled(x):
    scale = random.random()  # here
    return jnp.sin(x) * scale
"""
NOISE = """\
@jax.jit
def noisy(x):
    return x + np.random.normal(size=x.shape)  # here
"""
COUNTER = """\
calls = {"count": 0}


@jax.jit
def numbered(x):
    calls["count"] += 1  # here
    return x * calls["count"]
"""
LOOP = """\
@jax.jit
def discounted(rewards, decay):
    total = jnp.zeros(())
    for t in range(rewards.shape[0]):  # here
        total = rewards[t] + decay * total
    return total
"""
LONG_LOOP = """\
@jax.jit
def powers(x):
    for _ in range(80):  # here
        x = x * x
    return x
"""
STATIC = """\
@partial(jax.jit, static_argnames="lag")
def lagged(x, lag):
    return jnp.mean(x) * lag


def several(x):
    return [lagged(x, lag=lag) for lag in range(1, 6)]  # here
"""
SEED = """\
@jax.jit
def noisy(x):
    return x + jax.random.normal(jax.random.key(7), x.shape)  # here
"""
EMPTY = """\
def added(values, labels):
    totals = jnp.empty(4)  # here
    return totals.at[labels].add(values)


if __name__ == "__main__":
    added(jnp.ones(3), jnp.arange(3))
"""

SHOWN = {
    "JAX601": (DONATION, ("`args_info` of `decay` says donated: `state['w']` (float32[", "tf.aliasing_output = 0")),
    "JAX104": (CHANCE, ("the jaxprs of two traces differ: `a:f32[", "mul b 0.", " against `a:f32[")),
    "JAX101": (COUNTER, ("the jaxprs of two traces differ: `a:f32[", "mul b ", " against `a:f32[")),
    "JAX503": (LOOP, ("the jaxpr holds ", " of `mul`", " from rows 11 to 12, such as `a:f32[")),
    "JAX505": (STATIC, ("the jaxprs of two traces differ: `a:f32[] = mul b ", " against `a:f32[] = mul b ")),
    "JAX204": (SEED, ("in the jaxpr: `", "random_seed[", " 7")),
}
"""By code: a wrong program, and what its evidence holds."""


def tried(code: str, text: str, folder: Path, python: str = sys.executable) -> Confirmation:
    """The verdict on the marked line."""
    path = folder / "program.py"
    path.write_text(HEAD + text)
    row, line = next(item for item in enumerate((HEAD + text).splitlines(), 1) if item[1].endswith("# here"))
    column = len(line) - len(line.lstrip()) + 1
    finding = Finding(code, "", Severity.ERROR, "m", str(path), Span(row, column, row, len(line)), "")
    (found,) = confirm([finding], TRIALS, Conditions(python, folder))
    assert found.confirmation is not None
    return found.confirmation


def holds(told: Confirmation, parts: tuple[str, ...]) -> None:
    """The parts stand in the evidence of a confirmation, which is one short line."""
    assert told.verdict == "confirmed", told
    assert all(part in told.evidence for part in parts), told.evidence
    assert "\n" not in told.evidence
    assert len(told.evidence) < 1200


@pytest.mark.parametrize("code", sorted(SHOWN))
def test_the_traced_program_is_shown(code: str, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    text, parts = SHOWN[code]
    holds(tried(code, text, tmp_path), parts)


@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("code", sorted(SHOWN))
def test_older_versions_show_it(code: str, version: str, tmp_path: Path) -> None:
    text, parts = SHOWN[code]
    holds(tried(code, text, tmp_path, environment(version)), parts)


def test_a_long_loop_is_cut_short_and_shown(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    holds(tried("JAX503", LONG_LOOP, tmp_path), ("64 passes were traced", "the jaxpr holds 80 of `mul`"))


def test_the_equation_of_uninitialised_memory(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    told = tried("JAX602", EMPTY, tmp_path)
    holds(told, ("in place of zeros in `empty`",))
    has_primitive = "empty" in str(jax.make_jaxpr(lambda: jax.numpy.empty(4))())
    assert ("in the jaxpr: `a:f32[4] = empty[" in told.evidence) == has_primitive


@pytest.mark.parametrize("version", OLDER)
def test_memory_without_that_primitive(version: str, tmp_path: Path) -> None:
    told = tried("JAX602", EMPTY, tmp_path, environment(version))
    holds(told, ("in place of zeros in `empty`",))


def test_what_the_program_itself_calls_is_shown(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    call = "\n\nif __name__ == '__main__':\n    change(3)\n"
    text, parts = SHOWN["JAX601"]
    holds(tried("JAX601", text + call, tmp_path), parts)


def test_constants_that_differ_are_shown(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    holds(tried("JAX104", NOISE, tmp_path), ("the jaxprs of two traces differ: `float", "[4] constant [", " against `"))


def test_a_program_that_cannot_be_traced_again_keeps_its_verdict(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    text = COUNTER.replace("    return", "    if calls['count'] > 1:\n        raise SystemExit\n    return")
    told = tried("JAX101", text, tmp_path)
    holds(told, ("was changed while JAX traced",))
    assert "jaxpr" not in told.evidence
