"""JAX402: a traced value is asked for its numbers by `.item()` and its kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import function_at, receiver_at
from jaxlint.semantics.predicates import lacks_number

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArgumentConcrete


class HostTransferInTraceRule(Rule):
    """Tells of methods that fetch or await a traced value."""

    code = "JAX402"
    name = "host-transfer-in-trace"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`.{method}()` needs the value of `{operand}`, which is traced in `{function}`: it raises `{error}`"
        ),
        "block": (
            "`.block_until_ready()` does not exist on `{operand}`, which is traced in `{function}`: it "
            "raises `AttributeError`"
        ),
    }
    help = "call the method on the result, outside of the traced function"
    reference = "host-device-boundary"
    confirm = "tracer_error"
    explanation = Explanation(
        what="`.item()`, `.tolist()` or `.block_until_ready()` on a traced value.",
        why=(
            "They fetch or await a result, and a traced value has none: `.item()` and `.tolist()` raise "
            "`ConcretizationTypeError`, and a tracer has no `block_until_ready` at all."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


@jax.jit
def clip_by_norm(grads, limit):
    norm = jnp.linalg.norm(grads).item()
    return grads * jnp.minimum(1.0, limit / norm)
""",
        right="""\
import jax
import jax.numpy as jnp


@jax.jit
def clip_by_norm(grads, limit):
    norm = jnp.linalg.norm(grads)
    return grads * jnp.minimum(1.0, limit / norm)
""",
        mend=(
            "Leave the value an array inside the traced function and fetch it from what the function "
            "returns. To see it during the run, use `jax.debug.print` or `jax.debug.callback`."
        ),
    )

    def on_argument_concrete(self, event: ArgumentConcrete, ctx: RuleContext) -> None:
        """A method of an array needs the array's numbers."""
        function = event.function
        if event.parameter != "self" or not function.startswith("jax.Array."):
            return
        method = function.rpartition(".")[2]
        if method == "item" and not lacks_number(event.trace):
            return
        ctx.report(
            self,
            event.place,
            "block" if method == "block_until_ready" else "default",
            related=ctx.chain(event.trace.why),
            method=method,
            operand=receiver_at(event.place),
            function=function_at(event.place),
            error="ConcretizationTypeError",
        )
