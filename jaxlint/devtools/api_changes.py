"""Compare the table of changes with installed versions of JAX, and record what they say.

`python -m jaxlint.devtools api-changes /path/to/python …` asks the JAX of each interpreter for every row and writes
`tests/knowledge/api_observed.tsv`; a test holds the table against that record. Beside JAX the environments need
`absl-py` and `flatbuffers`, which `jax.export` and its predecessors import.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from jaxlint.knowledge import rows
from jaxlint.knowledge.changes import TABLE
from jaxlint.target import version

RECORD = Path("tests") / "knowledge" / "api_observed.tsv"
_PROBE = Path(__file__).with_name("probe_api.py")
_ARGUMENT = re.compile(r"(?P<owner>[\w.]+)\((?P<argument>\w+)=\)")


def question(row: dict[str, str]) -> list[str]:
    """What is asked of an installed JAX about a row."""
    match = _ARGUMENT.fullmatch(row["name"])
    if match:
        return [row["kind"], match["owner"], match["argument"], ""]
    if row["kind"] == "argument" and row["limit"]:
        return [row["kind"], row["name"].partition("(")[0], "", row["limit"]]
    return [row["kind"], row["name"], "", "words" if "(" in row["name"] else ""]


def expected(row: dict[str, str], running: str) -> str:
    """What the table says of a row at a version."""
    at = version(running)
    if row["removed_in"] and at >= version(row["removed_in"]):
        return "gone"
    return "deprecated" if row["deprecated_in"] and at >= version(row["deprecated_in"]) else "present"


def disagrees(row: dict[str, str], running: str, observed: str) -> bool:
    """Whether an observation contradicts the table.

    Many deprecated names warn only when they are called, names may be younger than a version, and an argument may stay
    in a signature only to be refused or be taken by `**kwargs`: these do not contradict it.
    """
    wanted = expected(row, running)
    if observed in ("unknown", wanted):
        return False
    if row["kind"] == "argument" and not row["limit"]:
        return wanted == "deprecated" and observed == "gone"
    if wanted == "gone":
        return True
    if wanted == "deprecated":
        return observed == "gone"
    return observed == "deprecated"


class Observed(NamedTuple):
    """What an interpreter said: the versions of its JAX and of itself, and the state of each row."""

    running: str
    python: str
    answers: list[str]


def observe(python: str, table: Sequence[dict[str, str]]) -> Observed:
    """Ask the JAX of an interpreter for each row."""
    ran = subprocess.run(
        [python, str(_PROBE)],
        input=json.dumps([question(row) for row in table]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    return Observed(found["version"], found["python"], found["answers"])


def record(root: Path, interpreters: Iterable[str]) -> tuple[int, list[str]]:
    """Write the record; return how many rows it has, and the contradictions."""
    table = list(rows(TABLE))
    columns = [observe(python, table) for python in interpreters]
    columns.sort(key=lambda column: version(column.running))
    asked = ", ".join(f"{column.running} (Python {column.python})" for column in columns)
    lines = ["\t".join(["name", "kind", *(column.running for column in columns)])]
    lines.append(f"# Asked on {date.today().isoformat()} of JAX {asked} by `python -m jaxlint.devtools api-changes`.")
    for index, row in enumerate(table):
        lines.append("\t".join([row["name"], row["kind"], *(column.answers[index] for column in columns)]))
    (root / RECORD).write_text("\n".join(lines) + "\n", encoding="utf-8")
    wrong = [
        f"{row['name']}: {expected(row, running)} at {running} by the table, observed: {answers[index]}"
        for running, _, answers in columns
        for index, row in enumerate(table)
        if disagrees(row, running, answers[index])
    ]
    return len(table), wrong
