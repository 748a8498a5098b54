"""Hold every fix to its promises on real code: `python benchmarks/fixes.py CORPUS [--safe] [--packages NAME …]`.

Each file of the corpus with a fixable finding is copied, fixed and linted again, file by file: the result parses, each
mended finding is gone, none is new, a second run changes nothing, encoding and newlines stay. Prints counts by rule
and what broke a promise; the exit status is 1 when something did.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import libcst as cst

from jaxlint.source import read_source

Findings = list[dict[str, Any]]
OPT_IN = "JAX206"


def lint(paths: list[Path], *arguments: str) -> Findings:
    """What jaxlint reports, after fixing where `--fix` is among the arguments."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "findings.json"
        options = ["--isolated", "--no-cache", "--format", "json", "--output-file", str(output), "--exit-zero"]
        command = [sys.executable, "-m", "jaxlint", "check", *options, "--extend-select", OPT_IN, *arguments]
        ran = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, check=False)
        if ran.returncode:
            raise SystemExit(ran.stderr[-2000:])
        found: Findings = json.loads(output.read_text(encoding="utf-8"))
        return found


def fixable(finding: dict[str, Any], *, unsafe: bool) -> bool:
    """Whether `--fix` mends a finding."""
    return bool(finding["fix"]) and finding["fix"]["applicability"] in ({"safe", "unsafe"} if unsafe else {"safe"})


def broken(before: Findings, path: Path, *, unsafe: bool) -> list[str]:
    """What a fixed file owes, in words; `before` are its findings. The file is fixed in place."""
    options = ["--unsafe-fixes"] if unsafe else []
    old = read_source(path)
    after = lint([path], "--fix", *options)
    new = read_source(path)
    problems: list[str] = []
    try:
        cst.parse_module(new.text)
    except cst.ParserSyntaxError as error:
        return [f"does not parse: {error}"]
    if (old.encoding, old.bom, old.newline) != (new.encoding, new.bom, new.newline):
        problems.append("encoding or newlines changed")
    had = Counter(finding["code"] for finding in before)
    has = Counter(finding["code"] for finding in after)
    wanted = Counter(finding["code"] for finding in before if fixable(finding, unsafe=unsafe))
    problems += [f"{code} is new" for code in has - had]
    problems += [f"{code} is still there" for code, count in wanted.items() if had[code] - has[code] < count]
    data = path.read_bytes()
    lint([path], "--fix", *options)
    if data != path.read_bytes():
        problems.append("a second run changes it again")
    return problems


def main() -> int:
    """Check a corpus and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a folder with a package a folder")
    parser.add_argument("--packages", nargs="*", help="folders of the corpus (default: all)")
    parser.add_argument("--safe", action="store_true", help="leave unsafe fixes out")
    options = parser.parse_args()
    folders = [options.corpus / name for name in options.packages or sorted(p.name for p in options.corpus.iterdir())]
    counts: Counter[tuple[str, str]] = Counter()
    files = failures = 0
    for folder in folders:
        by_file: dict[str, Findings] = {}
        for finding in lint([folder]):
            by_file.setdefault(finding["filename"], []).append(finding)
        for name, found in sorted(by_file.items()):
            todo = [finding for finding in found if fixable(finding, unsafe=not options.safe)]
            if not todo:
                continue
            files += 1
            counts.update((finding["code"], finding["fix"]["applicability"]) for finding in todo)
            with tempfile.TemporaryDirectory() as temporary:
                # Alone a file has other findings than among its importers, so it is asked again where it lies.
                path = Path(shutil.copy(name, temporary))
                problems = broken(lint([path]), path, unsafe=not options.safe)
            failures += bool(problems)
            for problem in problems:
                print(f"{name}: {problem}", flush=True)
        print(f"{folder.name}: {sum(counts.values())} fixes in {files} files so far", flush=True)
    for (code, applicability), count in sorted(counts.items()):
        print(f"{code} {applicability}: {count}")
    print(f"{sum(counts.values())} fixes in {files} files, {failures} files break a promise")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
