"""`--show-settings`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jaxlint.config.catalogue import Selector
from jaxlint.config.kinds import PerFile, PerFileTable
from jaxlint.config.patterns import Patterns
from jaxlint.config.settings import OPTIONS, Settings
from jaxlint.files.requirements import judged_against


def show_settings(path: Path, settings: Settings) -> str:
    """The settings of a file in TOML, each with where it comes from."""
    rows = [f"# settings of {path}"]
    rows += [f"# from {source}" for source in settings.sources] or ["# no settings file"]
    for name in OPTIONS:
        key = name.replace("_", "-")
        origin = settings.origins.get(name, "default")
        value = getattr(settings, name)
        if name == "target_jax":
            value, origin = judged_against(settings, path.parent)
        shown = _per_files(value) if isinstance(OPTIONS[name].kind, PerFileTable) else _toml(value)
        rows.append(f"{key} = {shown}  # {origin}")
    rows.append(f"# rules that are on in this file:\n# {' '.join(sorted(settings.rules_for(path)))}")
    return "\n".join(rows) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_words(value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps("" if value is None else str(value))


def _words(values: tuple[Any, ...]) -> list[str]:
    words: list[str] = []
    for value in values:
        if isinstance(value, Patterns):
            words += [json.dumps(text) for text in value.texts]
        else:
            words.append(json.dumps(value.word if isinstance(value, Selector) else value))
    return words


def _per_files(entries: tuple[PerFile, ...]) -> str:
    rows = []
    for entry in entries:
        pattern = ("!" if entry.negated else "") + entry.patterns.texts[0]
        rows.append(f"{json.dumps(pattern)} = {json.dumps(sorted(entry.codes))}")
    return "{ " + ", ".join(rows) + " }" if rows else "{}"
