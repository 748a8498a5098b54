"""Programs that run before and after the fix give the same result; those that fail before run after it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from tests.fixes.support import fixed

np = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")

HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"

SAME = {
    "log1p": "def check():\n    return jnp.log(1 + jnp.arange(1.0, 4.0))\n",
    "expm1": "def check():\n    return 2 * (jnp.exp(jnp.arange(3.0)) - 1)\n",
    "log_softmax": "def check():\n    x = jnp.arange(6.0).reshape(2, 3)\n    return jnp.log(jax.nn.softmax(x, axis=0))\n",
    "logsumexp": "def check():\n    x = jnp.arange(6.0).reshape(2, 3)\n"
    "    return jnp.log(jnp.sum(jnp.exp(x), 1, keepdims=True)) - jnp.log(jnp.exp(x).sum(axis=-1))[:, None]\n",
    "sigmoid": "def check():\n    x = jnp.arange(3.0)\n    return 1 / (1 + jnp.exp(-x)) + x * (1.0 / (1.0 + jnp.exp(-2 * x)))\n",
    "log_sigmoid": "def check():\n    x = jnp.arange(3.0)\n    return jnp.log(jax.nn.sigmoid(x)) + jnp.log(1 - jax.nn.sigmoid(x))\n",
    "softplus": "def check():\n    return jnp.log(1.0 + jnp.exp(jnp.arange(3.0)))\n",
    "zeros": "def fill(x, value):\n    x = jnp.empty_like(x)\n    return x.at[0].set(value)\n\n\n"
    "def check():\n    return fill(jnp.ones(3), 2.0)[0]\n",
    "typed key": "def check():\n    key = jax.random.PRNGKey(3)\n    return jax.random.normal(key, (3,))\n",
}

MENDED = {
    "store": ("def check():\n    x = jnp.zeros((2, 3))\n    x[0, 1:] = 2.0\n    x[1] += jnp.ones(3)\n    x[1] -= 3.0\n"
              "    x[:, 0] *= 2\n    x[1, (0, 2)] = 5, 6\n    return x\n",
              [[0.0, 2.0, 2.0], [5.0, -2.0, 6.0]]),
    "store by operator": ("def check():\n    x = jnp.arange(4)\n    x[1:] //= 2\n    x[0] %= 3\n    return x\n", [0, 0, 1, 1]),
    "removed name": ("def check():\n    return jnp.trapz(jnp.arange(3.0))\n", 2.0),
    "renamed argument": ("def check():\n    return jnp.clip(jnp.arange(3.0), a_max=1.0)\n", [0.0, 1.0, 1.0]),
    "moved module": ("from jax.core import Primitive\n\n\ndef check():\n    return len(Primitive('p').name)\n", 1),
    "tree": ("def check():\n    return jax.tree_map(lambda x: x + 1, 1)\n", 2),
}  # fmt: skip

PRINTED = {
    "names": ('jax.debug.print(f"a {x} of {x.shape} {x[0]:.2f} {{}}")', "a [0. 1.] of (2,) 0.00 {}\n"),
    "plain": ('jax.debug.print(f"a {x} {{b}}")', "a [0. 1.] {b}\n"),
    "chain": ("jax.debug.print('{}' f\"{x.sum()}\")", "{}1.0\n"),
    "format": ('jax.debug.print("{0} {y:.1f}".format(x, y=x[1]))', "[0. 1.] 1.0\n"),
    "percent": ('jax.debug.print("%s is 100%% {of} %.1f" % (x, x[1]))', "[0. 1.] is 100% {of} 1.0\n"),
    "print": ('print("x:", x, f"{x[1]}")', "x: [0. 1.] 1.0\n"),
}


def _run(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names["check"]()


@pytest.mark.parametrize("name", SAME)
def test_same_result(name: str, tmp_path: Path) -> None:
    text = HEAD + SAME[name]
    after = fixed(text, tmp_path, select="JAX206")
    assert after != text
    np.testing.assert_allclose(_run(after), _run(text), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", MENDED)
def test_runs_after_the_fix(name: str, tmp_path: Path) -> None:
    text, expected = MENDED[name]
    after = fixed(HEAD + text, tmp_path)
    assert after != HEAD + text
    np.testing.assert_allclose(_run(after), expected)


@pytest.mark.parametrize("name", PRINTED)
def test_prints_values(name: str, tmp_path: Path) -> None:
    call, expected = PRINTED[name]
    text = f"{HEAD}@jax.jit\ndef show(x):\n    {call}\n    return x\n\n\ndef check():\n    show(jnp.arange(2.0))\n    jax.effects_barrier()\n"
    out = io.StringIO()
    after = fixed(text, tmp_path, "--unsafe-fixes")
    with contextlib.redirect_stdout(out):
        _run(after)
    assert out.getvalue() == expected, after
