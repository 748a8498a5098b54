"""An item of an array is assigned: `TypeError` at the flagged line."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Question, Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = r"immutable|does not support item (assignment|deletion)"


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run the line. An array that we handed in proves nothing: the caller's may be NumPy's."""
    import jax

    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        if run.error is not None and not run.trusted:
            ours = {id(part) for part in jax.tree.leaves(run.arguments)}
            if any(id(value) in ours for value in _stored_into(run, question, lab.loaded.path)):
                return None
        return error_at_line(lab, question, run, [], _WORDS)

    return lab.search(question, examine)


def _stored_into(run: Run, question: Question, path: str) -> list[object]:
    """What the names that items are stored into stood for in the frame that failed."""
    statement = question.target.statement
    names = {
        node.value.id
        for node in (ast.walk(statement) if statement is not None else ())
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
    }
    trace = run.error.__traceback__ if run.error is not None else None
    found: list[object] = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            found = [trace.tb_frame.f_locals.get(name) for name in names]
        trace = trace.tb_next
    return found
