"""JAX702: a 64-bit type is asked for and nothing in the project turns 64-bit types on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import WideDtypeAsked


class TruncatedFloat64Rule(Rule):
    """Tells of 64-bit types that JAX will truncate."""

    code = "JAX702"
    name = "truncated-float64"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` asks for `{dtype}` and gets `{truncated}`: nothing in the project turns x64 on",
    }
    help = "turn on `jax_enable_x64`, or ask for the 32-bit type"
    reference = "memory-and-numerics"
    confirm = "truncation"
    explanation = Explanation(
        what="A 64-bit dtype is asked for and nothing in the project turns x64 on.",
        why=(
            "JAX gives 32 bits instead, mostly with a warning. The precision or the range that the code counts on is "
            "not there."
        ),
        wrong="""\
import jax.numpy as jnp


def running_total(values):
    return jnp.cumsum(values, dtype=jnp.float64)
""",
        right="""\
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def running_total(values):
    return jnp.cumsum(values, dtype=jnp.float64)
""",
        mend=(
            'Turn x64 on at the start of the program (`jax.config.update("jax_enable_x64", True)` or '
            "`JAX_ENABLE_X64=1`), or around the part that needs it (`with jax.enable_x64():`). Or ask for the 32-bit "
            "dtype, and do the few wide sums with NumPy on the host."
        ),
    )

    def on_wide_dtype_asked(self, event: WideDtypeAsked, ctx: RuleContext) -> None:
        """A 64-bit type is asked for."""
        ctx.report(self, event.place, call=ctx.text(event.place), dtype=event.dtype, truncated=event.truncated)
