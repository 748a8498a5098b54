"""Settings files: reading them, and finding the row of a key for messages."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.config.errors import UsageError
from jaxlint.files.disk import is_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_NAMES = (".jaxlint.toml", "jaxlint.toml", "pyproject.toml")
_TABLE = "tool.jaxlint"


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says, by key. `text` is the file's, to find rows in; inline settings have none."""

    values: dict[str, Any]
    base: Path
    name: str
    path: Path | None = None
    text: str = ""

    def place(self, key: str) -> str:
        """Where a key stands, for messages."""
        if self.path is None:
            return self.name.format(key=key)
        row = _row_of(self.text, key, _TABLE if self.path.name == "pyproject.toml" else "")
        return f"{self.name}:{row}" if row else self.name


def read_file(path: Path, shown: str) -> Layer | None:
    """The settings of a file; None when it is a `pyproject.toml` without our table."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{shown}: the settings cannot be read: {(error.strerror or str(error)).lower()}") from None
    shared = path.name == "pyproject.toml"
    if shared and b"jaxlint" not in data:
        return None
    try:
        text = data.decode("utf-8-sig")
        values: Any = tomllib.loads(text)
    except UnicodeDecodeError:
        raise UsageError(f"{shown}: the settings are not valid UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown}{_where(str(error))}: invalid TOML: {_reason(str(error))}") from None
    if shared:
        tool = values.get("tool", {})
        values = tool.get("jaxlint") if isinstance(tool, dict) else None
        if values is None:
            return None
        if not isinstance(values, dict):
            raise UsageError(f"{shown}: `{_TABLE}` must be a table")
    return Layer(values, path.parent, shown, path, text)


def read_inline(text: str, base: Path) -> Layer:
    """The settings of `--config 'key = value'`."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"--config: `{text}` is neither a file nor valid TOML: {_reason(str(error))}") from None
    return Layer(values, base, "--config `{key}`")


def find_in(folder: Path, shown: str) -> Layer | None:
    """The settings file of a folder. `jaxlint.toml` wins over `pyproject.toml`."""
    for name in FILE_NAMES:
        path = folder / name
        if is_file(path):
            layer = read_file(path, shown.format(name=name))
            if layer is not None:
                return layer
    return None


def _row_of(text: str, key: str, table: str) -> int:
    """The row that sets a key, found by its looks: TOML readers do not tell."""
    current = ""
    word = re.escape(key)
    dotted = re.compile(rf"^\s*{re.escape(table)}\.{word}\s*[=.]") if table else None
    plain = re.compile(rf"""^\s*["']?{word}["']?\s*[=.]""")
    for row, line in enumerate(text.split("\n"), 1):
        header = re.match(r"""^\s*\[\s*([^\]]+?)\s*\]""", line)
        if header:
            current = re.sub(r"""["'\s]""", "", header.group(1))
            if current == (f"{table}.{key}" if table else key):
                return row
        elif (current == table and plain.match(line)) or (dotted and not current and dotted.match(line)):
            return row
    return 0


def _where(message: str) -> str:
    match = re.search(r"at line (\d+), column (\d+)", message)
    return f":{match.group(1)}:{match.group(2)}" if match else ""


def _reason(message: str) -> str:
    reason = re.sub(r"\s*\(at line .*\)$", "", message)
    return reason[:1].lower() + reason[1:]
