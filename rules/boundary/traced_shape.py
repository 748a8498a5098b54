"""JAX305: a traced value decides a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import called_at, demanded_at, function_at, index_at
from jaxlint.semantics.predicates import lacks_number

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArgumentConcrete, ShapeUnknown, SliceBoundTraced

OTHERS = ("builtins.", "math.", "numpy.", "scipy.", "operator.", "pickle.")
"""Libraries that need numbers, not shapes."""

SIZES = frozenset({"shape", "new_sizes", "sizes", "slice_sizes", "size", "N", "M", "reps", "new_shape", "target_shape"})
HASHED = frozenset(
    ["swapaxes", "norm", "cumsum", "cumprod", "sort", "argsort", "diff", "round", "triu", "tril", "matrix_power"]
)
INDEXED = frozenset(["stack", "concatenate", "argmax", "argmin", "take", "transpose", "fft", "ifft", "rfft", "irfft"])


class TracedShapeRule(Rule):
    """Tells of traced values where a shape, a slice bound or an axis is asked for."""

    code = "JAX305"
    name = "traced-shape"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`{operand}` decides the shape of `{call}` and is traced in `{function}`: it raises `{error}`",
        "slice": "the slice bound `{operand}` is traced in `{function}`: it raises `IndexError`",
        "axis": "`{operand}` names an axis in `{call}` and is traced in `{function}`: it raises `{error}`",
    }
    help = "make it a static argument, or compute it from shapes with Python"
    reference = "static-dynamic-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "A traced value is used where the shape of a result depends on it: a shape, a slice bound, "
            "`num`, `axis`, `length`, `num_segments`, a repeat count without `total_repeat_length` and the "
            "like."
        ),
        why=(
            "Shapes are fixed when the program is compiled, and a traced value has no number yet: the call "
            "raises `TypeError`, `ConcretizationTypeError` or `IndexError`."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def polynomial_features(x, degree):
    powers = jnp.arange(degree)
    return x[:, None] ** powers


def features(x):
    return polynomial_features(x, 4)
""",
        right="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="degree")
def polynomial_features(x, degree):
    powers = jnp.arange(degree)
    return x[:, None] ** powers


def features(x):
    return polynomial_features(x, 4)
""",
        mend=(
            "Make the argument static if it takes few values. Compute sizes from `x.shape` with Python or "
            "NumPy, not with `jax.numpy`. For a window of fixed width at a traced start use "
            "`lax.dynamic_slice`; for a varying length, a mask over a fixed one."
        ),
    )

    def on_argument_concrete(self, event: ArgumentConcrete, ctx: RuleContext) -> None:
        """A library function needs a Python value."""
        if event.function.startswith(OTHERS) or event.parameter == "self" or not lacks_number(event.trace):
            return
        self._tell(event, ctx)

    def on_shape_unknown(self, event: ShapeUnknown, ctx: RuleContext) -> None:
        """A traced count says how many entries come back."""
        if event.parameter == "repeats":
            self._tell(event, ctx)

    def _tell(self, event: ArgumentConcrete | ShapeUnknown, ctx: RuleContext) -> None:
        axis = event.parameter.startswith(("axis", "axes", "dimension", "source", "destination"))
        ctx.report(
            self,
            event.place,
            "axis" if axis else "default",
            related=ctx.chain(event.trace.why),
            operand=demanded_at(event.place, event.function, event.parameter, event.position),
            call=called_at(event.place),
            function=function_at(event.place),
            error=_error(event.function.rpartition(".")[2], event.parameter),
        )

    def on_slice_bound_traced(self, event: SliceBoundTraced, ctx: RuleContext) -> None:
        """A slice of an array has a traced bound."""
        ctx.report(
            self,
            event.place,
            "slice",
            related=ctx.chain(event.trace.why),
            operand=index_at(event.place, event.position, event.bound),
            function=function_at(event.place),
        )


def _error(function: str, parameter: str) -> str:
    """What JAX raises: it depends on where the value meets Python first."""
    if function in HASHED:
        return "ValueError"
    if function in INDEXED:
        return "TracerIntegerConversionError"
    if parameter in SIZES or function == "reshape":
        return "TypeError"
    return "ConcretizationTypeError"
