"""The settings that hold for a file, and where each comes from: `jaxlint config` and `--show-settings`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jaxlint.config.settings import OPTIONS, Settings
from jaxlint.files.disk import is_folder
from jaxlint.files.requirements import DEFAULT, judged_against


def show_settings(path: Path, settings: Settings) -> str:
    """The settings of a file as TOML, each with where it comes from; those that nobody set are comments."""
    rows = [f"# settings of {path}"]
    rows += [f"# from {source}" for source in settings.sources] or ["# no settings file"]
    values = _values(path, settings)
    rows += [f"{name} = {_toml(value)}  # {origin}" for name, (value, origin) in values.items() if origin != DEFAULT]
    rows.append("# defaults:")
    rows += [f"# {name} = {_toml(value)}" for name, (value, origin) in values.items() if origin == DEFAULT]
    rows.append(f"# rules that are on in this file:\n# {' '.join(sorted(settings.rules_for(_inside(path))))}")
    return "\n".join(rows) + "\n"


def settings_object(path: Path, settings: Settings) -> dict[str, Any]:
    """The same as JSON data. Keys are never removed."""
    return {
        "path": str(path),
        "files": [str(source) for source in settings.sources],
        "settings": {
            name: {"value": value, "source": origin} for name, (value, origin) in _values(path, settings).items()
        },
        "rules": sorted(settings.rules_for(_inside(path))),
    }


def _inside(path: Path) -> Path:
    """A file that stands for all those in a folder."""
    return path / "_.py" if is_folder(path) else path


def _values(path: Path, settings: Settings) -> dict[str, tuple[object, str]]:
    """Each setting with its value, as TOML holds it, and its origin."""
    found = {}
    for name, option in OPTIONS.items():
        value, origin = getattr(settings, name), settings.origins.get(name, DEFAULT)
        if name == "target_jax":
            value, origin = judged_against(settings, _inside(path))
        found[name.replace("_", "-")] = option.kind.plain(value), origin
    return found


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()]
        return "{ " + ", ".join(rows) + " }" if rows else "{}"
    return json.dumps("" if value is None else value)
