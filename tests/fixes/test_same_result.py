"""Programs that run before and after the fix give the same result; those that fail before run after it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fixes.support import fixed
from tests.support import FIXTURES, opt_in

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"

SAME = {
    "log1p": "return jnp.log(1 + jnp.linspace(1.0, 4.0, 3))",
    "expm1": "return 2 * (jnp.exp(jnp.arange(3.0)) - 1)",
    "log_softmax": "x = jnp.arange(6.0).reshape(2, 3); return jnp.log(jax.nn.softmax(x, axis=0))",
    "logsumexp": "x = jnp.arange(6.0).reshape(2, 3); return jnp.log(jnp.sum(jnp.exp(x), 1, keepdims=True))",
    "logsumexp of a method": "x = jnp.arange(6.0).reshape(2, 3); return jnp.log(jnp.exp(x).sum(axis=-1))",
    "sigmoid": "x = jnp.arange(3.0); return 1 / (1 + jnp.exp(-x)) + x * (1.0 / (1.0 + jnp.exp(-2 * x)))",
    "log_sigmoid": "x = jnp.arange(3.0); return jnp.log(jax.nn.sigmoid(x)) + jnp.log(1 - jax.nn.sigmoid(x))",
    "softplus": "return jnp.log(1.0 + jnp.exp(jnp.arange(3.0)))",
    "typed key": "key = jax.random.PRNGKey(3); return jax.random.normal(key, (3,))",
}

MENDED = {
    "store": (
        "x = jnp.zeros((2, 3)); x[0, 1:] = 2.0; x[1] += jnp.ones(3); x[1] -= 3.0; return x",
        [[0, 2, 2], [-2] * 3],
    ),
    "store a tuple": ("x = jnp.zeros((2, 2)); x[:, 0] += 2; x[1, (0, 1)] = 5, 6; return x", [[2, 0], [5, 6]]),
    "store by operator": ("x = jnp.arange(4); x[1:] //= 2; x[0] %= 3; return x", [0, 0, 1, 1]),
    "zeros": ("x = jnp.empty(3); return x.at[0].add(2.0)", [2.0, 0.0, 0.0]),
    "zeros of a kind": ("x = jnp.empty_like(prototype=jnp.ones(2)); return x.at[0].add(1.0)", [1.0, 0.0]),
    "removed name": ("return jnp.trapz(jnp.arange(3.0))", 2.0),
    "renamed argument": ("return jnp.clip(jnp.arange(3.0), a_max=1.0)", [0.0, 1.0, 1.0]),
    "moved name": ("from jax.core import Primitive; return len(Primitive('p').name)", 1),
    "tree": ("return jax.tree_map(lambda x: x + 1, 1)", 2),
}

PRINTED = {
    "names": ('jax.debug.print(f"a {x} of {x.shape} {x[0]:.2f}")', "a [0. 1.] of (2,) 0.00\n"),
    "plain": ('jax.debug.print(f"a {x} {{b}}")', "a [0. 1.] {b}\n"),
    "chain": ("jax.debug.print('a b ' f\"{x.sum()}\")", "a b 1.0\n"),
    "format": ('jax.debug.print("{0} {y:.1f}".format(x, y=x[1]))', "[0. 1.] 1.0\n"),
    "percent": ('jax.debug.print("%s is 100%% of %.1f" % (x, x[1]))', "[0. 1.] is 100% of 1.0\n"),
    "print": ('print("x:", x, f"{x[1]}")', "x: [0. 1.] 1.0\n"),
}


def _program(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.split("; "))
    return f"{HEAD}def check():\n{lines}"


def _run(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names["check"]()


@pytest.mark.parametrize("name", SAME)
def test_same_result(name: str, tmp_path: Path) -> None:
    text = _program(SAME[name])
    after = fixed(text, tmp_path, select="JAX206")
    assert after != text
    np.testing.assert_allclose(_run(after), _run(text), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", MENDED)
def test_runs_after_the_fix(name: str, tmp_path: Path) -> None:
    body, expected = MENDED[name]
    after = fixed(_program(body), tmp_path)
    assert after != _program(body)
    np.testing.assert_allclose(_run(after), expected)


@pytest.mark.parametrize("name", PRINTED)
def test_prints_values(name: str, tmp_path: Path) -> None:
    call, expected = PRINTED[name]
    show = f"@jax.jit\ndef show(x):\n    {call}\n    return x\n\n\n"
    text = f"{HEAD}{show}def check():\n    show(jnp.arange(2.0))\n    jax.effects_barrier()\n"
    out = io.StringIO()
    after = fixed(text, tmp_path, "--unsafe-fixes")
    with contextlib.redirect_stdout(out):
        _run(after)
    assert out.getvalue() == expected, after


CHECKED = sorted(
    path for path in FIXTURES.glob("*/reports_*.py") if "\ndef check():\n" in path.read_text("utf-8", "replace")
)
"""Fixtures whose `check()` runs them."""

UNDEFINED = frozenset({"JAX602"})
"""Rules whose programs have no result to keep: they read memory that nobody wrote."""


@pytest.mark.parametrize("path", CHECKED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixtures_run_as_before(path: Path, tmp_path: Path) -> None:
    """A safe fix keeps the result; what failed before runs afterwards, and so does what an unsafe fix changes."""
    code = path.parent.name.partition("_")[0]
    text = path.read_text(encoding="utf-8")
    for library in re.findall(r"^(?:import|from) (flax|optax|equinox|haiku)\b", text, re.MULTILINE):
        pytest.importorskip(library)
    after = fixed(text, tmp_path, "--unsafe-fixes", select=",".join(opt_in(code)))
    assert after != text
    safe = fixed(text, tmp_path, select=",".join(opt_in(code))) == after
    try:
        expected = _run(text)
    except (AttributeError, ImportError, TypeError):
        safe = False
    result = _run(after)
    if safe and code not in UNDEFINED:
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), result, expected)
