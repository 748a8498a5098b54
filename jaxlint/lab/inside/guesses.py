"""Inputs for a function whose user names none: the first likely ones with which it can be traced."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from jaxlint.child.factory import Inputs
from jaxlint.child.loading import Loaded, LoadError
from jaxlint.confirm.inside.entries import Entries, Entry
from jaxlint.confirm.inside.values import AXIS, Candidate, combinations
from jaxlint.lab.inside.callables import jitted

_MOST_TRIES = 48
_LONGEST = 20.0


def guess(loaded: Loaded, name: str, function: Any, static: Sequence[str]) -> tuple[str, Callable[[], Inputs]]:
    """What the inputs are, and a factory for them.

    When nothing can be traced, the likeliest inputs are taken, so that the user sees why.
    """
    entries = Entries(loaded, AXIS)
    found = entries.of_value(name, function)
    if not found:
        raise LoadError(
            f"`{name}` needs inputs, and its code is not in {loaded.path}: name a function that returns "
            "`(args, kwargs)` with --factory"
        )
    entry = found[0]
    entry.parameters = [part for part in entry.parameters if not part[1].has_default]
    listed = [entries.maker.candidates(parameter, spec) for parameter, spec, _ in entry.parameters]
    first: tuple[str, Callable[[], Inputs]] | None = None
    deadline = time.monotonic() + _LONGEST
    for row in combinations(listed, _MOST_TRIES):
        made = _label(entry, row), _factory(entry, row)
        first = first or made
        if _traces(name, function, made[1], static):
            return made
        if time.monotonic() > deadline:
            break
    if first is None:
        raise LoadError(f"`{name}` needs inputs, and none could be made: name a factory with --factory")
    return first


def _label(entry: Entry, row: Sequence[Candidate]) -> str:
    parts = [f"{part[0]}={made.label}" for part, made in zip(entry.parameters, row, strict=True)]
    return f"a guess: {', '.join(parts) or 'none needed'}"


def _factory(entry: Entry, row: Sequence[Candidate]) -> Callable[[], Inputs]:
    def make() -> Inputs:
        pairs = list(zip(entry.parameters, row, strict=True))
        args = tuple(made.make() for (_, _, keyword), made in pairs if not keyword)
        return args, {name: made.make() for (name, _, keyword), made in pairs if keyword}

    return make


def _traces(name: str, function: Any, make: Callable[[], Inputs], static: Sequence[str]) -> bool:
    try:
        args, kwargs = make()
        jitted(name, function, args, kwargs, static).call.trace(*args, **kwargs)  # type: ignore[attr-defined]
    except Exception:
        return False
    return True
