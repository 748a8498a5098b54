"""State that outlives the trace is changed at the flagged line: once, however often the function is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside import programs
from jaxlint.confirm.inside.stores import Stores
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Compare the state before and after the line, while JAX traces."""
    question = lab.question(finding)
    stores = Stores(lab, question)

    def examine(run: Run) -> Verdict | None:
        found = stores.take()
        for store in found:
            if store.probing and not store.tracers:
                continue
            if store.outlives and (store.staged or store.tracers):
                ran = run.watched.row(question.rows.start, question.rows.stop - 1).ran
                changed = programs.also(lab, question, lambda: programs.unequal(lab, run))
                return confirmed(
                    f"`{store.text}` was changed while JAX traced; the line ran {ran} times in the run{changed}"
                )
            if store.lost and store.staged and store.held not in _returned(run, store.frame):
                return confirmed(f"`{store.text}` was changed in a copy made by the transformation: the store is lost")
        if found and run.error is None:
            return refuted(f"`{found[0].text}` does not outlive the trace")
        return None

    return lab.search(question, examine, hooks=stores.hooks())


class _Same(list[object]):
    """Membership by identity."""

    def __contains__(self, item: object) -> bool:
        return any(part is item for part in self)


def _returned(run: Run, frame: int) -> _Same:
    """What a frame returned, with the parts of a tuple, list or dict."""
    value = run.watched.returned.get(frame)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return _Same([value, *parts])
