"""JAX308: what is no array is given to a compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import callable_name

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArgumentNotArray


class NonArrayArgumentRule(Rule):
    """Tells of strings, functions and other objects that are given where arrays are traced."""

    code = "JAX308"
    name = "non-array-argument"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "argument `{parameter}` of `{function}` is {found}, not an array: the call raises `TypeError`",
        "inside": ("argument `{parameter}` of `{function}` holds {found}, not an array: the call raises `TypeError`"),
    }
    help = "make the argument static, or bind it with `functools.partial`"
    reference = "static-dynamic-boundary"
    confirm = "non_array_argument"
    explanation = Explanation(
        what=(
            "A string, a function, a class or another object that is neither an array nor a pytree of "
            "arrays is passed to a `jit`-like transformed function as an argument that is not static."
        ),
        why=("Each argument that is not static becomes a traced array, and these cannot: the call raises `TypeError`."),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def pad_rows(rows, mode):
    return jnp.pad(rows, 1, mode=mode)


def framed(rows):
    return pad_rows(rows, "reflect")
""",
        right="""\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="mode")
def pad_rows(rows, mode):
    return jnp.pad(rows, 1, mode=mode)


def framed(rows):
    return pad_rows(rows, "reflect")
""",
        mend=(
            "Make the argument static with `static_argnames`, bind it before with `functools.partial`, or "
            "use `eqx.filter_jit`. An own class can be registered as a pytree."
        ),
    )

    def on_argument_not_array(self, event: ArgumentNotArray, ctx: RuleContext) -> None:
        """An argument of a compiled function is neither static nor an array."""
        ctx.report(
            self,
            event.place,
            "inside" if event.inside else "default",
            parameter=event.parameter,
            function=callable_name(event.inner),
            found=event.kind,
        )
