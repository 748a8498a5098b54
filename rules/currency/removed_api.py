"""JAX901: a name that is no longer there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.renames import replace_api
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ChangeMet


class RemovedApiRule(Rule):
    """Tells of names and modules that the newest of the targeted versions lacks."""

    code = "JAX901"
    name = "removed-api"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`{name}` was removed in JAX {version}",
        "replaced": "`{name}` was removed in JAX {version}: `{replacement}` takes its place",
        "module": "module `{name}` was removed in JAX {version}",
        "module_replaced": "module `{name}` was removed in JAX {version}: `{replacement}` takes its place",
        "option": "configuration option `{name}` was removed in JAX {version}",
    }
    help = "use what takes its place (JAX's changelog tells), or test for the name first"
    reference = "legacy-api"
    confirm = "removed_name"
    explanation = Explanation(
        what="A name is used or imported that no longer exists in the JAX version that the project targets.",
        why="The import raises `ImportError` or `ModuleNotFoundError`, the attribute `AttributeError`.",
        wrong="""\
import jax
import jax.numpy as jnp


def scaled(tree, factor):
    return jax.tree_map(lambda leaf: factor * jnp.asarray(leaf), tree)
""",
        right="""\
import jax
import jax.numpy as jnp


def scaled(tree, factor):
    return jax.tree.map(lambda leaf: factor * jnp.asarray(leaf), tree)
""",
        mend=(
            "Use the replacement that the message names. Code that has to run on several versions asks first: "
            "`hasattr`, `try`/`except ImportError`, or a comparison of `jax.__version_info__`."
        ),
    )

    def on_change_met(self, event: ChangeMet, ctx: RuleContext) -> None:
        """A program spells something that changed."""
        change = event.change
        if event.guarded or event.how not in ("import", "attribute", "option") or not change.removed(ctx.target):
            return
        kind = "replaced" if change.replacement else "default"
        if event.how == "option" or (change.option and event.how == "attribute"):
            kind = "option"
        elif change.kind in ("module", "import"):
            kind = "module_replaced" if change.replacement else "module"
        ctx.report(
            self,
            event.place,
            kind,
            fix=lambda editor: replace_api(editor, event.place, change, event.how, event.spelling),
            name=change.option if kind == "option" else change.name,
            version=change.removed_in,
            replacement=change.replacement,
        )
