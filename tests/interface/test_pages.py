"""The pages on the command line say what the command line does."""

from __future__ import annotations

import re

from jaxlint.cli.arguments import check_parser
from jaxlint.cli.main import COMMANDS
from tests.support import ROOT


def test_the_page_names_commands_that_exist() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`jaxlint (\w+)", page)) - {"COMMAND"}
    assert {"check", "config", "rules", "explain", "completion"} <= named <= set(COMMANDS)


def test_the_pages_name_options_that_exist() -> None:
    known = {flag for action in check_parser()._actions for flag in action.option_strings}
    for name in ("command-line", "configuration"):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert set(re.findall(r"`(--?[a-z][a-z-]*)", page)) - known <= {"--help", "--confirm"}
