"""JAX802: a named axis that nothing binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import AxisUnbound, SpecMisfit


class UnboundAxisNameRule(Rule):
    """Tells of collectives and specs that name an axis which is not there."""

    code = "JAX802"
    name = "unbound-axis-name"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{collective}` names axis `{axis}`, and nothing around this call of `{function}` binds it: it raises "
            "`NameError`"
        ),
        "module": (
            "`{collective}` names axis `{axis}` in a statement of the module, where nothing binds it: it raises "
            "`NameError`"
        ),
        "other": "`{collective}` names axis `{axis}`, and the maps around it bind {bound}: it raises `NameError`",
        "spec": "this `PartitionSpec` names axis `{axis}`, and its mesh has {bound}: it raises `ValueError`",
    }
    help = "bind the name by `axis_name=` of the map, or use an axis of the mesh"
    reference = "sharding-semantics"
    confirm = "axis_name"
    explanation = Explanation(
        what=(
            "A collective names an axis that no `vmap`, `pmap` or `shard_map` around it binds, or a `PartitionSpec` "
            "names an axis that its mesh lacks."
        ),
        why=(
            "Tracing stops with `NameError: unbound axis name`; a sharding that does not fit its mesh raises "
            "`ValueError`."
        ),
        wrong="""\
import jax
from jax import lax


def centred(row):
    return row - lax.pmean(row, "batch")


def normalise(rows):
    return jax.vmap(centred)(rows)
""",
        right="""\
import jax
from jax import lax


def centred(row):
    return row - lax.pmean(row, "batch")


def normalise(rows):
    return jax.vmap(centred, axis_name="batch")(rows)
""",
        mend=(
            "Give the map that name (`axis_name=`, or the axis of the mesh), or use the name that it has. Code that "
            "also runs without the map takes the name as a parameter that may be `None`."
        ),
    )

    def on_axis_unbound(self, event: AxisUnbound, ctx: RuleContext) -> None:
        """A collective names an axis that nothing around it binds."""
        ctx.report(
            self,
            event.place,
            "other" if event.bound else "default" if event.within else "module",
            collective=event.function.rpartition(".")[2],
            axis=event.axis,
            function=event.within,
            bound=_listed(event.bound),
        )

    def on_spec_misfit(self, event: SpecMisfit, ctx: RuleContext) -> None:
        """A spec names an axis that its mesh lacks."""
        ctx.report(self, event.place, "spec", axis=event.axis, bound=_listed(event.bound))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
