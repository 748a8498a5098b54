"""Runs the commands of the laboratory on small programs, in this interpreter's environment."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jaxlint.cli.main import main

needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")

PROGRAM = """
import functools

import jax
import jax.numpy as jnp

TABLE = jnp.arange(100.0)


@functools.partial(jax.jit, donate_argnums=(0, 2), static_argnames="n")
def step(params, x, unused, n):
    params = {"b": params["b"] + TABLE[:3].sum(), "w": params["w"] - 0.1 * x.T @ (x @ params["w"])}
    return jax.lax.fori_loop(0, n, lambda i, c: jax.tree_util.tree_map(jnp.sin, c), params), x.sum()


# jaxlint: inputs=make_inputs
def plain(params, x, unused, n):
    return params["b"] * n


def branch(params, x, unused, n):
    if x.sum() > 0:
        return x
    return -x


def make_inputs():
    return ({"b": jnp.zeros(3), "w": jnp.ones((4, 3))}, jnp.ones((8, 4)), jnp.ones(7)), {"n": 3}


def make_larger():
    return ({"b": jnp.zeros(3), "w": jnp.ones((4, 3))}, jnp.ones((80, 4)), jnp.ones(7)), {"n": 3}
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """Its JSON."""
        report: dict[str, Any] = json.loads(self.out)
        return report


def jaxlint(*arguments: str) -> Run:
    """Run a command; its children use this interpreter."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*arguments, "--python", sys.executable])
    return Run(code, out.getvalue(), err.getvalue())


def write(folder: Path, text: str, name: str = "program.py") -> str:
    """A file with a program; its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)
