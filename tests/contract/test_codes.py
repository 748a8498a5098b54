"""Everything that speaks of codes speaks of the same ones, and none means two things in the course of time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jaxlint.rules.meta.reserved import RESERVED, RETIRED
from tests.support import FIXTURES, ROOT, RUBRIC, catalogue, rules

_CODE = re.compile(r"\bJAX\d{3}\b")


def _codes(path: Path) -> set[str]:
    return set(_CODE.findall(path.read_text(encoding="utf-8")))


def _guarded() -> set[str]:
    paragraphs = re.findall(r"^\*\*Guarded by\*\*.+?(?:\n\n|\Z)", RUBRIC.read_text(encoding="utf-8"), re.M | re.S)
    return {code for paragraph in paragraphs for code in _CODE.findall(paragraph)}


PLACES = {
    "fixtures": {path.name.partition("_")[0] for path in FIXTURES.iterdir() if path.is_dir()},
    "pages": {path.stem for path in (ROOT / "docs" / "rules").glob("JAX*.md")},
    "index of pages": _codes(ROOT / "docs" / "rules" / "index.md"),
    "rubric": _guarded(),
    "changelog": _codes(ROOT / "CHANGELOG.md"),
    "rules and reserved codes": {*rules(), *RESERVED},
}


@pytest.mark.parametrize("place", PLACES)
def test_codes_are_those_of_the_catalogue(place: str) -> None:
    assert PLACES[place] - set(RETIRED) == set(catalogue())


def test_changelog_knows_the_names() -> None:
    named = dict(re.findall(r"(JAX\d{3})\s+`([a-z0-9-]+)`", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    expected = {code: entry.name for code, entry in catalogue().items()} | RETIRED
    assert {code: name for code, name in named.items() if expected.get(code) != name} == {}
    assert set(catalogue()) <= set(named)


def test_no_retired_code_is_used_again() -> None:
    for codes in PLACES.values():
        assert not set(RETIRED) & (codes - PLACES["changelog"])
    assert not set(RETIRED) & set(catalogue())
    assert not set(RETIRED.values()) & {entry.name for entry in catalogue().values()}
