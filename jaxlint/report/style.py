"""Colours of terminals, and text that is safe and aligned on them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from jaxlint.findings import Severity

_TAB = 4
_SEVERITY = {Severity.ERROR: "1;91", Severity.WARNING: "1;93", Severity.INFO: "1;96"}


@dataclass(frozen=True, slots=True)
class Style:
    """Paints text when `colour` is on."""

    colour: bool = False

    def _paint(self, text: str, codes: str) -> str:
        return f"\033[{codes}m{text}\033[0m" if self.colour and text else text

    def link(self, text: str, url: str | None) -> str:
        """Text that terminals open a page for; elsewhere the text alone."""
        return f"\033]8;;{url}\033\\{text}\033]8;;\033\\" if self.colour and url else text

    def bold(self, text: str) -> str:
        """Text that stands out."""
        return self._paint(text, "1")

    def frame(self, text: str) -> str:
        """Line numbers and arrows around source."""
        return self._paint(text, "1;94")

    def severity(self, text: str, severity: Severity) -> str:
        """The code, and the marks under the source."""
        return self._paint(text, _SEVERITY[severity])

    def related(self, text: str) -> str:
        """Places that explain a finding."""
        return self._paint(text, "1;96")

    def help(self, text: str) -> str:
        """What mends a finding."""
        return self._paint(text, "1;92")

    def faint(self, text: str) -> str:
        """What may be passed over."""
        return self._paint(text, "2")

    def keyword(self, text: str) -> str:
        """A word of the language, in an example."""
        return self._paint(text, "35")

    def string(self, text: str) -> str:
        """A string, in an example."""
        return self._paint(text, "32")


def wants_colour(choice: str, stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """`always` and `never` are obeyed; `auto` asks the conventional variables, then whether a terminal listens."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if environment.get(name, "0") not in {"", "0"}:
            return True
    if environment.get("CLICOLOR") == "0" or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def visible(text: str) -> str:
    """Text for a terminal: tabs as spaces, control characters as symbols, so that no source can steer the terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def width(text: str) -> int:
    """The columns of a terminal that `visible(text)` takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_width(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\N{SYMBOL FOR DELETE}"
    # Other controls, lone surrogates, and the marks that turn the direction of writing.
    hidden = unicodedata.category(character) in {"Cc", "Cs"} or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    return "\N{REPLACEMENT CHARACTER}" if hidden else character


def _width(character: str) -> int:
    if character == "\t":
        return _TAB
    if unicodedata.combining(character) or character in "\u200b\u200c\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
