"""JAX104: a traced function reads the clock, a hidden generator, the environment or the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import WorldTouched

_KINDS = {"clock": "clock", "random": "random", "env": "environment"}


class FrozenImpureReadRule(Rule):
    """Tells of reads of the world in traced code, whose results become constants of the compiled program."""

    code = "JAX104"
    name = "frozen-impure-read"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` is read while `{function}` is traced: its value is frozen into the compiled program",
        "clock": "`{call}` reads the clock while `{function}` is traced: every later call sees the same time",
        "random": "`{call}` draws while `{function}` is traced: every later call sees the same numbers",
        "environment": "`{call}` reads the environment while `{function}` is traced: a later change has no effect",
    }
    help = "read it outside and pass the value as an argument"
    reference = "purity-and-state"
    confirm = "frozen_read"
    explanation = Explanation(
        what=(
            "A traced function reads the clock, the generators of `random` or `numpy.random`, `uuid`, an "
            "environment variable or `input`."
        ),
        why=(
            "The read happens while JAX traces, and its result becomes a constant of the compiled program. Later "
            "calls see the same time, the same numbers, the same setting."
        ),
        wrong="""\
import random

import jax
import jax.numpy as jnp


@jax.jit
def jitter(image):
    shift = random.randrange(-2, 3)
    return jnp.roll(image, shift, axis=1)


def augment(images):
    return [jitter(image) for image in images]
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def jitter(key, image):
    shift = jax.random.randint(key, (), -2, 3)
    return jnp.roll(image, shift, axis=1)


def augment(key, images):
    keys = jax.random.split(key, len(images))
    return [jitter(sub, image) for sub, image in zip(keys, images)]
""",
        mend=(
            "Read outside and pass the value as an argument; draw with `jax.random` from a key that is an "
            "argument. What must be read during the run goes through `jax.experimental.io_callback`."
        ),
    )

    def on_world_touched(self, event: WorldTouched, ctx: RuleContext) -> None:
        """Traced code reads the world."""
        if event.effect != "impure":
            return
        ctx.report(
            self,
            event.place,
            next((_KINDS[word] for word in event.words if word in _KINDS), "default"),
            related=ctx.chain(event.why),
            call=ctx.text(event.place),
            function=event.inside,
        )
