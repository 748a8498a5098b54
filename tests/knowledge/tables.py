"""Reads the knowledge tables for the tests; `jaxlint.knowledge.grammar` holds their grammar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jaxlint.knowledge
from jaxlint.knowledge.grammar import COLUMNS, FUNCTION_COLUMNS

FOLDER = Path(jaxlint.knowledge.__file__).parent

Row = dict[str, str]


def table_names() -> list[str]:
    """File names of all tables."""
    return sorted(path.name for path in FOLDER.glob("*.tsv"))


def is_function_table(name: str) -> bool:
    """Whether the table lists functions."""
    return name not in COLUMNS


def header(name: str) -> list[str]:
    """The columns that a table must have."""
    return COLUMNS.get(name, FUNCTION_COLUMNS)


def lines(name: str) -> list[str]:
    """The lines of a table, header first."""
    return (FOLDER / name).read_text(encoding="utf-8").splitlines()


def rows(name: str) -> Iterator[Row]:
    """The rows of a table by column."""
    columns = header(name)
    for line in lines(name)[1:]:
        if not line.startswith("#"):
            yield dict(zip(columns, line.split("\t"), strict=True))


def checked_versions(name: str) -> str:
    """The header comment that says what the table was checked with."""
    return next((line for line in lines(name) if line.startswith("# ") and "checked with" in line), "")
