"""The command line of the developer tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jaxlint.devtools import api_changes, corpus, precision, recall, rule_pages, sampled, setting_pages, verdicts
from jaxlint.devtools.new_rule import FAMILIES, ScaffoldError, new_rule


def main(arguments: list[str] | None = None) -> int:
    """Run a developer command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m jaxlint.devtools", description="Tools for jaxlint's authors.")
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new-rule", help="write the files of a rule, with fixtures that fail until it works")
    new.add_argument("code", help="JAX204, or JAX2xx for the next free code of the family")
    new.add_argument("name", help="what the rule finds, in kebab-case: constant-key")
    new.add_argument("--family", choices=sorted(FAMILIES), help="the folder under rules/; it follows from the code")
    new.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    changes = commands.add_parser("api-changes", help="hold the table of JAX's changes against installed versions")
    changes.add_argument("python", nargs="+", help="an interpreter that has JAX; three versions at least")
    changes.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    docs = commands.add_parser("docs", help="write the pages of the rules under docs/")
    docs.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a page is out of date")
    docs.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    measured = commands.add_parser("precision", help="write the table of measured precision from people's judgements")
    measured.add_argument("corpus", type=Path, help="a folder with a folder PACKAGE-VERSION for each judged package")
    measured.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    judged = commands.add_parser("corpus", help="hold the findings on real code against people's judgements of them")
    judged.add_argument("corpus", type=Path, help="a folder with a folder PACKAGE-VERSION for each package")
    judged.add_argument("packages", nargs="*", help="the folders to check (default: all)")
    judged.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    judged.add_argument("--new", action="store_true", help="list the findings that nobody has judged")
    judged.add_argument("--strict", action="store_true", help="exit with 1 when a finding is wrong or not judged")
    judged.add_argument("--record", metavar="NOTE", help="write the table into the documentation, under this line")
    missed = commands.add_parser("recall", help="hold a run against what readers of real code found missing")
    missed.add_argument("corpus", type=Path, help="a folder with a folder PACKAGE-VERSION for each package")
    missed.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    missed.add_argument(
        "--choose", type=int, metavar="SEED", help="print functions without findings, for people to read"
    )
    settings = commands.add_parser("settings", help="write what is made from the table of settings: schema and page")
    settings.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the current folder)")
    verdicts.add_arguments(commands.add_parser("verdicts", help="confirm labelled programs, and print the table"))
    sampled.add_arguments(commands.add_parser("sampled", help="confirm findings in installed packages"))
    options = parser.parse_args(arguments)
    if options.command == "verdicts":
        return verdicts.run(options)
    if options.command == "sampled":
        return sampled.run(options)
    if options.command == "settings":
        for path in setting_pages.write(options.root):
            print(f"changed {path}")
        return 0
    if options.command == "docs":
        return _docs(options.root, check=options.check)
    if options.command == "precision":
        print(precision.write(options.root, options.corpus.resolve()))
        return 0
    if options.command == "corpus":
        return _corpus(options)
    if options.command == "recall":
        return _recall(options)
    if options.command == "api-changes":
        return _api_changes(options.root, options.python)
    try:
        rule = new_rule(options.root, options.code, options.name, options.family)
    except ScaffoldError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(rule.report())
    return 0


def _corpus(options: argparse.Namespace) -> int:
    counts = corpus.compare(options.root, options.corpus.resolve(), options.packages)
    print(corpus.table(counts), end="")
    for count in counts.values() if options.new or options.strict else ():
        for place in count.new:
            print(f"{place.package}/{place.file}:{place.row}: {place.code}")
    if options.record is not None:
        print(corpus.record(options.root, counts, options.record))
    faults = sum(len(count.new) + count.verdicts["wrong"] for count in counts.values())
    return 1 if options.strict and faults else 0


def _recall(options: argparse.Namespace) -> int:
    if options.choose is not None:
        recall.write(recall.choose(options.corpus.resolve(), options.choose), sys.stdout)
        return 0
    lost, gained = recall.check(options.root, options.corpus.resolve())
    for text, lines in (("not reported, though mended", lost), ("reported now, though open", gained)):
        for line in lines:
            print(f"{text}: {line}")
    print(f"{len(lost)} mended misses are not reported; {len(gained)} open ones are")
    return 1 if lost else 0


def _docs(root: Path, *, check: bool) -> int:
    if not check:
        print(f"{rule_pages.write(root)} pages changed in {root / rule_pages.FOLDER}")
        return 0
    lines = rule_pages.differences(root)
    for line in lines:
        print(line)
    if lines:
        print("Run `python -m jaxlint.devtools docs` and commit the pages.")
    return 1 if lines else 0


def _api_changes(root: Path, interpreters: list[str]) -> int:
    count, wrong = api_changes.record(root, interpreters)
    print(f"{count} rows, {len(interpreters)} versions, {len(wrong)} contradictions: {root / api_changes.RECORD}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
