"""JAX202: a loop consumes a key that no pass refreshes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.keys import split_in_loop
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import innermost, named_key, reused_key
from jaxlint.semantics.values import Key

if TYPE_CHECKING:
    from jaxlint.rule import FixMaker, RuleContext
    from jaxlint.semantics.events import KeyReused
    from jaxlint.semantics.values import Place


class KeyReuseInLoopRule(Rule):
    """Tells of keys that each pass of a loop or comprehension consumes anew."""

    code = "JAX202"
    name = "key-reuse-in-loop"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "{key} is consumed by `{consumer}` in each pass of the loop and never refreshed: every pass draws "
            "the same numbers"
        ),
        "handed": "{key} comes from the pass before, where `{earlier}` has consumed it already",
        "split": "`{consumer}` gives the same subkeys in each pass: the loop never refreshes {key}",
    }
    help = "split the key before the loop, or rebind it or fold in the counter in each pass"
    reference = "randomness"
    confirm = "key_reuse"
    explanation = Explanation(
        what="A loop or comprehension consumes a key that no iteration refreshes.",
        why=(
            "Every pass draws the same numbers: noise becomes a constant drift, layers start equal, a rejection "
            "loop never ends."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def augment(key, images):
    shifted = []
    for image in images:
        shifted.append(image + 0.1 * jax.random.normal(key, image.shape))
    return jnp.stack(shifted)
""",
        right="""\
import jax
import jax.numpy as jnp


def augment(key, images):
    shifted = []
    for image, image_key in zip(images, jax.random.split(key, len(images))):
        shifted.append(image + 0.1 * jax.random.normal(image_key, image.shape))
    return jnp.stack(shifted)
""",
        mend=(
            "Split before the loop and walk over the rows, rebind the parent in each pass (`key, sub = "
            "jax.random.split(key)`), or fold in the loop's own counter (`jax.random.fold_in(key, step)`)."
        ),
    )

    def on_key_reused(self, event: KeyReused, ctx: RuleContext) -> None:
        """An earlier pass of a loop has consumed the key."""
        if not event.loop:
            return
        related = []
        if event.previous_place != event.place:
            first = ctx.text(event.previous_place)
            related.append((event.previous_place, f"first consumed here by `{first}` in an earlier pass"))
        inside = innermost(event.use).place
        if inside != event.place:
            related.append((inside, f"consumed inside here by `{ctx.text(inside)}`"))
        ctx.report(
            self,
            event.place,
            _kind(event, inside),
            related=related,
            fix=_splitter(event),
            key=named_key(reused_key(event)),
            consumer=ctx.text(event.place),
            earlier=ctx.text(event.previous_place),
        )


def _kind(event: KeyReused, inside: Place) -> str:
    if innermost(event.previous).place != inside:
        return "handed"
    return "split" if event.use.how == "split" and inside == event.place else "default"


def _splitter(event: KeyReused) -> FixMaker | None:
    if "fold" in (event.use.how, event.previous.how) or (isinstance(event.key, Key) and event.key.many):
        return None
    key = reused_key(event)
    return lambda editor: split_in_loop(editor, event.place, key)
