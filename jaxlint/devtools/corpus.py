"""Holds the findings of a run over the corpus against people's judgements: what is new, gone, right and wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.devtools.precision import JUDGEMENTS, Place, judgements, reported

PAGE = Path("docs/corpus.md")
TABLE_START, TABLE_END = "<!-- table -->\n", "<!-- end of the table -->\n"
VERDICTS = ("right", "wrong", "unclear")


@dataclass(slots=True)
class Count:
    """The findings of one code: by verdict, those that nobody has judged, and judged ones no longer reported."""

    verdicts: Counter[str] = field(default_factory=Counter)
    new: list[Place] = field(default_factory=list)
    gone: Counter[str] = field(default_factory=Counter)

    @property
    def precision(self) -> float | None:
        """The share of right findings among those that are right or wrong; None where there are none."""
        decided = self.verdicts["right"] + self.verdicts["wrong"]
        return self.verdicts["right"] / decided if decided else None


def compare(root: Path, corpus: Path, packages: Iterable[str] = ()) -> dict[str, Count]:
    """Code to counts, over the folders `PACKAGE-VERSION` of `corpus`, or those of them that are named."""
    known = judgements(root / JUDGEMENTS)
    wanted = sorted(packages) or sorted(folder.name for folder in corpus.iterdir() if folder.is_dir())
    found: dict[str, Count] = {}
    seen: set[Place] = set()
    for package in wanted:
        for place in reported(package, corpus / package):
            count = found.setdefault(place.code, Count())
            if place in seen:
                continue
            seen.add(place)
            if place in known:
                count.verdicts[known[place]] += 1
            else:
                count.new.append(place)
    for place, verdict in known.items():
        if place.package in wanted and place not in seen:
            found.setdefault(place.code, Count()).gone[verdict] += 1
    return dict(sorted(found.items()))


def table(counts: dict[str, Count]) -> str:
    """The counts as a Markdown table, with a row for all codes together."""
    total = Count()
    for count in counts.values():
        total.verdicts += count.verdicts
        total.new += count.new
        total.gone += count.gone
    return "".join(_lines({**counts, "all": total}))


def record(root: Path, counts: dict[str, Count], note: str) -> Path:
    """Put the table into the page of the documentation; `note` says when and with what it was measured."""
    page = root / PAGE
    before, _, rest = page.read_text(encoding="utf-8").partition(TABLE_START)
    after = rest.partition(TABLE_END)[2]
    page.write_text(f"{before}{TABLE_START}\n{note}\n\n{table(counts)}\n{TABLE_END}{after}", encoding="utf-8")
    return page


def _lines(counts: dict[str, Count]) -> Iterator[str]:
    yield "| code | right | wrong | unclear | right of decided | not judged | gone (were wrong) |\n"
    yield "|---|---:|---:|---:|---:|---:|---:|\n"
    for code, count in counts.items():
        share = "" if count.precision is None else f"{count.precision:.0%}"
        cells = [str(count.verdicts[verdict]) for verdict in VERDICTS]
        gone = f"{sum(count.gone.values())} ({count.gone['wrong']})"
        yield f"| {code} | {' | '.join(cells)} | {share} | {len(count.new)} | {gone} |\n"
