"""Fixing as the command line does it."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence

Findings = list[dict[str, Any]]


def fix(paths: Sequence[Path], *arguments: str, select: str = "") -> Findings:
    """Run `jaxlint check` with more arguments, and return what it reports in the end."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "findings.json"
        options = ["--isolated", "--no-cache", "--jobs", "1", "--format", "json", "--output-file", str(output)]
        if select:
            options += ["--extend-select", select]
        status = main(["check", *options, *arguments, *map(str, paths)])
        assert status in {0, 1}, f"jaxlint ended with {status}"
        found: Findings = json.loads(output.read_text(encoding="utf-8"))
        return found


def fixed(text: str, folder: Path, *arguments: str, select: str = "") -> str:
    """A program after `--fix`."""
    path = folder / "program.py"
    path.write_bytes(text.encode())
    fix([path], "--fix", *arguments, select=select)
    return path.read_bytes().decode()


def codes(findings: Findings) -> Counter[tuple[str, str]]:
    """How often each rule reports in each file."""
    return Counter((Path(finding["filename"]).name, finding["code"]) for finding in findings)


def fixable(findings: Findings, *, unsafe: bool) -> Findings:
    """The findings that `--fix` mends."""
    allowed = {"safe", "unsafe"} if unsafe else {"safe"}
    return [finding for finding in findings if finding["fix"] and finding["fix"]["applicability"] in allowed]
