"""JAX601: an array is read after its buffer was donated."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.values import Opaque

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import DonatedRead


class DonatedBufferReuseRule(Rule):
    """Tells of arrays that are read after their buffer was given away."""

    code = "JAX601"
    name = "donated-buffer-reuse"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "{name} is read after `{call}` donated its buffer: the array has been deleted",
        "loop": "{name} is donated to `{call}` in each pass and not rebound: the second pass gets a deleted array",
    }
    help = "rebind the name by the call that donates it, or keep a `jnp.copy`"
    reference = "memory-and-numerics"
    confirm = "deleted_buffer"
    explanation = Explanation(
        what=(
            "A variable, or another name of the same array, is read after the call that donated it, without "
            "having been rebound."
        ),
        why=(
            "Donation hands the input's memory to the output. The old array is deleted: reading it raises "
            "`RuntimeError: Array has been deleted`."
        ),
        wrong="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=0)
def decay(state, rate):
    return state * (1.0 - rate)


def change(size):
    state = jnp.ones(size)
    new_state = decay(state, 0.1)
    return jnp.max(jnp.abs(new_state - state))
""",
        right="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=0)
def decay(state, rate):
    return state * (1.0 - rate)


def change(size):
    state = jnp.ones(size)
    before = jnp.copy(state)
    state = decay(state, 0.1)
    return jnp.max(jnp.abs(state - before))
""",
        mend=(
            "Rebind the name by the call that donates it (`state = step(state)`), keep a `jnp.copy` of what is "
            "needed later, or do not donate that argument."
        ),
    )

    def on_donated_read(self, event: DonatedRead, ctx: RuleContext) -> None:
        """A value is read after the call that donated it."""
        call = ctx.text(event.donation.place)
        same = event.place == event.donation.place
        ctx.report(
            self,
            event.place,
            "loop" if event.loop else "default",
            related=[] if same else [(event.donation.place, f"`{call}` donates the buffer here")],
            name=_name(event, ctx),
            call=call,
        )


def _name(event: DonatedRead, ctx: RuleContext) -> str:
    """How the message speaks of the array: by the name that was read, where it is one."""
    found = event.name or ctx.text(event.place)
    if all(part.isidentifier() for part in found.split(".")):
        return f"`{found}`"
    value = event.value
    return f"`{value.name}`" if isinstance(value, Opaque) and value.name else "an array"
