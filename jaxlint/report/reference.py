"""Where people read more about a rule: its page in the documentation, and the section that explains its kind."""

from __future__ import annotations

RUBRIC = "references/CODE-REVIEW-RUBRIC.md"

DOCUMENTATION = "https://jax-linter.readthedocs.io/en/latest/"
"""Where `docs/` is published, with a slash at the end. Who publishes it elsewhere changes this line, and a test then
names the other places. An empty text stands for "nowhere": findings then carry no link, and `jaxlint explain` tells
what the page says."""


def reference_path(reference: str) -> str:
    """The path of a reference in the documentation; a bare anchor is one of the review rubric."""
    return reference if "#" in reference or "/" in reference else f"{RUBRIC}#{reference}"


def rule_url(code: str, reference: str) -> str | None:
    """The web page on a rule. Rules of other packages, whose reference is a web address, have it as their page."""
    if "://" in reference:
        return reference
    return f"{DOCUMENTATION}rules/{code}/" if DOCUMENTATION else None
