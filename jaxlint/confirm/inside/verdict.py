"""What a trial answers."""

from __future__ import annotations

from dataclasses import dataclass

CONFIRMED = "confirmed"
REFUTED = "refuted"
INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Verdict:
    """kind: one of the three words above. inputs: where the arguments came from, and which they were."""

    kind: str
    evidence: str
    inputs: str = ""


def confirmed(evidence: str, inputs: str = "") -> Verdict:
    """What the finding says was seen to happen."""
    return Verdict(CONFIRMED, evidence, inputs)


def refuted(evidence: str, inputs: str = "") -> Verdict:
    """The flagged line ran under the conditions of the finding, and what the finding says did not happen."""
    return Verdict(REFUTED, evidence, inputs)


def inconclusive(evidence: str, inputs: str = "") -> Verdict:
    """Neither was seen."""
    return Verdict(INCONCLUSIVE, evidence, inputs)
