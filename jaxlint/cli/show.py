"""The settings that hold for a file, and where each comes from: `jaxlint config` and `--show-settings`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jaxlint.config.settings import OPTIONS, Settings
from jaxlint.files.requirements import judged_against


def show_settings(path: Path, settings: Settings) -> str:
    """The settings of a file in TOML, each with where it comes from."""
    rows = [f"# settings of {path}"]
    rows += [f"# from {source}" for source in settings.sources] or ["# no settings file"]
    for name, (value, origin) in _values(path, settings).items():
        rows.append(f"{name} = {_toml(value)}  # {origin}")
    rows.append(f"# rules that are on in this file:\n# {' '.join(sorted(settings.rules_for(path)))}")
    return "\n".join(rows) + "\n"


def settings_object(path: Path, settings: Settings) -> dict[str, Any]:
    """The same as JSON data. Keys are never removed."""
    return {
        "path": str(path),
        "files": [str(source) for source in settings.sources],
        "settings": {
            name: {"value": value, "source": origin} for name, (value, origin) in _values(path, settings).items()
        },
        "rules": sorted(settings.rules_for(path)),
    }


def _values(path: Path, settings: Settings) -> dict[str, tuple[object, str]]:
    """Each setting with its value, as TOML holds it, and its origin."""
    found = {}
    for name, option in OPTIONS.items():
        value, origin = getattr(settings, name), settings.origins.get(name, "default")
        if name == "target_jax":
            value, origin = judged_against(settings, path.parent)
        found[name.replace("_", "-")] = option.kind.plain(value), origin
    return found


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()]
        return "{ " + ", ".join(rows) + " }" if rows else "{}"
    return json.dumps("" if value is None else value)
