"""Counts by rule, the most frequent first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxlint.findings import Finding, is_applicable
from jaxlint.report.style import Style

_NAMED = 5
"""How many of the things that were not known are named."""


@dataclass(slots=True)
class Count:
    """How often a rule reported, and how often with a fix that may be applied."""

    code: str
    name: str
    count: int = 0
    fixable: int = 0


def count(findings: Iterable[Finding], *, unsafe: bool = False) -> list[Count]:
    """The rules that reported, the most frequent first."""
    counts: dict[str, Count] = {}
    for finding in findings:
        entry = counts.setdefault(finding.code, Count(finding.code, finding.name))
        entry.count += 1
        entry.fixable += is_applicable(finding, unsafe=unsafe)
    return sorted(counts.values(), key=lambda entry: (-entry.count, entry.code))


def gave_up(counters: Counter[str]) -> Iterator[str]:
    """Where the analysis went on without knowing: a line a reason, with what it did not know most often."""
    reasons: dict[str, Counter[str]] = {}
    for text, number in counters.items():
        reason, _, what = text.partition(": ")
        reasons.setdefault(reason, Counter())[what] += number
    for reason, counts in sorted(reasons.items()):
        named = [(what, number) for what, number in counts.items() if what]
        commonest = sorted(named, key=lambda entry: (-entry[1], entry[0]))[:_NAMED]
        most = ", ".join(f"{what} {number}" for what, number in commonest)
        yield f"the analysis gave up {counts.total()} times: {reason}{f' ({most})' if most else ''}"


def as_text(counts: list[Count], style: Style) -> Iterator[str]:
    """`count  CODE  [*] name`; `[*]` when every finding can be fixed, `[-]` when some can."""
    digits = max((len(str(entry.count)) for entry in counts), default=0)
    for entry in counts:
        mark = "*" if entry.fixable == entry.count else "-" if entry.fixable else " "
        yield f"{entry.count:>{digits}}  {style.bold(entry.code)}  [{mark}] {entry.name}\n"


def as_json(counts: list[Count]) -> str:
    """An array with an object a rule."""
    rows = [
        {
            "code": entry.code,
            "name": entry.name,
            "count": entry.count,
            "fixable": entry.fixable == entry.count,
            "fixable_count": entry.fixable,
        }
        for entry in counts
    ]
    return json.dumps(rows, indent=2) + "\n"
