"""What is known of a transformed callable: its function, its parameters, and which of them an option names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.values import (
    Const,
    Func,
    Many,
    Partial,
    Ref,
    TupleV,
    Value,
    Wrapped,
    is_none,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


Kwargs = dict[str, Value]


STATIC = frozenset({"static_argnums", "static_argnames", "static_broadcasted_argnums"})


def innermost(value: Value) -> Func | None:
    """The function of the project that a chain of wrappers and partials ends in."""
    for _ in range(12):
        if isinstance(value, Func):
            return value
        if isinstance(value, Partial):
            value = value.func
        elif isinstance(value, Wrapped):
            value = value.inner
        else:
            return None
    return None


def parameter_names(value: Value) -> list[str] | None:
    """Positional parameters that a callable still takes, by name."""
    if isinstance(value, Func):
        names = [p.name for p in value.fn.params if p.kind in ("pos", "any")]
        return names[1:] if value.receiver is not None else names
    if isinstance(value, Partial):
        names_left = parameter_names(value.func)
        if names_left is None:
            return None
        return [name for name in names_left[len(value.args) :] if name not in value.kwargs]
    if isinstance(value, Wrapped):
        return parameter_names(value.inner)
    return None


def constants(it: Interpreter, value: Value | None) -> list[Any] | None:
    """The constants of an option such as `static_argnums`; None when they are not known."""
    if value is None or is_none(value):
        return []
    if isinstance(value, Const):
        return [value.value]
    items: Iterable[Value]
    if isinstance(value, TupleV):
        items = value.items
    elif isinstance(value, Ref) and value.kind in ("list", "set"):
        content = it.st.content(value)
        if content.open or content.rest is not None:
            return None
        items = content.items
    elif isinstance(value, Many) and value.kind == "range" and value.length is not None:
        items = [value.element(i) for i in range(min(value.length, 6))]
    else:
        return None
    found = [item.value for item in items if isinstance(item, Const)]
    return found if len(found) == len(list(items)) else None


class Chosen:
    """Arguments that an option picks, by position and by name. `known` is False when the option is not understood."""

    def __init__(self, it: Interpreter, wrapped: Wrapped, numbers: str, names: str) -> None:
        options = wrapped.options
        positions = constants(it, options.get(numbers))
        if not positions and numbers == "static_argnums" and "static_broadcasted_argnums" in options:
            positions = constants(it, options.get("static_broadcasted_argnums"))
        named = constants(it, options.get(names))
        self.known = positions is not None and named is not None
        parameters = parameter_names(wrapped.inner)
        self.positions: set[int] = set()
        self.names: set[str] = {name for name in named or () if isinstance(name, str)}
        for position in positions or ():
            if not isinstance(position, int):
                continue
            if position < 0 and parameters is not None:
                position += len(parameters)
            self.positions.add(position)
            if parameters is not None and 0 <= position < len(parameters):
                self.names.add(parameters[position])
        if parameters is None:
            self.known = self.known and not self.names  # which positions they have is not known
        else:
            self.positions |= {index for index, name in enumerate(parameters) if name in self.names}
            # A wrapper that passes its arguments on has the signature of what it wraps: the names are found there.
            func = innermost(wrapped.inner)
            if func is not None and self.names - {param.name for param in func.fn.params}:
                self.known = self.known and not any(param.kind == "star" for param in func.fn.params)

    def has(self, position: int | None, name: str | None) -> bool:
        """Whether an argument is picked."""
        return (position is not None and position in self.positions) or (name is not None and name in self.names)
