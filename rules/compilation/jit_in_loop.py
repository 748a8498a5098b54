"""JAX501: a loop compiles a callable that each pass makes anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import described_callable, is_decorator

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import CompiledAnew


class JitInLoopRule(Rule):
    """Tells of loops that compile on each pass; `jit-of-fresh-callable` tells of functions that do on each call."""

    code = "JAX501"
    name = "jit-in-loop"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{transformation}` is applied to {callable}, which each pass of the loop makes anew: each pass compiles "
            "again"
        ),
        "decorator": "`{name}` is defined and compiled anew on each pass of the loop",
        "control_flow": (
            "`{transformation}` is given {callable}, which each pass of the loop makes anew: each pass compiles again"
        ),
    }
    help = "apply the transformation once, before the loop, and pass what changes as an argument"
    reference = "compilation-structure"
    confirm = "recompilation"
    explanation = Explanation(
        what=(
            "Inside a loop or comprehension, a transformation that keeps a compile cache (`jit`, `pmap`; outside "
            "`jit` also `scan`, `cond`, `switch`, `fori_loop`, `while_loop`, `lax.map`) is applied to a callable that "
            "each pass makes anew: a lambda, a local function, a `partial`, a bound method, the result of `grad` or "
            "`vmap`."
        ),
        why=(
            "The compiled program is found again by the identity of the function. A new function object is a miss, so "
            "each pass traces and compiles the same program again, which takes far longer than running it."
        ),
        wrong="""\
import functools

import jax
import jax.numpy as jnp


def shrink(threshold, x):
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - threshold, 0.0)


def denoise(signal, thresholds):
    for threshold in thresholds:
        signal = jax.jit(functools.partial(shrink, threshold))(signal)
    return signal
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def shrink(threshold, x):
    return jnp.sign(x) * jnp.maximum(jnp.abs(x) - threshold, 0.0)


def denoise(signal, thresholds):
    for threshold in thresholds:
        signal = shrink(threshold, signal)
    return signal
""",
        mend=(
            "Apply the transformation once, to a named function outside the loop, and hand in what changes as an "
            "argument. Variants that must differ go into a table that is filled once."
        ),
    )

    def on_compiled_anew(self, event: CompiledAnew, ctx: RuleContext) -> None:
        """A loop or a function compiles something new."""
        if not event.loop:
            return
        kind = "control_flow" if event.transform.startswith("jax.lax.") else "default"
        ctx.report(
            self,
            event.place,
            "decorator" if is_decorator(event.place) and event.name else kind,
            transformation=event.transform.rpartition(".")[2],
            callable=described_callable(event.what, event.name),
            name=event.name,
        )
