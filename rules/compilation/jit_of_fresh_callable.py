"""JAX502: a function compiles a new callable for one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import described_callable, is_decorator

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import CompiledAnew


class JitOfFreshCallableRule(Rule):
    """Tells of functions that compile something new each time they are called."""

    code = "JAX502"
    name = "jit-of-fresh-callable"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{transformation}` is applied to {callable}, which each call of `{function}` makes anew: each call "
            "compiles again"
        ),
        "decorator": (
            "`{name}` is compiled inside `{function}` and used once: each call of `{function}` compiles it again"
        ),
    }
    help = "compile a module-level function, or keep the compiled one"
    reference = "compilation-structure"
    confirm = "recompilation"
    explanation = Explanation(
        what=(
            "A function applies `jit`, `pmap` or `filter_jit` to a lambda, a local function, a `partial` or (`jit` "
            "only) a bound method and calls the result at once."
        ),
        why=(
            "The compiled program is found again by the identity of the function object. The one that is made here is "
            "gone when the outer function returns, so each call of the outer function traces and compiles again."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def whiten(samples, floor):
    def transform(x):
        centred = x - jnp.mean(x, axis=0)
        return centred / (jnp.std(centred, axis=0) + floor)

    return jax.jit(transform)(samples)


def prepare(batches):
    return [whiten(batch, 1e-6) for batch in batches]
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def whiten(samples, floor):
    centred = samples - jnp.mean(samples, axis=0)
    return centred / (jnp.std(centred, axis=0) + floor)


def prepare(batches):
    return [whiten(batch, 1e-6) for batch in batches]
""",
        mend=(
            "Compile a function of the module and pass the captured values as arguments, static ones by "
            "`static_argnames`; or make the compiled function once and keep it, as an attribute, in a factory or "
            "behind `functools.cache`."
        ),
    )

    def on_compiled_anew(self, event: CompiledAnew, ctx: RuleContext) -> None:
        """A loop or a function compiles something new."""
        if event.loop:
            return
        ctx.report(
            self,
            event.place,
            "decorator" if is_decorator(event.place) and event.name else "default",
            transformation=event.transform.rpartition(".")[2],
            callable=described_callable(event.what, event.name),
            name=event.name,
            function=event.function,
        )
