"""JAX103: a traced function prints, logs, or touches files or the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.strings import debug_print
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import WorldTouched

_KINDS = ("file", "network", "progress")


class TraceTimeEffectRule(Rule):
    """Tells of effects in traced code; a message that shows no traced value is a deliberate log of the trace."""

    code = "JAX103"
    name = "trace-time-effect"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` runs while `{function}` is traced: it shows a tracer, and nothing on later calls",
        "file": (
            "`{call}` runs while `{function}` is traced: the file is touched once per compilation, not once per call"
        ),
        "network": "`{call}` runs while `{function}` is traced: it is sent once per compilation, not once per call",
        "progress": "`{call}` runs while `{function}` is traced: the bar shows the trace, not the run",
        "other": "`{call}` runs while `{function}` is traced: it happens once per compilation, not once per call",
    }
    help = "do it outside of the traced function, or use `jax.debug.print` or `jax.debug.callback`"
    reference = "purity-and-state"
    confirm = "trace_effect"
    explanation = Explanation(
        what=(
            "A traced function prints, logs or warns about a traced value, reads or writes a file or the network, "
            "or drives a progress bar."
        ),
        why=(
            "The Python body runs while JAX traces, and the compiled program holds none of these effects. So the "
            "effect happens once per compilation, and what it shows is a tracer such as `JitTracer(float32[])` in "
            "place of the number."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def standardize(rows):
    spread = jnp.std(rows, axis=0)
    print("spread of the columns:", spread)
    return (rows - jnp.mean(rows, axis=0)) / spread
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def standardize(rows):
    spread = jnp.std(rows, axis=0)
    jax.debug.print("spread of the columns: {spread}", spread=spread)
    return (rows - jnp.mean(rows, axis=0)) / spread
""",
        mend=(
            "Show values with `jax.debug.print`, hand them to Python with `jax.debug.callback`, and do what must "
            "happen exactly once per run with `jax.experimental.io_callback`. Or return the value and print it "
            "outside. A message without values is a log of the trace."
        ),
    )

    def on_world_touched(self, event: WorldTouched, ctx: RuleContext) -> None:
        """Traced code acts on the world."""
        if event.effect != "effect" or "io" not in event.words:
            return
        if "message" in event.words and event.shown is None:
            return
        ctx.report(
            self,
            event.place,
            _kind(event.words),
            related=ctx.chain(event.why),
            fix=lambda editor: debug_print(editor, event.place),
            call=ctx.text(event.place),
            function=event.inside,
        )


def _kind(words: tuple[str, ...]) -> str:
    if "message" in words:
        return "default"
    return next((word for word in words if word in _KINDS), "other")
