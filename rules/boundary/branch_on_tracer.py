"""JAX301: the test of a branch is a traced value."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import truthless

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import TruthTested

STATEMENTS = frozenset({"if", "while", "assert", "match"})
EXPRESSIONS = frozenset({"conditional expression", "comprehension filter"})


class BranchOnTracerRule(Rule):
    """Tells of statements and expressions that branch on a traced value."""

    code = "JAX301"
    name = "branch-on-tracer"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{test}` is traced, so it has no truth value here: `{statement}` raises `TracerBoolConversionError`"
        ),
        "expression": (
            "`{test}` is traced, so it has no truth value here: the {statement} raises `TracerBoolConversionError`"
        ),
    }
    help = "use `jnp.where`, `lax.cond` or `lax.while_loop`, or make the argument static"
    reference = "static-dynamic-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "The test of an `if`, `elif`, `while`, conditional expression, `assert`, `match` or comprehension "
            "filter is a traced value."
        ),
        why=(
            "While JAX traces, an array has a shape and a dtype but no numbers, so it has no truth value: Python "
            "raises `TracerBoolConversionError` at this line."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def soft_threshold(x, limit):
    size = jnp.linalg.norm(x)
    if size > limit:
        return x * (limit / size)
    return x
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def soft_threshold(x, limit):
    size = jnp.linalg.norm(x)
    return x * jnp.minimum(1.0, limit / jnp.maximum(size, 1e-12))
""",
        mend=(
            "Choose between values with `jnp.where` or `jnp.select`, between computations with `lax.cond` or "
            "`lax.switch`, loop with `lax.while_loop`; check with `checkify` or `eqx.error_if`. A flag or mode "
            'that takes few values can be a static argument: `jax.jit(f, static_argnames="mode")`.'
        ),
    )

    def on_truth_tested(self, event: TruthTested, ctx: RuleContext) -> None:
        """The truth of a value decides where the program goes."""
        if event.construct not in STATEMENTS and event.construct not in EXPRESSIONS:
            return
        trace = truthless(event.value)
        if trace is None:
            return
        ctx.report(
            self,
            event.place,
            "default" if event.construct in STATEMENTS else "expression",
            related=ctx.chain(trace.why),
            test=ctx.text(event.test),
            statement=event.construct,
        )
