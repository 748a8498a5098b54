"""The settings of a file: command line, then `--config`, then the nearest settings file, then what that one extends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jaxlint
from jaxlint.config import toml
from jaxlint.config.catalogue import Catalogue, Selector
from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.config.kinds import Context, Selectors
from jaxlint.config.selection import Selection, enabled, fixable
from jaxlint.config.settings import KEYS, OPTIONS, Settings, defaults
from jaxlint.config.toml import Layer
from jaxlint.files.disk import is_file

_EXTEND = "extend"
_REQUIRED = "required-version"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where settings come from besides the files found beside the code."""

    command_line: Layer
    inline: tuple[Layer, ...] = ()
    file: Path | None = None
    isolated: bool = False


class Resolver:
    """Settings by folder. Each settings file is read once."""

    def __init__(self, catalogue: Catalogue, sources: Sources, cwd: Path) -> None:
        self.catalogue = catalogue
        self.cwd = cwd
        # Selectors of codes that are reserved: right words that select nothing yet.
        self.idle: dict[str, None] = {}
        self._sources = sources
        self._by_folder: dict[Path, Settings] = {}
        self._own = [self._checked(layer) for layer in (*sources.inline, sources.command_line)]
        self._fixed: Settings | None = None
        if sources.file is not None:
            self._fixed = self._resolve(self._chain(sources.file, ()))
        elif sources.isolated:
            self._fixed = self._resolve([])
        self._without_file: Settings | None = None

    def for_file(self, path: Path) -> Settings:
        """The settings of a file, which need not exist."""
        return self.for_folder(path.parent)

    def for_folder(self, folder: Path) -> Settings:
        """The settings of the files that stand in a folder."""
        if self._fixed is not None:
            return self._fixed
        known = self._by_folder.get(folder)
        if known is None:
            known = self._discover(folder)
            self._by_folder[folder] = known
        return known

    def _discover(self, folder: Path) -> Settings:
        layer = toml.find_in(folder, self._shown(folder / "{name}"))
        if layer is not None:
            return self._resolve(self._extended(layer, ()))
        if folder.parent == folder:
            if self._without_file is None:
                self._without_file = self._resolve([])
            return self._without_file
        return self.for_folder(folder.parent)

    def _chain(self, path: Path, seen: tuple[Path, ...]) -> list[Layer]:
        """A settings file and what it extends, nearest first."""
        if path in seen:
            names = " -> ".join(self._shown(file) for file in (*seen, path))
            raise UsageError(f"settings files extend each other: {names}")
        layer = toml.read_file(path, self._shown(path))
        if layer is None:
            raise UsageError(f"{self._shown(path)} has no [tool.jaxlint] table")
        return self._extended(layer, seen)

    def _extended(self, layer: Layer, seen: tuple[Path, ...]) -> list[Layer]:
        self._checked(layer)
        target = layer.values.get(_EXTEND)
        if target is None or layer.path is None:
            return [layer]
        place = layer.place(_EXTEND)
        if not isinstance(target, str):
            raise UsageError(f"{place}: `{_EXTEND}` must be the path of a settings file")
        path = (layer.base / Path(target).expanduser()).resolve()
        if not is_file(path):
            raise UsageError(f"{place}: `{_EXTEND}` names `{target}`, which is not a file")
        return [layer, *self._chain(path, (*seen, layer.path))]

    def _checked(self, layer: Layer) -> Layer:
        required = layer.values.get(_REQUIRED)
        if required is not None:  # first: settings for another version may have keys that this one does not know
            text = OPTIONS[KEYS[_REQUIRED]].kind.read(required, self._context(layer, _REQUIRED))
            if not _satisfies(jaxlint.__version__, text):
                place = layer.place(_REQUIRED)
                raise UsageError(f"{place}: `{_REQUIRED}` is `{text}`, this is jaxlint {jaxlint.__version__}")
        for key in layer.values:
            if key not in KEYS and not (key == _EXTEND and layer.path is not None):
                near = did_you_mean(key, [*KEYS, _EXTEND])
                if key == "tool":
                    near = "; in this file settings stand at the top, without `[tool.jaxlint]`"
                raise UsageError(f"{layer.place(key)}: unknown setting `{key}`{near}")
        return layer

    def _resolve(self, files: list[Layer]) -> Settings:
        layers = [*reversed(files), *self._own]
        base = files[0].base if files else self.cwd
        values: dict[str, Any] = dict(defaults(base, self.catalogue))
        origins: dict[str, str] = {}
        selections: list[Selection] = []
        fixes: list[Selection] = []
        for layer in layers:
            read = self._read(layer)
            for name, value in read.items():
                place = layer.place(name.replace("_", "-"))
                if OPTIONS[name].adds and name in values:
                    value, place = (*values[name], *value), f"{origins[name]}, {place}"
                values[name], origins[name] = value, place
            selections.append(_selection(read))
            fixes.append(Selection(read.get("fixable"), (), read.get("unfixable", ())))
        return Settings(
            **values,
            rules=enabled(self.catalogue, selections),
            mendable=fixable(self.catalogue, fixes),
            isolated=self._sources.isolated,
            sources=tuple(layer.path for layer in files if layer.path is not None),
            origins=origins,
        )

    def _read(self, layer: Layer) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for key, value in layer.values.items():
            if key == _EXTEND:
                continue
            read[KEYS[key]] = found = OPTIONS[KEYS[key]].kind.read(value, self._context(layer, key))
            if isinstance(OPTIONS[KEYS[key]].kind, Selectors):
                self.idle.update(dict.fromkeys(selector.word for selector in found if not selector.codes))
        return read

    def _context(self, layer: Layer, key: str) -> Context:
        place = layer.place(key) if layer.path is None else f"{layer.place(key)}: `{key}`"
        return Context(place, layer.base, self.catalogue)

    def _shown(self, path: Path) -> str:
        try:
            return str(path.relative_to(self.cwd))
        except ValueError:
            return str(path)


def _selection(read: dict[str, Sequence[Selector]]) -> Selection:
    return Selection(
        tuple(read["select"]) if "select" in read else None,
        tuple(read.get("extend_select", ())),
        (*read.get("ignore", ()), *read.get("extend_ignore", ())),
    )


def _satisfies(version: str, required: str) -> bool:
    ours = _numbers(version)
    for part in filter(None, (piece.strip() for piece in required.split(","))):
        operator, number = re.split(r"(?=\d)", part, maxsplit=1)
        theirs = _numbers(number)
        width = max(len(ours), len(theirs))
        left, right = ours + (0,) * (width - len(ours)), theirs + (0,) * (width - len(theirs))
        holds = {
            "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "!=": left != right,
        }.get(operator.strip(), left == right)  # fmt: skip
        if not holds:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
