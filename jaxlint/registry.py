"""Finds rules through the entry-point group `jaxlint.rules`, the same door that other rule packages use."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from jaxlint.deferred import defer
from jaxlint.rule import Rule

GROUP = "jaxlint.rules"


def modules_of(package: ModuleType) -> Iterator[ModuleType]:
    """The package and every module below it."""
    yield package
    for info in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
        yield importlib.import_module(info.name)


@lru_cache(maxsize=1)
def rule_packages() -> tuple[EntryPoint, ...]:
    """The installed packages of rules, in the order of their names; to look for them takes a while."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.value))


@lru_cache(maxsize=1)
def rule_classes() -> tuple[type[Rule], ...]:
    """Every rule class, sorted by code.

    Raises ValueError when two rules claim one code or one name.
    """
    defer("libcst")  # what rules want of it they want once something is found
    found: dict[str, type[Rule]] = {}
    for point in rule_packages():
        loaded = point.load()
        for module in modules_of(loaded) if isinstance(loaded, ModuleType) else ():
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                    code = getattr(value, "code", None)
                    if code is None:
                        continue
                    if found.setdefault(code, value) is not value:
                        raise ValueError(f"{code} is claimed by {found[code].__module__} and {value.__module__}")
    names: dict[str, str] = {}
    for code, rule in found.items():
        if names.setdefault(rule.name, code) != code:
            raise ValueError(f"the name {rule.name} is claimed by {names[rule.name]} and {code}")
    return tuple(found[code] for code in sorted(found))
