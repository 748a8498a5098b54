"""JAX403: each pass of a loop waits for the step that it has just dispatched."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import UNNAMED, argument_at, receiver_at
from jaxlint.semantics.values import Opaque

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import HostSynced

DELIBERATE = ("jax.block_until_ready", "jax.Array.block_until_ready", "numpy.testing.")
"""Waiting on purpose, as a benchmark or a test does."""


class HostSyncInLoopRule(Rule):
    """Tells of results that are fetched on each pass of a loop."""

    code = "JAX403"
    name = "host-sync-in-loop"
    severity = Severity.INFO
    default = False
    messages: ClassVar[dict[str, str]] = {
        "default": ("`{call}` waits for `{value}` on every pass of the loop: the next step cannot be dispatched ahead"),
    }
    help = "collect the results and fetch them after the loop or every so many passes"
    reference = "host-device-boundary"
    explanation = Explanation(
        what=(
            "Each pass of a Python loop that dispatches a jitted step also forces its result to the host: "
            "`float(loss)`, `.item()`, `np.asarray`, or printing it."
        ),
        why=(
            "A jitted call returns before its work is done, so Python could dispatch the next steps ahead. "
            "Reading the result waits for the device on every pass, and the device waits for Python."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def step(w, batch):
    loss, grads = jax.value_and_grad(lambda v: jnp.mean((batch @ v) ** 2))(w)
    return w - 0.1 * grads, loss


def train(w, batches):
    total = 0.0
    for batch in batches:
        w, loss = step(w, batch)
        total += loss.item()
    return w, total
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def step(w, batch):
    loss, grads = jax.value_and_grad(lambda v: jnp.mean((batch @ v) ** 2))(w)
    return w - 0.1 * grads, loss


def train(w, batches):
    losses = []
    for batch in batches:
        w, loss = step(w, batch)
        losses.append(loss)
    return w, sum(jax.device_get(losses))
""",
        mend="Keep the results on the device and fetch them after the loop, or only every so many passes.",
    )

    def on_host_synced(self, event: HostSynced, ctx: RuleContext) -> None:
        """A pass of a loop needs the numbers of a jitted call's result."""
        if not event.by.startswith(DELIBERATE):
            ctx.report(self, event.place, call=ctx.text(event.place), value=_value(event))


def _value(event: HostSynced) -> str:
    """The value that is waited for, as it is written."""
    if event.by.startswith("jax.Array."):
        return receiver_at(event.place)
    text = argument_at(event.place, "", 0)
    if text == UNNAMED and isinstance(event.value, Opaque) and event.value.name:
        return event.value.name
    return text if text != UNNAMED else "the result"
