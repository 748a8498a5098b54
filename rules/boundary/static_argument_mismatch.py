"""JAX306: an option of a transformation does not fit the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import callable_name, is_written_out

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import OptionMisfit

KINDS = {"position": "default", "name": "name", "entries": "entries", "overlap": "overlap"}


class StaticArgumentMismatchRule(Rule):
    """Tells of positions, names and axes that the transformed function does not have."""

    code = "JAX306"
    name = "static-argument-mismatch"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`{option}={value}` does not fit `{function}`, which has {count} positional parameters",
        "name": "`{option}` names `{name}`, which is no parameter of `{function}`",
        "entries": "`{option}` has {entries} entries, and `{function}` takes {count} positional arguments",
        "overlap": "parameter `{name}` of `{function}` is both static and donated",
    }
    help = "make the option fit the parameters of the function"
    reference = "static-dynamic-boundary"
    confirm = "signature_mismatch"
    explanation = Explanation(
        what=(
            "`static_argnums`, `static_argnames`, `donate_argnums`, `donate_argnames`, `argnums`, `in_axes` "
            "or `nondiff_argnums` that does not fit the signature of the function it is given with: a "
            "position past the last parameter, a name that no parameter has, one entry too few or too many."
        ),
        why=(
            "`jit` refuses it as soon as it is applied; `grad`, `vmap` and the custom derivatives refuse it "
            "at the first call. Beside an error it often means that another argument than the intended one "
            "was static."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def smooth(signal, mode):
    kernel = jnp.ones(3) / 3
    return jnp.convolve(signal, kernel, mode=mode)


fast_smooth = jax.jit(smooth, static_argnames="kind")
""",
        right="""\
import jax
import jax.numpy as jnp


def smooth(signal, mode):
    kernel = jnp.ones(3) / 3
    return jnp.convolve(signal, kernel, mode=mode)


fast_smooth = jax.jit(smooth, static_argnames="mode")
""",
        mend=(
            "Name parameters instead of counting them where the transformation allows it. Positions count "
            "from 0, include `self` in a decorated method and exclude it in a bound one."
        ),
    )

    def on_option_misfit(self, event: OptionMisfit, ctx: RuleContext) -> None:
        """An option of a transformation does not fit the signature."""
        if event.kind == "entries" and not is_written_out(event.place, event.option, 1):
            return
        ctx.report(
            self,
            event.place,
            KINDS[event.kind],
            option=event.option,
            value=event.value,
            name=event.value,
            entries=event.entries,
            count=event.count,
            function=callable_name(event.inner),
        )
