"""Notebooks for tests, and the linter as a command over them."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import nbformat
import pytest

from jaxlint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence


class Ran(NamedTuple):
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What `--format json` says."""
        found: list[dict[str, Any]] = json.loads(self.out)
        return found

    def places(self) -> list[tuple[int | None, int, int, str]]:
        """(cell, row, column, code) of each finding of `--format json`."""
        places = [(item["cell"], item["location"], item["code"]) for item in self.findings]
        return [(cell, at["row"], at["column"], code) for cell, at, code in places]


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> Ran:
    """Run `jaxlint check` in a folder."""
    raw, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(["check", "--isolated", "--no-cache", "--jobs", "1", *arguments])
        out.flush()
    return Ran(code, raw.getvalue().decode(), err.getvalue())


def notebook(*cells: str | tuple[str, str], **metadata: Any) -> Any:
    """A notebook of code cells; a pair is the kind of a cell and its text."""
    make = {"markdown": nbformat.v4.new_markdown_cell, "raw": nbformat.v4.new_raw_cell}
    made = [
        nbformat.v4.new_code_cell(cell, outputs=[_output()]) if isinstance(cell, str) else make[cell[0]](cell[1])
        for cell in cells
    ]
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"
    return nbformat.v4.new_notebook(cells=made, metadata=metadata)


def _output() -> Any:
    return nbformat.v4.new_output("stream", text="jax.tree_map is only text here — \u2028 \x0b")


def save(folder: Path, *cells: str | tuple[str, str], name: str = "a.ipynb", **metadata: Any) -> Path:
    """Write a notebook as Jupyter does."""
    path = folder / name
    nbformat.write(notebook(*cells, **metadata), path)
    return path


def sources(path: Path) -> Sequence[str]:
    """The cells of a notebook, which must be a valid one."""
    found = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(found)
    return [cell["source"] for cell in found["cells"]]
