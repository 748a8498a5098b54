"""JAX106: a remembered trace keeps the old value of a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import StaleRead


class StaleCaptureRule(Rule):
    """Tells of outer variables that change between two calls of a function whose trace JAX remembers."""

    code = "JAX106"
    name = "stale-capture"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{function}` reads `{name}`, which is rebound between its calls: the traced program keeps the first value"
        ),
        "mutated": (
            "`{function}` reads `{name}`, which is changed between its calls: the traced program keeps the first "
            "content"
        ),
    }
    help = "pass what changes as an argument of the traced function"
    reference = "purity-and-state"
    explanation = Explanation(
        what=(
            "A traced function reads a global or closed-over variable that the program rebinds or mutates after "
            "the trace may have been made."
        ),
        why=(
            "JAX keeps the trace of a function object, and the value that the variable had then is a constant in "
            "it. Rebinding the variable does not trace again, and neither does a second `jit` of the same "
            "function. The loops and `cond` keep their traces too."
        ),
        wrong="""\
import jax
import jax.numpy as jnp

weight = 1.0


@jax.jit
def penalty(w):
    return weight * jnp.sum(w**2)


def anneal(w):
    global weight
    values = []
    for _ in range(3):
        values.append(penalty(w))
        weight = weight / 10
    return values
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def penalty(w, weight):
    return weight * jnp.sum(w**2)


def anneal(w):
    weight = 1.0
    values = []
    for _ in range(3):
        values.append(penalty(w, weight))
        weight = weight / 10
    return values
""",
        mend=(
            "Pass what changes as an argument: traced if it is a number or an array, static if the program's "
            "structure depends on it. A function that is made anew for each value (a factory) is right too, at "
            "the price of a compilation each."
        ),
    )

    def on_stale_read(self, event: StaleRead, ctx: RuleContext) -> None:
        """A variable that a remembered trace has read holds something else at the next call."""
        if event.bound:
            return
        related = [(event.applied, "traced and remembered here")]
        if event.changed is not None:
            related.append((event.changed, "changed here, after the trace"))
        ctx.report(
            self,
            event.place,
            "mutated" if event.mutated else "default",
            related=related,
            function=event.function,
            name=event.name or ctx.text(event.place),
        )
