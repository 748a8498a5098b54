"""Arguments that a call gives away: each buffer is gone after it, and must not be given twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics import (
    buffers,
)
from jaxlint.semantics.values import (
    Array,
    Const,
    Place,
    Value,
    Wrapped,
)
from jaxlint.semantics.wrappers import Chosen, Kwargs, parameter_names

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def donate(it: Interpreter, wrapped: Wrapped, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    """Give away the arguments that the options of the wrapper name; a call that does so twice is told."""
    options = wrapped.options
    if "donate" in options:
        _donate_all(it, options["donate"], args, kwargs, place)
        return
    if "donate_argnums" not in options and "donate_argnames" not in options:
        return
    chosen = Chosen(it, wrapped, "donate_argnums", "donate_argnames")
    if not chosen.known or it.fr.ctx.abstract:
        return
    parameters = parameter_names(wrapped.inner) or []
    donated: list[tuple[Value, str]] = []
    kept: list[Value] = []
    static = Chosen(it, wrapped, "static_argnums", "static_argnames")
    for index, value in enumerate(args):
        name = parameters[index] if index < len(parameters) else None
        if chosen.has(index, name):
            donated.append((value, name or ""))
        elif not static.has(index, name):
            kept.append(value)
    for name, value in kwargs.items():
        if chosen.has(None, name):
            donated.append((value, name))
        elif not static.has(None, name):
            kept.append(value)
    for value, _ in donated:
        buffers.read(it, value, place, "donated again")
    _same_buffer_twice(it, [value for value, _ in donated], kept, place)
    for value in kept:
        buffers.read(it, value, place, "passed on")
    for value, name in donated:
        buffers.donate(it, value, place, name)


def _donate_all(it: Interpreter, option: Value, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    """Equinox's `donate="all"` and its variants."""
    word = option.value if isinstance(option, Const) else None
    if not isinstance(word, str) or word in ("none",) or it.fr.ctx.abstract:
        return
    chosen = args[1:] if "except-first" in word else args
    for value in (*chosen, *kwargs.values()):
        buffers.read(it, value, place, "donated again")
    for value in (*chosen, *kwargs.values()):
        buffers.donate(it, value, place, "")


def _same_buffer_twice(it: Interpreter, donated: list[Value], kept: list[Value], place: Place) -> None:
    """One array donated and given again in the same call."""
    from jaxlint.semantics.events import DonatedRead, Donation

    seen: set[int] = set()
    for position, value in enumerate([*donated, *kept]):
        uids = {leaf.uid for leaf in buffers.leaves(it, value) if not (isinstance(leaf, Array) and leaf.lib != "jax")}
        if uids & seen:
            it.emit(DonatedRead(place, value, Donation(place, "", tuple(it.passes), value), "", False))
            return
        if position < len(donated):
            seen |= uids
