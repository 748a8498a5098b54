"""JAX304: under tracing, the number of results depends on the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import function_at, index_at, subscripted_at

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import MaskIndexed, ShapeUnknown

COUNTS = frozenset({"repeats"})
"""Parameters that say a shape themselves: another rule tells of them."""


class DataDependentShapeRule(Rule):
    """Tells of masks and searches whose number of results cannot be known while tracing."""

    code = "JAX304"
    name = "data-dependent-shape"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{index}` is a traced boolean mask in `{function}`: how many entries it selects is not known, "
            "so `{error}` is raised"
        ),
        "call": (
            "`{call}` returns as many entries as the traced data have: without `size=` it raises `{error}` "
            "in `{function}`"
        ),
        "update": "`{array}.at[{index}]` has a traced boolean mask in `{function}`: it raises `{error}`",
    }
    help = "use three-argument `jnp.where`, a reduction's `where=`, or `size=`"
    reference = "static-dynamic-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "Under tracing, a boolean mask is used as an index, or a function whose number of results "
            "depends on the values (`nonzero`, `argwhere`, `unique`, one-argument `where`, `setdiff1d`, "
            "`compress` and their kin) is called without `size=`."
        ),
        why=(
            "A compiled program has fixed shapes. How many entries a mask selects is known only when the "
            "numbers are there, so the trace fails with `NonConcreteBooleanIndexError` or "
            "`ConcretizationTypeError`."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def mean_of_valid(readings):
    valid = readings[~jnp.isnan(readings)]
    return jnp.mean(valid)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def mean_of_valid(readings):
    return jnp.mean(readings, where=~jnp.isnan(readings))
""",
        mend=(
            "Keep the shape and select with three-argument `jnp.where` or a reduction's `where=`; or give "
            "an upper bound with `size=` and a `fill_value`; or do the selection outside of the traced "
            "function."
        ),
    )

    def on_mask_indexed(self, event: MaskIndexed, ctx: RuleContext) -> None:
        """An array is indexed with a traced mask."""
        ctx.report(
            self,
            event.place,
            "update" if event.update else "default",
            related=ctx.chain(event.trace.why),
            index=index_at(event.place, event.position),
            array=subscripted_at(event.place),
            function=function_at(event.place),
            error="NonConcreteBooleanIndexError",
        )

    def on_shape_unknown(self, event: ShapeUnknown, ctx: RuleContext) -> None:
        """A function returns as many entries as the traced data have."""
        if event.parameter in COUNTS:
            return
        ctx.report(
            self,
            event.place,
            "call",
            related=ctx.chain(event.trace.why),
            call=ctx.text(event.place),
            function=function_at(event.place),
            error="ConcretizationTypeError",
        )
