"""An item of an array is assigned: `TypeError` at the flagged line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab, Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"immutable|does not support item (assignment|deletion)"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the line. An array that we handed in proves nothing: the caller's may be NumPy's."""
    import jax

    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None and not run.trusted and _stored_into(run, lab.loaded.path, jax.Array) is not None:
            ours = {id(part) for part in jax.tree.leaves(run.arguments)}
            if id(_stored_into(run, lab.loaded.path, jax.Array)) in ours:
                return None
        return error_at_line(lab, question, run, [], _WORDS)

    return lab.search(question, examine)


def _stored_into(run: Run, path: str, kind: type) -> object:
    """The first array among the variables of the frame that failed; None when no argument of ours is there."""
    trace = run.error.__traceback__ if run.error is not None else None
    found: object = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            code = trace.tb_frame.f_code
            names = code.co_varnames[: code.co_argcount]
            values = [trace.tb_frame.f_locals.get(name) for name in names]
            found = next((value for value in values if isinstance(value, kind)), None)
        trace = trace.tb_next
    return found
