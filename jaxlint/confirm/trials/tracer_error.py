"""A traced value where a concrete one is needed: JAX raises, and the file's innermost frame is at the flagged line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import error_at_line

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_WORDS = (
    r"Shapes must be 1D sequences of concrete values.*(Trace|JitTracer)|static start/stop/step|"
    r"Abstract tracer value|Tracer' object has no attribute|not available on (traced|tracer)"
)


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run what traces the line."""
    import jax

    question = lab.question(finding)
    types = [
        jax.errors.ConcretizationTypeError,
        jax.errors.TracerArrayConversionError,
        jax.errors.TracerIntegerConversionError,
        jax.errors.NonConcreteBooleanIndexError,
    ]
    return lab.search(question, lambda run: error_at_line(lab, question, run, types, _WORDS, traced=True))
