"""JAX105: an item of a JAX array is assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.updates import store_item
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ItemAssigned


class ArrayItemAssignmentRule(Rule):
    """Tells of item stores into JAX arrays."""

    code = "JAX105"
    name = "array-item-assignment"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`{statement}` stores into a `jax.Array`, which is immutable: it raises `TypeError`",
        "augmented": "`{statement}` updates a part of a `jax.Array`, which is immutable: it raises `TypeError`",
        "delete": "`{statement}` deletes a part of a `jax.Array`, which is immutable: it raises `AttributeError`",
    }
    help = "bind the result of `x.at[i].set(v)`, or of `.add`, `.multiply` and their kin"
    reference = "purity-and-state"
    confirm = "immutable_store"
    explanation = Explanation(
        what="`x[i] = v`, `x[i] += v` or `del x[i]` on a `jax.Array`, inside or outside a traced function.",
        why="JAX arrays are immutable. The store raises `TypeError` whenever it runs (`del` an `AttributeError`).",
        wrong="""\
import jax.numpy as jnp


def one_hot_rows(labels, classes):
    table = jnp.zeros((labels.shape[0], classes))
    table[jnp.arange(labels.shape[0]), labels] = 1.0
    return table
""",
        right="""\
import jax.numpy as jnp


def one_hot_rows(labels, classes):
    table = jnp.zeros((labels.shape[0], classes))
    table = table.at[jnp.arange(labels.shape[0]), labels].set(1.0)
    return table
""",
        mend=(
            "Write `x = x.at[i].set(v)`, or `.add(v)`, `.multiply(v)`, `.divide(v)`, `.min(v)`, `.max(v)`. "
            "Inside `jit` XLA does the update in place where it can. To fill a buffer on the host, use a NumPy "
            "array and convert it once."
        ),
    )

    def on_item_assigned(self, event: ItemAssigned, ctx: RuleContext) -> None:
        """An item of a JAX array is assigned or deleted."""
        if event.op == "attribute":
            return
        kind = {"=": "default", "del": "delete"}.get(event.op, "augmented")
        ctx.report(
            self,
            event.place,
            kind,
            fix=lambda editor: store_item(editor, event.place, event.op),
            statement=ctx.text(event.place),
        )
