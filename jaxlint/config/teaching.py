"""The settings with which a project teaches the linter its own wrappers and libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.config.kinds import STRINGS, Context, Kind, Schema, T, strings
from jaxlint.files.disk import is_file

if TYPE_CHECKING:
    from jaxlint.knowledge.teaching import Parameters, Table

_QUALIFIED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_NAMES: Schema = {"pattern": f"^{_QUALIFIED.pattern}$"}


class TransformTable(Kind["tuple[tuple[str, str], ...]"]):
    """Qualified name to the transformation that it behaves like."""

    expected = "a table of qualified names to names of transformations"

    def read(self, value: object, context: Context) -> tuple[tuple[str, str], ...]:
        """Each name with its transformation."""
        from jaxlint.knowledge import load  # noqa: PLC0415 (most settings need no tables)

        known = load()
        found = []
        for name, like in _table(self, value, context).items():
            _check_name(name, context)
            if not isinstance(like, str):
                raise self.wrong(like, context)
            if known.canonical(like) not in known.transforms:
                near = did_you_mean(like, known.transforms)
                raise UsageError(f"{context.place}, `{name}`: `{like}` is no transformation that jaxlint knows{near}")
            found.append((name, like))
        return tuple(found)

    def plain(self, value: tuple[tuple[str, str], ...]) -> object:
        """Name to transformation."""
        return dict(value)

    def schema(self) -> Schema:
        """A name for each name."""
        return {"type": "object", "propertyNames": _NAMES, "additionalProperties": {"type": "string"}}


class ParameterTable(Kind["Parameters"]):
    """Qualified name to names and positions of parameters."""

    expected = "a table of qualified names to parameters, each by name or position"

    def __init__(self, *, any_function: bool = False) -> None:
        self._any_function = any_function

    def read(self, value: object, context: Context) -> Parameters:
        """Each name with its parameters."""
        found = []
        for name, given in _table(self, value, context).items():
            every = self._any_function and name == "*"
            if not every:
                _check_name(name, context)
            words = given if isinstance(given, list) else [given]
            for word in words:
                good = isinstance(word, str) and word.isidentifier()
                if not good and (every or isinstance(word, bool) or not isinstance(word, int) or word < 0):
                    wanted = "a parameter's name" if every else "a parameter's name or its position, from 0 on"
                    raise UsageError(f"{context.place}, `{name}` must give {wanted}, not `{word}`")
            found.append((name, tuple(words)))
        return tuple(found)

    def plain(self, value: Parameters) -> object:
        """Name to parameters."""
        return {name: list(words) for name, words in value}

    def schema(self) -> Schema:
        """A parameter or a list of them for each name."""
        name: Schema = {"type": "string", "pattern": r"^[A-Za-z_]\w*$"}
        one: Schema = {"anyOf": [name, {"type": "integer", "minimum": 0}]}
        many: Schema = {"anyOf": [one, {"type": "array", "items": one}]}
        table: Schema = {"type": "object", "propertyNames": _NAMES, "additionalProperties": many}
        if self._any_function:
            every: Schema = {"anyOf": [name, {"type": "array", "items": name}]}
            table |= {"propertyNames": {"anyOf": [_NAMES, {"const": "*"}]}, "properties": {"*": every}}
        return table


class TableFiles(Kind["tuple[tuple[Path, Table], ...]"]):
    """Knowledge tables, by file."""

    expected = "a list of files"
    metavar = "FILES"

    def read(self, value: object, context: Context) -> tuple[tuple[Path, Table], ...]:
        """Each file with its table."""
        from jaxlint.config.tables import read_table  # noqa: PLC0415 (as above)

        found = []
        for text in strings(self, value, context):
            path = context.base / Path(text).expanduser()
            if not is_file(path):
                raise UsageError(f"{context.place} names `{text}`, which is not a file")
            found.append((path, read_table(path, text)))
        return tuple(found)

    def plain(self, value: tuple[tuple[Path, Table], ...]) -> object:
        """The files."""
        return [str(path) for path, _ in value]

    def schema(self) -> Schema:
        """A list of strings."""
        return STRINGS


def _table(kind: Kind[T], value: object, context: Context) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise kind.wrong(value, context)
    return value


def _check_name(name: str, context: Context) -> None:
    if not _QUALIFIED.fullmatch(name):
        raise UsageError(f"{context.place}: `{name}` is no qualified name such as `package.module.function`")
