"""A message about a key names the key, not an argument that stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import lint_text

HEAD = "import jax\n\n\ndef draw(x, key, scale=1.0):\n    return scale * x + jax.random.normal(key, x.shape)\n\n\n"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("def f(x, rng):\n    return draw(x, rng), draw(x, rng, 2.0)\n", "key `rng` is"),
        ("def f(x, y):\n    k = jax.random.key(0)\n    return draw(x, k), draw(y, k)\n", "this key is"),
        ("def f(x):\n    key = jax.random.key(0)\n    return draw(x, key), draw(x, key)\n", "key `key` is"),
    ],
)
def test_the_key_is_named(body: str, named: str, tmp_path: Path) -> None:
    messages = [report.message for report in lint_text(HEAD + body, tmp_path) if report.code == "JAX201"]
    assert len(messages) == 1
    assert messages[0].startswith(named)
