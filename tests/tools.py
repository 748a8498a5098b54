"""Other people's tools that tests run: which are there, and how one that is not is fetched."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

MUST_RUN = "JAXLINT_TESTS_MUST_RUN"
"""Set where a test that lacks a tool has to fail: in CI."""

FLAKE8_MAJORS = ("6", "7")


def unavailable(reason: str) -> NoReturn:
    """Skip a test whose tool is not there."""
    if os.environ.get(MUST_RUN):
        pytest.fail(reason)
    pytest.skip(reason)


def run(
    command: list[str], folder: Path, *, stdin: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program and keep what it says."""
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **(environment or {})}, input=stdin, capture_output=True, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip


def pip(*arguments: str) -> None:
    """Run pip; a test that cannot install what it needs is skipped."""
    done = run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments], Path.cwd())
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        unavailable(f"pip {' '.join(arguments)}: {' '.join(last)}")


def shared_folder() -> Path:
    """Where tools are kept that are installed once and not for each test."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"jaxlint-test-tools-{user}"
    folder.mkdir(exist_ok=True)
    return folder


@functools.cache
def flake8_environment(major: str) -> tuple[tuple[str, str], ...]:
    """What has to stand in the environment for `python -m flake8` to be of this major version."""
    try:
        installed = importlib.metadata.version("flake8")
    except importlib.metadata.PackageNotFoundError:
        unavailable("flake8 is not installed")
    if installed.partition(".")[0] == major:
        return ()
    folder = shared_folder() / f"flake8-{major}-py{sys.version_info.major}{sys.version_info.minor}"
    if not (folder / "flake8").is_dir():
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "packages"
            pip("install", "--quiet", "--target", str(made), f"flake8=={major}.*")
            try:
                made.rename(folder)
            except OSError:  # another test process was faster
                assert (folder / "flake8").is_dir()
    return (("PYTHONPATH", str(folder)),)


def flake8(
    major: str, folder: Path, *arguments: str, stdin: str = "", isolated: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the real flake8 in a folder, without its settings and ours unless a test is about them."""
    own = ["--isolated", "--jax-isolated"] if isolated else []
    command = [sys.executable, "-m", "flake8", *own, *arguments]
    return run(command, folder, stdin=stdin, environment=dict(flake8_environment(major)))
