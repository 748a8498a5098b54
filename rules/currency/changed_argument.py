"""JAX904: an argument that is no longer taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.renames import replace_api
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.knowledge.changes import Change
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ChangeMet


class ChangedArgumentRule(Rule):
    """Tells of arguments that the newest of the targeted versions does not take, and of defaults that changed."""

    code = "JAX904"
    name = "changed-argument"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "argument `{argument}` of `{name}` was removed in JAX {version}: the call raises `TypeError`",
        "renamed": "argument `{argument}` of `{name}` was renamed in JAX {version}: `{replacement}` takes its place",
        "keyword": "{argument} of `{name}` is keyword-only since JAX {version}: the call raises `TypeError`",
        "positional": (
            "argument `{argument}` of `{name}` is positional-only since JAX {version}: the call raises `TypeError`"
        ),
        "changed": (
            "the default of `{argument}` of `{name}` changed in JAX {version}: the call means one thing before "
            "and another after"
        ),
    }
    help = "give the arguments that the newest version takes"
    reference = "legacy-api"
    confirm = "changed_argument"
    explanation = Explanation(
        what=(
            "A call gives an argument that was removed, renamed or made keyword-only or positional-only in the JAX "
            "version that the project targets; or it counts on a default that changed within the versions that the "
            "project supports."
        ),
        why=(
            "The call raises `TypeError`. A changed default is silent: the same call does another thing before and "
            "after."
        ),
        wrong="""\
import jax.numpy as jnp


def to_unit(x):
    return jnp.clip(x, a_min=0.0, a_max=1.0)
""",
        right="""\
import jax.numpy as jnp


def to_unit(x):
    return jnp.clip(x, min=0.0, max=1.0)
""",
        mend=(
            "Use the new name, give the argument by keyword or by position as the message says, or leave it out. "
            "Where a default changed, write the value that is meant."
        ),
    )

    def on_change_met(self, event: ChangeMet, ctx: RuleContext) -> None:
        """A program spells something that changed."""
        change = event.change
        if event.guarded or event.how not in ("argument", "position", "omitted") or not change.removed(ctx.target):
            return
        kind = {"position": "keyword", "omitted": "changed"}.get(event.how)
        if kind is None:
            kind = "renamed" if change.drop_in else "positional" if _positional(change) else "default"
        argument = change.argument
        if kind == "keyword":
            argument = (
                "what follows the first argument" if change.limit == 1 else "what follows the first two arguments"
            )
        replacement = change.replacement.rpartition("(")[2].removesuffix("=)")
        ctx.report(
            self,
            event.place,
            kind,
            fix=lambda editor: replace_api(editor, event.place, change, event.how, event.spelling),
            name=change.owner,
            argument=argument,
            version=change.removed_in,
            replacement=replacement,
        )


def _positional(change: Change) -> bool:
    return "position" in change.note
