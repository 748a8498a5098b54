"""`jaxlint rules` and `jaxlint explain`."""

from __future__ import annotations

import io
import json
import keyword
import re
import shutil
import sys
import textwrap
import tokenize
from collections.abc import Iterator
from typing import Any

from jaxlint.cli import triage
from jaxlint.cli.arguments import Parser, add_color, add_format
from jaxlint.cli.streams import write
from jaxlint.config.catalogue import Catalogue, load_catalogue
from jaxlint.config.errors import UsageError
from jaxlint.report.reference import reference_path, rule_url
from jaxlint.report.rule_text import markdown, one_line, sections
from jaxlint.report.style import Style, wants_colour
from jaxlint.rule import Rule

_FORMATS = ("text", "json")
_WIDEST = 100


def list_rules(arguments: list[str]) -> int:
    """List the rules: code, name, severity, whether it is on by default, and what it finds."""
    parser = Parser(prog="jaxlint rules", description="List the rules.")
    add_format(parser, _FORMATS)
    add_color(parser)
    options = parser.parse(arguments)
    catalogue = load_catalogue()
    if options.format == "json":
        write(json.dumps([rule_object(rule) for rule in catalogue], indent=2) + "\n")
        return 0
    write("".join(_table(catalogue, Style(wants_colour(options.color, sys.stdout)))))
    return 0


def explain(arguments: list[str]) -> int:
    """Explain the rules that a code, a prefix or a name selects, or that guard against what JAX raised."""
    parser = Parser(prog="jaxlint explain", description="Explain rules, and exceptions of JAX.")
    parser.add_argument(
        "rules", nargs="+", metavar="RULE", help="a code, a prefix such as JAX2, a name, ALL, or an exception of JAX"
    )
    add_format(parser, _FORMATS)
    add_color(parser)
    options = parser.parse(arguments)
    catalogue = load_catalogue()
    codes: dict[str, None] = {}
    guides: list[str] = []
    for word in options.rules:
        guide = triage.section(word)
        if guide is not None:
            guides.append(guide)
            if options.format == "json":
                codes.update(dict.fromkeys(code for code in triage.codes(guide) if code in catalogue.by_code))
            continue
        selector = catalogue.select(word, "explain")
        if not selector.codes:
            raise UsageError(f"explain: `{word}` names no rule of this version")
        codes.update(dict.fromkeys(sorted(selector.codes)))
    rules = [catalogue.by_code[code] for code in codes]
    if options.format == "json":
        objects = [rule_object(rule) for rule in rules]
        single = len(options.rules) == 1 and len(rules) == 1
        write(json.dumps(objects[0] if single else objects, indent=2) + "\n")
        return 0
    style = Style(wants_colour(options.color, sys.stdout))
    page = _terminal_page if style.colour else _plain_page
    write("\n".join([*guides, *("\n".join(page(rule, style)) + "\n" for rule in rules)]))
    return 0


def rule_object(rule: Rule) -> dict[str, Any]:
    """A rule as JSON data. Keys are never removed."""
    explanation = rule.explanation
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "default": rule.default,
        "summary": one_line(rule),
        "message_formats": list(rule.messages.values()),
        "help": rule.help,
        "reference": reference_path(rule.reference),
        "url": rule_url(rule.code, rule.reference),
        "explanation": {
            "what": explanation.what,
            "why": explanation.why,
            "wrong": explanation.wrong,
            "right": explanation.right,
            "mend": explanation.mend,
        },
    }


def _table(catalogue: Catalogue, style: Style) -> Iterator[str]:
    names = max((len(rule.name) for rule in catalogue), default=0)
    room = max(20, shutil.get_terminal_size((120, 24)).columns - names - 26) if sys.stdout.isatty() else 10_000
    for rule in catalogue:
        code = style.severity(rule.code, rule.severity)
        state = "      " if rule.default else "opt-in"
        summary = one_line(rule)
        summary = summary if len(summary) <= room else summary[: room - 3].rstrip() + "..."
        yield f"{code}  {rule.name:{names}}  {rule.severity.value:7}  {style.faint(state)}  {summary}\n"


def _plain_page(rule: Rule, style: Style) -> Iterator[str]:  # noqa: ARG001 (the same form as the page for terminals)
    """Markdown."""
    yield f"# {rule.name} ({rule.code})"
    yield ""
    yield f"Severity: {rule.severity.value}. {'On by default.' if rule.default else 'Off unless selected.'}"
    yield from markdown(rule)


def _terminal_page(rule: Rule, style: Style) -> Iterator[str]:
    columns = min(_WIDEST, shutil.get_terminal_size().columns)
    explanation = rule.explanation

    def prose(text: str) -> str:
        paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
        wrapped = (textwrap.fill(part, columns - 2, break_on_hyphens=False) for part in paragraphs)
        return textwrap.indent(re.sub(r"`([^`]+)`", lambda m: style.bold(m.group(1)), "\n\n".join(wrapped)), "  ")

    def program(text: str) -> str:
        return textwrap.indent(_highlighted(text.strip() + "\n", style).rstrip("\n"), "    ")

    state = "on by default" if rule.default else "off unless selected"
    facts = style.faint(f"{rule.severity.value}, {state}")
    yield f"{style.severity(rule.code, rule.severity)} {style.bold(rule.name)}  {facts}"
    for heading, text in sections(rule):
        yield f"\n{style.bold(heading)}\n{prose(text)}"
    yield f"\n{style.severity('Wrong', rule.severity)}\n{program(explanation.wrong)}"
    yield f"\n{style.help('Right')}\n{program(explanation.right)}"
    yield f"\n{style.bold('How to mend it')}\n{prose(explanation.mend)}"
    yield f"\n{style.faint(f'see {reference_path(rule.reference)}')}"


def _highlighted(program: str, style: Style) -> str:
    """A program with its keywords, strings and comments painted; one that does not tokenize stays as it is."""
    rows = program.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(program).readline))
    except (tokenize.TokenError, SyntaxError):
        return program
    for token in reversed(tokens):
        (row, start), (end_row, end) = token.start, token.end
        if row != end_row:
            continue
        paint = None
        if token.type == tokenize.COMMENT:
            paint = style.faint
        elif token.type == tokenize.STRING:
            paint = style.string
        elif token.type == tokenize.NAME and keyword.iskeyword(token.string):
            paint = style.keyword
        if paint is not None:
            line = rows[row - 1]
            rows[row - 1] = line[:start] + paint(line[start:end]) + line[end:]
    return "\n".join(rows)
