"""A collective or a spec names an axis that nothing binds: `NameError` or `ValueError` at the flagged line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

DEVICES = 8
_WORDS = r"unbound axis name|[Rr]esource axis|not found in mesh|Axis names? .* (not|unbound)|axis .* (not|is undefined)"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the line. A function that is called without the map around it proves nothing about its axes."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        entry = run.entry
        is_whole = run.is_whole or (entry is not None and entry.transformed and entry.outermost)
        if isinstance(run.error, NameError) and not is_whole:
            return None
        return error_at_line(lab, question, run, [], _WORDS)

    return lab.search(question, examine, ours_refute=False)
