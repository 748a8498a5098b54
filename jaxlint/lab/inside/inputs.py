"""Inputs that are fresh and equivalent: a new set for every call, of the same types, and none of it used up."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax

from jaxlint.lab.inside.callables import Subject, static_names
from jaxlint.lab.inside.mixed import traceable
from jaxlint.lab.inside.signatures import Signature, differences, signature

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class InputError(Exception):
    """The factory did not give what a fair measurement needs."""


class Source:
    """Asks the factory for the inputs of each call, and checks them. `fresh` says whether they were new objects."""

    def __init__(self, subject: Subject, factory: Callable[[], Arguments]) -> None:
        self._subject = subject
        self._factory = factory
        self._first: Signature | None = None
        self._used: dict[int, weakref.ref[Any]] = {}
        self._seen: dict[int, weakref.ref[Any]] = {}
        self.fresh = True

    def draw(self) -> Arguments:
        """The inputs of the next call, ready on their devices."""
        args, kwargs = self._factory()
        leaves = arrays((args, kwargs))
        for leaf in leaves:
            if self._is(self._used, leaf) or leaf.is_deleted():
                raise InputError(
                    "the factory returned a buffer that an earlier call has taken over (donated); "
                    "it must make new arrays each time"
                )
        jax.block_until_ready(leaves)
        self._check_equivalent(args, kwargs)
        self.fresh = self.fresh and not any(self._is(self._seen, leaf) for leaf in leaves)
        self._seen = {id(leaf): weakref.ref(leaf) for leaf in leaves}
        return tuple(args), dict(kwargs)

    def give(self, arguments: Arguments, donated: Sequence[bool]) -> None:
        """Note what the call took over: what the function declares as donated, and what is gone."""
        self._used = {key: reference for key, reference in self._used.items() if reference() is not None}
        leaves = dynamic_leaves(self._subject, arguments)
        declared = donated if len(donated) == len(leaves) else [False] * len(leaves)
        for leaf, taken in zip(leaves, declared, strict=True):
            if isinstance(leaf, jax.Array) and (taken or leaf.is_deleted()):
                self._used[id(leaf)] = weakref.ref(leaf)

    @staticmethod
    def _is(known: dict[int, weakref.ref[Any]], leaf: Any) -> bool:
        reference = known.get(id(leaf))
        return reference is not None and reference() is leaf

    def _check_equivalent(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        now = signature(self._subject, args, kwargs)
        if self._first is None:
            self._first = now
            return
        for cause in differences(now, self._first):
            if cause.kind != "closure identity":
                raise InputError(
                    f"the factory is not constant: {cause.kind} of `{cause.argument}` was {cause.before}, "
                    f"and is now {cause.now}"
                )


def arrays(tree: Any) -> list[Any]:
    """The JAX arrays in a tree."""
    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if isinstance(leaf, jax.Array)]


def dynamic_leaves(subject: Subject, arguments: Arguments) -> list[Any]:
    """The leaves of what is not static, in the order of the program's inputs."""
    args, kwargs = arguments
    static = static_names(subject, args)
    named = list(subject.named(args, kwargs))
    positional = [value for name, value in named[: len(args)] if name not in static]
    keywords = {name: value for name, value in named[len(args) :] if name not in static}
    leaves = jax.tree_util.tree_leaves((positional, keywords))
    return [leaf for leaf in leaves if traceable(leaf) or isinstance(leaf, bool)]


def donated_leaves(subject: Subject, arguments: Arguments) -> list[bool]:
    """For each of the dynamic leaves whether the function declares that it takes the buffer over; [] if unknown."""
    if not subject.staged:
        return []
    args, kwargs = arguments
    infos = subject.call.trace(*args, **kwargs).args_info  # type: ignore[attr-defined]
    return [bool(info.donated) for info in jax.tree_util.tree_leaves(infos)]
