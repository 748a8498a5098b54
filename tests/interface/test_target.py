"""The JAX versions that code is judged against: from the option, the settings, or what the project requires."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.files.requirements import project_target
from jaxlint.target import Target, supported

PYPROJECT = '[project]\nname = "x"\n'


@pytest.mark.parametrize(
    ("requirements", "range_"),
    [
        ([">=0.4.30"], "0.4.30..0.12"),
        ([">=0.4.30,<0.7"], "0.4.30..0.6.2"),
        (["==0.4.35"], "0.4.35"),
        (["~=0.5.0"], "0.5.0..0.5.3"),
        ([">0.12"], "0.12"),
        ([">=0.99"], "0.12"),
        (["==0.4.*"], "0.4.0..0.4.38"),
        (["<0.4.20", ">=0.6"], "0.1.0..0.12"),
        (["", ">=0.9"], "0.9.0..0.12"),
        ([""], "None"),
        (["never"], "None"),
    ],
)
def test_specifiers(requirements: list[str], range_: str) -> None:
    assert str(supported(requirements)) == range_


def test_a_range_reaches_and_spans_changes() -> None:
    target = Target.parse("0.4.30..0.12")
    assert target.reaches("0.12.0.1")
    assert target.spans("0.9.0")
    assert not target.spans("0.4.20")
    assert Target.parse("0.6").reaches("0.6.1")
    assert not Target.parse("0.6").reaches("0.7.0")
    assert not Target.parse("0.6").spans("0.6.1")
    assert str(Target.parse("")) == "0.12"


@pytest.mark.parametrize(
    ("files", "range_"),
    [
        ({"pyproject.toml": PYPROJECT + 'dependencies = ["numpy", "jax[cuda12]>=0.5.1"]\n'}, "0.5.1..0.12"),
        (
            {"pyproject.toml": PYPROJECT + '[project.optional-dependencies]\ngpu = ["jax<0.6,>=0.4.31"]\n'},
            "0.4.31..0.5.3",
        ),
        ({"pyproject.toml": '[dependency-groups]\ndev = ["jax==0.7.0", { include-group = "x" }]\n'}, "0.7.0"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\njax = "^0.4.20"\n'}, "0.4.20..0.4.38"),
        ({"pyproject.toml": '[tool.poetry.dependencies]\njax = { version = "~0.5.1" }\n'}, "0.5.1..0.5.3"),
        ({"pyproject.toml": PYPROJECT, "requirements.txt": "jaxlib==0.4.1\njax==0.4.35  # pinned\n"}, "0.4.35"),
        (
            {"pyproject.toml": PYPROJECT, "requirements-dev.txt": "jax>=0.10 ; python_version > '3.10'\n"},
            "0.10.0..0.12",
        ),
        ({"setup.cfg": "[options]\ninstall_requires =\n    numpy\n    jax>=0.6,<0.8\n"}, "0.6.0..0.7.2"),
        ({"setup.py": "from setuptools import setup\nsetup(install_requires=['jax>=0.8'])\n"}, "0.8.0..0.12"),
        ({"pyproject.toml": PYPROJECT, "uv.lock": '[[package]]\nname = "jax"\nversion = "0.9.1"\n'}, "0.9.1"),
        (
            {"pyproject.toml": PYPROJECT + 'dependencies = ["jax"]\n', "uv.lock": 'name = "jax"\nversion = "0.9.1"\n'},
            "0.9.1",
        ),
        ({"pyproject.toml": PYPROJECT + 'dependencies = ["jax"]\n'}, "None"),
        ({"pyproject.toml": "[broken"}, "None"),
        ({".git/HEAD": ""}, "None"),
    ],
)
def test_declared_requirements(tmp_path: Path, files: dict[str, str], range_: str) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    inner = tmp_path / "package" / "deep"
    inner.mkdir(parents=True)
    assert str(project_target(tmp_path)) == range_
    assert str(project_target(inner)) == range_
