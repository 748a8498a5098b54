"""`jaxlint rules` and `jaxlint explain`."""

from __future__ import annotations

import json
from pathlib import Path

from jaxlint.report.reference import DOCUMENTATION
from jaxlint.rule import Explanation
from tests.interface import fake
from tests.interface.fake import run


def test_rules(tmp_path: Path) -> None:
    ran = run(tmp_path, "rules")
    assert ran.code == 0
    rows = ran.out.splitlines()
    assert [row.split()[0] for row in rows] == ["JAX001", "JAX002", "JAX201", "JAX203", "JAX206", "JAX301"]
    assert rows[4].split() == ["JAX206", "legacy-prng-key", "info", "opt-in", "A", "fault"]
    assert "\033" not in ran.out
    assert "\033" in run(tmp_path, "rules", "--color", "always").out


def test_rules_as_json(tmp_path: Path) -> None:
    rules = json.loads(run(tmp_path, "rules", "--format", "json").out)
    assert rules[2] == {
        "code": "JAX201",
        "name": "key-reuse",
        "severity": "error",
        "default": True,
        "summary": "A fault",
        "message_formats": ["a fault"],
        "help": "mend `it`",
        "reference": "references/CODE-REVIEW-RUBRIC.md#randomness",
        "url": f"{DOCUMENTATION}rules/JAX201/",
        "explanation": {
            "what": "A fault. More of it.",
            "why": "It is bad.",
            "wrong": "wrong()  # no\n",
            "right": "right('yes')\n",
            "mend": "Mend it.",
        },
    }


def test_explain_is_markdown_when_piped(tmp_path: Path) -> None:
    page = (
        "# key-reuse (JAX201)\n\nSeverity: error. On by default.\n\n## What it finds\nA fault. More of it.\n\n"
        "## Why this is bad\nIt is bad.\n\n## Wrong\n```python\nwrong()  # no\n```\n\n"
        "## Right\n```python\nright('yes')\n```\n\n"
        "## How to mend it\nMend it.\n\nSee references/CODE-REVIEW-RUBRIC.md#randomness.\n"
    )
    for word in ("JAX201", "jax201", "key-reuse", "Key_Reuse"):
        assert run(tmp_path, "explain", word) == (0, page, "")


def test_explain_takes_prefixes_and_several_words(tmp_path: Path) -> None:
    out = run(tmp_path, "explain", "JAX3", "JAX2").out
    headings = [line for line in out.splitlines() if line.startswith("# ")]
    assert headings == [
        "# branch-on-tracer (JAX301)", "# key-reuse (JAX201)", "# discarded-key (JAX203)", "# legacy-prng-key (JAX206)",
    ]  # fmt: skip


def test_explain_as_json(tmp_path: Path) -> None:
    assert json.loads(run(tmp_path, "explain", "JAX201", "--format", "json").out)["name"] == "key-reuse"
    assert len(json.loads(run(tmp_path, "explain", "JAX2", "--format", "json").out)) == 3


def test_explain_is_painted_on_a_terminal(tmp_path: Path) -> None:
    out = run(tmp_path, "explain", "JAX201", "--color", "always").out
    assert "\033[1;91mJAX201\033[0m \033[1mkey-reuse\033[0m" in out
    assert "right(\033[32m'yes'\033[0m)" in out
    assert "\033[2m# no\033[0m" in out


def test_examples_that_do_not_tokenize_are_shown_as_they_are(tmp_path: Path) -> None:
    out = run(tmp_path, "explain", "JAX001", "--color", "always").out
    assert "return jax.numpy.multiply(x, 2.0\n" in out


def test_summary_is_one_sentence() -> None:
    rule = fake.make_rule("JAX999", "x")
    type(rule).explanation = Explanation("Uses `a.b` in\na `# noqa: X` place. More.", "", "", "", "")
    from jaxlint.cli.rules import rule_object

    assert rule_object(rule)["summary"] == "Uses `a.b` in a `# noqa: X` place"
