"""`--add-noqa`: comments in the form that every tool reads, where the linter reads them, and nowhere else."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from tests.interface.fake import run, write
from tests.tools import run as run_program

FAULT = "fault_JAX201()\n"


def silenced(folder: Path, text: str, *arguments: str) -> str:
    """The text after `--add-noqa`; a second run changes nothing more."""
    write(folder, {"a.py": text})
    run(folder, "--add-noqa", "a.py", *arguments)
    after = (folder / "a.py").read_bytes().decode()
    run(folder, "--add-noqa", "a.py", *arguments)
    assert (folder / "a.py").read_bytes().decode() == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fault_JAX201()\n", "fault_JAX201()  # noqa: JAX201\n"),
        ("fault_JAX201()", "fault_JAX201()  # noqa: JAX201"),
        ("fault_JAX201()   \r\nx = 1\r\n", "fault_JAX201()  # noqa: JAX201\r\nx = 1\r\n"),
        ("\ufefffault_JAX201()\n", "\ufefffault_JAX201()  # noqa: JAX201\n"),
        ("fault_JAX301(); fault_JAX201()\n", "fault_JAX301(); fault_JAX201()  # noqa: JAX201, JAX301\n"),
        ("fault_JAX201()  # why\n", "fault_JAX201()  # why  # noqa: JAX201\n"),
        ("fault_JAX201()  # noqa: E501\n", "fault_JAX201()  # noqa: E501, JAX201\n"),
        ("fault_JAX201()  #noqa:E501  # why\n", "fault_JAX201()  # noqa: E501, JAX201  # why\n"),
        ("fault_JAX201()  # noqa: key-reuse\n", "fault_JAX201()  # noqa: key-reuse\n"),
        ("x = '# noqa: E501'; fault_JAX201()\n", "x = '# noqa: E501'; fault_JAX201()  # noqa: JAX201\n"),
        ("fault_JAX201(\n)\n", "fault_JAX201(  # noqa: JAX201\n)\n"),
        ("fault_JAX201(  # noqa: E501\n)\n", "fault_JAX201(  # noqa: E501, JAX201\n)\n"),
    ],
)
def test_comments(before: str, after: str, tmp_path: Path) -> None:
    assert silenced(tmp_path, before) == after


@pytest.mark.parametrize("before", ['fault_JAX201(); x = """\ntext\n"""\n', "fault_JAX201() + \\\n    1\n"])
def test_nothing_is_written_into_strings_or_after_a_backslash(before: str, tmp_path: Path) -> None:
    """The stand-in for the engine takes the row of the fault for the header's end, so no row is left."""
    assert silenced(tmp_path, before) == before
    ran = run(tmp_path, "--add-noqa")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == "Silenced 0 findings in 0 files. No comment can silence a.py:1 JAX201.\n"


def test_a_reason(tmp_path: Path) -> None:
    assert silenced(tmp_path, FAULT, "--add-noqa=later on") == "fault_JAX201()  # noqa: JAX201  # later on\n"
    assert run(tmp_path, "a.py").code == 0
    ran = run(tmp_path, "--add-noqa=two\nlines")
    assert (ran.code, ran.err) == (2, "error: --add-noqa: a reason must fit on one line\n")


def test_what_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT * 2, "b.py": FAULT, "broken.py": "unclosed(\n", "c.py": "x = 1  # noqa: JAX201\n"})
    ran = run(tmp_path, "--add-noqa")
    assert ran.code == 1
    assert ran.out == ("Silenced 3 findings in 2 files. No comment can silence broken.py:1 JAX001, c.py:1 JAX002.\n")
    assert (tmp_path / "c.py").read_text(encoding="utf-8") == "x = 1  # noqa: JAX201\n"
    assert run(tmp_path, "--add-noqa", "a.py", "b.py") == (0, "Silenced 0 findings in 0 files.\n", "")


def test_the_encoding_of_the_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"# coding: latin-1\nx = '\xe9'\nfault_JAX201()\n")
    assert run(tmp_path, "--add-noqa").code == 0
    data = (tmp_path / "a.py").read_bytes()
    assert data == b"# coding: latin-1\nx = '\xe9'\nfault_JAX201()  # noqa: JAX201\n"
    (tmp_path / "a.py").write_bytes(b"# coding: latin-1\nfault_JAX201()\n")
    ran = run(tmp_path, "--add-noqa=\N{SNOWMAN}")
    assert ran.code == 2
    assert "cannot be written as iso-8859-1" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fix",), "--add-noqa and --fix exclude each other"),
        (("--write-baseline", "x"), "--add-noqa and --write-baseline exclude each other"),
        (("-",), "--add-noqa is for files, not for standard input"),
    ],
)
def test_what_excludes_it(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT})
    ran = run(tmp_path, "--add-noqa", *arguments, stdin=FAULT)
    assert (ran.code, ran.err) == (2, f"error: {message}\n")


def test_notebooks(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": ["%time x = 1\n", "fault_JAX201()"]},
        {"cell_type": "code", "source": ["y = (\n", "    fault_JAX301()\n", ")\n", "x = 2  # noqa: JAX201"]},
    ]
    notebook = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    write(tmp_path, {"n.ipynb": json.dumps(notebook)})
    run(tmp_path, "--write-baseline", "known.json", "--select", "JAX201,JAX301")
    assert run(tmp_path, "--baseline", "known.json", "--select", "JAX201,JAX301").code == 0
    ran = run(tmp_path, "--add-noqa")
    assert ran.out == "Silenced 2 findings in 1 file. No comment can silence n.ipynb:cell 2:4 JAX002.\n"
    after = json.loads((tmp_path / "n.ipynb").read_text(encoding="utf-8"))["cells"]
    assert after[0]["source"] == ["%time x = 1\n", "fault_JAX201()  # noqa: JAX201"]
    assert after[1]["source"][1] == "    fault_JAX301()  # noqa: JAX301\n"


PROGRAM = """\
import functools

import jax


@functools.partial(
    jax.jit,
    static_argnums=0,
)
def step(
    n,
    x,
    key,
):
    if (
        x >
        0
    ):
        return x
    a = jax.random.normal(key)
    b = f'''{a}
    {jax.random.normal(key)}
    '''
    c = jax.random.normal(
        key,  # the same  # noqa: E501
    ) + jax.random.uniform(
        key
    )
    d = \\
        jax.random.normal(key)
    return c, d, b, '''
# noqa: JAX201 is how''', jax.random.normal(key)
"""


def test_every_tool_reads_the_comments(tmp_path: Path) -> None:
    """Over the real engine: the program stays the same, and neither jaxlint nor flake8 nor ruff has a complaint."""
    file = tmp_path / "step.py"
    file.write_text(PROGRAM, encoding="utf-8")
    jaxlint = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--no-cache", "step.py"]
    before = run_program([*jaxlint, "--format", "concise", "-q"], tmp_path).stdout.splitlines()
    assert len(before) > 4
    added = run_program([*jaxlint, "--add-noqa"], tmp_path)
    assert (added.returncode, added.stderr) == (0, "")
    assert added.stdout == f"Silenced {len(before)} findings in 1 file.\n"
    text = file.read_text(encoding="utf-8")
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(PROGRAM))
    assert "    if (  # noqa: JAX301\n" in text
    again = run_program([*jaxlint, "--add-noqa"], tmp_path)
    assert again.stdout == "Silenced 0 findings in 0 files.\n"
    assert file.read_text(encoding="utf-8") == text
    flake8 = run_program([sys.executable, "-m", "flake8", "--isolated", "--select", "JAX", "step.py"], tmp_path)
    assert (flake8.returncode, flake8.stdout) == (0, "")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "RUF100,RUF101,RUF102,RUF103"]
    external = ["--config", 'lint.external = ["JAX", "E"]', "--no-cache", "step.py"]
    kept = run_program([*ruff, *external], tmp_path)
    assert (kept.returncode, kept.stdout.strip()) == (0, "All checks passed!")
