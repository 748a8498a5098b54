"""JAX204: a key from a constant seed is made again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import KeyRepeated


class ConstantKeyRule(Rule):
    """Tells of constant keys that a trace, a loop or repeated calls make anew, and that are used up."""

    code = "JAX204"
    name = "constant-key"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` makes the same key on every call of `{function}`: each call draws the same numbers",
        "loop": "`{call}` makes the same key on every pass of the loop: each pass draws the same numbers",
        "traced": ("`{call}` makes a constant key in `{function}`, which is traced: every call draws the same numbers"),
    }
    help = "take the key as a parameter, or split one key outside"
    reference = "randomness"
    confirm = "constant_key"
    explanation = Explanation(
        what=(
            "A PRNG key from a constant seed is made inside a traced function, in the body of a loop, or in a "
            "function that the project calls in a loop or under a trace."
        ),
        why=(
            "The same seed gives the same key, so every pass and every call draws the same numbers: each batch is "
            "shuffled alike, each step drops the same units."
        ),
        wrong="""\
import jax


def bootstrap(sample, rounds):
    means = []
    for _ in range(rounds):
        key = jax.random.key(0)
        rows = jax.random.choice(key, sample, sample.shape)
        means.append(rows.mean())
    return means
""",
        right="""\
import jax


def bootstrap(sample, rounds):
    means = []
    for key in jax.random.split(jax.random.key(0), rounds):
        rows = jax.random.choice(key, sample, sample.shape)
        means.append(rows.mean())
    return means
""",
        mend=(
            "Make the key once where the program starts and hand keys down: `split` it for each pass, or "
            "`fold_in` the counter."
        ),
    )

    def on_key_repeated(self, event: KeyRepeated, ctx: RuleContext) -> None:
        """A constant key is used up where it is made again and again."""
        related = [(event.repeated, "called again and again here")] if event.repeated is not None else []
        ctx.report(
            self,
            event.place,
            event.how if event.how in self.messages else "default",
            related=related,
            call=ctx.text(event.place),
            function=event.function,
        )
