"""JAX505: a loop compiles on each pass, because a static argument or a shape changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import CompiledForEach


class VaryingStaticRule(Rule):
    """Tells of loops that hand a compiled function a new static value or shape on each pass."""

    code = "JAX505"
    name = "varying-static"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "static argument `{argument}` of `{function}` changes from pass to pass: each pass of the loop compiles "
            "again"
        ),
        "shape": (
            "the shape of argument `{argument}` of `{function}` changes from pass to pass: each pass of the loop "
            "compiles again"
        ),
        "filter_jit": (
            "`{argument}` of `{function}` is a Python number, which `filter_jit` takes as static, and changes from "
            "pass to pass: each pass of the loop compiles again"
        ),
    }
    help = "pass it as an ordinary argument, or pad the array to a fixed shape"
    reference = "compilation-structure"
    confirm = "varying_static"
    explanation = Explanation(
        what=(
            "In a loop, a compiled function gets a static argument, or an array whose shape, changes with the loop "
            "variable."
        ),
        why=(
            "A program is compiled for each value of a static argument and for each shape. A loop that never repeats "
            "one compiles on each pass."
        ),
        wrong="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="lag")
def autocorrelation(x, lag):
    return jnp.mean(x * jnp.roll(x, lag))


def correlogram(x, lags):
    return [autocorrelation(x, lag=lag) for lag in range(1, lags)]
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def autocorrelation(x, lag):
    return jnp.mean(x * jnp.roll(x, lag))


def correlogram(x, lags):
    return [autocorrelation(x, lag) for lag in range(1, lags)]
""",
        mend=(
            "Make the argument an ordinary one where nothing needs it as a Python number. For shapes, pad to one size "
            "or to a few and hand in a mask, or take windows of a fixed size by `lax.dynamic_slice`."
        ),
    )

    def on_compiled_for_each(self, event: CompiledForEach, ctx: RuleContext) -> None:
        """A compiled function gets something new on each pass."""
        ctx.report(self, event.place, event.kind, argument=event.argument, function=event.function)
