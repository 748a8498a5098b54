"""JAX801: a mesh is entered as a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.fixes.rewrites.contexts import set_mesh
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.values import ExtObj, members

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ContextEntered
    from jaxlint.semantics.values import Value


class WithMeshRule(Rule):
    """Tells of concrete meshes that are entered as a context."""

    code = "JAX801"
    name = "with-mesh"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`with {mesh}` enters the deprecated mesh context: `jax.set_mesh` is the one that JAX reads",
    }
    help = "write `with jax.set_mesh(mesh):`"
    shown_as = "deprecated"
    reference = "sharding-semantics"
    confirm = "mesh_context"
    explanation = Explanation(
        what="`with mesh:` on a `jax.sharding.Mesh`.",
        why=(
            "Entering a `Mesh` sets the old thread-local mesh context, which is deprecated (`DeprecationWarning` "
            "since JAX 0.10.1): it is unknown to the types of arrays and ignored by explicit sharding. "
            "`jax.set_mesh` is the one context that all of JAX reads."
        ),
        wrong="""\
import jax
import jax.numpy as jnp

mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(jax.sharding.AxisType.Auto,))


@jax.jit
def scale(batch):
    return jax.lax.with_sharding_constraint(2.0 * batch, jax.sharding.PartitionSpec("data"))


def run(rows):
    with mesh:
        return scale(jnp.ones(rows))
""",
        right="""\
import jax
import jax.numpy as jnp

mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(jax.sharding.AxisType.Auto,))


@jax.jit
def scale(batch):
    return jax.lax.with_sharding_constraint(2.0 * batch, jax.sharding.PartitionSpec("data"))


def run(rows):
    with jax.set_mesh(mesh):
        return scale(jnp.ones(rows))
""",
        mend=(
            "Write `with jax.set_mesh(mesh):`. Code that must run on a JAX without `set_mesh` can use "
            "`jax.sharding.use_mesh` there."
        ),
    )

    def on_context_entered(self, event: ContextEntered, ctx: RuleContext) -> None:
        """A value is entered by `with`."""
        if any(_is_mesh(value, ctx) for value in members(event.value)):
            ctx.report(
                self,
                event.place,
                fix=lambda editor: set_mesh(editor, event.place),
                mesh=ctx.text(event.place),
            )


def _is_mesh(value: Value, ctx: RuleContext) -> bool:
    """An `AbstractMesh` is no context of the old kind."""
    return isinstance(value, ExtObj) and value.cls.rpartition(".")[2] == "Mesh" and ctx.class_kind(value.cls) == "mesh"
