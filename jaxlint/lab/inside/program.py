"""A jaxpr as numbers: its equations with those inside, its constants, its effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import jax


def describe(closed: Any) -> dict[str, Any]:
    """Size, primitives, constants and effects of a closed jaxpr."""
    primitives: Counter[str] = Counter()
    deepest = 0
    for equation, depth in equations(closed, 1):
        primitives[str(equation.primitive)] += 1
        deepest = max(deepest, depth)
    constants = list(_constants(closed))
    return {
        "equations": len(_body(closed).eqns),
        "equations_nested": sum(primitives.values()),
        "depth": deepest,
        "primitives": dict(sorted(primitives.items(), key=lambda item: (-item[1], item[0]))),
        "constants": sorted(constants, key=lambda constant: (-constant["bytes"], constant["type"])),
        "constant_bytes": sum(constant["bytes"] for constant in constants),
        "effects": sorted(str(effect) for effect in _body(closed).effects),
    }


def short_type(value: Any) -> str:
    """`float32[3,4]`, for arrays, abstract values and anything with a shape and a dtype."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return type(value).__name__
    return f"{dtype}[{','.join(str(length) for length in shape)}]"


def unused_inputs(closed: Any) -> list[bool]:
    """For each input whether no equation and no output reads it; the compiled program does without such inputs."""
    body = _body(closed)
    needed = {id(atom) for atom in body.outvars}
    for equation in reversed(body.eqns):
        if equation.effects or any(id(out) in needed for out in equation.outvars):
            needed |= {id(atom) for atom in equation.invars}
    return [id(variable) not in needed for variable in body.invars]


def _body(closed: Any) -> Any:
    """The jaxpr of a closed one; newer releases make no difference between the two."""
    held = getattr(closed, "jaxpr", None)
    return held if hasattr(held, "eqns") else closed


def inner(equation: Any) -> Iterator[Any]:
    """The programs that an equation holds: bodies of loops and branches, called functions."""
    for value in equation.params.values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(_body(item), "eqns"):
                yield item


def equations(closed: Any, depth: int) -> Iterator[tuple[Any, int]]:
    """The equations with those inside, each with how deep it lies."""
    for equation in _body(closed).eqns:
        yield equation, depth
        for part in inner(equation):
            yield from equations(part, depth + 1)


def _constants(closed: Any) -> Iterator[dict[str, Any]]:
    """Arrays that the program holds, each once: what the function captured, or made while it was traced."""
    seen: set[int] = set()
    for value in constant_values(closed):
        if id(value) not in seen and getattr(value, "size", 1) > 1:
            seen.add(id(value))
            yield {"type": short_type(value), "bytes": _bytes(value)}


def constant_values(closed: Any) -> Iterator[Any]:
    """Values that the program holds, among them literals; one may come more than once."""
    yield from getattr(closed, "consts", ())
    body = _body(closed)
    for equation in body.eqns:
        for atom in equation.invars:
            if hasattr(atom, "val"):
                yield atom.val
        for part in inner(equation):
            yield from constant_values(part)
    for atom in body.outvars:
        if hasattr(atom, "val"):
            yield atom.val


def _bytes(value: Any) -> int:
    if jax.dtypes.issubdtype(getattr(value, "dtype", None), jax.dtypes.extended):
        value = jax.random.key_data(value)
    return int(getattr(value, "nbytes", 0))
