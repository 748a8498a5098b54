"""Where a finding's rule is discussed."""

from __future__ import annotations

RUBRIC = "references/CODE-REVIEW-RUBRIC.md"


def reference_path(reference: str) -> str:
    """The path of a reference in the documentation; a bare anchor is one of the review rubric."""
    return reference if "#" in reference or "/" in reference else f"{RUBRIC}#{reference}"
