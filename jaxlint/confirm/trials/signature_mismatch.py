"""A transformation is told of arguments that the function lacks: it raises where it is applied or first called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = (
    r"invalid argnames|invalid (static|donate)_argn|argnums|argnames|in_axes|nondiff|"
    r"positional arguments|vmap .*(tree|axes|prefix)|Jitted function has|static arguments"
)


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Importing the module applies most transformations; the others are applied in calls."""
    question = lab.question(finding)
    return lab.search(question, lambda run: error_at_line(lab, question, run, [], _WORDS))
