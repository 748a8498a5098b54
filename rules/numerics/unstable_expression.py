"""JAX703: a formula overflows, underflows or cancels where JAX has a stable function for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.formulas import stable
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import FormulaUnstable


class UnstableExpressionRule(Rule):
    """Tells of formulas that lose their numbers in floating point."""

    code = "JAX703"
    name = "unstable-expression"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{expression}` underflows or cancels: `{replacement}` computes the same and stays accurate",
        "overflow": "`{expression}` overflows in float32 for large exponents: `{replacement}` does not",
        "cancellation": "`{expression}` loses its digits near zero: `{replacement}` keeps them",
        "root": "the slope of `{expression}` is NaN where its argument is zero, and it is differentiated here",
    }
    help = "call the stable function instead"
    reference = "memory-and-numerics"
    explanation = Explanation(
        what=(
            "A formula that overflows, underflows or cancels where JAX has a stable function for it: the logarithm of "
            "a softmax, of a sigmoid or of a sum of exponentials, `log(1 + x)`, `exp(x) - 1`, `1 / (1 + exp(-x))`, "
            "`1 - tanh(x)**2`, and under `grad` `sqrt(sum(x**2))`."
        ),
        why=(
            "In float32 `exp` overflows from 88 on and `1 + 1e-8` is 1. The value turns to infinity, to zero or to "
            "noise, the gradient to NaN."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def cross_entropy(logits, labels):
    log_p = jnp.log(jax.nn.softmax(logits, axis=-1))
    return -jnp.mean(jnp.take_along_axis(log_p, labels[:, None], axis=-1))
""",
        right="""\
import jax
import jax.numpy as jnp


def cross_entropy(logits, labels):
    log_p = jax.nn.log_softmax(logits, axis=-1)
    return -jnp.mean(jnp.take_along_axis(log_p, labels[:, None], axis=-1))
""",
        mend=(
            "Use `jax.nn.log_softmax`, `jax.nn.log_sigmoid`, `jax.nn.logsumexp`, `jax.nn.softplus`, `jnp.log1p`, "
            "`jnp.expm1`, `jax.nn.sigmoid`; for `1 - tanh(x)**2` write `1 / jnp.cosh(x)**2`; keep a root away from "
            "zero by a small constant or a guarded norm."
        ),
    )

    def on_formula_unstable(self, event: FormulaUnstable, ctx: RuleContext) -> None:
        """A formula loses its numbers."""
        ctx.report(
            self,
            event.place,
            event.kind,
            fix=lambda editor: stable(editor, event.place),
            expression=ctx.text(event.place),
            replacement=event.replacement,
        )
