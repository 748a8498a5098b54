"""What the contract tests share: the catalogue, the rules, the labels of fixtures, the linter as a function."""

from __future__ import annotations

import csv
import functools
import json
import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jaxlint.cli.main import main
from jaxlint.registry import rule_classes
from jaxlint.rules.meta.reserved import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jaxlint.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
RUBRIC = ROOT / "references" / "CODE-REVIEW-RUBRIC.md"

_LABEL = re.compile(r"#\s*(expect|allow):\s*([A-Z0-9|, ]+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the catalogue, the contract on codes."""

    code: str
    name: str
    severity: str
    default: str
    fix: str

    @property
    def opt_in(self) -> bool:
        """Whether the rule is off unless it is selected."""
        return self.default == "opt-in"

    @property
    def fixture_folder(self) -> Path:
        """Where the labelled programs of the rule live."""
        return FIXTURES / f"{self.code}_{self.name.replace('-', '_')}"


class Report(NamedTuple):
    """One finding, as far as the labels speak of it."""

    row: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What a fixture says of itself: alternatives that must be reported on a row, and codes that may be."""

    expected: tuple[tuple[int, frozenset[str]], ...]
    allowed: dict[int, set[str]]

    def codes(self) -> set[str]:
        """All codes that the file expects somewhere."""
        return {code for _, alternatives in self.expected for code in alternatives}


@functools.cache
def catalogue() -> dict[str, Entry]:
    """The catalogue by code."""
    with (ROOT / "tests" / "contract" / "catalogue.tsv").open(encoding="utf-8") as file:
        return {row["code"]: Entry(**row) for row in csv.DictReader(file, delimiter="\t")}


@functools.cache
def rules() -> dict[str, Rule]:
    """The rules that ship with jaxlint, by code."""
    return {rule.code: rule() for rule in rule_classes() if rule.__module__.startswith("jaxlint.rules.")}


def lint(paths: Iterable[Path], *, extend_select: Sequence[str] = ()) -> dict[Path, list[Report]]:
    """Run the whole linter in this process, as the command line does, and return what it reports by file."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "findings.json"
        arguments = ["check", "--isolated", "--no-cache", "--format", "json", "--output-file", str(output)]
        if extend_select:
            arguments += ["--extend-select", ",".join(extend_select)]
        status = main([*arguments, *map(str, paths)])
        assert status in {0, 1}, f"jaxlint ended with {status}"
        findings = json.loads(output.read_text(encoding="utf-8"))
    reports: dict[Path, list[Report]] = defaultdict(list)
    for finding in findings:
        report = Report(finding["location"]["row"], finding["code"], finding["message"])
        reports[Path(finding["filename"]).resolve()].append(report)
    return {path: sorted(set(found)) for path, found in reports.items()}


def lint_text(text: str, folder: Path, *, extend_select: Sequence[str] = ()) -> list[Report]:
    """Lint one program that stands alone."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return lint([path], extend_select=extend_select).get(path.resolve(), [])


def opt_in(code: str) -> tuple[str, ...]:
    """What has to be selected beyond the defaults for a rule to be on."""
    entry = catalogue().get(code)
    return (code,) if entry is not None and entry.opt_in else ()


def read_labels(path: Path) -> Labels:
    """The labels of a fixture; several codes are divided by commas, alternatives by `|`."""
    expected: list[tuple[int, frozenset[str]]] = []
    allowed: dict[int, set[str]] = defaultdict(set)
    text = path.read_text(encoding="utf-8", errors="replace")
    for row, line in enumerate(text.splitlines(), 1):
        for kind, codes in _LABEL.findall(line):
            for group in codes.split(","):
                alternatives = frozenset(code.strip() for code in group.split("|") if code.strip())
                if kind == "allow":
                    allowed[row] |= alternatives
                elif alternatives:
                    expected.append((row, alternatives))
    return Labels(tuple(expected), dict(allowed))


def mismatches(labels: Labels, reports: Iterable[Report]) -> list[str]:
    """Missed alarms and false alarms, a line each."""
    found = list(reports)
    used: set[Report] = set()
    problems: list[str] = []
    for row, alternatives in labels.expected:
        if alternatives <= set(RESERVED):
            continue
        matches = [report for report in found if report.row == row and report.code in alternatives]
        used.update(matches)
        if not matches:
            problems.append(f"{row}: missed {'|'.join(sorted(alternatives))}")
    for report in found:
        if report not in used and report.code not in labels.allowed.get(report.row, ()):
            problems.append(f"{report.row}: wrongly reported {report.code} {report.message}")
    return problems
