"""Writes the files of a new rule. Everything that is still to be said holds the word TODO, which tests reject."""

from __future__ import annotations

import csv
import re
import runpy
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

# Family: the hundreds digit of its codes, and the section of the rubric that most of its rules belong to.
FAMILIES = {
    "meta": ("0", "linter"),
    "purity": ("1", "purity-and-state"),
    "randomness": ("2", "randomness"),
    "boundary": ("3", "static-dynamic-boundary"),
    "host": ("4", "host-device-boundary"),
    "compilation": ("5", "compilation-structure"),
    "buffers": ("6", "memory-and-numerics"),
    "numerics": ("7", "memory-and-numerics"),
    "sharding": ("8", "sharding-semantics"),
    "currency": ("9", "legacy-api"),
}
CATALOGUE = Path("tests", "contract", "catalogue.tsv")
RESERVED = Path("rules", "meta", "reserved.py")
REPORTING = ("reports_plain", "reports_through_a_helper", "reports_in_a_loop")
SILENT = ("silent_plain", "silent_near_miss", "silent_looks_alike")

_MODULE = '''\
"""{code}: TODO what it finds, in one line."""

from __future__ import annotations

from typing import ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule


class {class_name}(Rule):
    """TODO What it tells of.

    It listens to events of jaxlint/semantics/events.py: `def on_<event>(self, event, ctx)`.
    """

    code = "{code}"
    name = "{name}"
    severity = Severity.{severity}
    default = {default}
    messages: ClassVar[dict[str, str]] = {{"default": "TODO `{{name}}` does so and so: why that is wrong"}}
    help = "TODO how to mend it, in one line"
    reference = "{section}"
    explanation = Explanation(
        what="TODO What is reported, and what is not.",
        why="TODO What happens at run time.",
        wrong="""\\
import jax
""",
        right="""\\
import jax
""",
        mend="TODO How to rewrite it.",
    )
'''
_REPORTING = """\
# why: TODO what goes wrong here, in one sentence
import jax


def todo(x):
    return jax.numpy.sum(x)  # expect: {code}
"""
_SILENT = """\
# why: TODO why this is right although it looks wrong, in one sentence
import jax


def todo(x):
    return jax.numpy.sum(x)
"""


class ScaffoldError(Exception):
    """The rule cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """A rule whose files were written."""

    code: str
    name: str
    section: str
    files: tuple[Path, ...]

    def report(self) -> str:
        """What was made, and what to do next."""
        written = "\n".join(f"  {path}" for path in self.files)
        return f"""\
Wrote {self.code} {self.name}:
{written}

Next:
  1. Write the fixtures: three shapes of the fault, three near misses, and rename the files after what they show.
  2. Let the rule listen to an event, until they pass: pytest tests/contract -k "{self.code}"
  3. Fill in the explanation; its programs are linted, too.
  4. Name the rule under "Guarded by" in references/CODE-REVIEW-RUBRIC.md, section {self.section}.
  5. Add a line to CHANGELOG.md, and write the documentation's page: python -m jaxlint.devtools docs
     No TODO may be left.
"""


def new_rule(root: Path, code: str, name: str, family: str | None = None) -> NewRule:
    """Write module, fixtures and catalogue row of a rule; raise ScaffoldError rather than overwrite anything."""
    if not (root / CATALOGUE).is_file():
        raise ScaffoldError(f"{root.resolve()} is no checkout of jaxlint: {CATALOGUE} is missing")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ScaffoldError(f"{name!r} is not kebab-case")
    rows = _read_catalogue(root)
    retired = _retired(root)
    code = _free_code(code, rows.keys() | retired.keys())
    family = _family_of(code, family)
    section = FAMILIES[family][1]
    row = rows.get(code) or {"name": name, "severity": "warning", "default": "opt-in"}
    if row["name"] != name:
        raise ScaffoldError(f"{code} is {row['name']} in the catalogue")
    if code in retired or name in retired.values():
        raise ScaffoldError(f"{code} {name} was retired: codes and names are never used again")
    if any(other["name"] == name for known, other in rows.items() if known != code):
        raise ScaffoldError(f"the name {name} is taken")

    stem = name.replace("-", "_")
    module = Path("rules", family, f"{stem}.py")
    folder = Path("fixtures", f"{code}_{stem}")
    if (root / module).exists() or (root / folder).exists():
        raise ScaffoldError(f"{code} {name} has files already")
    texts = {
        module: _MODULE.format(
            code=code,
            name=name,
            section=section,
            class_name="".join(word.capitalize() for word in name.split("-")),
            severity=row["severity"].upper(),
            default=row["default"] == "on",
        )
    }
    texts |= {folder / f"{kind}.py": _REPORTING.format(code=code) for kind in REPORTING}
    texts |= {folder / f"{kind}.py": _SILENT for kind in SILENT}
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    if code not in rows:
        _add_row(root, code, name)
    _unreserve(root, code)
    return NewRule(code, name, section, tuple(texts))


def _read_catalogue(root: Path) -> dict[str, dict[str, str]]:
    with (root / CATALOGUE).open(encoding="utf-8") as file:
        return {row["code"]: row for row in csv.DictReader(file, delimiter="\t")}


def _retired(root: Path) -> dict[str, str]:
    """Codes and names of rules that were taken back."""
    path = root / RESERVED
    retired: dict[str, str] = runpy.run_path(str(path)).get("RETIRED", {}) if path.is_file() else {}
    return retired


def _free_code(code: str, taken: Container[str]) -> str:
    """The code itself, or the next free one of a family written as `JAX2xx`."""
    if re.fullmatch(r"JAX\d{3}", code):
        return code
    if not re.fullmatch(r"JAX\dxx", code):
        raise ScaffoldError(f"{code!r} is no code: write JAX204, or JAX2xx for the next free one")
    for number in range(1, 100):
        candidate = f"{code[:4]}{number:02}"
        if candidate not in taken:
            return candidate
    raise ScaffoldError(f"{code} has no free code left")


def _family_of(code: str, family: str | None) -> str:
    expected = next(name for name, (digit, _) in FAMILIES.items() if digit == code[3])
    if family not in {None, expected}:
        raise ScaffoldError(f"{code} belongs to the family {expected}, not {family}")
    return expected


def _add_row(root: Path, code: str, name: str) -> None:
    """New rules start outside the default set."""
    path = root / CATALOGUE
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    rows = sorted([*rows, f"{code}\t{name}\twarning\topt-in\tnone"])
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def _unreserve(root: Path, code: str) -> None:
    """A code that has a rule is no longer one that is only known by name."""
    path = root / RESERVED
    if path.is_file():
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if f'"{code}":' not in line), encoding="utf-8")
