"""Makes the table of measured precision from people's judgements of findings on real code.

Only findings that the linter still reports count: a false alarm that has been mended says nothing about it.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

JUDGEMENTS = Path("corpus/judgements.tsv")
TABLE = Path("jaxlint/report/precision.tsv")
_HEAD = "# Judged findings that are still reported; made by `python -m jaxlint.devtools precision CORPUS`.\n"


class Place(NamedTuple):
    """Where a judged finding stands."""

    package: str
    file: str
    row: int
    code: str


def judgements(table: Path) -> dict[Place, str]:
    """The verdicts of a table: `right`, `wrong` or `unclear`."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            Place(f"{row['package']}-{row['version']}", row["file"], int(row["line"]), row["code"]): row["verdict"]
            for row in rows
        }


def counts(verdicts: dict[Place, str], corpus: Path) -> dict[str, Counter[str]]:
    """Code to verdicts, of the findings that a run over `corpus/PACKAGE-VERSION` reports."""
    found: dict[str, Counter[str]] = {}
    for package in sorted({place.package for place in verdicts}):
        for place in reported(package, corpus / package):
            if place in verdicts:
                found.setdefault(place.code, Counter())[verdicts[place]] += 1
    return found


def write(root: Path, corpus: Path) -> Path:
    """Write the table of a checkout."""
    found = counts(judgements(root / JUDGEMENTS), corpus)
    rows = [f"{code}\t{count['right']}\t{count['wrong']}\n" for code, count in sorted(found.items())]
    table = root / TABLE
    table.write_text(_HEAD + "code\tright\twrong\n" + "".join(rows), encoding="utf-8")
    return table


def reported(package: str, folder: Path) -> Iterator[Place]:
    """The findings of a run over one package, with the settings that everyone has."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not there: the judgements are of this package")
    command = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--no-cache", "--quiet", "--format", "json", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{package}: {done.stderr.strip()}")
    for finding in json.loads(done.stdout):
        name = Path(finding["filename"]).relative_to(folder.resolve()).as_posix()
        yield Place(package, name, finding["location"]["row"], finding["code"])
