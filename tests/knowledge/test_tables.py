"""The knowledge tables are well formed: columns, grammar, unique names, references between tables."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from jaxlint.knowledge import Knowledge
from tests.knowledge import tables

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\.\*)?")
PARAMETER = re.compile(r"\*|\*{0,2}[A-Za-z_]\w*|[A-Za-z_]\w*=")
FUNCTION_TABLES = [name for name in tables.table_names() if tables.is_function_table(name)]


def known_names() -> set[str]:
    return {row["name"] for name in tables.table_names() if name != "aliases.tsv" for row in tables.rows(name)}


@pytest.mark.parametrize("table", tables.table_names())
def test_columns(table: str) -> None:
    lines = tables.lines(table)
    assert lines[0].split("\t") == tables.header(table)
    for line in lines[1:]:
        if not line.startswith("#"):
            cells = line.split("\t")
            assert len(cells) == len(tables.header(table)), line
            assert [cell.strip() for cell in cells] == cells, line
            assert NAME.fullmatch(cells[0]), line


@pytest.mark.parametrize("table", tables.table_names())
def test_names_are_unique(table: str) -> None:
    counts = Counter(line.split("\t")[0] for line in tables.lines(table) if not line.startswith("#"))
    assert not [name for name, count in counts.items() if count > 1]


def test_a_function_has_one_row() -> None:
    counts = Counter(row["name"] for table in [*FUNCTION_TABLES, "transforms.tsv"] for row in tables.rows(table))
    assert not [name for name, count in counts.items() if count > 1]


@pytest.mark.parametrize("table", [*FUNCTION_TABLES, "transforms.tsv"])
def test_parameters(table: str) -> None:
    for row in tables.rows(table):
        parts = row["params"].split(",") if row["params"] else []
        assert all(PARAMETER.fullmatch(part) for part in parts), row
        assert max(Counter(tables.parameter_names(row["params"])).values(), default=1) == 1, row
        assert sum(part.startswith("*") and not part.startswith("**") for part in parts) <= 1, row


@pytest.mark.parametrize("table", FUNCTION_TABLES)
def test_effects(table: str) -> None:
    for row in tables.rows(table):
        known = {*tables.parameter_names(row["params"]), "*", "self"}
        for effect in filter(None, row["effects"].split(";")):
            name, arguments = tables.split_term(effect)
            assert name in tables.EFFECTS, row
            allowed = known | tables.EFFECT_WORDS.get(name, set())
            assert set(arguments) <= allowed, (row["name"], effect)


def check_returns(text: str, parameters: set[str], name: str) -> None:
    head, arguments = tables.split_term(text)
    head, _, effect = head.partition(":")
    if effect:
        assert head == "callable", name
        assert effect in tables.EFFECTS, name
        return
    if head in parameters or head in ("...", "eager", "raises"):
        return
    assert head in tables.RETURNS, (name, text)
    if head == "when":
        condition = arguments.pop(0)
        assert condition.split("=")[0] in parameters, (name, text)
    elif head == "instance":
        return
    for argument in arguments:
        if argument != "...":
            check_returns(argument, parameters, name)


@pytest.mark.parametrize("table", FUNCTION_TABLES)
def test_returns(table: str) -> None:
    for row in tables.rows(table):
        assert row["returns"], row
        check_returns(row["returns"], {*tables.parameter_names(row["params"]), "self"}, row["name"])


def test_instances_are_known_classes() -> None:
    known = {row["name"] for row in tables.rows("classes.tsv")}
    missing = set()
    for table in FUNCTION_TABLES:
        for row in tables.rows(table):
            missing |= set(re.findall(r"instance\(([\w.]+)\)", row["returns"])) - known
    assert not missing


def test_transforms() -> None:
    for row in tables.rows("transforms.tsv"):
        parameters = {*tables.parameter_names(row["params"]), "self"}
        assert row["mode"] in tables.MODES, row
        assert row["result"] in tables.RESULTS, row
        callables = {part.strip().removeprefix("branches*:") for part in row["callables"].split(";") if part.strip()}
        if row["params"] and row["result"] not in ("decorator_call", "decorator_wrapper"):
            assert callables <= parameters, row
        for fed in filter(None, row["feeds"].split("; ")):
            subject, _, feeds = fed.partition(":")
            assert subject in callables, row
            if "same signature" not in feeds:
                kinds = {feed.lstrip("*").split("=")[0].rstrip(".") for feed in re.findall(r"[^, ]+", feeds)}
                assert kinds <= tables.FEEDS | parameters, row


def test_aliases_point_at_rows() -> None:
    known = known_names()
    aliases = {row["alias"]: row["canonical"] for row in tables.rows("aliases.tsv")}
    for alias, canonical in aliases.items():
        assert alias not in known, alias
        assert canonical not in aliases, alias
        assert canonical in known or any(name.startswith(canonical + ".") for name in known), canonical


def test_the_loader_reads_every_row() -> None:
    knowledge = Knowledge()
    for table in FUNCTION_TABLES:
        for row in tables.rows(table):
            assert knowledge.function(row["name"].removesuffix(".*") + ("._" if row["name"].endswith(".*") else ""))
    assert len(knowledge.transforms) == sum(1 for _ in tables.rows("transforms.tsv"))
    assert len(knowledge.aliases) == sum(1 for _ in tables.rows("aliases.tsv"))
