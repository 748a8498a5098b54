"""The table of verdicts over findings in real code: `python -m jaxlint.devtools sampled REPORTS --python PYTHON`.

REPORTS is a folder of JSON reports, `PACKAGE-VERSION.json`, as `jaxlint check --format json` writes them. Findings are
drawn from them by chance, in turn from each pair of package and code, and tried on the packages that are installed
beside PYTHON. Each verdict is held against people's judgement of the finding, where there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from jaxlint.child.process import Limits
from jaxlint.config.catalogue import load_catalogue
from jaxlint.confirm.session import Conditions, confirm
from jaxlint.devtools.precision import JUDGEMENTS, Place, judgements
from jaxlint.devtools.verdicts import WORDS, read_report
from jaxlint.findings import Finding

PAGE = Path("docs/confirm.md")
TABLE_START, TABLE_END = "<!-- table -->\n", "<!-- end of the table -->\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("reports", type=Path, help="a folder of reports in JSON, PACKAGE-VERSION.json")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has JAX and the packages")
    parser.add_argument("--sample", type=int, default=120, metavar="N", help="how many findings (default: 120)")
    parser.add_argument("--seed", type=int, default=6, help="the seed of the draw (default: 6)")
    parser.add_argument("--seconds", type=float, default=30.0, help="time for each finding")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time (default: 1)")
    parser.add_argument("--codes", default="JAX", help="comma-separated codes or prefixes")
    parser.add_argument("--packages", default="", help="comma-separated beginnings of the packages' names")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    parser.add_argument("--record", metavar="NOTE", help="write the table into the documentation, under this line")


def run(options: argparse.Namespace) -> int:
    """Print verdicts and table; the exit code is 1 when a verdict contradicts a judgement."""
    trials = {rule.code: rule.confirm for rule in load_catalogue() if rule.confirm is not None}
    trials = {code: trial for code, trial in trials.items() if code.startswith(tuple(options.codes.split(",")))}
    site = _site_packages(options.python)
    known = judgements(options.root / JUDGEMENTS)
    everything = [
        tried
        for report in sorted(options.reports.glob("*.json"))
        if report.stem.startswith(tuple(options.packages.split(",")))
        for tried in installed(report, site, known)
        if tried.finding.code in trials
    ]
    sample = draw(everything, options.sample, options.seed)
    print(f"{len(sample)} of {len(everything)} findings in installed packages", flush=True)
    conditions = Conditions(options.python, site, limits=Limits(options.seconds))

    def attempt(group: list[Tried]) -> list[Tried]:
        found = confirm([tried.finding for tried in group], trials, conditions)
        return [replace(tried, finding=finding) for tried, finding in zip(group, found, strict=True)]

    done: list[Tried] = []
    groups = [list(group) for _, group in groupby(sample, key=lambda tried: (tried.place.package, tried.place.file))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for group in pool.map(attempt, groups):
            done += group
            print(*(tried.line() for tried in group), sep="\n", flush=True)
    shown = table(done)
    print(shown)
    if options.record is not None:
        record(options.root, options.record, shown)
    return int(any(tried.contradicts for tried in done))


@dataclass(frozen=True, slots=True)
class Tried:
    """A finding in an installed file, with people's judgement of it, or an empty text."""

    finding: Finding
    place: Place
    judgement: str

    @property
    def verdict(self) -> str:
        """What the program's run said."""
        return self.finding.confirmation.verdict if self.finding.confirmation is not None else ""

    @property
    def contradicts(self) -> bool:
        """Whether the run and the reader say the opposite."""
        return (self.verdict, self.judgement) in {("confirmed", "wrong"), ("refuted", "right")}

    def line(self) -> str:
        """Everything about it, on one line."""
        told = self.finding.confirmation
        place = f"{self.place.package}/{self.place.file}:{self.place.row}: {self.place.code}"
        evidence = f"{told.evidence} | {told.inputs}" if told is not None else ""
        return (
            f"{'! ' if self.contradicts else ''}{self.verdict}: {place} ({self.judgement or 'not judged'}): {evidence}"
        )


def draw(everything: Sequence[Tried], count: int, seed: int) -> list[Tried]:
    """Findings by chance, one after another from each pair of package and code, in the order of their places."""
    chance = random.Random(seed)
    groups: dict[tuple[str, str], list[Tried]] = defaultdict(list)
    for tried in everything:
        groups[tried.place.package, tried.place.code].append(tried)
    for group in groups.values():
        chance.shuffle(group)
    order = sorted(groups)
    chance.shuffle(order)
    chosen: list[Tried] = []
    while len(chosen) < min(count, len(everything)):
        for pair in order:
            if groups[pair] and len(chosen) < count:
                chosen.append(groups[pair].pop())
    return sorted(chosen, key=lambda tried: tried.place)


def table(done: Sequence[Tried]) -> str:
    """The verdicts by code, as a Markdown table."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for tried in done:
        counts[tried.finding.code][tried.verdict] += 1
    counts = defaultdict(Counter, sorted(counts.items()))
    counts["all"] = sum(counts.values(), start=Counter())
    lines = [f"| code | {' | '.join(WORDS)} | decisive |", "|---|---:|---:|---:|---:|"]
    for code, count in counts.items():
        decisive = (count["confirmed"] + count["refuted"]) / max(count.total(), 1)
        lines.append(f"| {code} | {' | '.join(str(count[word]) for word in WORDS)} | {decisive:.0%} |")
    return "\n".join(lines)


def record(root: Path, note: str, shown: str) -> None:
    """Put the table into the page of the documentation."""
    page = root / PAGE
    before, _, rest = page.read_text(encoding="utf-8").partition(TABLE_START)
    after = rest.partition(TABLE_END)[2]
    page.write_text(f"{before}{TABLE_START}\n{note}\n\n{shown}\n\n{TABLE_END}{after}", encoding="utf-8")


def installed(report: Path, site: Path, known: Mapping[Place, str]) -> Iterator[Tried]:
    """The findings of one report in modules that are installed with the same content."""
    for finding in read_report(json.loads(report.read_text(encoding="utf-8") or "[]")):
        name = finding.path.partition(f"/{report.stem}/")[2]
        path = site / name
        if finding.cell is None and path.is_file() and path.read_bytes() == Path(finding.path).read_bytes():
            related = tuple(
                replace(part, path=str(path)) if part.path == finding.path else part for part in finding.related
            )
            place = Place(report.stem, name, finding.span.row, finding.code)
            yield Tried(replace(finding, path=str(path), related=related), place, known.get(place, ""))


def _site_packages(python: str) -> Path:
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
