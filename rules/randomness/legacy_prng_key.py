"""JAX206: a raw key is made where a typed one would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.keys import typed_key
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import RawKeyMade


class LegacyPrngKeyRule(Rule):
    """Tells of raw keys."""

    code = "JAX206"
    name = "legacy-prng-key"
    severity = Severity.INFO
    default = False
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` makes a raw legacy key: `jax.random.key` makes a typed one",
    }
    help = "use `jax.random.key`"
    reference = "randomness"
    explanation = Explanation(
        what="`jax.random.PRNGKey`, where nothing needs the raw `uint32` array and `jax.random.key` would do.",
        why=(
            "A raw key is an ordinary array: arithmetic on it and reuse as data go unnoticed, and the generator "
            "it belongs to is not part of its type. A typed key refuses both and carries its generator."
        ),
        wrong="""\
import jax


def initial_state(seed, size):
    key = jax.random.PRNGKey(seed)
    return jax.random.normal(key, (size,))
""",
        right="""\
import jax


def initial_state(seed, size):
    key = jax.random.key(seed)
    return jax.random.normal(key, (size,))
""",
        mend=(
            "Write `jax.random.key`. Where raw bits are stored or sent, use `jax.random.key_data` and "
            "`jax.random.wrap_key_data`."
        ),
    )

    def on_raw_key_made(self, event: RawKeyMade, ctx: RuleContext) -> None:
        """A raw key is made."""
        ctx.report(
            self,
            event.place,
            fix=lambda editor: typed_key(editor, event.place),
            call=ctx.text(event.place),
        )
