"""What the client has set: when the server runs, and the linter's own settings by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxlint.config.errors import did_you_mean
from jaxlint.config.settings import KEYS

SECTION = "jaxlint"

ON_TYPE, ON_SAVE = "onType", "onSave"

MOST_DEBOUNCE = 5_000


@dataclass(frozen=True)
class ClientSettings:
    """The settings of one folder. `linter` holds those of the linter by their names in TOML.

    run: when files are checked. debounce: milliseconds without a keystroke before that. configuration: a settings file
    that stands in for those beside the code.
    """

    enable: bool = True
    run: str = ON_TYPE
    debounce: int = 30
    configuration: str = ""
    linter: dict[str, Any] = field(default_factory=dict)


def read_settings(value: object) -> tuple[ClientSettings, list[str]]:
    """The settings in what a client sent, and what is wrong with it; wrong settings count as not set."""
    if isinstance(value, Mapping) and isinstance(value.get(SECTION), Mapping):
        value = value[SECTION]
    if isinstance(value, Mapping) and isinstance(value.get("settings"), Mapping):
        value = value["settings"]
    if value is None:
        return ClientSettings(), []
    if not isinstance(value, Mapping):
        return ClientSettings(), [f"the editor's settings for jaxlint must be an object, not {value!r}"]
    own: dict[str, Any] = {}
    linter: dict[str, Any] = {}
    problems: list[str] = []
    for key, given in value.items():
        name = _kebab(str(key))
        if given is None:  # how clients say that something is not set
            continue
        if name in _OWN:
            expected, fits = _OWN[name]
            if fits(given):
                own[name] = given
            else:
                problems.append(f"the editor's setting `{key}` must be {expected}, not `{given}`")
        elif name in KEYS and name not in _NOT_HERE:
            linter[name] = given
        else:
            problems.append(f"the editor's settings: unknown setting `{key}`{did_you_mean(name, [*KEYS, *_OWN])}")
    return ClientSettings(**own, linter=linter), problems


_OWN: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "enable": ("true or false", lambda value: isinstance(value, bool)),
    "run": (f"`{ON_TYPE}` or `{ON_SAVE}`", lambda value: value in (ON_TYPE, ON_SAVE)),
    "debounce": (
        f"a number of milliseconds up to {MOST_DEBOUNCE}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_DEBOUNCE,
    ),
    "configuration": ("the path of a settings file", lambda value: isinstance(value, str)),
}

_NOT_HERE = frozenset({"output-format", "cache-dir"})
"""Settings of the linter that mean nothing to an editor."""


def _kebab(name: str) -> str:
    """`extendSelect` as `extend-select`, which it may also be given as."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"-\1", name).replace("_", "-").lower()
