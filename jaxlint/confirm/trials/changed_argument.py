"""An argument is gone or renamed: the call does not fit the signature, or raises `TypeError` at the flagged line."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from jaxlint.confirm.inside import names
from jaxlint.confirm.inside.raised import error_at_line
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

LOOKS_UP = True
_WORDS = r"unexpected keyword argument|positional arguments?|arguments? .*not supported|has been removed|no longer"
"""Of a `TypeError`: others come from values, which may be our own."""


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Bind the arguments of the call; where that says nothing, run it."""
    import jax

    known = names.imports(lab.loaded.tree)
    for node in ast.walk(lab.loaded.tree):
        if not isinstance(node, ast.Call) or not node.lineno <= finding.row <= (node.end_lineno or node.lineno):
            continue
        full = names.full_name(node.func, known)
        problem = _misfit(node, full) if full else ""
        if problem:
            return confirmed(f"JAX {jax.__version__}: `{full}`: {problem}")
    question = lab.question(finding)
    return lab.search(question, lambda run: error_at_line(lab, question, run, [], _WORDS))


def _misfit(call: ast.Call, full: str) -> str:
    """What Python says of the call's arguments, or an empty text."""
    function = names.look_up("", full).value
    if any(isinstance(part, ast.Starred) for part in call.args) or any(part.arg is None for part in call.keywords):
        return ""
    if not callable(function) or full.endswith("partial"):
        return ""
    try:
        signature = inspect.signature(function)
        signature.bind(*[None] * len(call.args), **{part.arg: None for part in call.keywords if part.arg})
    except TypeError as error:
        return f"TypeError: {error}"
    except ValueError:
        return ""
    return ""
