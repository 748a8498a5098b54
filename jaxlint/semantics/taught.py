"""Where what a project says of its own functions counts more than what is read in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.values import Func, Opaque, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def bound(it: Interpreter, name: str, value: Value) -> Value:
    """What a global name of a module is bound to: the library entity that the project takes it for, if it does."""
    full = f"{it.fr.env.name}.{name}"
    return it.ext(full) if full in it.knowledge.own else value


def as_key(it: Interpreter, func: Func, index: int, name: str, value: Value) -> Value:
    """An unknown argument; a key where the project says that the parameter holds one."""
    known = it.knowledge
    if type(value) is not Opaque or not (known.key_names or known.key_parameters):
        return value
    words = known.key_parameters.get(_qualified(func), frozenset())
    position = index - (func.receiver is not None)
    if name in known.key_names or name in words or position in words:
        return it.child((value.uid, "key"), lambda: Opaque(value.name, trace=value.trace, hint="key", parent=value))
    return value


def _qualified(func: Func) -> str:
    owner = (func.cls.ir.name,) if func.cls is not None else ()
    return ".".join((func.env.name, *owner, func.fn.name))
