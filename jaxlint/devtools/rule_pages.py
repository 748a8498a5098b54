"""Writes the page of each rule and their index from the rule modules, the catalogue and the fixtures.

`python -m jaxlint.devtools docs` writes `docs/rules/`; with `--check` it only tells what is out of date.
"""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxlint.cli.rules import rule_object
from jaxlint.devtools.new_rule import CATALOGUE, FAMILIES
from jaxlint.registry import rule_classes
from jaxlint.report.reference import reference_path
from jaxlint.rule import Rule
from jaxlint.source import read_source

FOLDER = Path("docs", "rules")
FIXTURES = Path("fixtures")
INDEX = "index.md"
TITLES = {
    "meta": "The linter itself",
    "purity": "Purity and state",
    "randomness": "Randomness",
    "boundary": "Static-dynamic boundary",
    "host": "Host and device",
    "compilation": "Compilation and loops",
    "buffers": "Buffers",
    "numerics": "Numerics and derivatives",
    "sharding": "Sharding",
    "currency": "API currency",
}
_NOTE = "<!-- Written by `python -m jaxlint.devtools docs` from the rule and its fixtures. -->"
_FIXES = {
    "none": "no",
    "safe": "safe, with `--fix`",
    "unsafe": "unsafe, with `--fix --unsafe-fixes`",
    "safe or unsafe": "safe with `--fix`; where it may change results, with `--unsafe-fixes`",
}
_LEGEND = """\
The hundreds digit of a code is its family. Select rules by code, by prefix (`JAX2`) or by name.

- *Severity*: an **error** is wrong whatever the input, a **warning** is wrong or very likely unintended, **info** is
  worth a reviewer's look.
- *Default*: **opt-in** rules are off unless `extend-select` names them.
- *Fix*: **safe** ones are applied by `--fix`; **unsafe** ones may change results and need `--unsafe-fixes`.
"""
_LABEL = re.compile(r"\s*#\s*(expect|allow):\s*([A-Z0-9|, ]+)")
_WHY = re.compile(r"\A# why: (?P<first>.*)\n(?P<more>(?:#  .*\n)*)")


@dataclass(frozen=True, slots=True)
class Program:
    """A fixture as readers see it: why it is what it is, its text without labels, and the rows that are reported."""

    why: str
    text: str
    rows: tuple[int, ...]


def pages(root: Path) -> dict[str, str]:
    """File name to text, for the rules that ship with jaxlint."""
    with (root / CATALOGUE).open(encoding="utf-8") as file:
        fixes = {row["code"]: row["fix"] for row in csv.DictReader(file, delimiter="\t")}
    rules = [rule() for rule in rule_classes() if rule.__module__.startswith("jaxlint.rules.")]
    texts = {f"{rule.code}.md": "".join(_page(rule, fixes[rule.code], root)) for rule in rules}
    texts[INDEX] = "".join(_index(rules, fixes))
    return {name: f"{text.rstrip()}\n\n{_NOTE}\n" for name, text in texts.items()}


def differences(root: Path) -> list[str]:
    """What is out of date on disk, a line each."""
    wanted = pages(root)
    present = {path.name for path in (root / FOLDER).glob("*.md")}
    lines = [f"{FOLDER / name}: is no page of a rule" for name in sorted(present - set(wanted))]
    for name, text in sorted(wanted.items()):
        if name not in present:
            lines.append(f"{FOLDER / name}: is missing")
        elif (root / FOLDER / name).read_text(encoding="utf-8") != text:
            lines.append(f"{FOLDER / name}: differs from the rule or its fixtures")
    return lines


def write(root: Path) -> int:
    """Write all pages, remove those of rules that are gone, and return how many changed."""
    changed = differences(root)
    wanted = pages(root)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for path in (root / FOLDER).glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (root / FOLDER / name).write_text(text, encoding="utf-8")
    return len(changed)


def read_program(path: Path) -> Program:
    """A fixture, with the characters that no page can hold made visible."""
    source = read_source(path)
    text = path.read_text(encoding="utf-8", errors="replace") if source.error else source.text
    text = re.sub(r"[\x00-\x08\x0b-\x1f]", lambda match: chr(0x2400 + ord(match[0])), text.replace("\r\n", "\n"))
    found = _WHY.match(text)
    why = ""
    if found:
        why = " ".join([found["first"], *(line.lstrip("# ") for line in found["more"].splitlines())]).strip()
        text = text[found.end() :]
    lines, rows = [], []
    for row, line in enumerate(text.strip("\n").split("\n"), 1):
        codes = [codes.strip() for kind, codes in _LABEL.findall(line) if kind == "expect"]
        if codes:
            rows.append(row)
        mark = "  # " + ", ".join(codes).replace("|", " or ") if codes else ""
        lines.append(_LABEL.sub("", line) + mark)
    return Program(why.rstrip("."), "\n".join(lines), tuple(rows))


def _page(rule: Rule, fix: str, root: Path) -> Iterator[str]:
    explanation = rule.explanation
    yield f"# {rule.code} {rule.name}\n\n"
    yield "| Severity | Default | Fix |\n|---|---|---|\n"
    yield f"| {rule.severity.value} | {_default(rule)} | {_FIXES[fix]} |\n\n"
    yield f"{explanation.what.strip()}\n\n## Why this is bad\n\n{explanation.why.strip()}\n\n"
    yield f"## Wrong\n\n{_fenced(explanation.wrong)}\n## Right\n\n{_fenced(explanation.right)}\n"
    yield f"## How to mend it\n\n{explanation.mend.strip()}\n\n"
    path, _, anchor = reference_path(rule.reference).partition("#")
    yield f"The kind of fault is explained in the [review rubric](../../{path}#{anchor}).\n\n## Messages\n\n"
    yield from (f"- {_text(message)}\n" for message in rule.messages.values())
    yield (
        f"\n## In your project\n\nSilence one finding with `# noqa: {rule.code}` on its line, and the rule with "
        f'`ignore = ["{rule.code}"]` under `[tool.jaxlint]`.'
    )
    if not rule.default:
        yield f' Turn it on with `extend-select = ["{rule.code}"]`, or `--extend-select {rule.name}`.'
    yield f" `jaxlint explain {rule.code}` shows the upper part of this page where there is no network.\n\n"
    folder = root / FIXTURES / f"{rule.code}_{rule.name.replace('-', '_')}"
    yield "## Programs that it reports\n\nThe test suite holds the rule to these. Reported lines name the code.\n\n"
    yield from _programs(sorted(folder.glob("reports_*.py")), "failure")
    yield "## Programs that it leaves alone\n\n"
    yield from _programs(sorted(folder.glob("silent_*.py")), "success")


def _programs(paths: Iterable[Path], kind: str) -> Iterator[str]:
    for path in paths:
        program = read_program(path)
        title = program.why or path.stem.partition("_")[2].replace("_", " ")
        yield f'<details class="{kind}" markdown>\n<summary>{_inline(title[:1].upper() + title[1:])}</summary>\n\n'
        yield _fenced(program.text, program.rows) + "\n</details>\n\n"


def _index(rules: list[Rule], fixes: dict[str, str]) -> Iterator[str]:
    yield f"# Rules\n\n{len(rules)} rules in {len(FAMILIES)} families. {_LEGEND}"
    for family, (digit, _) in sorted(FAMILIES.items(), key=lambda item: item[1]):
        yield f"\n## JAX{digit}xx {TITLES[family]}\n\n| Code | Name | Severity | Default | Fix | Finds |\n"
        yield "|---|---|---|---|---|---|\n"
        for rule in rules:
            if rule.code[3] == digit:
                fix = "" if fixes[rule.code] == "none" else fixes[rule.code]
                summary = rule_object(rule)["summary"].replace("|", "\\|")
                cells = (f"[{rule.code}]({rule.code}.md)", f"`{rule.name}`", rule.severity.value, _default(rule), fix)
                yield f"| {' | '.join(cells)} | {summary} |\n"


def _default(rule: Rule) -> str:
    return "on" if rule.default else "opt-in"


def _fenced(program: str, rows: Iterable[int] = ()) -> str:
    text = program.strip("\n")
    fence = "```"
    while fence in text:
        fence += "`"
    marked = " ".join(map(str, rows))
    marks = f' hl_lines="{marked}"' if marked else ""
    return f"{fence}python{marks}\n{text}\n{fence}\n"


def _text(message: str) -> str:
    """A message template in prose: fields become `…`."""
    return re.sub(r"\{\w+\}", "…", message)


def _inline(text: str) -> str:
    """Text with code in backticks as HTML, since Markdown is not read inside a summary everywhere."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
