"""JAX302: an operator or builtin asks for the truth of a traced value."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import lacks_number, traced_array, truthless

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import TruthTested

KINDS = {
    "and": "default",
    "or": "default",
    "not": "default",
    "chained comparison": "chained",
    "in": "membership",
    "not in": "membership",
    **dict.fromkeys(("any", "all", "min", "max", "sorted"), "builtin"),
}


class TruthOfTracerRule(Rule):
    """Tells of operators and builtins that ask for the truth of a traced value."""

    code = "JAX302"
    name = "truth-of-tracer"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{operator}` asks for the truth of `{operand}`, which is traced: it raises `TracerBoolConversionError`"
        ),
        "chained": (
            "the chained comparison `{operand}` asks for the truth of its parts, which are traced: it raises "
            "`TracerBoolConversionError`"
        ),
        "membership": (
            "`in` asks for the truth of each comparison that `{operand}` makes, and they are traced: it raises "
            "`TracerBoolConversionError`"
        ),
        "builtin": (
            "builtin `{operator}` asks for the truth of traced values in `{operand}`: it raises "
            "`TracerBoolConversionError`"
        ),
    }
    help = "use `&`, `|`, `~` or the `jax.numpy` function instead"
    reference = "static-dynamic-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "`and`, `or`, `not`, a chained comparison, `in`, or builtin `any`, `all`, `min`, `max`, `sorted` "
            "over traced values, outside a test that JAX301 reports."
        ),
        why=(
            "Each of these asks Python for the truth of a traced value, which has none while JAX traces: "
            "`TracerBoolConversionError`."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def inside(points, low, high):
    centre = jnp.mean(points)
    return low < centre < high
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def inside(points, low, high):
    centre = jnp.mean(points)
    return (low < centre) & (centre < high)
""",
        mend=(
            "Combine arrays with `&`, `|`, `~` (with parentheses around each comparison) or `jnp.logical_and` "
            "and its kin; reduce with `jnp.any`, `jnp.all`, `jnp.min`, `jnp.max`; compare two with "
            "`jnp.minimum`, `jnp.maximum`; sort with `jnp.sort`."
        ),
    )

    def on_truth_tested(self, event: TruthTested, ctx: RuleContext) -> None:
        """The truth of a value is asked for outside the test of a branch."""
        operator = event.construct.removesuffix("()")
        kind = KINDS.get(operator)
        if kind is None:
            return
        # A builtin looks at the elements of a tuple; the truth of the tuple itself is its length.
        trace = traced_array(event.value) if kind == "builtin" else truthless(event.value)
        if trace is None or not lacks_number(trace):
            return
        ctx.report(
            self,
            event.place,
            kind,
            related=ctx.chain(trace.why),
            operator=operator,
            operand=ctx.text(event.test),
        )
