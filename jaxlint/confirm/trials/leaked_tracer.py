"""A traced value is kept beyond its trace at the flagged line: using it afterwards raises `UnexpectedTracerError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.stores import Stores, is_dead
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Follow the traced values that the line stores, and use them when the run is over."""
    question = lab.question(finding)
    stores = Stores(lab, question)

    def examine(run: Run) -> Verdict | None:
        found = stores.take()
        for store in found:
            for path, tracer in store.tracers:
                if (store.outlives or store.lost) and is_dead(tracer):
                    return confirmed(
                        f"`{store.text}` keeps {_named(tracer)}{' at ' + path if path else ''} after the trace"
                    )
        if found and run.error is None and not any(store.outlives for store in found):
            return refuted(f"`{found[0].text}` does not outlive the trace")
        return None

    return lab.search(question, examine, hooks=stores.hooks())


def _named(tracer: object) -> str:
    describe = getattr(getattr(tracer, "aval", None), "str_short", None)
    return f"a tracer of {describe()}" if callable(describe) else "a tracer"
