"""What is generated from the table of settings: the JSON schema, and the list of settings in the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from jaxlint.config import schema
from jaxlint.config.settings import OPTIONS, Option, default_of

PAGE = Path("docs") / "configuration.md"
SCHEMA = Path("jaxlint") / "config" / schema.FILE.name
BEGIN, END = "<!-- begin: settings -->\n", "<!-- end: settings -->\n"
_WITHOUT_OPTION = "In settings files"


def write(root: Path) -> list[Path]:
    """Bring the files up to date; those that changed."""
    changed = outdated(root)
    for path, text in _wanted(root).items():
        path.write_text(text, encoding="utf-8")
    return changed


def outdated(root: Path) -> list[Path]:
    """The files that do not say what the table of settings says."""
    return [path for path, text in _wanted(root).items() if not path.is_file() or path.read_text("utf-8") != text]


def _wanted(root: Path) -> dict[Path, str]:
    page = (root / PAGE).read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    listed = f"{before}{BEGIN}\n{''.join(_settings())}{END}{after}"
    return {root / PAGE: listed, root / SCHEMA: schema.text()}


def _settings() -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for name, option in OPTIONS.items():
        groups.setdefault(option.group or _WITHOUT_OPTION, []).append(name)
    for group, names in groups.items():
        yield f"### {group}\n\n"
        for name in names:
            yield from _setting(name.replace("_", "-"), OPTIONS[name], default_of(name))


def _setting(key: str, option: Option, default: object) -> Iterator[str]:
    yield f"#### `{key}`\n\n{option.doc[:1].upper()}{option.doc[1:]}.\n\n"
    yield f"- Value: {option.kind.expected}\n"
    yield f"- Default: `{_toml(default)}`\n"
    if option.group:
        metavar = f" {option.kind.metavar}" if option.kind.metavar else ""
        flags = [f"`{flag}{metavar}`" for flag in (f"--{key}", *option.flags)]
        yield f"- Option: {', '.join(flags)}{'' if metavar else f', `--no-{key}`'}\n"
    if option.adds:
        yield "- What several sources say adds up.\n"
    yield "\n"


def _toml(value: object) -> str:
    return "{}" if value == {} else json.dumps(value)
