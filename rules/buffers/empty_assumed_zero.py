"""JAX602: uninitialised memory is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.renames import initialised
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import EmptyRead


class EmptyAssumedZeroRule(Rule):
    """Tells of uninitialised memory that is read."""

    code = "JAX602"
    name = "empty-assumed-zero"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` is uninitialised, and `{read}` reads it before every element is written",
        "accumulated": "`{call}` is uninitialised, and `{read}` accumulates into it",
        "returned": "`{call}` is uninitialised and is returned before every element is written",
    }
    help = "use `jnp.zeros` or `jnp.full`, or write every element before the first read"
    reference = "memory-and-numerics"
    confirm = "empty_memory"
    explanation = Explanation(
        what="The result of `jnp.empty` or `jnp.empty_like` is read before each of its elements has been written.",
        why=(
            "Since JAX 0.11 `empty` really is uninitialised: it holds whatever was in memory. On the CPU that is "
            "often zero, so tests pass."
        ),
        wrong="""\
import jax.numpy as jnp


def add_by_label(values, labels, classes):
    totals = jnp.empty(classes)
    return totals.at[labels].add(values)
""",
        right="""\
import jax.numpy as jnp


def add_by_label(values, labels, classes):
    totals = jnp.zeros(classes)
    return totals.at[labels].add(values)
""",
        mend="Use `jnp.zeros` or `jnp.full`, or write all elements before the first read.",
    )

    def on_empty_read(self, event: EmptyRead, ctx: RuleContext) -> None:
        """The result of `empty` is read too early."""
        if not ctx.target.reaches("0.11"):
            return
        kind = {"added to": "accumulated", "returned": "returned"}.get(event.how, "default")
        ctx.report(
            self,
            event.place,
            kind,
            related=[(event.read, f"{event.how} here")],
            fix=lambda editor: initialised(editor, event.place, event.function),
            call=ctx.text(event.place),
            read=ctx.text(event.read),
        )
