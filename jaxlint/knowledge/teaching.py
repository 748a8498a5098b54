"""What a project teaches the linter of its own wrappers and libraries, laid over the shipped tables."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass

from jaxlint.knowledge import Knowledge, load, rows_of
from jaxlint.knowledge.grammar import ALIASES, FUNCTIONS

ANY = "*"
"""Stands for every function where parameters that hold keys are named."""

Parameters = tuple[tuple[str, tuple[str | int, ...]], ...]
"""Functions with the names and positions of some of their parameters."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the form of the shipped ones: the kind that its columns tell, and its text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Teaching:
    """What the settings say; plain data, part of what decides whether a kept result counts.

    transforms: names with the transformation that each behaves like. samplers: functions that draw from the keys in
    some parameters. key_parameters: functions that are given keys in some parameters.
    """

    transforms: tuple[tuple[str, str], ...] = ()
    samplers: Parameters = ()
    key_parameters: Parameters = ()
    tables: tuple[Table, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.transforms or self.samplers or self.key_parameters or self.tables)


NOTHING = Teaching()


def taught(teaching: Teaching) -> Knowledge:
    """The shipped tables with what a project says laid over them, for one analysis, which may learn more."""
    shipped = load()
    if not teaching:
        return shipped
    known = _copy(shipped)
    for table in sorted(teaching.tables, key=lambda table: table.kind != ALIASES):  # rows may use the new spellings
        _read(known, shipped, table)
    for name, parameters in teaching.key_parameters:
        if name == ANY:
            known.key_names = known.key_names | {word for word in parameters if isinstance(word, str)}
            continue
        known.key_parameters[name] = frozenset(parameters)
        _add_function(known, _canonical(known, shipped, name), parameters, "consume", "unknown")
    for name, parameters in teaching.samplers:
        known.own.add(name)
        _add_function(known, _canonical(known, shipped, name), parameters, "sample", "array")
    for name, like in teaching.transforms:
        _add_alias(known, name, like)
    return known


def _copy(shipped: Knowledge) -> Knowledge:
    known = copy.copy(shipped)
    for table in ("functions", "prefixes", "transforms", "classes", "aliases", "decorators", "key_parameters"):
        setattr(known, table, dict(getattr(shipped, table)))
    known.own = set()
    known.forget()
    return known


def _read(known: Knowledge, shipped: Knowledge, table: Table) -> None:
    read = list(rows_of(table.text.splitlines()))
    if table.kind == ALIASES:
        for row in read:
            _add_alias(known, row["alias"], row["canonical"])
        return
    for row in read:
        if table.kind != "classes.tsv":  # the project's own classes are followed as they are written
            known.own.add(row["name"])
        row["name"] = _canonical(known, shipped, row["name"])
    known.read(table.kind, read)


def _canonical(known: Knowledge, shipped: Knowledge, name: str) -> str:
    """The name that a row goes by; a spelling that the project itself gave away says nothing of what it stands for."""
    return name if name in known.aliases and name not in shipped.aliases else known.canonical(name)


def _add_alias(known: Knowledge, name: str, canonical: str) -> None:
    known.own.add(name)
    spellings = {name, known.canonical(name)}
    known.aliases.update(dict.fromkeys(spellings, known.canonical(canonical)))


def _add_function(known: Knowledge, name: str, parameters: Iterable[str | int], effect: str, returns: str) -> None:
    """A row that says of a function only which arguments are keys. Its parameters have their positions for names."""
    words = list(parameters)
    last = max((word for word in words if isinstance(word, int)), default=-1)
    positions = [str(position) for position in range(last + 1)]
    if name.rpartition(".")[0].rpartition(".")[2][:1].isupper():  # a method, which is handed its object as well
        positions.insert(0, "self")
    params = ",".join([*positions, ANY, *(word for word in words if isinstance(word, str))])
    effects = ";".join(f"{effect}({word})" for word in words)
    known.read(FUNCTIONS, [{"name": name, "params": params, "effects": effects, "returns": returns}])
    known.functions[name].sketch = True
