"""JAX803: `pmap` in new code."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import Transformed


class LegacyPmapRule(Rule):
    """Tells of functions that are mapped by `pmap`."""

    code = "JAX803"
    name = "legacy-pmap"
    severity = Severity.INFO
    default = False
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "{function} is mapped by `pmap`, which is in maintenance mode: `jax.shard_map` or `jax.jit` with "
            "shardings replaces it"
        ),
    }
    help = "use `jax.shard_map`, or `jax.jit` with shardings"
    reference = "sharding-semantics"
    explanation = Explanation(
        what="`jax.pmap` is called. (Opt-in.)",
        why=(
            "`pmap` is in maintenance mode. `jit` with shardings and `shard_map` work on whole arrays, on any mesh, "
            "without a leading axis of devices, and compose with all else."
        ),
        wrong="""\
import jax
import jax.numpy as jnp


def normalise(chunk):
    return chunk / jax.lax.psum(jnp.sum(chunk), "device")


normalise_all = jax.pmap(normalise, axis_name="device")
""",
        right="""\
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((jax.device_count(),), ("device",), axis_types=(AxisType.Auto,))


def normalise(chunk):
    return chunk / jax.lax.psum(jnp.sum(chunk), "device")


rows = PartitionSpec("device")
normalise_all = jax.jit(jax.shard_map(normalise, mesh=mesh, in_specs=rows, out_specs=rows))
""",
        mend=(
            "Make a mesh once. Where the code is written for one shard and uses collectives, use `jax.shard_map`; "
            "else place the inputs with a `NamedSharding` and use `jax.jit`. Inside `shard_map` the block keeps its "
            "leading axis."
        ),
    )

    def on_transformed(self, event: Transformed, ctx: RuleContext) -> None:
        """A transformation is applied to a callable."""
        if event.transform != "jax.pmap":
            return
        function = event.function
        name = f"`{function.fn.name}`" if function is not None and not function.fn.is_lambda else "a function"
        ctx.report(self, event.place, function=name)
