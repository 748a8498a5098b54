"""Only a flag or a command starts the user's program: not checking, the server, the plugin of flake8 or a hook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

PROGRAM = """\
import pathlib

import jax

pathlib.Path(__file__).with_name("ran").touch()


def draw(key):
    return jax.random.normal(key) + jax.random.normal(key)
"""
SETTINGS = '[tool.jaxlint]\nselect = ["ALL"]\n'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def ran(program: Path) -> bool:
    return program.with_name("ran").exists()


def command(*words: str, cwd: Path) -> str:
    run = subprocess.run([sys.executable, "-m", *words], cwd=cwd, capture_output=True, text=True, check=False)
    return run.stdout


def test_the_flag_and_the_command_run_it(program: Path) -> None:
    pytest.importorskip("jax")
    assert "[confirmed]" in command("jaxlint", "check", "--confirm", "--format=concise", ".", cwd=program.parent)
    assert ran(program)
    program.with_name("ran").unlink()
    assert "[confirmed]" in command("jaxlint", "confirm", "--format=concise", "program.py", cwd=program.parent)
    assert ran(program)


@pytest.mark.parametrize("words", [["check", "."], ["."], ["scan", "."], ["rules"], ["config", "program.py"]])
def test_other_commands_do_not(program: Path, words: list[str]) -> None:
    assert command("jaxlint", *words, cwd=program.parent)
    assert not ran(program)


def test_hooks_do_not(program: Path) -> None:
    entries = [
        line.partition(":")[2].split()
        for line in (ROOT / ".pre-commit-hooks.yaml").read_text().splitlines()
        if line.strip().startswith("entry:")
    ]
    assert entries
    for entry in entries:
        assert "JAX201" in command(*entry, program.name, cwd=program.parent)
    assert not ran(program)


def test_the_plugin_of_flake8_does_not(program: Path) -> None:
    pytest.importorskip("flake8")
    assert "JAX201" in command("flake8", "--select=JAX", program.name, cwd=program.parent)
    assert not ran(program)


def test_the_server_does_not(program: Path) -> None:
    pytest.importorskip("pygls")
    from tests.interface.editor import Editor

    with Editor(program.parent, settings={"confirm": True, "args": ["--confirm"]}) as editor:
        editor.open(program)
        assert editor.diagnostics(program)
    assert not ran(program)
