"""`jit` for functions whose arguments hold arrays beside other things, such as modules with activation functions."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

_NUMBERS = (jax.Array, np.ndarray, np.generic, jax.ShapeDtypeStruct, int, float, complex)


def traceable(leaf: Any) -> bool:
    """Whether `jit` takes it and a program means it as a number. Switches (`bool`) are meant as options."""
    return isinstance(leaf, (*_NUMBERS, jax.core.Tracer)) and not isinstance(leaf, bool)


def is_mixed(tree: Any) -> bool:
    """Whether a tree holds leaves of both kinds."""
    kinds = {traceable(leaf) for leaf in jax.tree_util.tree_leaves(tree)}
    return len(kinds) == 2


class _Path:
    """A path in the original tree as one key."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Path) and str(other) == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class Mixed:
    """A tree whose numbers are its leaves; the rest belongs to its structure, and is compared by identity or value."""

    def __init__(self, tree: Any) -> None:
        pairs, self._structure = jax.tree_util.tree_flatten_with_path(tree)
        self._numbers = [leaf for _, leaf in pairs if traceable(leaf)]
        self._paths = tuple(_Path(jax.tree_util.keystr(path)) for path, leaf in pairs if traceable(leaf))
        self._others = tuple(None if traceable(leaf) else (_Same(leaf),) for _, leaf in pairs)

    def tree(self) -> Any:
        """The tree as it was."""
        numbers = iter(self._numbers)
        leaves = [next(numbers) if other is None else other[0].value for other in self._others]
        return jax.tree_util.tree_unflatten(self._structure, leaves)

    def flatten(self) -> tuple[list[tuple[_Path, Any]], tuple[Any, ...]]:
        """Children with their paths, and the structure."""
        return list(zip(self._paths, self._numbers, strict=True)), (self._structure, self._paths, self._others)

    @classmethod
    def unflatten(cls, structure: tuple[Any, ...], numbers: Any) -> Mixed:
        """The inverse of `flatten`."""
        made = cls.__new__(cls)
        made._structure, made._paths, made._others = structure
        made._numbers = list(numbers)
        return made


class _Same:
    """A value with a hash, equal to what is the same object or compares equal."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same):
            return False
        if self.value is other.value:
            return True
        try:
            return type(self.value) is type(other.value) and bool(self.value == other.value)
        except Exception:
            return False

    def __hash__(self) -> int:
        return hash(type(self.value))


jax.tree_util.register_pytree_with_keys(Mixed, Mixed.flatten, Mixed.unflatten)


class MixedJit:
    """`jax.jit` with mixed arguments and results wrapped on their way in and out."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        def body(*args: Any, **kwargs: Any) -> Any:
            result = function(*_unwrapped(args), **_unwrapped(kwargs))
            return Mixed(result) if _has_others(result) else result

        body.__name__ = self.__name__ = getattr(function, "__name__", "function")
        with contextlib.suppress(TypeError, ValueError):
            # Names of static arguments are looked up there, so that they hold for positions, too.
            body.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        self._jitted = jax.jit(body, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As of a jitted function."""
        result = self._jitted(*_wrapped(args), **_wrapped(kwargs))
        return result.tree() if isinstance(result, Mixed) else result

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """As of a jitted function."""
        return self._jitted.trace(*_wrapped(args), **_wrapped(kwargs))

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """As of a jitted function."""
        return self._jitted.lower(*_wrapped(args), **_wrapped(kwargs))


def _has_others(tree: Any) -> bool:
    return not all(traceable(leaf) or isinstance(leaf, bool) for leaf in jax.tree_util.tree_leaves(tree))


def _wrapped(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: Mixed(value) if is_mixed(value) else value for name, value in values.items()}
    return tuple(Mixed(value) if is_mixed(value) else value for value in values)


def _unwrapped(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: value.tree() if isinstance(value, Mixed) else value for name, value in values.items()}
    return tuple(value.tree() if isinstance(value, Mixed) else value for value in values)
