"""The calls that `jaxlint recompiles` makes: out of a factory, or written down in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.child.factory import call_factory
from jaxlint.child.loading import Loaded, LoadError
from jaxlint.lab.inside.recompiles import Case
from jaxlint.lab.inside.targets import any_factory

Batch = Callable[[], Sequence[Case]]


def batches(loaded: Loaded, factory: str | None, file: str | None, repeat: int) -> Iterable[Batch]:
    """All cases, as often as asked for; each time they are made anew."""
    if factory is not None:
        make = any_factory(loaded, factory)
        return [lambda: _from_factory(make, factory)] * repeat
    if file is not None:
        entries = _entries(Path(file))
        return [lambda: [_from_json(entry, number, file) for number, entry in enumerate(entries, 1)]] * repeat
    raise LoadError("there are no cases: name a factory with --factory, or a JSON file with --cases")


def _from_factory(make: Callable[[], Iterable[Any]], name: str) -> list[Case]:
    """Each case is `(args, kwargs)`, `(name, args, kwargs)`, or positional arguments alone in a tuple."""
    cases = []
    for number, made in enumerate(make(), 1):
        label = f"case {number}"
        if isinstance(made, tuple) and len(made) == 3 and isinstance(made[0], str) and isinstance(made[2], dict):
            label, made = made[0], made[1:]
        args, kwargs = call_factory(lambda given=made: given, name)
        cases.append(Case(label, args, kwargs))
    return cases


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LoadError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except ValueError as error:
        raise LoadError(f"{path}: not JSON: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise LoadError(f"{path}: a list of objects with `args` and `kwargs` is expected")
    return entries


def _from_json(entry: dict[str, Any], number: int, file: str) -> Case:
    unknown = set(entry) - {"name", "args", "kwargs"}
    if unknown:
        raise LoadError(f"{file}: case {number} has `{sorted(unknown)[0]}`; it may have `name`, `args` and `kwargs`")
    place = f"{file}: case {number}"
    args = tuple(_value(value, place) for value in entry.get("args", ()))
    kwargs = {name: _value(value, place) for name, value in entry.get("kwargs", {}).items()}
    return Case(entry.get("name", f"case {number}"), args, kwargs)


def _value(value: Any, place: str) -> Any:
    """JSON as Python has it. Objects with a `$` stand for what JSON lacks: arrays, keys and tuples."""
    if isinstance(value, list):
        return [_value(item, place) for item in value]
    if not isinstance(value, dict):
        return value
    marks = {name for name in value if name.startswith("$")}
    if not marks:
        return {name: _value(item, place) for name, item in value.items()}
    if marks <= {"$shape", "$dtype"} and "$shape" in marks:
        return jnp.zeros(tuple(value["$shape"]), _dtype(value.get("$dtype", "float32"), place))
    if marks <= {"$array", "$dtype"} and "$array" in marks:
        dtype = _dtype(value["$dtype"], place) if "$dtype" in value else None
        return jnp.asarray(np.asarray(value["$array"]), dtype)
    if marks == {"$key"}:
        return jax.random.key(value["$key"])
    if marks == {"$tuple"}:
        return tuple(_value(item, place) for item in value["$tuple"])
    raise LoadError(f"{place}: `{sorted(marks)[0]}` is not one of $shape, $array (with $dtype), $key and $tuple")


def _dtype(name: str, place: str) -> Any:
    try:
        return jnp.dtype(name)
    except TypeError:
        raise LoadError(f"{place}: `{name}` is no dtype") from None
