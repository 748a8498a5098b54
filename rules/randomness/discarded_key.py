"""JAX203: a derived key is dropped or never used."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import key_argument

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import KeyDiscarded, SubkeyUnused


class DiscardedKeyRule(Rule):
    """Tells of derived keys that are dropped or forgotten."""

    code = "JAX203"
    name = "discarded-key"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "the result of `{call}` is dropped: keys are not changed in place, so this does nothing",
        "unused": "subkey `{subkey}` is never used, while {parent} is: the draw was probably meant for `{subkey}`",
    }
    help = "bind the result and consume the new subkey, or name it `_` if it is dropped on purpose"
    reference = "randomness"
    explanation = Explanation(
        what=(
            "The result of `split`, `fold_in` or `key` is dropped, or a named subkey is never used while its "
            "parent, or what was rebound as the parent in `key, sub = split(key)`, is used again."
        ),
        why=(
            "`split` changes nothing in place. Dropping its result, or drawing from the parent instead of the "
            "subkey, leaves the program with the key it had before: a later draw from it repeats or depends on "
            "this one."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def perturb(key, weights):
    key, noise_key = jax.random.split(key)
    noise = jax.random.normal(key, weights.shape)
    return weights + 0.01 * noise, jnp.mean(noise)
""",
        right="""\
import jax
import jax.numpy as jnp


def perturb(key, weights):
    key, noise_key = jax.random.split(key)
    noise = jax.random.normal(noise_key, weights.shape)
    return weights + 0.01 * noise, jnp.mean(noise), key
""",
        mend=(
            "Bind what `split` returns and consume the subkey, not the parent. A half that is thrown away on "
            "purpose is named `_` or taken by index: `jax.random.split(key)[1]`."
        ),
    )

    def on_key_discarded(self, event: KeyDiscarded, ctx: RuleContext) -> None:
        """The result of making or deriving a key is dropped."""
        ctx.report(self, event.place, call=ctx.text(event.place))

    def on_subkey_unused(self, event: SubkeyUnused, ctx: RuleContext) -> None:
        """A subkey is forgotten while its parent goes on being used."""
        used = event.parent_use.place
        parent = key_argument(event.parent_use)
        ctx.report(
            self,
            event.place,
            "unused",
            related=[(used, f"`{ctx.text(used)}` uses the parent")],
            subkey=event.name,
            parent=f"`{parent}`" if parent else "its parent",
        )
