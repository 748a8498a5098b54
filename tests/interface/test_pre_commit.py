"""The hooks, run by the real pre-commit in a repository that takes them from a clone of this one."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.programs import write
from tests.support import ROOT, catalogue
from tests.tools import run, unavailable

CELL = ["%matplotlib inline\n", "import jax\n", "key = jax.random.key(0)\n", "x = jax.random.normal(key)\n"]
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": CELL},
        {"cell_type": "code", "execution_count": None, "id": "b", "metadata": {}, "outputs": [], "source": CELL[-1:]},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
PROJECT = {
    "pyproject.toml": '[tool.jaxlint]\nextend-exclude = ["vendored"]\n',
    "model.py": "import jax\n\n\ndef init(key):\n    return jax.random.normal(key, (3,))\n",
    "train.py": """\
import jax

from model import init


def start(key):
    return init(key) + jax.random.normal(key, (3,))
""",
    "vendored/train.py": "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n",
    "update.py": "import jax.numpy as jnp\n\n\ndef f(x):\n    y = jnp.sin(x)\n    y[0] = 1.0\n    return y\n",
    "notes.md": "no Python\n",
    "draw.ipynb": json.dumps(NOTEBOOK),
}
HOOKS = """\
repos:
  - repo: {url}
    rev: {revision}
    hooks:
      - id: {hook}
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=jaxlint", "-c", "user.email=jaxlint@users.noreply.github.com"]
    command = ["git", *identity, "-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false", *arguments]
    done = run(command, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def repository(folder: Path) -> Path:
    """A repository whose only commit is what lies in the folder."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All files")
    return folder


def clone(folder: Path) -> Path:
    """The checkout as a fresh clone of it would be, with what is not committed yet."""
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], ROOT)
    if listed.returncode:
        unavailable("the tests do not lie in a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("fixtures/", "corpus/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return repository(folder)


def pre_commit(folder: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    done = run(command, folder, environment={"PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"})
    if "No matching distribution" in done.stdout or "Could not find a version" in done.stdout:
        unavailable("pre-commit cannot install the hook: no package index is reachable")
    return done


def test_the_hooks(tmp_path: Path) -> None:
    if importlib.util.find_spec("pre_commit") is None:
        unavailable("pre-commit is not installed")
    source, home = clone(tmp_path / "source"), tmp_path / "home"
    folder = repository(write((tmp_path / "project").resolve(), PROJECT))

    def use(hook: str) -> None:
        text = HOOKS.format(url=source.as_uri(), revision=git(source, "rev-parse", "HEAD"), hook=hook)
        write(folder, {".pre-commit-config.yaml": text})
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--no-verify", "--message", f"Use {hook}")

    def stage(name: str) -> None:
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") + "\n# staged\n", encoding="utf-8")
        git(folder, "add", name)

    use("jaxlint")
    stage("train.py")
    one_file = pre_commit(folder, home, "run")
    assert one_file.returncode == 1, one_file.stdout + one_file.stderr
    assert "JAX201" in one_file.stdout
    assert "train.py:7:" in one_file.stdout
    assert "update.py" not in one_file.stdout
    git(folder, "commit", "--quiet", "--no-verify", "--message", "Staged")

    stage("vendored/train.py")
    excluded = pre_commit(folder, home, "run")
    assert excluded.returncode == 0, excluded.stdout
    git(folder, "commit", "--quiet", "--no-verify", "--message", "Vendored")

    everything = pre_commit(folder, home, "run", "--all-files")
    assert everything.returncode == 1
    assert [code for code in ("JAX105", "JAX201") if code in everything.stdout] == ["JAX105", "JAX201"]
    assert "draw.ipynb:cell 2:1:5" in everything.stdout
    assert "Found 3 errors" in everything.stdout, "all files in one run"

    use("jaxlint-fix")
    stage("update.py")
    mended = pre_commit(folder, home, "run")
    assert mended.returncode == 1
    assert "files were modified by this hook" in mended.stdout
    assert "y = y.at[0].set(1.0)" in (folder / "update.py").read_text(encoding="utf-8")
    git(folder, "add", "update.py")
    assert pre_commit(folder, home, "run").returncode == 0

    installed_has_everything(home, tmp_path)


def installed_has_everything(home: Path, folder: Path) -> None:
    """What `pip install .` of the clone has put there carries the rules, the references and the tables."""
    (command,) = {path for path in home.glob("repo*/py_env-*/*/jaxlint*") if path.stem == "jaxlint"}
    rules = json.loads(run([str(command), "rules", "--format", "json"], folder).stdout)
    assert [rule["code"] for rule in rules] == sorted(catalogue())
    assert "JAX301" in run([str(command), "explain", "TracerBoolConversionError"], folder).stdout
    assert not list(home.glob("repo*/py_env-*/lib/*/site-packages/jax/__init__.py")), "it does not need JAX"


@pytest.mark.parametrize("hook", ["jaxlint", "jaxlint-fix"])
def test_the_hooks_are_valid(hook: str) -> None:
    if importlib.util.find_spec("pre_commit") is None:
        unavailable("pre-commit is not installed")
    from pre_commit.clientlib import load_manifest

    manifest = {entry["id"]: entry for entry in load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))}
    assert manifest[hook]["require_serial"] is True
    assert manifest[hook]["types_or"] == ["python", "pyi", "jupyter"]
    assert "--force-exclude" in manifest[hook]["entry"]
