"""A custom derivative rule does not fit: differentiating the function raises."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from jaxlint.confirm.inside.raised import evidence, matches
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = (
    r"[Cc]ustom (VJP|JVP)|custom_[vj][vj]p|No (VJP|JVP) defined|(bwd|fwd|vjp|jvp) (rule|function)|"
    r"takes \d+ positional arguments? but|missing \d+ required positional"
)

_STRUCTURE = (
    r"container \(pytree\) structure|tuple of length|No (VJP|JVP) defined|"
    r"takes \d+ positional arguments? but|missing \d+ required positional"
)
"""What does not depend on the shapes and types of arguments, which may be our own."""


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Differentiate every function of the module with a custom rule that the finding may be about."""
    import jax

    question = lab.question(finding)

    def differentiated(run: Run) -> Run:
        """The run once more, under a derivative."""
        if run.again is None or run.entry is None or not _is_custom(run.entry.call):
            return run
        function = run.entry.call

        def derivative(*arguments: Any) -> Any:
            forward = isinstance(function, jax.custom_jvp)
            constant = getattr(function, "nondiff_argnums", ()) or ()
            floats = [index for index, value in enumerate(arguments) if index not in constant and _is_float(value)]
            fixed = list(arguments)

            def of_floats(*values: Any) -> Any:
                for index, value in zip(floats, values, strict=True):
                    fixed[index] = value
                return function(*fixed)

            primals = [arguments[index] for index in floats]
            if not primals:
                raise ValueError("nothing to differentiate by")
            if forward:
                return jax.jvp(of_floats, primals, jax.tree.map(jax.numpy.ones_like, primals))
            out, pull = jax.vjp(of_floats, *primals)
            return pull(jax.tree.map(jax.numpy.ones_like, out))

        return lab.call(
            f"the derivative of {run.what}", run.inputs, derivative, run.arguments, {}, Mode(fresh=True),
            trusted=run.trusted,
        )  # fmt: skip

    def examine(run: Run) -> Verdict | None:
        if run.error is not None and not matches(run.error, [], _WORDS):
            return None
        tried = differentiated(run) if run.error is None else run
        if matches(tried.error, [], _WORDS if tried.is_whole else _STRUCTURE) and _is_about(run, question.target.chain):
            return confirmed(evidence(tried, lab.loaded.path))
        if tried is not run and tried.error is None:
            return refuted("the function was differentiated with its rule")
        return None

    return lab.search(question, examine)


def _is_custom(value: Any) -> bool:
    import jax

    return isinstance(value, jax.custom_vjp | jax.custom_jvp)


def _is_float(value: Any) -> bool:
    import jax

    leaves = jax.tree.leaves(value)
    with contextlib.suppress(TypeError, ValueError):
        return bool(leaves) and all(
            jax.numpy.issubdtype(jax.numpy.result_type(leaf), jax.numpy.inexact) for leaf in leaves
        )
    return False


def _is_about(run: Run, chain: tuple[str, ...]) -> bool:
    """Whether the function, or one of its rules, is what the finding is about."""
    function = run.entry.call if run.entry is not None else None
    parts = [getattr(function, name, None) for name in ("fun", "fwd", "bwd", "jvp")]
    names = {getattr(part, "__name__", "") for part in parts}
    return not chain or bool(names & set(chain))
