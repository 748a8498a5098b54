"""Sections of the triage guide by the name of what JAX raised, for `jaxlint explain`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

GUIDE = "DEBUGGING-TRIAGE.md"
_CODE = re.compile(r"\bJAX\d{3}\b")


@cache
def sections() -> dict[str, str]:
    """Heading to text, heading included, in the order of the guide."""
    text = (files("jaxlint.references") / GUIDE).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
        found[part.partition("\n")[0].removeprefix("## ").strip()] = part.rstrip() + "\n"
    return found


def section(name: str) -> str | None:
    """The section on an exception or message, in any case and with or without its module; None when there is none."""
    wanted = name.strip().rpartition(".")[2].lower()
    return next((text for heading, text in sections().items() if heading.lower() == wanted), None)


def codes(text: str) -> list[str]:
    """The rules that a section names, in its order."""
    return list(dict.fromkeys(_CODE.findall(text)))
