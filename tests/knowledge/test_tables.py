"""The knowledge tables are well formed: columns, grammar, unique names, references between tables."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from jaxlint.config.tables import check, kind_of
from jaxlint.knowledge import Knowledge
from jaxlint.knowledge.grammar import FUNCTIONS
from tests.knowledge import tables

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\.\*)?")
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


@pytest.mark.parametrize("table", tables.table_names())
def test_grammar(table: str) -> None:
    kind = kind_of(tables.header(table))
    assert kind == (FUNCTIONS if tables.is_function_table(table) else table)
    for row in tables.rows(table):
        check(kind, row)
        assert row.get("returns") != "", row


def test_instances_are_known_classes() -> None:
    known = {row["name"] for row in tables.rows("classes.tsv")}
    missing = set()
    for table in FUNCTION_TABLES:
        for row in tables.rows(table):
            missing |= set(re.findall(r"instance\(([\w.]+)\)", row["returns"])) - known
    assert not missing


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
