"""ruff and jaxlint in one project: each leaves the other's suppression comments alone."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.tools import run, unavailable

PROGRAM = """\
# jaxlint: noqa: JAX203
import jax


def draw(key):
    first = jax.random.normal(key)
    return first + jax.random.normal(key)  # noqa: JAX201


def both(key):
    import os; first = jax.random.normal(key)  # noqa: E702, F401, JAX301
    return first + jax.random.normal(key)  # noqa: JAX2 the same numbers on purpose
"""
SETTINGS = """\
[tool.ruff.lint]
select = ["E", "F", "RUF100", "RUF102"]
{external}
"""


def ruff(folder: Path, *arguments: str) -> str:
    command = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if command is None:
        unavailable("ruff is not installed")
    done = run([command, "check", "--no-cache", "--preview", "--output-format", "concise", *arguments, "."], folder)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout + done.stderr


def project(folder: Path, external: str) -> Path:
    (folder / "pyproject.toml").write_text(SETTINGS.format(external=external), encoding="utf-8")
    (folder / "draw.py").write_text(PROGRAM, encoding="utf-8")
    return folder / "draw.py"


def test_ruff_keeps_our_comments_where_it_is_told_of_them(tmp_path: Path) -> None:
    path = project(tmp_path, 'external = ["JAX"]')
    said = ruff(tmp_path)
    assert "All checks passed!" in said
    assert "warning" not in said
    ruff(tmp_path, "--fix", "--unsafe-fixes")
    assert path.read_text(encoding="utf-8") == PROGRAM


def test_ruff_removes_them_where_it_is_not(tmp_path: Path) -> None:
    """Why the setting is needed; when this fails, the documentation has to be rewritten."""
    path = project(tmp_path, "")
    assert "Invalid rule code in `# noqa`: JAX201" in ruff(tmp_path)
    ruff(tmp_path, "--fix")
    assert "JAX201" not in path.read_text(encoding="utf-8")


def test_we_keep_the_comments_of_ruff(tmp_path: Path) -> None:
    path = project(tmp_path, 'external = ["JAX"]')
    command = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--no-cache", "--fix", "."]
    run(command, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "# noqa: E702, F401\n" in text, "JAX301 silences nothing and goes, the others stay"
    assert "# noqa: JAX201\n" in text
    assert "# noqa: JAX2 the same numbers on purpose" in text
