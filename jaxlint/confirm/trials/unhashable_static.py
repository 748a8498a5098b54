"""A static argument that cannot be hashed: `ValueError` at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"[Nn]on-hashable static|unhashable type"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the call."""
    question = lab.question(finding)
    return lab.search(question, lambda run: error_at_line(lab, question, run, [], _WORDS))
