"""What the user names: a function of a file or of a module, and what makes its inputs."""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.child.factory import Inputs, call_factory, factory, named_in_comment
from jaxlint.child.loading import Loaded, LoadError, find, load


def target(text: str) -> tuple[Loaded, Any]:
    """The module and the function that `FILE::FUNC` or `pkg.mod::FUNC` names."""
    place, _, qualname = text.partition("::")
    if not qualname:
        raise LoadError(f"`{text}` names no function: write FILE::FUNC")
    loaded = _module(place)
    function = find(loaded, qualname)
    if not callable(function):
        raise LoadError(f"{place} has `{qualname}`, which is a {type(function).__name__} and no function")
    return loaded, function


@dataclass(frozen=True, slots=True)
class Side:
    """A function with its factory, if one was named: by the user, or by a comment at the function."""

    loaded: Loaded
    name: str
    function: Any
    factory: tuple[str, Callable[[], Inputs]] | None

    def required(self) -> Callable[[], Inputs]:
        """The factory, where nothing can stand in for it."""
        if self.factory is None:
            raise LoadError(
                f"`{self.name}` needs inputs: name a function that returns `(args, kwargs)` with --factory, "
                f"or in a comment above it: `# jaxlint: inputs=make_inputs`"
            )
        return self.factory[1]


def sides(requested: Iterable[dict[str, Any]]) -> Iterator[Side]:
    """The sides of a comparison."""
    for side in requested:
        loaded, function = target(side["target"])
        qualname = side["target"].partition("::")[2]
        name = side["factory"] or _from_comment(loaded, qualname)
        yield Side(loaded, qualname, function, _named(loaded, name) if name is not None else None)


def _named(loaded: Loaded, name: str) -> tuple[str, Callable[[], Inputs]]:
    make = any_factory(loaded, name)
    return name, lambda: call_factory(make, name)


def any_factory(loaded: Loaded, name: str) -> Any:
    """A factory by `FILE::NAME`, by `pkg.mod:NAME`, or by its name in the module of the function."""
    return target(name)[1] if "::" in name else factory(loaded, name)


def _module(place: str) -> Loaded:
    path = Path(place)
    if path.is_file():
        return load(path.resolve())
    if path.suffix == ".py" or os.sep in place:
        raise LoadError(f"{place}: no such file")
    sys.path.append(os.getcwd())  # noqa: PTH109 (a text is wanted)
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise LoadError(f"{place}: neither a file nor a module that can be imported") from None
    return Loaded(module, ast.Module([], []), getattr(module, "__file__", None) or place)


def _from_comment(loaded: Loaded, qualname: str) -> str | None:
    body: list[ast.stmt] = loaded.tree.body
    found: ast.stmt | None = None
    for part in qualname.split("."):
        found = next((node for node in body if getattr(node, "name", None) == part), None)
        if found is None:
            return None
        body = getattr(found, "body", [])
    if found is None or not body:
        return None
    first = min([found.lineno, *(decorator.lineno for decorator in getattr(found, "decorator_list", ()))])
    return named_in_comment(loaded, first, body[0].lineno - 1)
