"""The pages on the laboratory show commands that can be given."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest

from jaxlint.cli.arguments import DESCRIBE, Described
from jaxlint.cli.main import runner_of
from tests.support import ROOT

PAGES = [ROOT / "docs" / "lab.md", *(ROOT / "references").glob("*.md")]
COMMANDS = ("scan", "env", "probe", "recompiles", "bench")
_SHOWN = re.compile(r"^\$ (?:[A-Z_]+=\S+ )?jaxlint ((?:[^\n\\]|\\\n)+)", re.MULTILINE)
_INLINE = re.compile(r"`jaxlint ([^`\n]+)`")


def _shown() -> list[list[str]]:
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    found = {command for text in texts for command in (*_SHOWN.findall(text), *_INLINE.findall(text))}
    split = [shlex.split(command.replace("\\\n", " ").partition(" # ")[0]) for command in sorted(found)]
    return [words for words in split if words[0] in COMMANDS]


def _parser(command: str) -> argparse.ArgumentParser:
    with pytest.raises(Described) as described:
        runner_of(command)([DESCRIBE])
    return described.value.parser


@pytest.mark.parametrize("words", _shown(), ids=" ".join)
def test_shown_command_has_these_options(words: list[str]) -> None:
    known = _parser(words[0])._option_string_actions
    assert [word for word in words[1:] if word.startswith("--") and word not in known] == []


def test_each_command_has_an_example() -> None:
    shown = {words[0] for words in _shown() if len(words) > 1 or words[0] == "env"}
    assert shown == set(COMMANDS)
