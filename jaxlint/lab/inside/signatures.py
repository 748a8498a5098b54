"""What a call is to the cache of a jitted function, and in what two calls differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxlint.lab.inside.callables import Subject, static_names

_LONGEST = 80
# How unlike two calls are: one that differs in the sharding alone is nearer than one of another structure.
_WEIGHTS = {
    "sharding": 2, "weak type": 3, "closure identity": 4, "static value": 4, "dtype": 5, "shape": 6,
    "arguments": 20, "pytree structure": 30,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leaf:
    """An array or number that is traced."""

    shape: tuple[Any, ...]
    dtype: str
    weak_type: bool
    sharding: str

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that is part of the cache key itself."""

    value: Any


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: how it is built, and its leaves by their paths."""

    structure: Any
    leaves: dict[str, Leaf | Fixed]


@dataclass(frozen=True, slots=True)
class Cause:
    """One difference between two calls."""

    kind: str
    argument: str
    before: str
    now: str

    def as_json(self) -> dict[str, str]:
        """Plain data."""
        return {"kind": self.kind, "argument": self.argument, "before": self.before, "now": self.now}


Signature = dict[str, Argument]


def signature(subject: Subject, args: Sequence[Any], kwargs: dict[str, Any]) -> Signature:
    """The arguments of a call as the cache sees them."""
    static = static_names(subject, args)
    return {name: _argument(value, static=name in static) for name, value in subject.named(args, kwargs)}


def nearest(now: Signature, earlier: Sequence[Signature]) -> tuple[int, list[Cause]]:
    """The earlier call that differs least, by number, and in what it differs. Of equals the last one counts."""
    compared = [(number, differences(now, before)) for number, before in enumerate(earlier)]
    return min(reversed(compared), key=lambda entry: sum(_WEIGHTS[cause.kind] for cause in entry[1]))


def differences(now: Signature, before: Signature) -> list[Cause]:
    """All differences between two calls."""
    causes = []
    for name in [*now, *(name for name in before if name not in now)]:
        if name not in before:
            causes.append(Cause("arguments", name, "not passed", "passed"))
        elif name not in now:
            causes.append(Cause("arguments", name, "passed", "not passed"))
        else:
            causes += _of_argument(name, now[name], before[name])
    return causes


def _argument(value: Any, *, static: bool) -> Argument:
    if static:
        return Argument(None, {"": Fixed(value)})
    leaves, structure = jax.tree_util.tree_flatten_with_path(value)
    return Argument(structure, {jax.tree_util.keystr(path): _leaf(leaf) for path, leaf in leaves})


def _leaf(value: Any) -> Leaf | Fixed:
    if not isinstance(value, (jax.Array, np.ndarray, np.generic, bool, int, float, complex, jax.ShapeDtypeStruct)):
        return Fixed(value)
    seen = jax.eval_shape(lambda x: x, value)
    weak = getattr(
        value, "weak_type", isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)
    )
    committed = getattr(value, "committed", getattr(value, "_committed", False))
    sharding = str(getattr(value, "sharding", None)) if committed else "uncommitted"
    return Leaf(tuple(seen.shape), str(seen.dtype), bool(weak), sharding)


def _of_argument(name: str, now: Argument, before: Argument) -> Iterator[Cause]:
    if now.structure != before.structure:
        yield Cause("pytree structure", name, _short(before.structure), _short(now.structure))
        return
    for path, leaf in now.leaves.items():
        yield from _of_leaf(name + path, leaf, before.leaves[path])


def _of_leaf(name: str, now: Leaf | Fixed, before: Leaf | Fixed) -> Iterator[Cause]:
    if isinstance(now, Fixed) or isinstance(before, Fixed):
        if isinstance(now, Leaf) or isinstance(before, Leaf):
            yield Cause("static value", name, _shown(before), _shown(now))
        elif not _equal(now.value, before.value):
            kind = "closure identity" if _same_code(now.value, before.value) else "static value"
            yield Cause(kind, name, _shown(before), _shown(now))
        return
    if now.shape != before.shape:
        yield Cause("shape", name, str(before), str(now))
    if now.dtype != before.dtype:
        yield Cause("dtype", name, str(before), str(now))
    if now.weak_type != before.weak_type:
        words = {True: "weak, as of a Python number", False: "strong, as of an array"}
        yield Cause("weak type", name, f"{before} {words[before.weak_type]}", f"{now} {words[now.weak_type]}")
    if now.sharding != before.sharding:
        yield Cause("sharding", name, _short(before.sharding), _short(now.sharding))


def _equal(now: Any, before: Any) -> bool:
    if now is before:
        return True
    try:
        return type(now) is type(before) and bool(now == before)
    except Exception:
        return False


def _same_code(now: Any, before: Any) -> bool:
    """Whether both are one function of the source, made anew: a closure, a lambda, a partial, a bound method."""
    codes = [_code(value) for value in (now, before)]
    return codes[0] is not None and codes[0] == codes[1]


def _code(value: Any) -> Any:
    for attribute in ("func", "__func__", "__wrapped__"):
        inner = getattr(value, attribute, None)
        if inner is not None:
            return _code(inner)
    return getattr(value, "__code__", None)


def _shown(leaf: Leaf | Fixed) -> str:
    return _short(leaf.value) if isinstance(leaf, Fixed) else str(leaf)


def _short(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
