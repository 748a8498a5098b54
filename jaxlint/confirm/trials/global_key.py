"""A function draws from a key of the module: the key data at the flagged line are those of a global name it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.confirm.inside.recorders import key_tokens
from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Compare the keys drawn from with those of the module."""
    question = lab.question(finding)
    known = {name: tokens for name, value in vars(lab.loaded.module).items() if (tokens := key_tokens(value, "draw"))}

    def examine(run: Run) -> Verdict | None:
        for event in run.events:
            frame = event.at(question.rows.start, question.rows.stop - 1) if event.kind == "draw" else None
            if frame is None or frame.f_code.co_name == "<module>":
                continue
            for name, tokens in known.items():
                if name in frame.f_code.co_names and event.data["tokens"] & tokens:
                    return confirmed(
                        f"`{event.name}` draws from the module's `{name}`: every call gets the same numbers"
                    )
        return None

    return lab.search(question, examine, Mode(jit=False))
