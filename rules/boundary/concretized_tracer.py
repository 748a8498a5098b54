"""JAX303: a Python number is asked of a traced value."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import lacks_number, sure

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArgumentConcrete, Concretized
    from jaxlint.semantics.values import Place, Value

CONVERSIONS = frozenset({"int", "float", "bool", "complex"})
INTEGER_MATH = frozenset({"math.comb", "math.factorial", "math.gcd", "math.isqrt", "math.lcm", "math.perm"})


class ConcretizedTracerRule(Rule):
    """Tells of Python numbers that are asked of a traced value."""

    code = "JAX303"
    name = "concretized-tracer"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` needs the value of its argument, which is traced: it raises `{error}`",
        "math": "`{call}` converts its argument to a Python number, and the argument is traced: it raises `{error}`",
        "grad": "`{call}` needs a plain number, and its argument is being differentiated: it raises `{error}`",
        "index": "`{call}` indexes a Python {container} with a traced value: it raises `{error}`",
        "range": "`range` needs a Python integer, and its argument is traced: it raises `{error}`",
        "format": "a format specification needs the value of `{call}`, which is traced: it raises `{error}`",
    }
    help = "use the `jax.numpy` or `lax` counterpart, or make the argument static"
    reference = "static-dynamic-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what=(
            "`int()`, `float()`, `bool()`, `complex()`, `range()`, an index into a list, tuple or string, a "
            "format specification or a function of `math` is given a traced value."
        ),
        why=(
            "Each needs the number itself, and a traced value has none yet: `ConcretizationTypeError` or one of "
            "its kin. Under `grad` alone `float` and `math` fail as well, for they would cut the derivative off "
            "in silence."
        ),
        wrong="""\
import math

import jax
import jax.numpy as jnp


@jax.jit
def log_score(counts):
    total = jnp.sum(counts)
    return math.log(total) - jnp.log(counts)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def log_score(counts):
    total = jnp.sum(counts)
    return jnp.log(total) - jnp.log(counts)
""",
        mend=(
            "Use the `jax.numpy` function in place of `math`, `.astype` in place of `int` and `float`, "
            "`lax.fori_loop` in place of `range`, a stacked array or `lax.switch` in place of a list index, "
            "`jax.debug.print` in place of a format. What is a fixed number can be a static argument."
        ),
    )

    def on_concretized(self, event: Concretized, ctx: RuleContext) -> None:
        """Python asks a value for its number."""
        self._check(event.value, event.by, event.place, ctx)

    def on_argument_concrete(self, event: ArgumentConcrete, ctx: RuleContext) -> None:
        """A function of the standard library asks an argument for its number."""
        by = event.function.removeprefix("builtins.")
        if by in CONVERSIONS or by == "range" or by.startswith("math."):
            self._check(event.value, by, event.place, ctx)
        elif by == "format" and event.parameter == "value":
            self._check(event.value, "format spec", event.place, ctx)

    def _check(self, value: Value, by: str, place: Place, ctx: RuleContext) -> None:
        trace = sure(value.trace)
        if trace is None:
            return
        kind = _kind(by)
        if not lacks_number(trace):
            if kind not in ("math", "format") and by not in ("float", "complex"):
                return
            kind = "format" if kind == "format" else "grad"
        ctx.report(
            self,
            place,
            kind,
            related=ctx.chain(trace.why),
            call=ctx.text(place),
            container=by.removesuffix("index").strip() or "sequence",
            error=_error(by, kind),
        )


def _kind(by: str) -> str:
    if by.startswith("math."):
        return "math"
    if by == "format spec":
        return "format"
    if by == "range":
        return "range"
    return "index" if by.endswith("index") else "default"


def _error(by: str, kind: str) -> str:
    """What JAX raises: it depends on the special method that Python calls."""
    if by == "bool":
        return "TracerBoolConversionError"
    if kind == "format" or by == "math.trunc":
        return "TypeError"
    if kind in ("index", "range") or by in INTEGER_MATH:
        return "TracerIntegerConversionError"
    return "ConcretizationTypeError"
