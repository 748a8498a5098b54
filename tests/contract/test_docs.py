"""The documentation: pages of rules are up to date, its address is the same everywhere, links fit the site."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from jaxlint.devtools import rule_pages, site
from jaxlint.devtools.__main__ import main
from jaxlint.report.reference import DOCUMENTATION
from tests.support import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_pages_are_up_to_date() -> None:
    assert rule_pages.differences(ROOT) == [], "run `python -m jaxlint.devtools docs`"


def test_check_tells_and_the_command_mends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("fixtures", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    pages = tmp_path / rule_pages.FOLDER
    assert main(["docs", "--root", str(tmp_path)]) == 0
    assert main(["docs", "--check", "--root", str(tmp_path)]) == 0
    (pages / "JAX299.md").write_text("", encoding="utf-8")
    (pages / "JAX201.md").write_text("old", encoding="utf-8")
    (pages / "JAX202.md").unlink()
    capsys.readouterr()
    assert main(["docs", "--check", "--root", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert [line.partition("/rules/")[2][:6] for line in out.splitlines()[:3]] == ["JAX299", "JAX201", "JAX202"]
    assert main(["docs", "--root", str(tmp_path)]) == 0
    assert rule_pages.differences(tmp_path) == []


def test_program_is_shown_without_labels(tmp_path: Path) -> None:
    path = tmp_path / "reports_one.py"
    path.write_text(
        "# why: it says\n#      so.\nimport jax\n\nf()  # note  # expect: JAX201|JAX202  # allow: JAX503\n",
        encoding="utf-8",
    )
    shown = rule_pages.read_program(path)
    assert shown == rule_pages.Program("it says so", "import jax\n\nf()  # note  # JAX201 or JAX202", (3,))


def test_one_address() -> None:
    """Who publishes the site elsewhere changes these three."""
    assert DOCUMENTATION.endswith("/")
    found = re.search(r"^site_url: (\S+)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == DOCUMENTATION
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["urls"]["Documentation"] == DOCUMENTATION


@pytest.mark.parametrize(
    ("here", "text", "expected"),
    [
        ("rules/JAX201.md", "[r](../../references/A.md#b)", "[r](../references/A.md#b)"),
        ("ci.md", "[x](../references/A.md) and [y](formats.md#z)", "[x](references/A.md) and [y](formats.md#z)"),
        ("ci.md", "[x](../README.md), [y](../examples/a.py), [z](http://a.b/c)", "[x](index.md), y, [z](http://a.b/c)"),
        ("contributing.md", "[x](references/A.md) [y](docs/ci.md)", "[x](references/A.md) [y](ci.md)"),
        ("references/A.md", "[t](templates/t.py)", "[t](templates/t.md)"),
        ("references/A.md", "JAX201 `JAX201` [JAX201](B.md)", "[JAX201](../rules/JAX201.md) `JAX201` [JAX201](B.md)"),
        ("ci.md", "# JAX201", "# JAX201"),
        ("ci.md", "```text\nJAX201\n```\nJAX201", "```text\nJAX201\n```\n[JAX201](rules/JAX201.md)"),
        ("ci.md", "JAX999 [a](#b)", "JAX999 [a](#b)"),
    ],
)  # fmt: skip
def test_links_fit_the_site(here: str, text: str, expected: str) -> None:
    assert site.rewritten(text, here, lambda code: code == "JAX201") == expected
