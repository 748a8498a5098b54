"""Knowledge tables that a project brings along: reading them, and saying what is wrong with a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.knowledge import grammar
from jaxlint.knowledge.grammar import ALIASES, COLUMNS, FUNCTION_COLUMNS, FUNCTIONS
from jaxlint.knowledge.teaching import Table

Row = dict[str, str]

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\.\*)?")
_PARAMETER = re.compile(r"\*|\*{0,2}[A-Za-z_]\w*|[A-Za-z_]\w*=")
_OPTIONAL = frozenset({"note", "options", "feeds", "gives"})
"""Columns that a table need not have."""
_ANYTHING = ("...", "eager", "raises")
"""Words that stand inside the terms of `returns` and mean no parameter."""


class RowError(Exception):
    """What is wrong with a row, without the place."""


def read_table(path: Path, shown: str) -> Table:
    """The table in a file; a mistake in it is told with its file and row."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{shown}: the table cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{shown}: the table is not valid UTF-8") from None
    header: list[str] = []
    kind = ""
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if not header:
                header = line.split("\t")
                kind = kind_of(header)
                continue
            row = _row(header, line)
            check(kind, row)
            first = seen.setdefault(row[header[0]], number)
            if first != number:
                raise RowError(f"`{row[header[0]]}` has a row already, row {first}")
        except RowError as error:
            raise UsageError(f"{shown}:{number}: {error}") from None
    if not header:
        raise UsageError(f"{shown}: the table is empty; its first row must name the columns")
    return Table(kind, text)


def kind_of(header: list[str]) -> str:
    """What a table is about, by its columns."""
    kinds = {FUNCTIONS: FUNCTION_COLUMNS, **COLUMNS}
    for kind, columns in kinds.items():
        if set(header) <= set(columns) and set(columns) - _OPTIONAL <= set(header) and header[0] == columns[0]:
            return kind
    words = {column for columns in kinds.values() for column in columns}
    for column in header:
        if column not in words:
            raise RowError(f"unknown column `{column}`{did_you_mean(column, words)}")
    forms = "; ".join(", ".join(c for c in columns if c not in _OPTIONAL) for columns in kinds.values())
    raise RowError(f"the columns {', '.join(header)}, divided by tabs, fit no kind of table: {forms}")


def check(kind: str, row: Row) -> None:
    """Raise `RowError` for a row against the grammar."""
    name = row["alias" if kind == ALIASES else "name"]
    if not _NAME.fullmatch(name):
        raise RowError(f"`{name}` is no dotted name")
    if kind == ALIASES:
        if not _NAME.fullmatch(row["canonical"]):
            raise RowError(f"`{row['canonical']}` is no dotted name")
    elif kind == "classes.tsv":
        _word("kind", row["kind"], grammar.KINDS)
    elif kind == "decorators.tsv":
        _word("effect", re.split(r"[(;]", row["effect"])[0].strip(), grammar.DECORATIONS)
    else:
        parameters = _parameters(row["params"])
        if kind == FUNCTIONS:
            _check_effects(row["effects"], parameters)
            _check_returns(row["returns"] or "unknown", parameters)
        else:
            _check_transform(row, parameters)


def _row(header: list[str], line: str) -> Row:
    cells = line.split("\t")
    if len(cells) > len(header):
        raise RowError(f"the row has {len(cells)} cells, the table has {len(header)} columns")
    row = dict(zip(header, [cell.strip() for cell in cells] + [""] * (len(header) - len(cells)), strict=True))
    return {**dict.fromkeys(_OPTIONAL, ""), **row}


def _word(what: str, word: str, words: Iterable[str]) -> None:
    if word not in words:
        raise RowError(f"unknown {what} `{word}`{did_you_mean(word, words)}")


def _parameters(cell: str) -> set[str]:
    parts = cell.split(",") if cell else []
    names: set[str] = set()
    for part in parts:
        if not _PARAMETER.fullmatch(part):
            raise RowError(f"params: `{part}` is no parameter")
        name = part.lstrip("*").rstrip("=")
        if name in names:
            raise RowError(f"params: `{name}` stands twice")
        names |= {name} - {""}
    if sum(part.startswith("*") and not part.startswith("**") for part in parts) > 1:
        raise RowError("params: more than one `*`")
    return {*names, "self"}


def _term(column: str, text: str) -> tuple[str, list[str]]:
    try:
        return grammar.split_term(text)
    except ValueError as error:
        raise RowError(f"{column}: {error}") from None


def _check_effects(cell: str, parameters: set[str]) -> None:
    for effect in filter(None, cell.split(";")):
        name, arguments = _term("effects", effect)
        _word("effect", name, grammar.EFFECTS)
        allowed = {*parameters, "*"} | grammar.EFFECT_WORDS.get(name, set())
        for argument in arguments:
            _word(f"parameter in `{effect}`:", argument, allowed)


def _check_returns(text: str, parameters: set[str]) -> None:
    head, arguments = _term("returns", text)
    head, _, effect = head.partition(":")
    if effect:
        _word("returned value", head, {"callable"})
        _word("effect", effect, grammar.EFFECTS)
        return
    if head in parameters or head in _ANYTHING or head == "instance":
        return
    _word("returned value", head, grammar.RETURNS)
    if head == "when" and arguments:
        _word(f"parameter in `{text}`:", arguments.pop(0).split("=")[0], parameters)
    for argument in arguments:
        _check_returns(argument, parameters)


def _check_transform(row: Row, parameters: set[str]) -> None:
    _word("mode", row["mode"], grammar.MODES)
    _word("result", row["result"], grammar.RESULTS)
    callables = {part.strip().removeprefix("branches*:") for part in row["callables"].split(";") if part.strip()}
    if row["params"] and row["result"] not in ("decorator_call", "decorator_wrapper"):
        for name in callables:
            _word("parameter in callables:", name, parameters)
    for fed in filter(None, row["feeds"].split("; ")):
        subject, _, feeds = fed.partition(":")
        _word("callable in feeds:", subject, callables)
        for word in _fed(feeds):
            _word("word in feeds:", word, grammar.FEEDS | parameters)


def _fed(feeds: str) -> Iterator[str]:
    if "same signature" not in feeds:
        for feed in re.findall(r"[^, ]+", feeds):
            yield feed.lstrip("*").split("=")[0].rstrip(".")
