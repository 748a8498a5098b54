"""JAX805: some processes enter what all have to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ProcessesDiverge


class DivergentProcessesRule(Rule):
    """Tells of collectives, barriers and programs on global arrays under a test of the process index."""

    code = "JAX805"
    name = "divergent-processes"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{call}` needs all processes, and only those with `{condition}` get here: the program hangs",
        "compiled": (
            "`{call}` runs on arrays that span all processes, and only those with `{condition}` get here: the "
            "program hangs"
        ),
        "callee": (
            "`{call}` reaches `{collective}`, which needs all processes, and only those with `{condition}` get "
            "here: the program hangs"
        ),
    }
    help = "move the call out of the branch, so that each process makes it"
    reference = "sharding-semantics"
    confirm = "divergent_processes"
    explanation = Explanation(
        what=(
            "A collective, a barrier or a compiled function on arrays that span all processes is called in a branch "
            "that only some processes take, as under `if jax.process_index() == 0`."
        ),
        why=(
            "All processes must run the same programs in the same order. The one that enters alone waits for the "
            "others, and the program hangs."
        ),
        wrong="""\
import jax
import numpy as np
from jax.experimental import multihost_utils


def save(path, weights):
    if jax.process_index() == 0:
        whole = multihost_utils.process_allgather(weights, tiled=True)
        np.save(path, whole)
""",
        right="""\
import jax
import numpy as np
from jax.experimental import multihost_utils


def save(path, weights):
    whole = multihost_utils.process_allgather(weights, tiled=True)
    if jax.process_index() == 0:
        np.save(path, whole)
""",
        mend=(
            "Run the collective or the compiled function on all processes, before or after the branch, and leave to "
            "one process only files, logs and its own NumPy arrays."
        ),
    )

    def on_processes_diverge(self, event: ProcessesDiverge, ctx: RuleContext) -> None:
        """What all processes have to do together is done by some of them."""
        test = ctx.text(event.test)
        ctx.report(
            self,
            event.place,
            {"compiled": "compiled", "callee": "callee"}.get(event.how, "default"),
            related=[(event.test, "this test goes different ways on different processes")],
            call=ctx.text(event.place),
            condition=test if event.holds else f"not ({test})",
            collective=event.function.rpartition(".")[2],
        )
