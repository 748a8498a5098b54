"""What a rule says of itself, as Markdown and in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.report.reference import reference_path
from jaxlint.rule import Rule


def one_line(rule: Rule) -> str:
    """The first sentence of the explanation, on one line."""
    text = " ".join(rule.explanation.what.split())
    return re.split(r"(?<=[.])\s", text, maxsplit=1)[0].rstrip(".")


def sections(rule: Rule) -> list[tuple[str, str]]:
    """The headings and texts before the programs."""
    return [("What it finds", rule.explanation.what), ("Why this is bad", rule.explanation.why)]


def markdown(rule: Rule) -> Iterator[str]:
    """The sections of the explanation in Markdown."""
    for heading, text in sections(rule):
        yield f"\n## {heading}\n{text.strip()}"
    yield f"\n## Wrong\n```python\n{rule.explanation.wrong.strip()}\n```"
    yield f"\n## Right\n```python\n{rule.explanation.right.strip()}\n```"
    yield f"\n## How to mend it\n{rule.explanation.mend.strip()}"
    yield f"\nSee {reference_path(rule.reference)}."
