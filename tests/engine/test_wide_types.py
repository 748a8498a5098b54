"""Whether a program turns 64-bit types on is a question to the whole package around a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.engine import Engine
from jaxlint.registry import rule_classes
from jaxlint.source import read_source

WIDE = "import jax.numpy as jnp\n\n\ndef rows(n):\n    return jnp.zeros(n, dtype=jnp.float64)\n"


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("", True),
        ('import jax\n\njax.config.update("jax_enable_x64", True)\n', False),
        ('import jax\n\nif not jax.config.read("jax_enable_x64"):\n    print("please turn x64 on")\n', False),
    ],
)
def test_the_package_decides(tmp_path: Path, init: str, found: bool) -> None:
    """Also for a file in a folder of it that is no package itself."""
    file = tmp_path / "pkg" / "_src" / "inner" / "deep" / "rows.py"
    file.parent.mkdir(parents=True)
    file.write_text(WIDE, encoding="utf-8")
    (file.parent / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "pkg" / "__init__.py").write_text(init, encoding="utf-8")
    engine = Engine(rules=[rule() for rule in rule_classes()], roots=[tmp_path])
    engine.analyse(read_source(file))
    codes = {finding.code for findings in engine.findings().values() for finding in findings}
    assert ("JAX702" in codes) is found
