"""The rubric: its links resolve, rules and sections know each other, and its snippets are true."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support import ROOT, RUBRIC, catalogue, lint_text, opt_in, rules

if TYPE_CHECKING:
    from pathlib import Path

    from jaxlint.rule import Rule

_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"JAX\d{3}")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program of a reference, and what its first comments claim about it."""

    row: int
    text: str

    @property
    def wrong(self) -> str | None:
        """The code that it is reported with."""
        return self._claim("wrong")

    @property
    def right(self) -> bool:
        """Whether it says that nothing is reported."""
        return self.text.startswith("# right\n")

    @property
    def raises(self) -> str | None:
        """The exception that it ends with."""
        return self._claim("raises")

    @property
    def warns(self) -> str | None:
        """The warning that it gives."""
        return self._claim("warns")

    def _claim(self, kind: str) -> str | None:
        match = re.search(rf"^# {kind}: (\w+)$", self.text, re.MULTILINE)
        return match.group(1) if match else None


def _read() -> tuple[str, list[Snippet]]:
    text = RUBRIC.read_text(encoding="utf-8")
    found = [Snippet(text.count("\n", 0, match.start()) + 2, match.group(1)) for match in _FENCE.finditer(text)]
    return found[0].text, found[1:]


PREAMBLE, SNIPPETS = _read()
snippet_by_snippet = pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: f"row-{snippet.row}")


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", RUBRIC.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {slug(heading): body for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


SECTIONS = _sections()


def _guards(section: str) -> set[str]:
    guarded = re.search(r"^\*\*Guarded by\*\*(.+?)\.$", section, re.MULTILINE | re.DOTALL)
    assert guarded, "a section says which rules guard it"
    return set(_CODE.findall(guarded.group(1)))


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.code)
def test_rule_links_to_the_section_that_names_it(rule: Rule) -> None:
    anchor = rule.reference.rpartition("#")[2]
    assert anchor in SECTIONS, f"the rubric has no section {anchor}"
    assert rule.code in _guards(SECTIONS[anchor])


def test_sections_share_out_the_catalogue() -> None:
    guarded = [code for section in SECTIONS.values() for code in sorted(_guards(section))]
    assert sorted(guarded) == sorted(catalogue())


@pytest.mark.parametrize("anchor", SECTIONS)
def test_section_calls_rules_by_their_names(anchor: str) -> None:
    guarded = re.search(r"^\*\*Guarded by\*\*(.+?)\.$", SECTIONS[anchor], re.MULTILINE | re.DOTALL)
    assert guarded
    for code, name in re.findall(r"(JAX\d{3})\s+([a-z0-9-]+)", guarded.group(1)):
        assert catalogue()[code].name == name


@pytest.mark.parametrize("path", sorted((ROOT / "references").glob("*.md")), ids=lambda path: path.stem)
def test_links_resolve(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        document = path.parent / name if name else path
        assert document.is_file(), f"{path.name} links to {target}"
        headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in map(slug, headings), f"{path.name} links to {target}"


@snippet_by_snippet
def test_snippet_says_what_it_shows(snippet: Snippet) -> None:
    assert snippet.right or snippet.wrong in catalogue()


@snippet_by_snippet
def test_snippet_lints_as_it_says(snippet: Snippet, tmp_path: Path) -> None:
    code = snippet.wrong
    if code is not None and code not in rules():
        pytest.skip(f"{code} has no rule yet")
    reports = lint_text(PREAMBLE + "\n\n" + snippet.text, tmp_path, extend_select=opt_in(code or ""))
    assert {report.code for report in reports} == ({code} if code else set()), reports


@snippet_by_snippet
def test_snippet_runs_as_it_says(snippet: Snippet) -> None:
    pytest.importorskip("jax")
    program = compile(PREAMBLE + snippet.text, f"{RUBRIC.name}:{snippet.row}", "exec")
    failure: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(program, {"__name__": "snippet"})
        except Exception as error:  # compared with the claim below
            failure = error
    assert (type(failure).__name__ if failure else None) == snippet.raises, failure
    categories = {warning.category.__name__ for warning in caught}
    assert categories == ({snippet.warns} if snippet.warns else set()), [str(warning.message) for warning in caught]
