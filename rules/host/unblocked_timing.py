"""JAX404: a clock is read before the work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import called_at, parameters_at

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import TimingUnblocked


class UnblockedTimingRule(Rule):
    """Tells of clocks that are read before the timed work is done."""

    code = "JAX404"
    name = "unblocked-timing"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "the clock is read before `{value}` is ready: the time since line {line} is that of the "
            "dispatch, not of the work"
        ),
        "helper": (
            "the clock is read before the result of `{callable}` is ready: the time since line {line} is "
            "that of the dispatch"
        ),
        "repeated": (
            "the clock of the timing helper stops before `{value}` is ready: what is measured is the dispatch, not the "
            "work"
        ),
    }
    help = "call `jax.block_until_ready` on the result before reading the clock"
    reference = "benchmark-honesty"
    explanation = Explanation(
        what=("A clock is read before and after JAX work, and nothing waits for the result before the second reading."),
        why=(
            "JAX dispatches work asynchronously: the call returns at once. The difference of the readings "
            "is the time of the dispatch, not of the computation."
        ),
        wrong="""\
import time

import jax
import jax.numpy as jnp

gram = jax.jit(lambda rows: rows @ rows.T)


def seconds(rows):
    gram(rows).block_until_ready()
    start = time.perf_counter()
    product = gram(rows)
    stop = time.perf_counter()
    return stop - start, jnp.trace(product)
""",
        right="""\
import time

import jax
import jax.numpy as jnp

gram = jax.jit(lambda rows: rows @ rows.T)


def seconds(rows):
    gram(rows).block_until_ready()
    start = time.perf_counter()
    product = gram(rows).block_until_ready()
    stop = time.perf_counter()
    return stop - start, jnp.trace(product)
""",
        mend=(
            "Call `jax.block_until_ready` on what the timed region computes, before the clock is read the second time."
        ),
    )

    def on_timing_unblocked(self, event: TimingUnblocked, ctx: RuleContext) -> None:
        """The difference of two readings is taken, and work between them was not waited for."""
        callee = called_at(event.work)
        if event.place == event.work:
            ctx.report(
                self,
                event.place,
                "repeated",
                related=[(event.first, "timed here")] if event.first != event.place else [],
                value=ctx.text(event.work),
            )
            return
        ctx.report(
            self,
            event.place,
            "helper" if callee in parameters_at(event.work) else "default",
            related=[(event.first, "the clock is read first here"), (event.work, "the work is dispatched here")],
            value=ctx.text(event.work),
            callable=callee,
            line=ctx.line(event.first),
        )
