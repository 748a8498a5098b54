"""JAX101: a traced function changes state that outlives the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import leaks

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import Mutated


class HiddenMutationRule(Rule):
    """Tells of stores that outlive the trace; `leaked-tracer` tells of those that store a traced value."""

    code = "JAX101"
    name = "hidden-mutation"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{target}` is changed in a function that JAX traces: the change happens once per trace, not once per call"
        ),
        "rebinding": (
            "`{scope} {target}` is rebound in a function that JAX traces: that happens once per trace, not once "
            "per call"
        ),
        "argument": (
            "`{target}` belongs to a copy of an argument that {transformation} made: the change is lost unless "
            "it is returned"
        ),
        "self": (
            "`{target}` is changed in a method that JAX traces: the change happens once per trace, not once per call"
        ),
    }
    help = "take the state as an argument and return its new value"
    reference = "purity-and-state"
    confirm = "hidden_mutation"
    explanation = Explanation(
        what=(
            "A traced function changes state that outlives the trace: it rebinds a `global` or `nonlocal` name, "
            "calls a mutating method or stores an item or attribute on a global, closed-over or `self` object, "
            "or changes an argument container that it does not return."
        ),
        why=(
            "JAX runs the Python body once, while it traces; the compiled program holds only array operations. "
            "So the change happens once per compilation instead of once per call. A container that comes in as "
            "an argument of `jit`, `vmap` or `checkpoint` is a fresh copy, so the caller never sees the change "
            "at all."
        ),
        wrong="""\
import jax
import jax.numpy as jnp

seen = []


@jax.jit
def standardize(batch):
    seen.append(batch.shape[0])
    return (batch - jnp.mean(batch, axis=0)) / (jnp.std(batch, axis=0) + 1e-6)


def run(batches):
    outputs = [standardize(batch) for batch in batches]
    return outputs, sum(seen)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def standardize(batch, seen):
    scaled = (batch - jnp.mean(batch, axis=0)) / (jnp.std(batch, axis=0) + 1e-6)
    return scaled, seen + batch.shape[0]


def run(batches):
    outputs = []
    seen = 0
    for batch in batches:
        scaled, seen = standardize(batch, seen)
        outputs.append(scaled)
    return outputs, seen
""",
        mend=(
            "Take the state as an argument and return its new value; in a `scan` carry it. Do bookkeeping for "
            "the host outside the traced function or through `jax.debug.callback`. Where mutable state is "
            "wanted, use an explicit `jax.new_ref` or an nnx `Variable`."
        ),
    )

    def on_mutated(self, event: Mutated, ctx: RuleContext) -> None:
        """State outside the traced function changes."""
        if leaks(event):
            return
        ctx.report(
            self,
            event.place,
            _kind(event),
            related=ctx.chain(event.why),
            target=event.name,
            scope=event.target,
            transformation=f"`{event.transform}`" if event.transform else "the transformation",
        )


def _kind(event: Mutated) -> str:
    """A name of an outer scope is rebound; a dotted one is an attribute of a module, which is changed."""
    if event.target in ("global", "nonlocal"):
        return "default" if "." in event.name else "rebinding"
    return event.target if event.target in ("argument", "self") else "default"
