"""JAX705: a function with custom derivatives has no rule, or a rule that does not fit it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import DerivativeRuleMisfit


class CustomDerivativeContractRule(Rule):
    """Tells of custom derivative rules that are missing or do not fit their function."""

    code = "JAX705"
    name = "custom-derivative-contract"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{function}` is a `{transformation}` function and no rule is ever defined for it: the first call raises "
            "`AttributeError`"
        ),
        "arity": "`{rule}` takes {taken} arguments and is called with {given} as the {kind} rule of `{function}`",
        "cotangents": (
            "`{rule}` returns {returned} and owes a tuple of {owed}, one cotangent for each differentiable argument "
            "of `{function}`"
        ),
        "pair": "`{rule}` returns {returned} and owes a pair as the {kind} rule of `{function}`",
    }
    help = "fit the rule to the signature of the function"
    reference = "memory-and-numerics"
    confirm = "derivative_rule"
    explanation = Explanation(
        what=(
            "A `custom_vjp` or `custom_jvp` function has no rule, or a rule whose parameters or returned tuple do not "
            "fit it."
        ),
        why=(
            "`fwd` is called with all arguments and returns the value and the residuals; `bwd` is called with the "
            "non-differentiable arguments, the residuals and the cotangent and returns one cotangent for each other "
            "argument; a `jvp` rule takes primals and tangents and returns a pair. Anything else raises, but only "
            "when the function is differentiated."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.custom_vjp
def clip_gradient(x, limit):
    return x


def clip_gradient_fwd(x, limit):
    return x, limit


def clip_gradient_bwd(limit, g):
    return jnp.clip(g, -limit, limit)


clip_gradient.defvjp(clip_gradient_fwd, clip_gradient_bwd)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.custom_vjp
def clip_gradient(x, limit):
    return x


def clip_gradient_fwd(x, limit):
    return x, limit


def clip_gradient_bwd(limit, g):
    return jnp.clip(g, -limit, limit), None


clip_gradient.defvjp(clip_gradient_fwd, clip_gradient_bwd)
""",
        mend=(
            "Give each rule the signature that is asked of it, and return a tuple with one entry for each "
            "differentiable argument; `None` stands for a cotangent of zero. Defaults are filled in before the rules "
            "are called, so they count."
        ),
    )

    def on_derivative_rule_misfit(self, event: DerivativeRuleMisfit, ctx: RuleContext) -> None:
        """A rule is missing or does not fit."""
        fields: dict[str, Any] = dict(event.fields)
        ctx.report(self, event.place, event.kind, **fields)
