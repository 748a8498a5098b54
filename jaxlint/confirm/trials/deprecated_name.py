"""A name or an argument is deprecated: JAX warns when it is looked up or when the flagged line runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import names
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

DEVICES = 8
LOOKS_UP = True
_KINDS = ("DeprecationWarning", "FutureWarning")


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Look it up, then run the line. Silence proves nothing: some deprecations are only written down."""
    import jax

    version = f"JAX {jax.__version__}"
    for module, name in names.at(lab.loaded, finding):
        looked = names.look_up(module, name)
        if looked.error is not None:
            return confirmed(f"{version}: {names.told(looked)}")
        if looked.warned:
            return confirmed(f"{version}: {looked.warned[0]}")
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            if event.kind == "warning" and event.name in _KINDS and event.rows[0] in question.rows:
                return confirmed(f"{version}: {event.name}: {event.data['text'].splitlines()[0][:200]}")
        return None

    return lab.search(question, examine)
