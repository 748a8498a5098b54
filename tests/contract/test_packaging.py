"""What is installed: every package, the references and the tables, from two folders outside the package."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INSTALLED = {"jaxlint": ROOT / "jaxlint", "jaxlint/rules": ROOT / "rules", "jaxlint/references": ROOT / "references"}


def _files(suffix: str) -> set[str]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}"
        for prefix, folder in INSTALLED.items()
        for path in folder.rglob(f"*{suffix}")
        if "__pycache__" not in path.parts
    }


def test_every_package_is_listed() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        listed = tomllib.load(file)["tool"]["setuptools"]["packages"]
    present = {name.rpartition("/")[0].replace("/", ".") for name in _files(".py")}
    assert sorted(listed) == sorted(present)


def test_wheel_holds_everything(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    checkout = tmp_path / "checkout"
    for folder in INSTALLED.values():
        shutil.copytree(folder, checkout / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout / name)
    build = "import setuptools.build_meta as backend, sys; backend.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=checkout, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("jax_linter-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = next(name for name in names if name.endswith("/METADATA"))
        requirements = [
            line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: ")
        ]
    missing = (_files(".py") | _files(".tsv") | _files(".json") | _files(".md") | {"jaxlint/py.typed"}) - names
    assert not missing
    base = [line for line in requirements if "extra ==" not in line]
    assert len(base) == 4, f"the base install stays small: {base}"
