"""The references know the catalogue, each other, JAX's exceptions and JAX's source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.references.documents import (
    PLAYBOOKS,
    REFERENCES,
    TEMPLATES,
    Section,
    prose,
    sections,
    slug,
)
from tests.support import catalogue

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"\bJAX\d{3}\b")
_CELL = re.compile(r"`([^`]+)`")

SECTIONS = [section for path in PLAYBOOKS for section in sections(path)]
section_by_section = pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.place)


@section_by_section
def test_section_names_its_rules(section: Section) -> None:
    guards = section.guards()
    assert guards is not None, "a section says which rules guard it, or that none does"
    assert {code: catalogue()[code].name for code in guards} == guards
    assert guards or "**Guarded by** no rule" in section.body


@section_by_section
def test_wrong_snippets_are_guarded(section: Section) -> None:
    shown = set(re.findall(r"^# wrong: (\w+)$", section.body, re.MULTILINE))
    assert shown <= set(section.guards() or ()), "a rule that a section shows is named by it"


@pytest.mark.parametrize("code", catalogue())
def test_rule_is_named_beyond_the_rubric(code: str) -> None:
    assert any(code in (section.guards() or ()) for section in SECTIONS)


@pytest.mark.parametrize("path", PLAYBOOKS, ids=lambda path: path.stem)
def test_codes_exist(path: Path) -> None:
    assert set(_CODE.findall(path.read_text(encoding="utf-8"))) <= set(catalogue())


@pytest.mark.parametrize("path", [*PLAYBOOKS, *TEMPLATES.glob("*.md")], ids=lambda path: path.stem)
def test_links_resolve(path: Path) -> None:
    for target in _LINK.findall(prose(path)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        document = path.parent / name if name else path
        assert document.is_file(), target
        assert not anchor or anchor in {slug(section.heading) for section in sections(document)}, target


def test_every_template_is_offered() -> None:
    offered = _LINK.findall(prose(REFERENCES / "EXPERT-WORKFLOW.md"))
    present = {f"templates/{path.name}" for path in TEMPLATES.iterdir() if path.suffix in {".py", ".md"}}
    assert present - {"templates/__init__.py"} <= set(offered)


def test_every_exception_has_a_section() -> None:
    errors = pytest.importorskip("jax.errors")
    bases = {"JAXIndexError", "JAXTypeError"}
    public = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    headings = {section.heading for section in sections(REFERENCES / "DEBUGGING-TRIAGE.md")}
    assert public - bases <= headings


def test_map_fits_the_installed_jax() -> None:
    jax = pytest.importorskip("jax", minversion="0.12")
    root = Path(jax.__file__).parent.parent
    rows = re.findall(r"^\|[^|]*\| `(jax/[^`]+)` \|([^|]*)\|$", prose(REFERENCES / "REPO-MAP.md"), re.MULTILINE)
    assert rows
    for path, names in rows:
        assert (root / path).is_file(), f"{path} has moved"
        source = (root / path).read_text(encoding="utf-8")
        for name in _CELL.findall(names):
            defined = rf"^\s*(?:def|class) {name}\b|^{name}\s*[:=]"
            assert re.search(defined, source, re.MULTILINE), f"{path} has lost {name}"
