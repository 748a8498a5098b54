"""What traced code does to the world and reads from it: it happens while JAX traces, not when the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.knowledge import FunctionInfo
from jaxlint.semantics.events import WorldTouched
from jaxlint.semantics.values import (
    ABSTRACT,
    BATCHED,
    ExtObj,
    Many,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    is_none,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def touch(it: Interpreter, info: FunctionInfo, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place) -> None:
    """Tell that traced code calls a function that acts on the world or reads it."""
    ctx = it.fr.ctx
    if ctx.depth == 0 or ctx.shape:
        return
    for effect, words in info.effects:
        if effect == "effect":
            tell(it, info.name, effect, words, shown(it, (*args, *kwargs.values())), place)
        elif effect == "impure" and not _seeded(it, info, words, args, kwargs):
            tell(it, info.name, effect, words, None, place)


def tell(it: Interpreter, name: str, effect: str, words: tuple[str, ...], traced: Trace | None, place: Place) -> None:
    """Emit the event, where the code runs once per trace: eager `vmap` and `grad` run it on every call."""
    ctx = it.fr.ctx
    if it.unasked:
        return  # nothing says when the function is called: it may be a callback
    if ctx.abstract or (traced is not None and traced.flags & (ABSTRACT | BATCHED)):
        it.emit(WorldTouched(place, name, effect, words, traced, it.fr.fn.name, ctx.why))


def read_item(it: Interpreter, name: str, place: Place) -> None:
    """Traced code subscripts a library's mapping, such as `os.environ`."""
    ctx = it.fr.ctx
    if ctx.depth == 0 or ctx.shape:
        return
    info = it.knowledge.functions.get(name)
    words = info.effect("impure") if info is not None else None
    if words is not None:
        tell(it, name, "impure", words, None, place)


def _seeded(
    it: Interpreter, info: FunctionInfo, words: tuple[str, ...], args: tuple[Value, ...], kwargs: dict[str, Value]
) -> bool:
    """Whether the numbers are the same on purpose: a generator with a seed, made in this very trace."""
    if "random" not in words:
        return False
    if info.returns[0] == "instance":
        return any(not is_none(value) for value in (*args, *kwargs.values()))
    receiver = args[0] if args else None
    return (
        isinstance(receiver, ExtObj)
        and it.knowledge.classes.get(receiver.cls) == "generator"
        and receiver.uid >= it.fr.ctx.mark
    )


def shown(it: Interpreter, values: tuple[Value, ...], depth: int = 0) -> Trace | None:
    """The trace of the first value that is certainly traced, also inside containers and texts made of it."""
    for value in values:
        found = _shown(it, value, depth)
        if found is not None:
            return found
    return None


def _shown(it: Interpreter, value: Value, depth: int) -> Trace | None:
    trace = value.trace
    if trace is not None:
        return trace if trace.certain else None
    if isinstance(value, Opaque):
        return text_trace(value)
    if depth > 3:
        return None
    if isinstance(value, TupleV):
        return shown(it, value.items, depth + 1)
    if isinstance(value, Union):
        found = [_shown(it, member, depth + 1) for member in value.members]
        return found[0] if found and None not in found else None
    if isinstance(value, Ref) and value.kind in ("list", "dict", "set"):
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return shown(it, tuple(items), depth + 1)
    if isinstance(value, Many):
        return None
    return None


def text_of(it: Interpreter, values: tuple[Value, ...], places: tuple[Place, ...] = ()) -> Value:
    """A text made of values, such as an f-string: it remembers a traced one among them, and where it is written.

    places: those of the values, or the one of the call or operation that formats them all.
    """
    for index, value in enumerate(values) if it.fr.ctx.depth > 0 else ():
        traced = _shown(it, value, 0)
        if traced is not None:
            tag = value.tag if isinstance(value, Opaque) and text_trace(value) is not None else None
            place = None if not places else places[index] if len(places) == len(values) else places[0]
            return Opaque(static=True, hint="str", tag=tag or ("text", traced, place, index))
    return Opaque(static=True, hint="str")


def text_source(value: Value) -> tuple[Place, int] | None:
    """Where the traced value of a text is written: its place, or that of what formats it, and its number there."""
    if not isinstance(value, Opaque) or text_trace(value) is None or value.tag[2] is None:
        return None
    return value.tag[2], value.tag[3]


def text_trace(value: Value) -> Trace | None:
    """The trace of a value that a text was made of."""
    tag = value.tag if isinstance(value, Opaque) else None
    if isinstance(tag, tuple) and tag[0] == "text" and isinstance(tag[1], Trace):
        return tag[1]
    return None
