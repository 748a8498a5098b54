"""The output formats by name, and what each is given. A format is a function from a `Report` to pieces of text."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jaxlint.findings import Failure, Finding
    from jaxlint.report.text import TextContext
    from jaxlint.rule import Rule

    Format = Callable[["Report"], Iterator[str]]

TEXT_FORMATS = ("full", "concise", "grouped")
"""The formats for people, which end in a summary."""

_FUNCTIONS = {
    "full": "text:render_full",
    "concise": "text:render_concise",
    "grouped": "grouped:render",
    "json": "machine:render",
    "json-lines": "machine:render_lines",
    "github": "github:render",
    "gitlab": "gitlab:render",
    "junit": "junit:render",
    "pylint": "pylint:render",
    "rdjson": "rdjson:render",
    "azure": "azure:render",
    "sarif": "sarif:render",
}
FORMATS = tuple(_FUNCTIONS)


def _no_warning(message: str) -> None:
    """Where nobody listens."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to.

    context: how places and source are shown. failures: what the run failed on. rules: all rules that are installed.
    warn: tells the user of something that does not belong into the document.
    """

    findings: Sequence[Finding]
    context: TextContext
    failures: Sequence[Failure] = ()
    rules: Iterable[Rule] = field(default=())
    warn: Callable[[str], None] = _no_warning


def format_named(name: str) -> Format:
    """The function of a format; its module is loaded when it is asked for."""
    module, _, function = _FUNCTIONS[name].partition(":")
    return cast("Format", getattr(importlib.import_module(f"jaxlint.report.{module}"), function))
