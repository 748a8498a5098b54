"""Each rule's own wrong program is confirmed by its test, under the JAX at hand and under older versions."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from functools import cache
from pathlib import Path

import pytest

from jaxlint.child.process import Limits
from jaxlint.confirm.session import Conditions, confirm
from jaxlint.findings import Finding, Severity, Span
from jaxlint.registry import rule_classes
from tests.support import lint_text, opt_in

FOLDER = "JAXLINT_JAX_ENVIRONMENTS"
"""The folder in which the tests may make environments with older versions of JAX. Without it they skip."""

OLDER = {
    "0.4.30": ["jax==0.4.30", "jaxlib==0.4.30", "numpy<2", "scipy<1.14"],
    "0.7": ["jax~=0.7.0"],
    "0.10": ["jax~=0.10.0"],
}
RULES = {rule.code: rule for rule in rule_classes() if rule.confirm is not None}
TRIALS = {code: str(rule.confirm) for code, rule in RULES.items()}

NOT_ON: dict[str, frozenset[str]] = {
    "0.4.30": frozenset({"JAX801", "JAX804", "JAX901", "JAX904"}),
    "0.7": frozenset({"JAX801", "JAX904"}),
    "0.10": frozenset(),
}
"""What an older version cannot show: it does not warn yet, has the name still, or lacks one that the program uses."""


CALLS = {
    "JAX802": "normalise(jax.numpy.ones((2, 3)))",
    "JAX804": "combine(*jax.numpy.ones((3, 8)))",
}
"""Calls of the program itself, for findings that inputs of our own cannot decide: who calls may bind axes, and choose
the structure of arguments."""


def tried(code: str, text: str, folder: Path, python: str) -> list[tuple[str, str]]:
    """The verdicts on what the linter finds in a program."""
    path = folder / "program.py"
    if code in CALLS:
        text += f"\n\nif __name__ == '__main__':\n    {CALLS[code]}\n"
    path.write_text(text)
    findings = [
        Finding(code, "", Severity.ERROR, report.message, str(path), Span(report.row, 1, report.row, 200), "")
        for report in lint_text(text, folder, extend_select=opt_in(code))
        if report.code == code
    ]
    found = confirm(findings, TRIALS, Conditions(python, folder, limits=Limits(seconds=40)))
    return [(item.confirmation.verdict, item.confirmation.evidence) for item in found if item.confirmation is not None]


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_wrong_program_is_confirmed(code: str, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    verdicts = tried(code, RULES[code].explanation.wrong, tmp_path, sys.executable)
    assert verdicts
    assert {verdict for verdict, _ in verdicts} == {"confirmed"}, verdicts


@cache
def environment(version: str) -> str:
    """The interpreter of an environment with a version of JAX, made at the first use."""
    chosen = os.environ.get(FOLDER)
    if not chosen:
        pytest.skip(f"{FOLDER} names no folder for environments")
    folder = Path(chosen) / f"jax-{version}"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        command = [str(python), "-m", "pip", "install", "--quiet", *OLDER[version]]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            pytest.skip(f"JAX {version} cannot be installed: {made.stderr.strip().splitlines()[-1]}")
    return str(python)


@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("code", sorted(RULES))
def test_older_versions_agree(code: str, version: str, tmp_path: Path) -> None:
    python = environment(version)
    verdicts = tried(code, RULES[code].explanation.wrong, tmp_path, python)
    allowed = {"confirmed"} if code not in NOT_ON[version] else {"refuted", "inconclusive"}
    assert {verdict for verdict, _ in verdicts} <= allowed, verdicts


def test_what_is_made_at_the_line_compiles_on_another(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    path = tmp_path / "program.py"
    path.write_text(
        "import jax\n\n\ndef largest(values):\n    @jax.jit\n    def inner(x):\n        return jax.numpy.max(x)\n\n"
        "    return inner(values) + 1\n"
    )
    finding = Finding("JAX502", "", Severity.ERROR, "m", str(path), Span(5, 5, 5, 13), "")
    (found,) = confirm([finding], {"JAX502": "recompilation"}, Conditions(sys.executable, tmp_path))
    assert found.confirmation is not None
    assert found.confirmation.verdict == "confirmed", found.confirmation
    assert "compiled once again (jit(inner))" in found.confirmation.evidence
