"""The table of verdicts over labelled programs: `python -m jaxlint.devtools verdicts FOLDER`.

Wrong programs carry labels (`# expect: JAX201`); their findings are tried as `--confirm` does. Right programs have no
finding, so the test of the code in their name is forced on each of their functions: it must confirm nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxlint.child.process import Limits
from jaxlint.config.catalogue import load_catalogue
from jaxlint.confirm.session import Conditions, confirm
from jaxlint.findings import Finding, Related, Severity, Span
from jaxlint.workers import available_cores

_LABEL = re.compile(r"#\s*expect:\s*([A-Z0-9|, ]+)")
_CODE = re.compile(r"JAX\d{3}")
WORDS = ("confirmed", "refuted", "inconclusive")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has JAX")
    parser.add_argument("--codes", default="JAX", help="comma-separated codes or prefixes")
    parser.add_argument("--seconds", type=float, default=30.0, help="time for each finding")
    parser.add_argument("--only", choices=("wrong", "right"), help="one half of the table")


def run(options: argparse.Namespace) -> int:
    """Print the table; the exit code is 1 when a verdict is wrong or too few are decisive."""
    trials = {rule.code: rule.confirm for rule in load_catalogue() if rule.confirm is not None}
    chosen = {code: trial for code, trial in trials.items() if code.startswith(tuple(options.codes.split(",")))}
    files = sorted(path for folder in options.folders for path in folder.rglob("*.py"))
    wrong = [path for path in files if _LABEL.search(path.read_text(encoding="utf-8"))]
    right = [path for path in files if path not in set(wrong)]
    conditions = Conditions(options.python, Path.cwd(), limits=Limits(options.seconds), jobs=max(2, available_cores()))
    failed = False
    if options.only != "right":
        failed |= _show("wrong programs", confirm(list(_labelled(wrong, chosen)), chosen, conditions), is_wrong=True)
    if options.only != "wrong":
        failed |= _show("right programs", confirm(list(_forced(right, chosen)), chosen, conditions), is_wrong=False)
    return int(failed)


def _labelled(files: Sequence[Path], codes: dict[str, str]) -> Iterator[Finding]:
    """The findings of the linter that stand on a line which expects them."""
    command = [sys.executable, "-m", "jaxlint", "check", "--format", "json", "--no-cache", "--isolated"]
    run = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    for finding in read_report(json.loads(run.stdout or "[]")):
        label = _LABEL.search(Path(finding.path).read_text(encoding="utf-8").splitlines()[finding.span.row - 1])
        if label is not None and finding.code in codes and finding.code in re.split(r"[|,\s]+", label.group(1)):
            yield finding


def read_report(items: Sequence[dict[str, Any]]) -> Iterator[Finding]:
    """The findings of a report in JSON, as far as trying them needs it."""
    for item in items:
        related = tuple(Related(part["filename"], _span(part), part["message"]) for part in item.get("related", ()))
        yield Finding(
            item["code"], item["name"], Severity(item["severity"]), item["message"], item["filename"], _span(item), "",
            related=related, cell=item.get("cell"),
        )  # fmt: skip


def _span(item: dict[str, Any]) -> Span:
    start, end = item["location"], item["end_location"]
    return Span(start["row"], start["column"], end["row"], end["column"])


def _forced(files: Sequence[Path], codes: dict[str, str]) -> Iterator[Finding]:
    """Each function of a right program as if all of it were flagged."""
    for path in files:
        code = _CODE.search(f"{path.parent.name} {path.name}")
        if code is None or code.group() not in codes:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                first, last = node.body[0], node.body[-1]
                span = Span(first.lineno, first.col_offset + 1, last.end_lineno or last.lineno, 999)
                yield Finding(code.group(), "", Severity.WARNING, "", str(path.resolve()), span, "")


def _show(title: str, findings: Sequence[Finding], *, is_wrong: bool) -> bool:
    """Print one half of the table; whether it is not as it should be."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for finding in findings:
        if finding.confirmation is None:
            continue
        verdict = finding.confirmation.verdict
        counts[finding.code][verdict] += 1
        counts["total"][verdict] += 1
        if verdict == ("refuted" if is_wrong else "confirmed") or (is_wrong and verdict == "inconclusive"):
            place = f"{Path(finding.path).name}:{finding.span.row}"
            print(f"{place}: {finding.code} {verdict}: {finding.confirmation.evidence} | {finding.confirmation.inputs}")
    print(f"{title:14} " + " ".join(f"{word:>12}" for word in WORDS) + "     decisive")
    for code in sorted(counts):
        count = counts[code]
        decisive = (count["confirmed"] + count["refuted"]) / max(count.total(), 1)
        print(f"{code:14} " + " ".join(f"{count[word]:12}" for word in WORDS) + f"  {decisive:10.0%}")
    total = counts["total"]
    if not is_wrong:
        return bool(total["confirmed"])
    return bool(total["refuted"]) or total["confirmed"] < 0.8 * total.total()
