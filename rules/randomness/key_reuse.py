"""JAX201: a PRNG key is consumed twice on one path."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.keys import split_before
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import innermost, named_key, reused_key
from jaxlint.semantics.values import Key

if TYPE_CHECKING:
    from jaxlint.rule import FixMaker, RuleContext
    from jaxlint.semantics.events import KeyReused


class KeyReuseRule(Rule):
    """Tells of keys that are consumed twice on one path; `key-reuse-in-loop` tells of those that a loop repeats."""

    code = "JAX201"
    name = "key-reuse"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "{key} is used again: `{first}` has already consumed it, so `{second}` draws from the same bits",
        "after_split": "{key} is used after `split` has consumed it: `{second}` is not independent of the subkeys",
        "fold_in": "`{second}` may equal a row of `{first}`, which has already been taken: the two keys are the same",
        "split_after_fold": (
            "a row of `{second}` may equal `{first}`, which has already been taken: the two keys are the same"
        ),
        "callee": "{key} is used again: `{first}` has already been given it and consumes it",
        "given": "{key} is used again: `{first}` has already been given it",
    }
    help = "split the key first and give each use its own subkey"
    reference = "randomness"
    confirm = "key_reuse"
    explanation = Explanation(
        what=(
            "A PRNG key is consumed twice on one path: by two samplers, by a sampler and a `split`, by two "
            "functions that consume it, by `split` and by a `fold_in` whose data may equal one of the rows."
        ),
        why=(
            "JAX's random numbers are a pure function of the key. The same key gives the same bits, so draws "
            "that should be independent are equal or correlated, and nothing warns."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def noisy_line(key, x):
    slope = jax.random.normal(key)
    noise = jax.random.normal(key, x.shape)
    return slope * x + 0.1 * noise


def dataset(seed, size):
    return noisy_line(jax.random.key(seed), jnp.linspace(0.0, 1.0, size))
""",
        right="""\
import jax
import jax.numpy as jnp


def noisy_line(key, x):
    slope_key, noise_key = jax.random.split(key)
    slope = jax.random.normal(slope_key)
    noise = jax.random.normal(noise_key, x.shape)
    return slope * x + 0.1 * noise


def dataset(seed, size):
    return noisy_line(jax.random.key(seed), jnp.linspace(0.0, 1.0, size))
""",
        mend=(
            "Split the key once at the top of the function, one subkey for each use, and never touch the parent "
            "again; or derive each key by `fold_in` with different data. Where the same numbers are wanted on "
            "purpose, say so with `jax.random.clone(key)`."
        ),
    )

    def on_key_reused(self, event: KeyReused, ctx: RuleContext) -> None:
        """A key is consumed again."""
        if event.loop:
            return
        first = ctx.text(event.previous_place)
        related = [(event.previous_place, f"first consumed here by `{first}`")]
        for use, place in ((event.previous, event.previous_place), (event.use, event.place)):
            inside = innermost(use).place
            if inside != place:
                related.append((inside, f"consumed inside here by `{ctx.text(inside)}`"))
        ctx.report(
            self,
            event.place,
            _kind(event),
            related=related,
            fix=_splitter(event),
            key=named_key(reused_key(event)),
            first=first,
            second=ctx.text(event.place),
        )


def _splitter(event: KeyReused) -> FixMaker | None:
    """Splitting mends what draws from one key; rows and folds are numbered, and an array of keys is no key."""
    if "fold" in (event.use.how, event.previous.how) or (isinstance(event.key, Key) and event.key.many):
        return None
    key = reused_key(event)
    return lambda editor: split_before(editor, event.previous_place, event.place, key)


def _kind(event: KeyReused) -> str:
    first, second = event.previous.how, event.use.how
    if first == "call" or innermost(event.previous).place != event.previous_place:
        return "callee"
    if first == "split":
        return "fold_in" if second == "fold" else "after_split"
    if first == "fold" and second == "split":
        return "split_after_fold"
    return "given" if first in ("unknown", "init") else "default"
