"""The specs of `shard_map` do not fit the function: the call of what it made raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import evidence, matches
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

DEVICES = 8
_WORDS = r"(shard_map|pytree).*(in_specs|out_specs|specs)|(in_specs|out_specs) (passed to|refers? to|tree|must)"

_RESULT = r"out_specs"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Call what the flagged line makes."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None:
            # Arguments of our own may have another structure than the specs were written for; results have theirs.
            words = _WORDS if run.is_whole else _RESULT
            return confirmed(evidence(run, lab.loaded.path)) if matches(run.error, [], words) else None
        if run.entry is not None and run.entry.transformed:
            return refuted("the mapped function was called, and its specs fitted")
        return None

    return lab.search(question, examine, ours_refute=False)
