"""`jaxlint scan` takes the inventory by reading alone."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint.cli.main import main
from tests.lab.support import write

MODEL = """
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("data",))


@functools.partial(jax.jit, donate_argnums=(0, 1), static_argnames="n")
def step(state, key, n):
    state = jax.lax.scan(lambda carry, x: (carry + x, x), state, jnp.arange(3))[0]
    return jax.lax.psum(state, "data") + jax.random.normal(key, (4,))


@jax.custom_vjp
def clip(x):
    return x


clip.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -1, 1),))


def placed(x):
    return jax.device_put(x, NamedSharding(mesh, P("data")), donate=True)
"""
TRAIN = """
import jax
from model import clip, step

jax.config.update("jax_enable_x64", True)
gradient = jax.jit(jax.vmap(jax.grad(clip)))


def run(x):
    key = jax.random.key(0)
    first = jax.random.normal(key)
    return jax.tree_map(lambda v: v + jax.random.normal(key) + first, jax.pure_callback(str, x, x))
"""
PROJECT = '[project]\nname = "p"\nversion = "1"\ndependencies = ["jax>=0.4.30,<0.7"]\n'


def _scan(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["scan", "--no-cache", *arguments])
    return code, out.getvalue(), err.getvalue()


def _project(folder: Path) -> str:
    for name, text in (("model.py", MODEL), ("train.py", TRAIN), ("pyproject.toml", PROJECT)):
        write(folder, text, name)
    return str(folder)


def _named(report: dict[str, Any], section: str) -> list[tuple[str, str, int]]:
    return [(entry["name"], Path(entry["path"]).name, entry["row"]) for entry in report[section]]


def test_each_kind_is_found_at_its_place(tmp_path: Path) -> None:
    code, out, err = _scan("--format", "json", _project(tmp_path))
    assert code == 0, err
    report = json.loads(out)
    assert report["files"]["count"] == 2 and report["files"]["libraries"] == {"jax": 2, "numpy": 1, "optax": 1}
    assert report["jax"] == {"target": "0.4.30..0.6.2", "origin": "what the project requires"}
    transformed = [(entry["name"], entry["function"], Path(entry["path"]).name) for entry in report["transformations"]]
    assert sorted(transformed) == [
        ("jax.grad", "clip", "train.py"),
        ("jax.jit", "clip", "train.py"),
        ("jax.jit", "step", "model.py"),
        ("jax.vmap", "clip", "train.py"),
    ]
    (step,) = [entry for entry in report["transformations"] if entry["function"] == "step"]
    assert step["options"] == {"donate_argnums": "(0, 1)", "static_argnames": "'n'"} and step["row"] == 13
    assert _named(report, "custom_derivatives") == [("jax.custom_vjp", "model.py", 19)]
    assert _named(report, "control_flow") == [("jax.lax.scan", "model.py", 15)]
    assert _named(report, "collectives") == [("jax.lax.psum", "model.py", 16)]
    assert _named(report, "meshes") == [("jax.sharding.Mesh", "model.py", 10)]
    assert [name for name, _, _ in _named(report, "shardings")] == [
        "jax.sharding.NamedSharding",
        "jax.sharding.PartitionSpec",
    ]
    assert _named(report, "donations") == [("jax.jit", "model.py", 13), ("jax.device_put", "model.py", 28)]
    assert _named(report, "key_sources") == [("jax.random.key", "train.py", 10)]
    assert _named(report, "callbacks") == [("jax.pure_callback", "train.py", 12)]
    assert _named(report, "settings") == [("jax.config.update", "train.py", 5)]
    currency = report["currency"]
    assert currency["judged_against"] == "0.4.30..0.12" and currency["runs_before"] == "0.6.0"
    (change,) = [change for change in currency["changes"] if change["name"] == "jax.tree_map"]
    assert change["replacement"] == "jax.tree.map" and change["places"][0]["row"] == 12
    names = [code.split()[1] for code in report["findings"]["families"]["randomness"]]
    assert names == ["key-captured-by-body"] and report["findings"]["count"] == 3


def test_the_page_for_people(tmp_path: Path) -> None:
    code, out, _ = _scan(_project(tmp_path))
    assert code == 0
    for words in (
        "2 files",
        "JAX 0.4.30..0.6.2 (what the project requires)",
        "transformed functions: 4",
        "(donate_argnums=(0, 1), static_argnames='n')",
        "collectives: 1 (jax.lax.psum 1)",
        "gone since JAX 0.6.0",
        "jax.tree_map: deprecated in 0.4.26, removed in 0.6.0; now jax.tree.map",
        "randomness: ",
    ):
        assert words in out


def test_an_empty_folder_and_a_missing_one(tmp_path: Path) -> None:
    code, out, _ = _scan("--format", "json", str(tmp_path))
    assert code == 0 and json.loads(out)["files"]["count"] == 0
    code, out, err = _scan(str(tmp_path / "none"))
    assert code == 2 and out == "" and "no such file or folder" in err


def test_a_broken_file_is_a_finding(tmp_path: Path) -> None:
    write(tmp_path, "def f(:\n", "broken.py")
    code, out, _ = _scan("--format", "json", str(tmp_path))
    assert code == 0 and list(json.loads(out)["findings"]["families"]) == ["meta"]


@pytest.mark.parametrize("command", ["scan", "check"])
def test_nothing_is_imported(tmp_path: Path, command: str) -> None:
    write(tmp_path, "import jax\n\nraise SystemExit('imported')\n")
    scan = "from jaxlint.cli.main import main; main(sys.argv[1:])"
    program = f"import sys; {scan}; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program, command, "-n", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "'jaxlint.engine'" in done.stdout and "jaxlint.lab" not in done.stdout
    assert "'jax'" not in done.stdout and "'numpy'" not in done.stdout and "jaxlint.child" not in done.stdout
