"""JAX401: a NumPy or SciPy function needs the numbers of a traced value."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import argument_at, called_at, function_at, index_at, subscripted_at
from jaxlint.semantics.predicates import lacks_number

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArgumentConcrete, HostArrayIndexed

INDEXED = frozenset({"numpy.eye", "numpy.identity", "numpy.tri"})
SHAPED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})


class NumpyOnTracerRule(Rule):
    """Tells of NumPy and SciPy functions on traced values."""

    code = "JAX401"
    name = "numpy-on-tracer"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": ("`{call}` needs the numbers of `{operand}`, which is traced in `{function}`: it raises `{error}`"),
        "index": (
            "`{array}` is a NumPy array and cannot be indexed with `{operand}`, which is traced in "
            "`{function}`: it raises `{error}`"
        ),
        "store": (
            "`{statement}` stores a value that is traced in `{function}` in a NumPy array, which holds numbers: "
            "it fails when it is traced"
        ),
        "grad": (
            "`{call}` needs the numbers of `{operand}`, which is being differentiated in `{function}`: it "
            "raises `{error}`"
        ),
    }
    help = "use the `jax.numpy` or `jax.scipy` counterpart"
    reference = "host-device-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "A function of NumPy or SciPy that needs the numbers is applied to a traced value, or a NumPy "
            "array is indexed with one, or one is stored in it."
        ),
        why=(
            "NumPy converts its operands to its own arrays, and a traced value has no numbers to convert: "
            "`TracerArrayConversionError`. Under `grad` alone it fails as well. Functions that only call "
            "the array's own method (`np.sum`, `np.mean`, `np.reshape`) run."
        ),
        wrong="""\
import jax
import numpy as np


@jax.jit
def softplus(x):
    return np.logaddexp(x, 0.0)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def softplus(x):
    return jnp.logaddexp(x, 0.0)
""",
        mend=(
            "Use the `jax.numpy` or `jax.scipy` function of the same name, and `jnp.asarray(table)[i]` to "
            "index a NumPy table. Where there is no counterpart, `jax.pure_callback` runs the host "
            "function. NumPy on shapes and constants is right."
        ),
    )

    def on_argument_concrete(self, event: ArgumentConcrete, ctx: RuleContext) -> None:
        """A library function needs the numbers of an argument."""
        if not event.function.startswith(("numpy.", "scipy.")) or event.function.startswith("numpy.random."):
            return
        ctx.report(
            self,
            event.place,
            "default" if lacks_number(event.trace) else "grad",
            related=ctx.chain(event.trace.why),
            call=called_at(event.place),
            operand=argument_at(event.place, event.parameter, event.position),
            function=function_at(event.place),
            error=_error(event.function),
        )

    def on_host_array_indexed(self, event: HostArrayIndexed, ctx: RuleContext) -> None:
        """A NumPy array is indexed with a traced value, or one is stored in it."""
        if event.position is None:
            ctx.report(
                self,
                event.place,
                "store",
                related=ctx.chain(event.trace.why),
                statement=ctx.text(event.place),
                function=function_at(event.place),
            )
            return
        ctx.report(
            self,
            event.place,
            "index",
            related=ctx.chain(event.trace.why),
            array=subscripted_at(event.place),
            operand=index_at(event.place, event.position),
            function=function_at(event.place),
            error="TracerArrayConversionError",
        )


def _error(function: str) -> str:
    """What Python raises where NumPy asks for an integer rather than for an array."""
    if function in INDEXED:
        return "TracerIntegerConversionError"
    return "TypeError" if function in SHAPED else "TracerArrayConversionError"
