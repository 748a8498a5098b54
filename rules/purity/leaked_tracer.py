"""JAX102: a traced value is stored where it outlives the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import leaks
from jaxlint.semantics.values import traced_inside

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import Mutated


class LeakedTracerRule(Rule):
    """Tells of traced values that are stored where they outlive the trace."""

    code = "JAX102"
    name = "leaked-tracer"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "a traced value is stored in `{target}`, which outlives the trace: its next use raises "
            "`UnexpectedTracerError`"
        ),
        "argument": (
            "a traced value is stored in `{target}`, an argument that `{transformation}` hands through as it is: "
            "its next use raises `UnexpectedTracerError`"
        ),
        "rebinding": (
            "`{scope} {target}` is rebound to a traced value and outlives the trace: its next use raises "
            "`UnexpectedTracerError`"
        ),
    }
    help = "return the value from the traced function instead of storing it"
    reference = "purity-and-state"
    confirm = "leaked_tracer"
    explanation = Explanation(
        what=(
            "A traced function stores a traced value where it outlives the trace: in a global or closed-over "
            "container, an attribute, a `nonlocal` name, or, under eager `grad`, in an argument that is not "
            "differentiated."
        ),
        why=(
            "A traced value stands for a number that exists only while JAX builds the program. Once the trace is "
            "over it is dead: the first use of it raises `UnexpectedTracerError`, often far from the line that "
            "stored it."
        ),
        wrong="""\
import jax
import jax.numpy as jnp

residuals = []


@jax.jit
def fit_error(weights, inputs, targets):
    gap = inputs @ weights - targets
    residuals.append(gap)
    return jnp.mean(gap**2)


def report(weights, inputs, targets):
    error = fit_error(weights, inputs, targets)
    return error, jnp.max(residuals[-1])
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def fit_error(weights, inputs, targets):
    gap = inputs @ weights - targets
    return jnp.mean(gap**2), gap


def report(weights, inputs, targets):
    error, gap = fit_error(weights, inputs, targets)
    return error, jnp.max(gap)
""",
        mend=(
            "Return the value: as a further output of the function, through `has_aux=True` under `grad`, as a "
            "stacked output of `scan`. To look at it on the host during the run, use `jax.debug.callback`."
        ),
    )

    def on_mutated(self, event: Mutated, ctx: RuleContext) -> None:
        """State outside the traced function receives a traced value."""
        if not leaks(event):
            return
        kind = "argument" if event.target == "argument" else "default"
        if event.target in ("global", "nonlocal") and "." not in event.name:
            kind = "rebinding"
        trace = traced_inside(event.stored) if event.stored is not None else None
        ctx.report(
            self,
            event.place,
            kind,
            related=ctx.chain(event.why or (trace.why if trace is not None else None)),
            target=event.name,
            scope=event.target,
            transformation=event.transform,
        )
