"""Questions that several rules ask of values and events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.semantics.naming import innermost_function
from jaxlint.semantics.values import (
    ABSTRACT,
    BATCHED,
    DEFAULTED,
    Array,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    is_none,
    traced_inside,
)

if TYPE_CHECKING:
    from jaxlint.semantics.events import KeyReused, Mutated, Use

_ARRAY_HINTS = frozenset({"array", "float", "int", "bool"})
_NAMED = re.compile(r"[^\W\d][\w.]*(\[[^\[\]]*\])?")
_KEY_LIKE = re.compile(r"key|rng|seed|random", re.IGNORECASE)
_KEY_FIRST = frozenset({"sample", "split", "fold"})


# ---- traced values --------------------------------------------------------------------------------------------------


def traced_array(value: Value) -> Trace | None:
    """The trace of a value that is certainly a traced array, or a tuple that holds one; None otherwise."""
    if isinstance(value, Union):
        return _traced_union(value)
    if isinstance(value, TupleV):
        return next((trace for trace in map(traced_array, value.items) if trace is not None), None)
    if isinstance(value, Array) or (isinstance(value, Opaque) and value.hint in _ARRAY_HINTS):
        return sure(value.trace)
    return None


def sure(trace: Trace | None) -> Trace | None:
    """The trace of a value that is traced however the function is called; a default is filled in untraced."""
    return trace if trace is not None and trace.certain and not trace.flags & DEFAULTED else None


def _traced_union(value: Union) -> Trace | None:
    """A union counts when each member that is not None does; only what all of them share is sure."""
    common: Trace | None = None
    for member in value.members:
        if is_none(member):
            continue
        trace = traced_array(member)
        if trace is None:
            return None
        if common is None:
            common = trace
        elif common.flags != trace.flags:
            common = Trace(common.flags & trace.flags, common.why)
    return common


def lacks_number(trace: Trace) -> bool:
    """Whether there is no number to look at; a value that is only differentiated has one."""
    return bool(trace.flags & (ABSTRACT | BATCHED))


def truthless(value: Value) -> Trace | None:
    """The trace of a value whose truth cannot be told. A tuple is true by its length, whatever it holds."""
    trace = None if isinstance(value, TupleV) else traced_array(value)
    return trace if trace is not None and lacks_number(trace) else None


def holds_tracer(value: Value | None) -> bool:
    """Whether a value is certainly traced, or an object that was made with a traced part."""
    if value is None:
        return False
    trace = traced_inside(value)
    if trace is not None:
        return True
    if isinstance(value, Ref):
        items = value.initial.items
        parts = items.values() if isinstance(items, dict) else items
        return any(found is not None and found.certain for found in map(traced_inside, parts))
    return False


# ---- keys -----------------------------------------------------------------------------------------------------------


def innermost(use: Use) -> Use:
    """The use inside the callees that this one stands for."""
    while use.inner is not None:
        use = use.inner
    return use


def key_argument(use: Use, place: Place | None = None, other: Place | None = None) -> str | None:
    """The source text of the key that the call at `place` was given, None where that cannot be told.

    Of another call it is the only argument whose name speaks of a key, or its only argument, unless the callee had the
    key already; where the call at `other` is given too, one that both share.
    """
    if isinstance(use.value, Opaque) and use.value.name:
        return use.value.name
    place = place or use.place
    arguments = _arguments(place)
    if use.how in _KEY_FIRST and use.inner is None and place == use.place:
        return _name(arguments.get("key") or arguments.get("0", ""))
    shared = set(arguments.values())
    if other is not None and other != place:
        shared &= set(_arguments(other).values())
    named = [text for text in shared if _KEY_LIKE.search(text)] or (list(shared) if len(arguments) == 1 else [])
    if len(named) != 1:
        return None
    return _name(named[0]) if _KEY_LIKE.search(named[0]) else _held_key(use, place) or _name(named[0])


def _held_key(use: Use, place: Place) -> str | None:
    """The key that the function which `place` calls was made with: a name of its surroundings, or a default."""
    while use.place == place:
        if use.inner is None:
            return None
        use = use.inner
    fn, key = innermost_function(use.place), key_argument(use)
    if fn is None or key is None:
        return None
    param = next((param for param in fn.params if param.name == key), None)
    held = param.default is not None if param is not None else key not in fn.locals
    return key if held else None


def _name(text: str) -> str | None:
    return text if _NAMED.fullmatch(text) else None


def reused_key(event: KeyReused) -> str | None:
    """The source text of a key that is consumed again, from either of its uses."""
    found = key_argument(event.use, event.place, event.previous_place)
    return found or key_argument(event.previous, event.previous_place, event.place)


def _arguments(place: Place) -> dict[str, str]:
    """The source text of the arguments of the call at `place`, by keyword or position."""
    node = place[0].nodes[place[1]]
    if not isinstance(node, cst.Call):
        return {}
    found: dict[str, str] = {}
    for position, argument in enumerate(node.args):
        if not argument.star:
            name = argument.keyword.value if argument.keyword is not None else str(position)
            found[name] = " ".join(cst.Module([]).code_for_node(argument.value).split())
    return found


def named_key(name: str | None) -> str:
    """How a message speaks of a key."""
    return f"key `{name}`" if name else "this key"


# ---- stores ---------------------------------------------------------------------------------------------------------


def leaks(event: Mutated) -> bool:
    """Whether a store lets a traced value outlive its trace; one into a copy of an argument is lost instead."""
    if not holds_tracer(event.stored):
        return False
    return event.target != "argument" or event.shared
