"""JAX804: specs that do not fit the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.wrappers import innermost

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ResultSpecMisfit, SpecCountMisfit
    from jaxlint.semantics.values import Value


class SpecArityRule(Rule):
    """Tells of specs of `shard_map` that fit neither the arguments nor the result."""

    code = "JAX804"
    name = "spec-arity"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {
        "default": "`in_specs` has {given} entries and `{function}` takes {taken} arguments: the call fails",
        "returned": "`out_specs` has {given} entries and `{function}` returns {returned}: the call fails",
        "structure": "`out_specs` is a {given} and `{function}` returns a {returned}: the call fails",
    }
    help = "give one spec for each argument and result, or one for all"
    reference = "sharding-semantics"
    confirm = "spec_arity"
    explanation = Explanation(
        what="`in_specs` of `shard_map` does not fit the parameters of the function, or `out_specs` what it returns.",
        why=(
            "The specs are matched with the arguments and results as pytrees. A tuple of another length fails when "
            "the function is called."
        ),
        wrong="""\
import jax
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
rows = PartitionSpec("data")


def saxpy(scale, x, y):
    return scale * x + y


combine = jax.shard_map(saxpy, mesh=mesh, in_specs=(rows, rows), out_specs=rows)
""",
        right="""\
import jax
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
rows = PartitionSpec("data")


def saxpy(scale, x, y):
    return scale * x + y


combine = jax.shard_map(saxpy, mesh=mesh, in_specs=(PartitionSpec(), rows, rows), out_specs=rows)
""",
        mend=(
            "Give one spec for each argument and each result, or a single spec that stands for all of them; "
            "`PartitionSpec()` for what all shards share."
        ),
    )

    def on_spec_count_misfit(self, event: SpecCountMisfit, ctx: RuleContext) -> None:
        """`in_specs` has too few entries, or too many."""
        ctx.report(self, event.place, given=event.given, taken=event.taken, function=_named(event.inner))

    def on_result_spec_misfit(self, event: ResultSpecMisfit, ctx: RuleContext) -> None:
        """`out_specs` does not fit what the function returns."""
        kind = "returned" if event.counted else "structure"
        ctx.report(self, event.place, kind, given=event.given, returned=event.returned, function=_named(event.inner))


def _named(inner: Value) -> str:
    function = innermost(inner)
    return function.fn.name if function is not None and not function.fn.is_lambda else "the function"
