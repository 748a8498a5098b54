"""JAX205: a function uses a key of its module."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import GlobalKeyUsed


class GlobalKeyRule(Rule):
    """Tells of functions that use a key of their module."""

    code = "JAX205"
    name = "global-key"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "the module-level key `{key}` is used inside a function: each call draws the same numbers",
        "traced": (
            "the module-level key `{key}` is used in a traced function: the key is compiled in, so each call "
            "draws the same numbers"
        ),
    }
    help = "take the key as a parameter"
    reference = "randomness"
    confirm = "global_key"
    explanation = Explanation(
        what="A function uses a PRNG key that was made at module level.",
        why=(
            "The key is hidden state that no caller can change: each call draws the same numbers, and a traced "
            "function compiles the key in. Two functions that use it draw correlated numbers."
        ),
        wrong="""\
import jax

ROOT = jax.random.key(7)


def initial_weights(rows, columns):
    return 0.02 * jax.random.normal(ROOT, (rows, columns))
""",
        right="""\
import jax


def initial_weights(key, rows, columns):
    return 0.02 * jax.random.normal(key, (rows, columns))


def build(seed):
    return initial_weights(jax.random.key(seed), 4, 8)
""",
        mend="Take the key as a parameter and let the program's entry point make it.",
    )

    def on_global_key_used(self, event: GlobalKeyUsed, ctx: RuleContext) -> None:
        """A function uses a module-level key."""
        related = [(event.defined, "the key is made here")] if event.defined is not None else []
        ctx.report(self, event.place, "traced" if event.traced else "default", related=related, key=event.name)
