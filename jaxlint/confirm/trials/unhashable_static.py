"""A static argument that cannot be hashed: `ValueError` at the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"[Nn]on-hashable static|unhashable type"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the call. An array of our own may be what cannot be hashed; a list or dict is the program's."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None and not run.is_whole and "Array" in str(run.error):
            return None
        return error_at_line(lab, question, run, [], _WORDS)

    return lab.search(question, examine)
