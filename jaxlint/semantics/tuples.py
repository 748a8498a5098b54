"""Named tuples that a call makes: `collections.namedtuple("State", "x key")`, `typing.NamedTuple("State", [...])`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.semantics.values import UNKNOWN, Const, Ext, Opaque, Partial, Place, Ref, TupleV, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
_CLASS = "collections.__namedtuple__"

Handler = Callable[["Interpreter", Args, Kwargs, Place], Value]


def _listed(it: Interpreter, value: Value) -> tuple[Value, ...] | None:
    if isinstance(value, TupleV):
        return value.items
    if isinstance(value, Ref) and value.kind == "list":
        content = it.st.content(value)
        return None if content.open or content.rest is not None else tuple(content.items)
    return None


def _fields(it: Interpreter, value: Value) -> list[str] | None:
    """The names of the fields, however they are written; None where they are not all known."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value.replace(",", " ").split()
    names: list[str] = []
    for item in _listed(it, value) or ():
        name = item.items[0] if isinstance(item, TupleV) and item.items else item
        if not isinstance(name, Const) or not isinstance(name.value, str):
            return None
        names.append(name.value)
    return names or None


def _factory(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    """The class, as a function that is given its fields first."""
    given = args[1] if len(args) > 1 else kwargs.get("field_names", UNKNOWN)
    names = _fields(it, given)
    if names is None:
        return Opaque()
    fields = TupleV(tuple(Const(name) for name in names))
    defaults = _listed(it, kwargs.get("defaults", UNKNOWN)) or ()
    return Partial(it.ext(_CLASS), (fields, TupleV(defaults)), {})


def defaults_of(value: Value) -> dict[str, Value | None] | None:
    """The fields, with their defaults, of a named tuple that a class is derived from; None where it is no such."""
    if not isinstance(value, Partial) or not isinstance(value.func, Ext) or value.func.name != _CLASS:
        return None
    fields, defaults = value.args
    if not isinstance(fields, TupleV) or not isinstance(defaults, TupleV):
        return None
    found: dict[str, Value | None] = {name.value: None for name in fields.items if isinstance(name, Const)}
    found.update(zip(list(found)[len(found) - len(defaults.items) :], defaults.items, strict=False))
    return found


def _instance(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    fields, defaults, *given = args
    if not isinstance(fields, TupleV) or not isinstance(defaults, TupleV):
        return Opaque()
    names = tuple(name.value for name in fields.items if isinstance(name, Const))
    filled = dict(zip(reversed(names), reversed(defaults.items), strict=False))
    filled.update(zip(names, given, strict=False))
    filled.update(kwargs)
    return TupleV(tuple(filled.get(name) or Opaque(name) for name in names), None, names)


HANDLERS: dict[str, Handler] = {
    "collections.namedtuple": _factory,
    "typing.NamedTuple": _factory,
    _CLASS: _instance,
}
