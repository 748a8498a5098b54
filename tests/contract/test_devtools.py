"""The scaffold makes all files of a rule, and never overwrites one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from jaxlint.devtools.__main__ import main
from jaxlint.devtools.new_rule import CATALOGUE, RESERVED, ScaffoldError, new_rule
from tests.support import read_labels

HEADER = "code\tname\tseverity\tdefault\tfix\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as the scaffold looks at."""
    for path, text in {
        CATALOGUE: HEADER + "JAX201\tkey-reuse\terror\ton\tnone\nJAX203\tdiscarded-key\tinfo\topt-in\tnone\n",
        RESERVED: 'RESERVED = {\n    "JAX203": "discarded-key",\n    "JAX301": "branch-on-tracer",\n}\n'
        'RETIRED = {"JAX207": "old-key"}\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def test_new_code_gets_all_its_files(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-rule", "JAX2xx", "stale-key", "--family", "randomness", "--root", str(checkout)]) == 0
    module = (checkout / "rules/randomness/stale_key.py").read_text(encoding="utf-8")
    compile(module, "stale_key.py", "exec")
    assert 'code = "JAX202"' in module
    assert "default = False" in module
    assert "class StaleKey(Rule):" in module
    folder = checkout / "fixtures/JAX202_stale_key"
    for path in folder.iterdir():
        ast.parse(path.read_text(encoding="utf-8"))
        assert read_labels(path).codes() == ({"JAX202"} if path.name.startswith("reports_") else set())
        assert "TODO" in path.read_text(encoding="utf-8")
    assert len(list(folder.iterdir())) == 6
    rows = (checkout / CATALOGUE).read_text(encoding="utf-8").splitlines()
    assert rows[2] == "JAX202\tstale-key\twarning\topt-in\tnone"
    output = capsys.readouterr().out
    assert "Next:" in output
    assert "section randomness" in output


def test_planned_code_takes_its_record_from_the_catalogue(checkout: Path) -> None:
    before = (checkout / CATALOGUE).read_text(encoding="utf-8")
    new_rule(checkout, "JAX203", "discarded-key")
    module = (checkout / "rules/randomness/discarded_key.py").read_text(encoding="utf-8")
    assert "severity = Severity.INFO" in module
    assert "default = False" in module
    assert (checkout / CATALOGUE).read_text(encoding="utf-8") == before
    reserved = (checkout / RESERVED).read_text(encoding="utf-8")
    assert reserved.startswith('RESERVED = {\n    "JAX301": "branch-on-tracer",\n}\n')


@pytest.mark.parametrize(
    ("code", "name", "family", "message"),
    [
        ("JAX2", "stale-key", None, "no code"),
        ("JAX204", "Stale_Key", None, "kebab-case"),
        ("JAX204", "stale-key", "host", "belongs to the family randomness"),
        ("JAX201", "stale-key", None, "JAX201 is key-reuse"),
        ("JAX204", "key-reuse", None, "is taken"),
        ("JAX207", "stale-key", None, "was retired"),
        ("JAX204", "old-key", None, "was retired"),
    ],
)
def test_mistakes_are_told(checkout: Path, code: str, name: str, family: str | None, message: str) -> None:
    with pytest.raises(ScaffoldError, match=message):
        new_rule(checkout, code, name, family)
    assert not (checkout / "fixtures").exists()


def test_nothing_is_overwritten(checkout: Path) -> None:
    new_rule(checkout, "JAX203", "discarded-key")
    with pytest.raises(ScaffoldError, match="files already"):
        new_rule(checkout, "JAX203", "discarded-key")


def test_other_folders_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-rule", "JAX203", "discarded-key", "--root", str(tmp_path)]) == 2
    assert "no checkout" in capsys.readouterr().err
