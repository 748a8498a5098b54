"""JAX701: `where` hides a value that has no finite slope, and its NaN reaches the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import SlopeHidden


class WhereNanGradientRule(Rule):
    """Tells of selections against an expression without a finite slope."""

    code = "JAX701"
    name = "where-nan-gradient"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{expression}` has no finite slope where `{select}` rejects it: the value is hidden, but its NaN reaches "
            "the gradient"
        ),
        "division": (
            "the divisor of `{expression}` may be zero where `{select}` rejects it: the value is hidden, but its NaN "
            "reaches the gradient"
        ),
        "norm": (
            "the norm `{expression}` has no slope at zero, where `{select}` rejects it: its NaN reaches the gradient"
        ),
    }
    help = "make the argument safe by a `where` of its own before the risky function sees it"
    reference = "memory-and-numerics"
    confirm = "nan_gradient"
    explanation = Explanation(
        what=(
            "`jnp.where` selects against an expression that has no value or no slope on the rejected side: a root, a "
            "logarithm, a quotient, a power, `arccos`, `arctan2`, a norm."
        ),
        why=(
            "Both sides are computed and both are differentiated. The rejected side gets a zero from above, times an "
            "infinite slope: the gradient is NaN although the value is right."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def entropy(p):
    return -jnp.sum(jnp.where(p > 0.0, p * jnp.log(p), 0.0))


slope = jax.grad(entropy)
""",
        right="""\
import jax
import jax.numpy as jnp


def entropy(p):
    safe = jnp.where(p > 0.0, p, 1.0)
    return -jnp.sum(jnp.where(p > 0.0, safe * jnp.log(safe), 0.0))


slope = jax.grad(entropy)
""",
        mend=(
            "Make the argument safe before the risky function sees it: a second `jnp.where` that puts in a harmless "
            "number, `jnp.maximum` or `jnp.clip`, or a small constant under the root. `xlogy`, `jnp.sinc` and their "
            "like have it built in."
        ),
    )

    def on_slope_hidden(self, event: SlopeHidden, ctx: RuleContext) -> None:
        """A selection rejects a value too late."""
        kind = {"/": "division", "divide": "division", "norm": "norm"}.get(event.operation, "default")
        expression = ctx.text(event.inside)
        ctx.report(
            self,
            event.place,
            kind,
            related=[(event.inside, f"computed here by `{expression}`, for the rejected entries too")],
            expression=expression,
            select=ctx.text(event.place),
        )
