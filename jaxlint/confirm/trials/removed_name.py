"""A name of JAX is gone: looking it up fails under the JAX that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import names
from jaxlint.confirm.inside.verdict import Verdict, confirmed, inconclusive, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.target import Finding

LOOKS_UP = True


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Look up what stands at the place."""
    import jax

    version = f"JAX {jax.__version__}"
    looked = [names.look_up(module, name) for module, name in names.at(lab.loaded, finding)]
    if not looked:
        return inconclusive("the name was not found at the place")
    for item in looked:
        if item.error is not None:
            return confirmed(f"{version}: {names.told(item)}")
    return refuted(f"{version} has `{looked[0].name}`")
