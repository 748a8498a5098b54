"""How often a rule was right on real code: what people judged, by code."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

TABLE = "precision.tsv"
_FEWEST = 10
_LEVELS = ((0.95, "very-high"), (0.8, "high"), (0.5, "medium"), (0.0, "low"))


@cache
def judged() -> dict[str, tuple[int, int]]:
    """Code to how many of its findings were judged right and how many wrong."""
    text = (files("jaxlint.report") / TABLE).read_text(encoding="utf-8")
    rows = csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t")
    return {row["code"]: (int(row["right"]), int(row["wrong"])) for row in rows}


def level(code: str) -> str | None:
    """SARIF's word for the precision of a rule; None where too few findings were judged to tell."""
    right, wrong = judged().get(code, (0, 0))
    if right + wrong < _FEWEST:
        return None
    return next(word for least, word in _LEVELS if right / (right + wrong) >= least)
