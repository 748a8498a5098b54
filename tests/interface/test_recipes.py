"""The recipes of the documentation, tried as far as they run without the service that they are for."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.engine.programs import write
from tests.interface.test_pre_commit import clone
from tests.support import ROOT
from tests.tools import run, shared_folder, unavailable

yaml = pytest.importorskip("yaml")

PAGES = ("ci.md", "flake8.md", "pre-commit.md", "rule-packages.md")
OURS = "git+https://github.com/OWNER/jaxlint@v0.1.0"
_BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)

BLOCKS: list[tuple[str, str, str, str]] = [
    (page, language, name, text)
    for page in PAGES
    for language, name, text in _BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
]
"""(page, language, name of the file, its text)."""
PROJECT = {
    "pyproject.toml": "",
    "draw.py": "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n",
}


def recipe(page: str, name: str) -> str:
    return next(text for on, _, called, text in BLOCKS if (on, called) == (page, name))


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize(("page", "language", "name", "text"), BLOCKS)
def test_recipes_are_well_formed(page: str, language: str, name: str, text: str) -> None:
    shown = f"{page}: {name}"
    if language == "yaml":
        assert isinstance(yaml.safe_load(text), dict), shown
    elif language == "python":
        compile(text, shown, "exec")
    assert "\t" not in text, shown


@pytest.mark.parametrize("name", ["jaxlint.yml", "jaxlint-forks.yml", "pre-commit.yml"])
def test_workflows_have_what_github_asks_for(name: str) -> None:
    workflow = yaml.safe_load(recipe("ci.md", f".github/workflows/{name}"))
    assert workflow[True].keys() == {"push", "pull_request"}, "YAML reads the key `on` as true"
    assert workflow["permissions"] == {"contents": "read"}
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step.get("uses", "actions/checkout@v5"))
    uploading = [step for step in steps(workflow) if "upload-sarif" in step.get("uses", "")]
    for step in uploading:
        assert step["with"] == {"sarif_file": "jaxlint.sarif", "category": "jaxlint"}
        (job,) = workflow["jobs"].values()
        assert job["permissions"]["security-events"] == "write"


def our_commands() -> list[tuple[str, str]]:
    """(recipe, command) of each step that runs jaxlint in a shell."""
    found = []
    for name in (".github/workflows/jaxlint.yml", ".github/workflows/jaxlint-forks.yml"):
        found += [(name, step["run"]) for step in steps(yaml.safe_load(recipe("ci.md", name))) if "run" in step]
    found += [
        (".gitlab-ci.yml", line) for line in yaml.safe_load(recipe("ci.md", ".gitlab-ci.yml"))["jaxlint"]["script"]
    ]
    return [(name, command) for name, command in found if command.startswith("jaxlint ")]


def test_there_are_commands_to_try() -> None:
    assert len(our_commands()) == 4


@pytest.mark.parametrize(("name", "command"), our_commands())
def test_commands_run_and_write_what_the_next_step_reads(name: str, command: str, tmp_path: Path) -> None:
    folder = write(tmp_path, PROJECT)
    program = [sys.executable, "-m", "jaxlint", *command.split()[1:]]
    done = run(program, folder, environment={"JAXLINT_CACHE_DIR": str(tmp_path / ".jaxlint_cache")})
    assert done.returncode == (0 if "--exit-zero" in command else 1), f"{name}: {done.stderr}"
    if "sarif" in command:
        (sarif_run,) = json.loads((folder / "jaxlint.sarif").read_text(encoding="utf-8"))["runs"]
        assert [result["ruleId"] for result in sarif_run["results"]] == ["JAX201"]
    if "gitlab" in command:
        report = json.loads((folder / "gl-code-quality-report.json").read_text(encoding="utf-8"))
        assert [entry["check_name"] for entry in report] == ["JAX201"]
    if "github" in command:
        assert done.stdout.startswith("::error title=jaxlint (JAX201),file=draw.py,line=5,")


@pytest.fixture(scope="module")
def runners() -> Path:
    """The folder of the commands `tox`, `nox` and `check-jsonschema`."""
    folder = shared_folder() / f"runners-py{sys.version_info.major}{sys.version_info.minor}"
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    if not (commands / "check-jsonschema").exists():
        venv.create(folder, with_pip=True, clear=True)
        done = run(
            [str(commands / "python"), "-m", "pip", "install", "--quiet", "tox", "nox", "check-jsonschema"], ROOT
        )
        if done.returncode:
            shutil.rmtree(folder)
            unavailable("tox, nox and check-jsonschema cannot be installed: no package index is reachable")
    return commands


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        (".github/workflows/jaxlint.yml", "github-workflows"),
        (".github/workflows/jaxlint-forks.yml", "github-workflows"),
        (".github/workflows/pre-commit.yml", "github-workflows"),
        (".gitlab-ci.yml", "gitlab-ci"),
    ],
)
def test_workflows_fit_the_schemas_of_their_services(name: str, schema: str, runners: Path, tmp_path: Path) -> None:
    folder = write(tmp_path, {"recipe.yml": recipe("ci.md", name)})
    done = run([str(runners / "check-jsonschema"), "--builtin-schema", f"vendor.{schema}", "recipe.yml"], folder)
    assert done.returncode == 0, done.stdout + done.stderr


def of_this_checkout(text: str, folder: Path) -> str:
    """The recipe with a clone of this checkout in place of the repository."""
    source = clone(folder / "source")
    return text.replace(OURS, f"git+{source.as_uri()}")


def prove(done: subprocess.CompletedProcess[str]) -> None:
    if "No matching distribution" in done.stdout + done.stderr:
        unavailable("jaxlint cannot be installed: no package index is reachable")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "draw.py:5:37: JAX201 " in done.stdout + done.stderr


def test_tox_runs_its_recipe(runners: Path, tmp_path: Path) -> None:
    text = of_this_checkout(recipe("ci.md", "tox.ini"), tmp_path)
    folder = write(tmp_path / "project", {**PROJECT, "tox.ini": text})
    prove(run([str(runners / "tox"), "-e", "jaxlint", "--", "--format", "concise"], folder))


def test_nox_runs_its_recipe(runners: Path, tmp_path: Path) -> None:
    text = of_this_checkout(recipe("ci.md", "noxfile.py"), tmp_path)
    folder = write(tmp_path / "project", {**PROJECT, "noxfile.py": text})
    prove(run([str(runners / "nox"), "-s", "jaxlint", "--", "--format", "concise", "draw.py"], folder))
