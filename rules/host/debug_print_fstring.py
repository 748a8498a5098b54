"""JAX406: a traced value is formatted before `jax.debug.print` sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.strings import debug_print_arguments
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.effects import text_source, text_trace
from jaxlint.semantics.naming import formatted_at
from jaxlint.semantics.values import DEFAULTED

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import Called


class DebugPrintFstringRule(Rule):
    """Tells of strings for `jax.debug.print` that are built from traced values."""

    code = "JAX406"
    name = "debug-print-fstring"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{value}` is traced and is formatted before `jax.debug.print` sees it: the text shows the "
            "tracer, not the value"
        ),
    }
    help = "pass the value to `jax.debug.print` as an argument"
    reference = "host-device-boundary"
    explanation = Explanation(
        what="An f-string, `%` or `.format` that formats a traced value is passed to `jax.debug.print`.",
        why=(
            "Python builds the string while JAX traces, so it holds the tracer and not the value, and every "
            "run prints the same text. The values must come as arguments; then `jax.debug.print` formats "
            "them when the program runs."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def rescale(x):
    top = jnp.max(x)
    jax.debug.print(f"largest entry {top}")
    return x / top
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def rescale(x):
    top = jnp.max(x)
    jax.debug.print("largest entry {top}", top=top)
    return x / top
""",
        mend=(
            "Pass a plain format string and the values as arguments. Static parts may stay in an f-string, "
            "with doubled braces for the rest."
        ),
    )

    def on_called(self, event: Called, ctx: RuleContext) -> None:
        """`jax.debug.print` is called."""
        if event.function != "jax.debug.print":
            return
        text = event.args[0] if event.args else event.kwargs.get("fmt")
        trace = text_trace(text) if text is not None else None
        if text is None or trace is None or trace.flags & DEFAULTED:
            return
        source = text_source(text)
        value = formatted_at(*source) if source is not None else "a value"
        ctx.report(
            self,
            event.place,
            related=ctx.chain(trace.why),
            fix=lambda editor: debug_print_arguments(editor, event.place),
            value=value,
        )
