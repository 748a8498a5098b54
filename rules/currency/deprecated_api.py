"""JAX902: a name or argument that is on its way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.renames import replace_api
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ChangeMet


class DeprecatedApiRule(Rule):
    """Tells of names and arguments that the newest of the targeted versions warns about."""

    code = "JAX902"
    name = "deprecated-api"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{name}` is deprecated since JAX {version}",
        "replaced": "`{name}` is deprecated since JAX {version}: `{replacement}` takes its place",
        "argument": "argument `{argument}` of `{name}` is deprecated since JAX {version}",
        "argument_replaced": (
            "argument `{argument}` of `{name}` is deprecated since JAX {version}: `{replacement}` takes its place"
        ),
    }
    help = "use what takes its place (JAX's changelog tells)"
    shown_as = "deprecated"
    reference = "legacy-api"
    confirm = "deprecated_name"
    explanation = Explanation(
        what="A name or an argument is used that is deprecated in the JAX version that the project targets.",
        why="It still works and warns; a later release removes it.",
        wrong="""\
import jax
import jax.numpy as jnp


def compiled_on_host():
    return jax.jit(jnp.cumsum, backend="cpu")
""",
        right="""\
import jax
import jax.numpy as jnp


def on_host(x):
    return jax.jit(jnp.cumsum)(jax.device_put(x, jax.devices("cpu")[0]))
""",
        mend=(
            "Use the replacement that the message names. Where old versions have to be served as well, keep the old "
            "name in a branch that only they take."
        ),
    )

    def on_change_met(self, event: ChangeMet, ctx: RuleContext) -> None:
        """A program spells something that changed."""
        change = event.change
        if event.guarded or not change.deprecated(ctx.target) or event.how in ("position", "omitted"):
            return
        argument = event.how == "argument"
        kind = ("argument" if argument else "default") if not change.replacement else ""
        ctx.report(
            self,
            event.place,
            kind or ("argument_replaced" if argument else "replaced"),
            fix=lambda editor: replace_api(editor, event.place, change, event.how, event.spelling),
            name=change.owner if argument else change.name,
            argument=change.argument,
            version=change.deprecated_in,
            replacement=change.replacement,
        )
