"""JAX107: `jit` takes a method whose `self` is an ordinary object."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import MethodTraced, StaleRead


class JitOnMethodRule(Rule):
    """Tells of compiled methods whose object is no argument, or a constant that changes."""

    code = "JAX107"
    name = "jit-on-method"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`self` of `{method}` is a plain `{class_name}`, not a pytree: calling the jitted method raises `TypeError`"
        ),
        "static": (
            "`self` of `{method}` is static and its `{attribute}` changes after construction: the compiled method "
            "keeps the old value"
        ),
        "bound": (
            "the jitted `{method}` holds its object as a constant, and `{attribute}` changes later: the compiled "
            "method keeps the old value"
        ),
    }
    help = "make the class a pytree, or pass what changes as an argument"
    reference = "purity-and-state"
    explanation = Explanation(
        what=(
            "`jit` on a method whose `self` is an ordinary object: `self` would be a traced argument but is no "
            "pytree, or it is static or captured and its attributes change after construction."
        ),
        why=(
            "A plain object is no valid argument of a jitted function: the call raises `TypeError`. A static "
            "`self` is compared by identity, and a bound method holds it as a constant, so a changed attribute "
            "does not compile again: the old value stays in."
        ),
        wrong="""\
from functools import partial

import jax
import jax.numpy as jnp


class Schedule:
    def __init__(self, base):
        self.base = base

    def restart(self, base):
        self.base = base

    @partial(jax.jit, static_argnums=0)
    def rate(self, step):
        return self.base * jnp.exp(-0.01 * step)
""",
        right="""\
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Schedule:
    base: float

    def restart(self, base):
        return dataclasses.replace(self, base=base)

    @partial(jax.jit, static_argnums=0)
    def rate(self, step):
        return self.base * jnp.exp(-0.01 * step)
""",
        mend=(
            "Make a function of what the method reads and jit that; or make the class a pytree "
            "(`jax.tree_util.register_dataclass`, `flax.struct.dataclass`, `eqx.Module`); or make it immutable "
            "and hashable by value (a frozen dataclass) with `self` static."
        ),
    )

    def on_method_traced(self, event: MethodTraced, ctx: RuleContext) -> None:
        """A method of an ordinary object is compiled."""
        related = [(event.changed, "changed here")] if event.changed is not None else []
        ctx.report(
            self,
            event.place,
            "default" if event.how == "traced" else event.how,
            related=related,
            method=event.method,
            class_name=event.class_name,
            attribute=event.attribute,
        )

    def on_stale_read(self, event: StaleRead, ctx: RuleContext) -> None:
        """An attribute of a compiled method's object changes between two calls."""
        if not event.bound:
            return
        related = [(event.place, "read here, under the trace")]
        if event.changed is not None:
            related.append((event.changed, "changed here, after the trace"))
        ctx.report(self, event.applied, "bound", related=related, method=event.function, attribute=event.name)
