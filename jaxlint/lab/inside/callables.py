"""The function under the instrument, as something that JAX can trace."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from jaxlint.lab.inside.mixed import MixedJit, traceable

_JITTED = type(jax.jit(lambda: None))


@dataclass(frozen=True, slots=True)
class Subject:
    """A function that can be called, and traced if `staged`.

    jitted_by: `program`, when it came so, `jaxlint`, `both`, when what it came with is no `jax.jit`, or None for one
    that runs as it is. static: the names of arguments that are fixed when it is traced.
    """

    name: str
    call: Callable[..., Any]
    staged: bool
    jitted_by: str | None
    static: tuple[str, ...]
    parameters: inspect.Signature | None

    def named(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """The arguments of a call by the names of their parameters."""
        return named_arguments(self.parameters, args, kwargs)


def is_staged(function: Any) -> bool:
    """Whether the function is jitted by `jax.jit`, so that it can be asked for its program."""
    return isinstance(function, _JITTED)


def _has_own_jit(function: Any) -> bool:
    """Whether it is jitted in some way, by `jax.jit` or by a library's own."""
    return is_staged(function) or callable(getattr(function, "lower", None))


def as_it_is(name: str, function: Callable[..., Any]) -> Subject:
    """The function without any change."""
    return Subject(
        name,
        function,
        is_staged(function),
        "program" if _has_own_jit(function) else None,
        _declared_static(function),
        _signature(function),
    )


def jitted(
    name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], static: Sequence[str] = ()
) -> Subject:
    """The function as it came if it is jitted, and under `jit` otherwise.

    Then those arguments are static that the user names, and those that hold no number: strings, functions, switches. Of
    an argument that holds both, such as a module with its activation functions, the numbers are traced.
    """
    if is_staged(function):
        return as_it_is(name, function)
    signature = _signature(function)
    _check_names(static, signature, name)
    passed = list(named_arguments(signature, args, kwargs))
    names = list(static)
    for argument, value in passed:
        leaves = jax.tree_util.tree_leaves(value)
        if argument not in static and leaves and not any(traceable(leaf) for leaf in leaves):
            names.append(argument)
    # Positions of names are found by the signature, unless positions without a name are given beside them.
    unnamed = [position for position, (argument, _) in enumerate(passed) if argument in names and "[" in argument]
    positions = [position for position, (argument, _) in enumerate(passed[: len(args)]) if argument in names]
    call = MixedJit(
        function,
        static_argnums=tuple(positions) if unnamed or signature is None else None,
        static_argnames=tuple(name for name in names if "[" not in name) or None,
    )
    by = "both" if _has_own_jit(function) else "jaxlint"
    return Subject(name, call, True, by, tuple(names), signature)


def named_arguments(
    signature: inspect.Signature | None, args: Sequence[Any], kwargs: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Pairs of a parameter's name and what is passed for it."""
    names = [] if signature is None else [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    for position, value in enumerate(args):
        yield names[position] if position < len(names) else f"args[{position}]", value
    yield from kwargs.items()


def static_names(subject: Subject, args: Sequence[Any]) -> set[str]:
    """The static arguments of a call by name, also those that were declared by position."""
    names = set(subject.static)
    for position, (argument, _) in enumerate(subject.named(args, {})):
        if f"#{position}" in subject.static or f"#{position - len(args)}" in subject.static:
            names.add(argument)
    return names


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _check_names(static: Sequence[str], signature: inspect.Signature | None, name: str) -> None:
    if signature is None or any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        return
    for word in static:
        if word not in signature.parameters:
            raise ValueError(f"`{name}` has no parameter `{word}`; it has {', '.join(signature.parameters) or 'none'}")


def _declared_static(function: Any) -> tuple[str, ...]:
    """What a jitted function was told to keep static: names, and positions as `#0`.

    JAX offers no question for it; the state that its functions pickle has the answer in all supported
    releases.
    """
    try:
        state = function.__getstate__()
        return (*state["static_argnames"], *(f"#{position}" for position in state["static_argnums"]))
    except (AttributeError, KeyError, TypeError):
        return ()
