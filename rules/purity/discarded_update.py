"""JAX108: the result of a functional update is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.updates import bind_result
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import UpdateDropped


class DiscardedUpdateRule(Rule):
    """Tells of updates that change nothing in place and whose result nobody takes."""

    code = "JAX108"
    name = "discarded-update"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "the result of `{call}` is dropped, and `{call}` changes nothing in place: the statement has no effect"
        ),
        "at": "`{call}` returns a new array, which is dropped: the old one stays as it was",
        "tree_map": (
            "the tree that `{call}` returns is dropped, and the mapped function has no effect: the statement does "
            "nothing"
        ),
    }
    help = "bind the result to a name"
    reference = "purity-and-state"
    explanation = Explanation(
        what=(
            "The result of a functional update is dropped: `x.at[i].set(v)`, `x.sort()`, `optax.apply_updates`, "
            "`replace`, `apply_gradients`, `eqx.tree_at`, `tree.map` of a pure function as a statement of its "
            "own."
        ),
        why=(
            "JAX arrays, and the states built of them, are never changed in place. Each of these calls returns a "
            "new value and touches nothing, so the statement does nothing."
        ),
        wrong="""\
import jax.numpy as jnp


def deposit(positions, charges, cells):
    grid = jnp.zeros(cells)
    grid.at[jnp.floor(positions).astype(jnp.int32)].add(charges)
    return grid
""",
        right="""\
import jax.numpy as jnp


def deposit(positions, charges, cells):
    grid = jnp.zeros(cells)
    grid = grid.at[jnp.floor(positions).astype(jnp.int32)].add(charges)
    return grid
""",
        mend=(
            "Bind the result: `x = x.at[i].set(v)`. If the call was only made to check something, say so with an "
            "assertion."
        ),
    )

    def on_update_dropped(self, event: UpdateDropped, ctx: RuleContext) -> None:
        """A functional update is a statement of its own."""
        ctx.report(
            self,
            event.place,
            event.kind if event.kind in self.messages else "default",
            fix=lambda editor: bind_result(editor, event.place, event.kind, event.function),
            call=ctx.text(event.place),
        )
