"""What every rule owes: its record, its fixtures, its place in the rubric, an explanation whose programs are true."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re
import string
from pathlib import Path

import pytest

from jaxlint.devtools import new_rule
from jaxlint.findings import Severity
from jaxlint.registry import rule_classes
from jaxlint.rule import Rule
from tests.support import ROOT, catalogue, lint_text, opt_in, read_labels, rules

FAMILIES = {digit: family for family, (digit, _) in new_rule.FAMILIES.items()}
FIXTURES_OF_A_KIND = 3

# A name says what was found, as in "allow key-reuse": no orders, no verdicts.
BANNED_WORDS = {"no", "not", "use", "do", "dont", "avoid", "prefer", "should", "must", "bad", "wrong", "invalid"}

RULES = list(rules().values())
rule_by_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def test_there_are_rules() -> None:
    assert RULES


def test_codes_and_names_are_unique() -> None:
    found = rule_classes()
    for attribute in ("code", "name"):
        values = [getattr(rule, attribute) for rule in found]
        assert len(values) == len(set(values)), f"two rules share a {attribute}"


@rule_by_rule
def test_record_is_complete(rule: Rule) -> None:
    assert re.fullmatch(r"JAX\d{3}", rule.code)
    assert isinstance(rule.severity, Severity)
    assert isinstance(rule.default, bool)
    assert "default" in rule.messages
    assert rule.help
    assert "\n" not in rule.help, "the help is one line"
    for part in ("what", "why", "wrong", "right", "mend"):
        assert getattr(rule.explanation, part).strip(), f"the explanation does not say: {part}"
    assert inspect.getdoc(type(rule)) != inspect.getdoc(Rule), "a rule has a docstring of its own"


@rule_by_rule
def test_record_agrees_with_the_catalogue(rule: Rule) -> None:
    entry = catalogue().get(rule.code)
    assert entry is not None, "a new code needs a row in tests/contract/catalogue.tsv"
    assert rule.name == entry.name
    assert rule.severity.value == entry.severity
    assert rule.default == (not entry.opt_in)


@rule_by_rule
def test_name_says_what_was_found(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name), "names are kebab-case"
    assert not BANNED_WORDS & set(rule.name.split("-"))


@rule_by_rule
def test_messages_keep_the_convention(rule: Rule) -> None:
    for kind, message in rule.messages.items():
        shown = f"{kind}: {message}"
        assert message == message.strip(), shown
        assert "\n" not in message, f"a message is one line: {shown}"
        assert not message[0].isupper() or message.split()[0].isupper(), f"lower case at the start: {shown}"
        assert message[-1] not in ".!", f"no final stop: {shown}"
        assert message.count("`") % 2 == 0, f"names stand in backticks: {shown}"
        fields = [field for _, field, _, _ in string.Formatter().parse(message) if field is not None]
        assert all(fields), f"fields have names: {shown}"


@rule_by_rule
def test_module_is_where_it_is_looked_for(rule: Rule) -> None:
    family = FAMILIES[rule.code[3]]
    assert type(rule).__module__ == f"jaxlint.rules.{family}.{rule.name.replace('-', '_')}"


def _modules() -> list[Path]:
    return sorted(path for path in (ROOT / "rules").glob("*/*.py") if path.name not in {"__init__.py", "reserved.py"})


@pytest.mark.parametrize("path", _modules(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_module_holds_one_loaded_rule(path: Path) -> None:
    module = importlib.import_module(f"jaxlint.rules.{path.parent.name}.{path.stem}")
    owned = [rule for rule in RULES if type(rule).__module__ == module.__name__]
    assert len(owned) == 1, "a rule module holds one rule, and the registry loads it"


def test_every_family_is_an_entry_point() -> None:
    entries = {entry.value for entry in importlib.metadata.entry_points(group="jaxlint.rules")}
    assert {f"jaxlint.rules.{family}" for family in FAMILIES.values()} <= entries


@rule_by_rule
def test_has_fixtures_of_both_kinds(rule: Rule) -> None:
    folder = catalogue()[rule.code].fixture_folder
    reporting = [path for path in folder.glob("reports_*.py") if rule.code in read_labels(path).codes()]
    silent = list(folder.glob("silent_*.py"))
    assert len(reporting) >= FIXTURES_OF_A_KIND, f"{folder.name}: {FIXTURES_OF_A_KIND} shapes of the fault, please"
    assert len(silent) >= FIXTURES_OF_A_KIND, f"{folder.name}: {FIXTURES_OF_A_KIND} near misses, please"


@rule_by_rule
def test_nothing_is_left_to_do(rule: Rule) -> None:
    for path in [Path(inspect.getfile(type(rule))), *catalogue()[rule.code].fixture_folder.glob("*.py")]:
        assert "TODO" not in path.read_text(encoding="utf-8", errors="replace"), path


def test_reserved_codes_are_those_without_a_rule() -> None:
    reserved = importlib.import_module("jaxlint.rules.meta.reserved").RESERVED
    assert reserved == {code: entry.name for code, entry in catalogue().items() if code not in rules()}


@rule_by_rule
def test_wrong_program_is_reported(rule: Rule, tmp_path: Path) -> None:
    reports = lint_text(rule.explanation.wrong, tmp_path, extend_select=opt_in(rule.code))
    assert {report.code for report in reports} == {rule.code}, reports


@rule_by_rule
def test_right_program_is_silent(rule: Rule, tmp_path: Path) -> None:
    ast.parse(rule.explanation.right)
    assert lint_text(rule.explanation.right, tmp_path, extend_select=opt_in(rule.code)) == []


@pytest.mark.parametrize("path", sorted((ROOT / "jaxlint").rglob("*.py")), ids=lambda path: path.stem)
def test_engine_names_no_rule(path: Path) -> None:
    """Arrows go one way: rules know the engine, the engine knows events. What runs inside a child may know JAX."""
    if "devtools" in path.parts:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    literals = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, _DOCUMENTED)}
    named = [text for text in literals if text not in docstrings and re.fullmatch(r"JAX(?!000)\d{3}", text)]
    assert not named, f"{path.name} names {named}"
    imported = [
        name
        for node in ast.walk(tree)
        for name in _imported(node)
        if (name.partition(".")[0] in {"jax", "jaxlib"} and not {"inside", "trials"} & {*path.parts})
        or name.startswith("jaxlint.rules")
    ]
    assert not imported, f"{path.name} imports {imported}"


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []
