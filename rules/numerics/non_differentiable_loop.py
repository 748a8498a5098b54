"""JAX704: reverse-mode differentiation through a loop whose number of passes is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import LoopDifferentiated


class NonDifferentiableLoopRule(Rule):
    """Tells of derivatives that would have to go back through a `while_loop`."""

    code = "JAX704"
    name = "non-differentiable-loop"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{transformation}` differentiates in reverse mode through a `while_loop` or a `fori_loop` with a traced "
            "bound: it raises `ValueError`"
        ),
        "named": (
            "`{transformation}` differentiates `{function}` in reverse mode through a `while_loop` or a `fori_loop` "
            "with a traced bound: it raises `ValueError`"
        ),
    }
    help = "use `lax.scan` or a fixed bound, forward mode, or a custom derivative rule"
    reference = "memory-and-numerics"
    confirm = "reverse_loop"
    explanation = Explanation(
        what=(
            "Reverse-mode differentiation (`grad`, `value_and_grad`, `vjp`, `jacrev`, `hessian`) through a "
            "`while_loop`, or through a `fori_loop` whose bound is traced."
        ),
        why=(
            "Running backwards needs the values of each pass, and XLA must know how many to keep. With an unknown "
            "count there is no rule: JAX raises `ValueError`."
        ),
        wrong="""\
import jax
import jax.numpy as jnp
from jax import lax


def square_root(a):
    def unfinished(x):
        return jnp.abs(x * x - a) > 1e-4

    return lax.while_loop(unfinished, lambda x: 0.5 * (x + a / x), a)


slope = jax.grad(square_root)
""",
        right="""\
import jax
from jax import lax


def square_root(a):
    return lax.fori_loop(0, 12, lambda _, x: 0.5 * (x + a / x), a)


slope = jax.grad(square_root)
""",
        mend=(
            "Give the loop a fixed length (`lax.scan`, or `fori_loop` with bounds that are Python numbers, static "
            "arguments or shapes) and mask the passes that are too many; use forward mode (`jax.jacfwd`, `jax.jvp`); "
            "or give the solution a rule by `jax.custom_vjp` or `lax.custom_root`."
        ),
    )

    def on_loop_differentiated(self, event: LoopDifferentiated, ctx: RuleContext) -> None:
        """A derivative would have to go back through a loop."""
        ctx.report(
            self,
            event.place,
            "named" if event.function else "default",
            transformation=event.transform.rpartition(".")[2],
            function=event.function,
        )
