"""The body of a loop or a map draws from a key that it captured: each step or row gets the same numbers."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING

from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.recorders import key_tokens
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Run without compilation, so that loop bodies run step by step, and watch the draws."""
    question = lab.question(finding)

    def examine(run: Run) -> Verdict | None:
        seen: list[tuple[FrameType, set[tuple[str, bytes]]]] = []
        for event in run.events:
            frame = event.at(question.rows.start, question.rows.stop - 1) if event.kind == "draw" else None
            if frame is None:
                continue
            tokens = event.data["tokens"]
            if not event.data["mapped"] and tokens & _captured(frame):
                if "BatchTrace" in event.data["kinds"] and _is_mapped_over(frame):
                    return confirmed(f"`{event.name}` draws from one key for all rows of the `vmap`")
                for other, before in seen:
                    if other is not frame and other.f_code is frame.f_code and tokens & before:
                        return confirmed(f"two steps of the body draw from one key with `{event.name}`")
            seen.append((frame, tokens))
        if len(seen) > 1 and run.error is None:
            return refuted(f"{len(seen)} steps of the body draw from different keys")
        return None

    return lab.search(question, examine, Mode(jit=False), ours_refute=False)


def _captured(frame: FrameType) -> set[tuple[str, bytes]]:
    """The keys that a function sees without having been given them."""
    values = [frame.f_locals.get(name) for name in frame.f_code.co_freevars]
    values += [frame.f_globals.get(name) for name in frame.f_code.co_names]
    return {token for value in values for token in key_tokens(value, "draw")}


def _is_mapped_over(frame: FrameType) -> bool:
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    return any(traces.holds_tracer(frame.f_locals.get(name)) for name in names)
