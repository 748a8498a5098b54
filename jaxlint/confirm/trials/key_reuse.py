"""One key is consumed twice in one call: two draws, splits or folds on equal key data, the second at the flagged line.

Programs run without compilation, so that keys have data under `jit` and in loop bodies, too; rows of a `vmap` count one
by one. Legacy keys are data anyway. Where a program does not run so, JAX's own check speaks, with typed keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.raised import evidence, matches, passed_through
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import INCONCLUSIVE, confirmed, refuted

if TYPE_CHECKING:
    from types import FrameType

    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.recorders import Event
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Compare what is consumed at the line with what the same call consumed before."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        draws = [event for event in run.events if event.kind == "draw" and event.data["tokens"]]
        seen = 0
        for index, event in enumerate(draws):
            frame = event.at(question.rows.start, question.rows.stop - 1)
            if frame is None:
                continue
            for earlier in draws[:index]:
                if not any(frame is other for other in earlier.frames):
                    continue
                seen += 1
                common = event.data["tokens"] & earlier.data["tokens"]
                if common:
                    before, now = _row(earlier, frame), _row(event, frame)
                    data = next(iter(common))[1].hex()
                    both = f"`{earlier.name}` at row {before} and `{event.name}` at row {now}"
                    return confirmed(f"{both} consume one key (data {data})")
        if seen and run.error is None:
            return refuted(f"the line and {seen} uses before it consume different keys")
        return None

    def checked(run: Run) -> Verdict | None:
        if matches(run.error, [], "") or type(run.error).__name__ != "KeyReuseError":
            return None
        return confirmed(evidence(run, lab.loaded.path)) if passed_through(run, question, lab.loaded.path) else None

    verdict = lab.search(question, examine, Mode(jit=False), ours_refute=False)
    if verdict.kind != INCONCLUSIVE or lab.is_late(question):
        return verdict
    second = lab.search(question, checked, Mode(checked=True))
    return second if second.kind != INCONCLUSIVE else verdict


def _row(event: Event, frame: FrameType) -> int:
    """The row that a frame was on when something happened."""
    return next(row for row, other in zip(event.rows, event.frames, strict=True) if other is frame)
