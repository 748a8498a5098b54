"""JAX503: a Python loop over array work is unrolled into the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import LoopUnrolled


class UnrolledLoopRule(Rule):
    """Tells of Python loops inside a trace whose passes may be many."""

    code = "JAX503"
    name = "unrolled-loop"
    severity = Severity.INFO
    messages: ClassVar[dict[str, str]] = {
        "default": "this loop is unrolled into the program of `{function}`: {count} copies of its body are traced",
        "axis": (
            "this loop over `{iterated}` is unrolled into the program of `{function}`: one copy of its body for each "
            "entry of an axis"
        ),
        "rows": "this loop over `{iterated}` is unrolled into the program of `{function}`: one copy of its body a row",
        "argument": (
            "this loop is unrolled into the program of `{function}`: as many copies of its body are traced as "
            "`{count}` says"
        ),
    }
    help = "use `lax.scan`, `lax.fori_loop` or `vmap`"
    reference = "loops-and-batches"
    confirm = "unrolled_loop"
    explanation = Explanation(
        what=(
            "A Python loop over array work in a compiled function, whose trip count is an axis length, an argument or "
            "a large constant."
        ),
        why=(
            "While JAX traces, the loop runs in Python and each pass adds its own copy of the operations. Compile "
            "time and program size grow with the trip count."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def discounted(rewards, decay):
    total = jnp.zeros(())
    returns = jnp.zeros_like(rewards)
    for t in reversed(range(rewards.shape[0])):
        total = rewards[t] + decay * total
        returns = returns.at[t].set(total)
    return returns
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def discounted(rewards, decay):
    def step(total, reward):
        total = reward + decay * total
        return total, total

    return jax.lax.scan(step, jnp.zeros(()), rewards, reverse=True)[1]
""",
        mend=(
            "Use `lax.scan` where passes follow each other or results are collected, `lax.fori_loop` for a plain "
            "count, `vmap` where passes do not depend on each other. `scan` takes `unroll=` where some unrolling is "
            "wanted."
        ),
    )

    def on_loop_unrolled(self, event: LoopUnrolled, ctx: RuleContext) -> None:
        """A Python loop runs inside a trace."""
        ctx.report(
            self,
            event.place,
            event.kind,
            function=event.function,
            count=event.what,
            iterated=ctx.text(event.iterated),
        )
