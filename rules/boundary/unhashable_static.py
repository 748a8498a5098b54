"""JAX307: a static argument has no hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import callable_name

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import StaticUnhashable


class UnhashableStaticRule(Rule):
    """Tells of lists, dicts, sets and arrays that are given for static parameters."""

    code = "JAX307"
    name = "unhashable-static"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "static argument `{parameter}` of `{function}` is a {found}, which cannot be hashed: the call "
            "raises `ValueError`"
        ),
        "inside": (
            "static argument `{parameter}` of `{function}` holds a {found}, which cannot be hashed: the "
            "call raises `ValueError`"
        ),
    }
    help = "pass a tuple or another hashable value"
    reference = "static-dynamic-boundary"
    confirm = "unhashable_static"
    explanation = Explanation(
        what=("A static argument of a jitted function receives a list, dict, set or array, also inside a tuple."),
        why=(
            "Static arguments are keys of the compile cache, so they are hashed at each call. What has no "
            "hash raises `ValueError`."
        ),
        wrong="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="axes")
def spread(field, axes):
    return jnp.std(field, axis=axes)


def report(field):
    return spread(field, axes=[0, 1])
""",
        right="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="axes")
def spread(field, axes):
    return jnp.std(field, axis=axes)


def report(field):
    return spread(field, axes=(0, 1))
""",
        mend=("Pass a tuple, a frozenset, a string or a frozen dataclass. An array belongs to the traced arguments."),
    )

    def on_static_unhashable(self, event: StaticUnhashable, ctx: RuleContext) -> None:
        """A static argument of a compiled function cannot be hashed."""
        ctx.report(
            self,
            event.place,
            "inside" if event.inside else "default",
            parameter=event.parameter,
            function=callable_name(event.inner),
            found=event.kind,
        )
