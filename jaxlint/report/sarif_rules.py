"""The rules of a SARIF run: all that are installed, since viewers keep alerts whose findings are gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jaxlint.findings import Severity
from jaxlint.report import precision
from jaxlint.report.reference import rule_url
from jaxlint.report.rule_text import markdown, one_line
from jaxlint.rule import Rule

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_LONGEST = 1024


def descriptors(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """One descriptor a rule, in the order of the codes."""
    return [_descriptor(rule) for rule in rules]


def _descriptor(rule: Rule) -> dict[str, Any]:
    url = rule_url(rule.code, rule.reference)
    link = f"\n\n[{rule.code} in the documentation]({url})" if url is not None else ""
    text = "\n".join(markdown(rule)).strip() + link
    found: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": _shortened(f"{one_line(rule)}.")},
        "fullDescription": {"text": _shortened(_prose(f"{rule.explanation.what} {rule.explanation.why}"))},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"enabled": rule.default, "level": LEVELS[rule.severity]},
        "properties": {
            "name": rule.name,
            "tags": ["jax", _family(rule), *([] if rule.default else ["opt-in"])],
            "problem.severity": _PROBLEMS[rule.severity],
        },
    }
    measured = precision.level(rule.code)
    if measured is not None:
        found["properties"]["precision"] = measured
    if url is not None:
        found["helpUri"] = url
    return found


def _family(rule: Rule) -> str:
    """The package that holds the rule's module: a family of rules is a package."""
    return type(rule).__module__.rpartition(".")[0].rpartition(".")[2]


def _prose(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3].rstrip() + "..."
