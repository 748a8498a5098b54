"""Rules of other packages: the worked example is installed, and its rule is there wherever rules are."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.tools import pip, run

EXAMPLE = ROOT / "examples" / "house_rules"
FETCHING = """\
from jax import device_get as get


def report(loss):
    print(get(loss))
    print(get(loss))  # noqa: HSE001
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has what the running one has, and the example."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv", with_pip=False)
    (python,) = {path for path in (folder / "venv").glob("*/python*") if path.stem == "python"}
    (packages,) = (folder / "venv").glob("lib/*/site-packages")
    inherited = [path for path in sys.path if Path(path).name in {"site-packages", "dist-packages"}]
    lines = [f"import site; site.addsitedir({path!r})\n" for path in inherited]
    (packages / "inherited.pth").write_text("".join(lines), encoding="utf-8")
    source = shutil.copytree(EXAMPLE, folder / "house_rules")
    pip("--python", str(python), "install", "--quiet", "--no-deps", "--no-build-isolation", str(source))
    return python


@pytest.fixture
def jaxlint(python: Path, tmp_path: Path) -> Jaxlint:
    (tmp_path / "report.py").write_text(FETCHING, encoding="utf-8")
    return Jaxlint(python, tmp_path)


class Jaxlint:
    """Runs modules in the environment of the example."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python = python
        self.folder = folder

    def __call__(self, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run([str(self.python), "-m", module, *arguments], self.folder)


def test_its_findings_are_reported(jaxlint: Jaxlint) -> None:
    done = jaxlint("jaxlint", "check", "--isolated", "--no-cache", "--format", "json", ".")
    (finding,) = json.loads(done.stdout)
    assert (finding["code"], finding["name"], finding["location"]["row"]) == ("HSE001", "bare-device-get", 5)
    assert finding["message"] == "`get(loss)` fetches an array without counting it"
    assert finding["url"] == "https://house.example/rules#HSE001"


def test_it_is_selected_by_code_prefix_and_name(jaxlint: Jaxlint) -> None:
    def status(*arguments: str) -> int:
        return jaxlint("jaxlint", "check", "--isolated", "--no-cache", "-q", *arguments, ".").returncode

    assert status("--select", "HSE") == status("--select", "HSE001") == status("--select", "bare-device-get") == 1
    assert status("--select", "JAX") == status("--ignore", "HSE") == 0
    assert status("--select", "JXS") == 2


def test_it_is_listed_and_explained(jaxlint: Jaxlint) -> None:
    listed = json.loads(jaxlint("jaxlint", "rules", "--format", "json").stdout)
    assert "HSE001" in {rule["code"] for rule in listed}
    for word in ("HSE001", "bare-device-get", "HSE"):
        page = jaxlint("jaxlint", "explain", word).stdout
        assert "bare-device-get" in page
        assert "print(house.fetch(loss))" in page
        assert "https://house.example/rules#HSE001" in page


def test_flake8_has_it_too(jaxlint: Jaxlint) -> None:
    done = jaxlint("flake8", "--isolated", "--jax-isolated", "--jax-no-cache", ".")
    assert done.stdout == "./report.py:5:11: HSE001 `get(loss)` fetches an array without counting it\n"
    assert jaxlint("flake8", "--isolated", "--jax-isolated", "--jax-no-cache", "--ignore", "HSE", ".").stdout == ""
    assert "house-rules: " in jaxlint("flake8", "--version").stdout


def test_the_programs_of_its_explanation_are_true(jaxlint: Jaxlint) -> None:
    listed = json.loads(jaxlint("jaxlint", "rules", "--format", "json").stdout)
    (explanation,) = (rule["explanation"] for rule in listed if rule["code"] == "HSE001")
    for kind, expected in (("wrong", ["HSE001"]), ("right", [])):
        (jaxlint.folder / "report.py").write_text(explanation[kind], encoding="utf-8")
        done = jaxlint("jaxlint", "check", "--isolated", "--no-cache", "--format", "json", "report.py")
        assert [finding["code"] for finding in json.loads(done.stdout)] == expected
