"""The plugin by itself: what it loads, what it keeps, and which files it passes over."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import pickle
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jaxlint import knowledge
from jaxlint.files.gate import Gate
from jaxlint.files.importers import ImportGraph
from jaxlint.files.mentions import LIBRARIES
from jaxlint.flake8 import Options, Plugin
from jaxlint.source import universal_text
from tests.engine.programs import PROJECT, check, write
from tests.support import FIXTURES, ROOT, lint
from tests.tools import run

REUSED = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n"


class Asked:
    """Stands in for the option manager: each option with its default."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    def add_option(self, name: str, *, default: object, **_: object) -> None:
        self.options[name.removeprefix("--").replace("-", "_")] = [] if name == "--jax-enable" else default


def parsed(*paths: str, **given: Any) -> Options:
    asked = Asked()
    Plugin.add_options(asked)
    own = {
        "select": None, "extend_select": [], "disable_noqa": False, "jobs": SimpleNamespace(is_auto=False, n_jobs=1),
        "filename": ["*.py"], "exclude": [], "extend_exclude": [], "bug_report": False,
    }  # fmt: skip
    Plugin.parse_options(None, argparse.Namespace(**{**own, **asked.options, **given}), paths)
    return Plugin.options


def test_every_option_has_our_prefix() -> None:
    asked = Asked()
    Plugin.add_options(asked)
    assert asked.options
    assert all(name.startswith("jax_") for name in asked.options)


def test_options_may_be_parsed_twice_and_sent_to_other_processes() -> None:
    first = parsed("a.py", jax_enable=["JAX206"])
    assert parsed("a.py", jax_enable=["JAX206"]) == first
    assert pickle.loads(pickle.dumps(first)) == first
    assert dataclasses.replace(first) == first


def found(path: Path, text: str) -> list[str]:
    plugin = Plugin(ast.parse(text), text.splitlines(keepends=True), str(path))
    return [message for _, _, message, _ in plugin.run()]


def test_a_file_is_never_opened_for_its_source(tmp_path: Path) -> None:
    parsed(str(tmp_path / "gone.py"), jax_isolated=True, jax_no_cache=True)
    assert [message[:6] for message in found(tmp_path / "gone.py", REUSED)] == ["JAX201"]


def test_each_file_has_the_findings_that_the_command_line_has_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write((tmp_path / "project").resolve(), PROJECT)
    shutil.copytree(ROOT / "examples" / "digits", folder / "digits", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(folder)
    parsed("-", jax_isolated=True, jax_no_cache=True)
    for path in sorted(folder.rglob("*.py")):
        expected = [f"{code} {message}" for *_, code, message in check(folder, paths=[path]).findings]
        assert sorted(found(path, path.read_text(encoding="utf-8"))) == sorted(expected), path


def test_the_recursion_limit_is_put_back(tmp_path: Path) -> None:
    parsed(str(tmp_path / "a.py"), jax_isolated=True, jax_no_cache=True)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_234)
    try:
        assert found(tmp_path / "a.py", REUSED)
        assert sys.getrecursionlimit() == 1_234
    finally:
        sys.setrecursionlimit(before)


LOADED = """
import ast, sys
from jaxlint.flake8 import Plugin
Plugin(ast.parse("import os"), ["import os\\n"], "plain.py")
list(Plugin(ast.parse("import os"), ["import os\\n"], "plain.py").run())
print(sorted(name for name in sys.modules if name == "libcst" or name.startswith("jaxlint.")))
"""


def test_a_file_without_jax_loads_no_rules_and_no_parser(tmp_path: Path) -> None:
    done = run([sys.executable, "-c", LOADED], tmp_path)
    assert "jaxlint.files.gate" in done.stdout
    assert not any(
        name in done.stdout for name in ("libcst", "jaxlint.rules", "jaxlint.engine", "jaxlint.config", "tomllib")
    )


def gate() -> Gate:
    return Gate(ImportGraph)


def opens(folder: Path, name: str) -> bool:
    path = folder / name
    return gate().opens(path, path.read_text(encoding="utf-8"))


def test_the_gate_opens_where_jax_is_within_reach(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "",
        "traced.py": "import jax\nfrom helpers import scale\nfast = jax.jit(scale)\n",
        "helpers.py": "import units\n\n\ndef scale(x):\n    return units.of(x)\n",
        "units.py": "def of(x):\n    return x if x > 0 else -x\n",
        "tools/__init__.py": "import optax\n",
        "tools/plain.py": "SIZE = 3\n",
        "use.py": "import tools.plain\n",
        "through.py": "from given import f\nfrom wraps import compiled\ncompiled(f)\n",
        "wraps.py": "import jax\ncompiled = jax.jit\n",
        "given.py": "def f(x):\n    return x\n",
        "apart.py": "import os\nimport numpy as np\n\nprint(np.zeros(3), os.getcwd())\n",
        "setup.py": "from setuptools import setup\n\nsetup()\n",
    }
    folder = write(tmp_path.resolve(), files)
    shut = {name for name in files if name.endswith(".py") and not opens(folder, name)}
    assert shut == {"apart.py", "setup.py"}


def test_the_gate_shuts_out_no_finding(tmp_path: Path) -> None:
    folder = write((tmp_path / "project").resolve(), PROJECT)
    files = [*sorted(folder.rglob("*.py")), *sorted(FIXTURES.glob("*/*.py"))]
    shared = Gate(ImportGraph)
    shut = [path for path in files if (text := universal_text(path)) is not None and not shared.opens(path, text)]
    assert not lint([*shut, folder / "package" / "__init__.py"])


GENERAL = {"absl", "attr", "attrs", "gin", "numpy", "pydantic", "tensorflow_probability", "torch", "tqdm"}
"""Packages that the tables speak of beside the standard library, and that do not bring JAX."""


def test_the_gate_knows_the_libraries_of_the_tables() -> None:
    tables = knowledge.load()
    names = {*tables.transforms, *tables.classes, *tables.aliases.values()}
    roots = {name.partition(".")[0] for name in names} - GENERAL - set(sys.stdlib_module_names)
    assert not {root for root in roots if not any(library in root for library in LIBRARIES)}


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_library_opens_the_gate(name: str, tmp_path: Path) -> None:
    assert gate().opens(tmp_path / "a.py", f"import {name}\n")
    assert not gate().opens(tmp_path / "a.py", "import numpy\n")
