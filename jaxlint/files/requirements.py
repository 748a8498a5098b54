"""What a project says about the versions of a package that it needs."""

from __future__ import annotations

import ast
import configparser
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.files.disk import exists, is_file
from jaxlint.syntax.python import python_tree
from jaxlint.target import Target, supported

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from jaxlint.config.settings import Settings

DEFAULT = "default"
"""Says so when nobody does."""

_PACKAGE = "jax"
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_LOCK_FILES = ("uv.lock", "poetry.lock", "pdm.lock")
_LOCKED = re.compile(rf'^name = "{_PACKAGE}"\nversion = "([^"]+)"', re.MULTILINE)


def judged_against(settings: Settings, path: Path) -> tuple[str, str]:
    """The JAX version or versions that a file is judged against, and who says so."""
    text, origin = settings.target_of(path)
    if text:
        return text, origin
    found = None if settings.isolated else project_target(path.parent)
    return (str(found), "what the project requires") if found is not None else (settings.target_jax, DEFAULT)


@cache
def project_target(folder: Path) -> Target | None:
    """The JAX versions that the project of the files in `folder` asks for; None when it does not say."""
    found = _declared(folder)
    if found is not None or any(exists(folder / name) for name in _PROJECT_FILES) or folder.parent == folder:
        return found
    return project_target(folder.parent)


def forget_requirements() -> None:
    """Read the project's files again, for a process that outlives changes to them."""
    project_target.cache_clear()
    _toml.cache_clear()


def _declared(folder: Path) -> Target | None:
    for source in (_pyproject, _optional, _requirements_files, _setup_cfg, _setup_py, _lock_files):
        found = supported(source(folder))
        if found is not None:
            return found
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _wanted(lines: object) -> Iterator[str]:
    """The version specifiers of the package among requirements in the form of PEP 508."""
    for line in lines if isinstance(lines, list | tuple) else ():
        if not isinstance(line, str) or _PACKAGE not in line.lower():
            continue
        from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 (few runs meet one)
        from packaging.utils import canonicalize_name  # noqa: PLC0415

        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if canonicalize_name(requirement.name) == _PACKAGE:
            yield str(requirement.specifier)


@cache
def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError:
        return {}


def _table(values: object, *names: str) -> dict[str, Any]:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values if isinstance(values, dict) else {}


def _pyproject(folder: Path) -> Iterator[str]:
    values = _toml(folder / "pyproject.toml")
    yield from _wanted(_table(values, "project").get("dependencies"))
    yield from _poetry(_table(values, "tool", "poetry", "dependencies"))


def _optional(folder: Path) -> Iterator[str]:
    values = _toml(folder / "pyproject.toml")
    groups = (
        _table(values, "project", "optional-dependencies"),
        _table(values, "dependency-groups"),
        _table(values, "tool", "pdm", "dev-dependencies"),
    )
    for group in groups:
        for lines in group.values():
            yield from _wanted(lines)
    for group in _table(values, "tool", "poetry", "group").values():
        yield from _poetry(_table(group, "dependencies"))


def _poetry(table: dict[str, Any]) -> Iterator[str]:
    """Poetry's own spelling: `^0.4.20`, `~0.4.20`, `*`, or a table with a `version`."""
    value = table.get(_PACKAGE)
    for entry in value if isinstance(value, list) else [value]:
        text = entry.get("version") if isinstance(entry, dict) else entry
        if isinstance(text, str):
            yield ",".join(filter(None, (_poetry_part(part.strip()) for part in text.split(","))))


def _poetry_part(part: str) -> str:
    numbers = re.findall(r"\d+", part)
    if part in ("", "*") or not numbers:
        return ""
    if part[0] not in "^~":
        return part if part[0] in "<>=!" else f"=={part}"
    kept = 2 if part[0] == "~" or numbers[0] == "0" else 1
    if len(numbers) < kept:
        return f">={part[1:]}"
    bound = [*numbers[: kept - 1], str(int(numbers[kept - 1]) + 1)]
    return f">={part[1:].strip()},<{'.'.join(bound)}"


def _requirements_files(folder: Path) -> Iterator[str]:
    files = sorted(folder.glob("requirements*.txt")) + sorted(folder.glob("requirements/*.txt"))
    # The plain file speaks for the project, the others for its tests or its documentation.
    for path in files if not is_file(folder / "requirements.txt") else [folder / "requirements.txt"]:
        yield from _wanted([re.sub(r"(^|\s)(#|--hash).*|\\$", "", line).strip() for line in _read(path).splitlines()])


def _setup_cfg(folder: Path) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(_read(folder / "setup.cfg"))
    except configparser.Error:
        return
    yield from _wanted(parser.get("options", "install_requires", fallback="").splitlines())
    if parser.has_section("options.extras_require"):
        for _, lines in parser.items("options.extras_require"):
            yield from _wanted(lines.splitlines())


def _setup_py(folder: Path) -> Iterator[str]:
    """Requirements that stand in the file as they are."""
    try:
        tree = python_tree(_read(folder / "setup.py"))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
            yield from _wanted([node.value])


def _lock_files(folder: Path) -> Iterator[str]:
    for name in _LOCK_FILES:
        for locked in _LOCKED.findall(_read(folder / name)):
            yield f"=={locked}"
