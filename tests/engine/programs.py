"""What the engine tests share: small projects written to a folder, and the linter run over them as a command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Found = tuple[str, int, int, str, str]
"""(file, row, column, code, message) of a finding."""

PROJECT = {
    "pyproject.toml": "",
    "model.py": """\
import jax
import jax.numpy as jnp


def step(x):
    if x.sum() > 0:
        return x
    return -x


def init(key):
    return jax.random.normal(key, (3,))


class Base:
    def __init__(self, key):
        self.key = key

    def draw(self):
        return jax.random.uniform(self.key)


def even(n, key):
    return odd(n - 1, key) if n else jax.random.normal(key)


def odd(n, key):
    return even(n - 1, key) if n else jnp.zeros(())
""",
    "train.py": """\
import jax

from model import Base, even, init, step

fast = jax.jit(step)


class Sampler(Base):
    def twice(self):
        return self.draw() + self.draw()


def start(key):
    params = init(key)
    noise = jax.random.normal(key, (3,))
    return params, noise


def both(key):
    return even(3, key) + even(4, key)


def run(x):
    return fast(x) + int(x[0])
""",
    "package/__init__.py": "from package.first import *\nfrom package.second import again\n",
    "package/first.py": """\
from package import second


def consume(key):
    return second.draw(key) + second.draw(key)
""",
    "package/second.py": """\
import jax

from package import first


def draw(key):
    return jax.random.normal(key)


def again(key):
    return first.consume(key) + draw(key)
""",
    "script.py": """\
import jax
import package


def main():
    key = jax.random.key(0)
    a = package.consume(key)
    b = package.again(key)
    return a + b


@jax.jit
def loss(x):
    total = 0.0
    for i in range(3):
        total += float(x[i])
    return total
""",
}


@dataclass(frozen=True)
class Run:
    """One run of `jaxlint check`."""

    status: int
    findings: tuple[Found, ...]
    output: str
    complaints: str

    def of(self, name: str) -> list[Found]:
        """The findings in one file."""
        return [finding for finding in self.findings if finding[0] == name]


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write a project."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def check(folder: Path, *arguments: str, paths: Iterable[str | Path] = (), cache: Path | None = None) -> Run:
    """Check paths of a project, the whole of it by default."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = ["check", "--isolated", "--format", "json", "--output-file", str(report), *arguments]
        command += ["--cache-dir", str(cache)] if cache is not None else ["--no-cache"]
        out, err = io.StringIO(), io.StringIO()
        with _inside(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*command, *map(str, list(paths) or [folder])])
        items = json.loads(report.read_text(encoding="utf-8")) if report.exists() else []
    found = [
        (
            str(Path(item["filename"]).relative_to(folder)),
            item["location"]["row"],
            item["location"]["column"],
            item["code"],
            item["message"],
        )
        for item in items
    ]
    return Run(status, tuple(sorted(found)), out.getvalue(), err.getvalue())
