"""JAX504: a Python loop applies a function to each row and stacks the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import RowsStacked


class LoopInsteadOfVmapRule(Rule):
    """Tells of loops over rows that `vmap` would run at once."""

    code = "JAX504"
    name = "loop-instead-of-vmap"
    severity = Severity.INFO
    default = False
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{function}` is applied to one row of `{array}` at a time and the results are stacked: `jax.vmap` does "
            "it in one call"
        ),
        "loop": (
            "this loop applies `{function}` to one row of `{array}` at a time and stacks the results: `jax.vmap` does "
            "it in one call"
        ),
    }
    help = "write `jax.vmap(function)(rows)`"
    reference = "loops-and-batches"
    explanation = Explanation(
        what=(
            "A Python loop or comprehension applies a JAX function to each row of an array and stacks the results. "
            "(Opt-in.)"
        ),
        why=(
            "Each row costs a dispatch of its own and the device works on one row at a time. `vmap` turns the same "
            "function into one that works on all rows at once."
        ),
        wrong="""\
import jax.numpy as jnp


def standardise(row):
    return (row - jnp.mean(row)) / (jnp.std(row) + 1e-6)


def prepare(table):
    return jnp.stack([standardise(row) for row in table])
""",
        right="""\
import jax
import jax.numpy as jnp


def standardise(row):
    return (row - jnp.mean(row)) / (jnp.std(row) + 1e-6)


def prepare(table):
    return jax.vmap(standardise)(table)
""",
        mend=(
            "Write `jax.vmap(f)(rows)`, with `in_axes` for arguments that all rows share. Where all rows at once need "
            "too much memory, `jax.lax.map(f, rows, batch_size=n)` works in chunks."
        ),
    )

    def on_rows_stacked(self, event: RowsStacked, ctx: RuleContext) -> None:
        """Rows are computed one by one and joined."""
        ctx.report(
            self,
            event.place,
            "loop" if event.loop else "default",
            function=event.function,
            array=event.array,
        )
