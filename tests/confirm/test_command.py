"""`--confirm` and `jaxlint confirm`: what starts them, what they need, what they show."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint.cli.main import main
from jaxlint.config.catalogue import load_catalogue
from jaxlint.config.settings import OPTIONS
from jaxlint.findings import Confirmation, Finding, Severity, Span
from jaxlint.registry import rule_classes
from jaxlint.report.formats import FORMATS, Report, format_named
from jaxlint.report.style import Style
from jaxlint.report.text import TextContext
from tests.support import ROOT

pytest.importorskip("jax")

WRONG = """\
import jax
import jax.numpy as jnp


@jax.jit
def clipped(x, limit):
    if jnp.linalg.norm(x) > limit:
        return limit * x
    return x


def twice(key):
    return jax.random.normal(key), jax.random.normal(key)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "program.py"
    path.write_text(WRONG)
    return path


def verdicts(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, Any]]:
    return [(item["code"], item["confirmation"]) for item in json.loads(capsys.readouterr().out)]


def test_findings_come_with_verdict_evidence_and_inputs(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--confirm", "--format", "json", str(program)]) == 1
    found = dict(verdicts(capsys))
    assert found["JAX301"]["verdict"] == "confirmed"
    assert found["JAX301"]["evidence"].startswith("TracerBoolConversionError: ")
    assert found["JAX301"]["evidence"].endswith("(row 7, in clipped)")
    assert found["JAX301"]["inputs"] == "`clipped`: tried x=float32[], limit=float32[]"
    assert found["JAX201"]["evidence"].startswith("`normal` at row 13 and `normal` at row 13 consume one key")


def test_without_the_flag_nothing_runs(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text("open('ran', 'w').close()\n" + WRONG)
    assert main(["check", "--format", "json", str(program)]) == 1
    assert [confirmation for _, confirmation in verdicts(capsys)] == [None, None]
    assert not (program.parent / "ran").exists()


def test_one_function_of_a_file(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confirm", "--format", "json", f"{program}::twice"]) == 1
    assert [code for code, _ in verdicts(capsys)] == ["JAX201"]


def test_text_formats_show_the_verdict(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confirm", f"{program}::clipped"]) == 1
    shown = capsys.readouterr().out
    assert "\nconfirmed: TracerBoolConversionError: " in shown
    assert "\ninputs: `clipped`: tried x=float32[], limit=float32[]\n" in shown
    assert main(["confirm", "--format", "concise", f"{program}::clipped"]) == 1
    assert "[confirmed]\n" in capsys.readouterr().out


def test_every_format_shows_the_verdict(program: Path) -> None:
    finding = Finding(
        "JAX301", "branch-on-tracer", Severity.ERROR, "it is so", str(program), Span(7, 5, 7, 7),
        "static-dynamic-boundary", confirmation=Confirmation("confirmed", "it was <seen>", "`f`: x=1"),
    )  # fmt: skip
    context = TextContext(program.parent, Style(False), lambda _: WRONG.splitlines())
    for name in FORMATS:
        report = Report([finding], context, (), load_catalogue(), print)
        assert "confirmed" in "".join(format_named(name)(report)).lower(), name


def test_inputs_come_from_the_factory_that_is_named(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program.parent / "makers.py").write_text("import numpy\n\ndef make():\n    return (numpy.ones(3), 1.0), {}\n")
    program.write_text(WRONG.replace("def twice", "# jaxlint: inputs=makers:key\ndef twice"))
    with (program.parent / "makers.py").open("a") as file:
        file.write("def key():\n    import jax\n    return (jax.random.key(5),), {}\n")
    assert main(["confirm", "--format", "json", str(program)]) == 1
    assert dict(verdicts(capsys))["JAX201"]["inputs"] == "`twice`: from `makers:key`"
    assert main(["confirm", "--format", "json", "--inputs", "makers:make", f"{program}::clipped"]) == 1
    assert dict(verdicts(capsys))["JAX301"]["inputs"] == "`clipped`: from `makers:make`"


def test_refuted_findings_can_be_left_out_of_the_exit_code(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(
        "import jax.numpy as jnp\nimport settings\n\n\ndef wide(x):\n    return jnp.asarray(x, dtype=jnp.float64)\n\n\n"
        "if __name__ == '__main__':\n    wide(1.0)\n"
    )
    hidden = "import jax\n\ngetattr(jax.config, 'up' + 'date')('jax_enable' + '_x64', True)\n"
    (program.parent / "settings.py").write_text(hidden)
    arguments = ["check", "--isolated", "--format", "json", str(program)]
    assert main([*arguments, "--confirm"]) == 1
    assert dict(verdicts(capsys))["JAX702"]["verdict"] == "refuted"
    assert main([*arguments, "--confirm=drop-refuted"]) == 0
    assert dict(verdicts(capsys))["JAX702"]["verdict"] == "refuted"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--confirm", "--python", "nopython", "."], "--python: no such interpreter: nopython"),
        (["check", "--confirm=maybe", "."], "--confirm is given alone or as --confirm=drop-refuted"),
        (["confirm"], "name the file to confirm"),
        (["confirm", "none.py"], "none.py: no such file"),
        (["confirm", "program.py::twic"], "there is no `twic`; did you mean `twice`?"),
        (["check", "--confirm", "--time-limit", "0", "."], "must be a positive number, not `0`"),
        (["check", "--confirm", "-"], "what is read from standard input cannot be confirmed"),
    ],
)
@pytest.mark.usefixtures("program")
def test_wrong_use_is_an_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Path("program.py").open())  # noqa: SIM115
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_without_jax_it_says_what_to_install(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    script.chmod(0o755)
    assert main(["confirm", "--python", str(script), str(program)]) == 2
    assert "pip install 'jax-linter[confirm]'" in capsys.readouterr().err


def test_no_setting_starts_it(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not [name for name in OPTIONS if "confirm" in name or "python" in name or name == "inputs"]
    for text in ("confirm = true", "inputs = 'm:f'", "python = 'x'"):
        (program.parent / "jaxlint.toml").write_text(text + "\n")
        assert main(["check", str(program)]) == 2
        assert "unknown setting" in capsys.readouterr().err


def test_only_commands_reach_what_runs_programs() -> None:
    """The server, the plugin of flake8, the hooks and the settings cannot start a child."""
    running = ("jaxlint.child", "jaxlint.confirm", "jaxlint.lab", "jaxlint.cli.confirming")
    reached = set()
    for path in (ROOT / "jaxlint").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if name.startswith(running):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(module.startswith(running) for module in modules):
                reached.add(name)
    others = {name for name in reached if not name.startswith("jaxlint.cli.")}
    assert others <= {"jaxlint.devtools.verdicts", "jaxlint.devtools.sampled"}
    hooks = ROOT / ".pre-commit-hooks.yaml"
    assert not hooks.exists() or "confirm" not in hooks.read_text()


def test_every_test_that_a_rule_names_is_there() -> None:
    names = {rule.confirm for rule in rule_classes() if rule.confirm is not None}
    folder = ROOT / "jaxlint" / "confirm" / "trials"
    assert names == {path.stem for path in folder.glob("*.py")} - {"__init__"}
