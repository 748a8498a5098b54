"""The references as data: their sections, the rules that each names, and their programs."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support import ROOT, RUBRIC

if TYPE_CHECKING:
    from pathlib import Path

REFERENCES = ROOT / "references"
TEMPLATES = REFERENCES / "templates"
DOCUMENTS = sorted(REFERENCES.glob("*.md"))
PLAYBOOKS = [path for path in DOCUMENTS if path != RUBRIC]

_FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GUARDED = re.compile(r"^\*\*Guarded by\*\*(.+?)\.$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program of a reference, and what its first comments claim about it."""

    document: str
    row: int
    text: str

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        return f"{self.document}:{self.row}"

    @property
    def wrong(self) -> str | None:
        """The code that it is reported with; without one it is silent."""
        return self._claim("wrong")

    @property
    def raises(self) -> str | None:
        """The exception that it ends with."""
        return self._claim("raises")

    @property
    def warns(self) -> str | None:
        """The warning that it gives."""
        return self._claim("warns")

    @property
    def needs(self) -> str | None:
        """A package beside JAX that it cannot run without."""
        return self._claim("needs")

    def _claim(self, kind: str) -> str | None:
        match = re.search(rf"^# {kind}: (\w+)$", self.text, re.MULTILINE)
        return match.group(1) if match else None


@dataclass(frozen=True, slots=True)
class Section:
    """A part under a second-level heading."""

    document: str
    heading: str
    body: str

    @property
    def place(self) -> str:
        """Where a link finds it."""
        return f"{self.document}#{slug(self.heading)}"

    def guards(self) -> dict[str, str] | None:
        """The rules under "Guarded by", code and name; None if the section has no such line."""
        found = _GUARDED.search(self.body)
        return dict(re.findall(r"(JAX\d{3})\s+([a-z0-9-]+)", found.group(1))) if found else None


def environment() -> dict[str, str]:
    """What programs run under: four devices on the CPU."""
    devices = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    return {**os.environ, **devices}


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def fences(path: Path) -> list[tuple[str, int, str]]:
    """Language, first row and text of each fenced block."""
    text = path.read_text(encoding="utf-8")
    return [(match[1], text.count("\n", 0, match.start()) + 2, match[2]) for match in _FENCE.finditer(text)]


def prose(path: Path) -> str:
    """A document without its fenced blocks."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


@functools.cache
def preamble() -> str:
    """The imports that every snippet runs after: the first block of the rubric."""
    return fences(RUBRIC)[0][2]


def snippets(path: Path) -> list[Snippet]:
    """All programs of a document."""
    found = [Snippet(path.name, row, text) for language, row, text in fences(path) if language == "python"]
    return found[1:] if path == RUBRIC else found


def sections(path: Path) -> list[Section]:
    """The parts of a document, in order."""
    parts = re.split(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [Section(path.name, heading, body) for heading, body in zip(parts[1::2], parts[2::2], strict=True)]
