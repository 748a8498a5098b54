"""Where what a project says of its own functions counts more than what is read in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.values import Func, Key, Opaque, Value

if TYPE_CHECKING:
    from jaxlint.knowledge import FunctionInfo
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.values import Place


def bound(it: Interpreter, name: str, value: Value) -> Value:
    """What a global name of a module is bound to: the library entity that the project takes it for, if it does."""
    full = f"{it.fr.env.name}.{name}"
    if full not in it.knowledge.own:
        return value
    found = it.ext(full)
    info = it.knowledge.functions.get(found.name)
    if isinstance(value, Func) and info is not None and info.sketch:
        info.complete([param.name for param in value.fn.params if param.kind in ("pos", "any")])
    return found


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


def other_keys(
    it: Interpreter, info: FunctionInfo, bound: dict[str, Value], given: tuple[Value, ...], place: Place
) -> None:
    """Use up the keys that a call gives in another way than the project's word on the function foresees."""
    from jaxlint.semantics.keys import consume

    foreseen = [bound.get(name) for _, names in info.effects for name in names]
    for value in given:
        if isinstance(value, Key) and not any(value is other for other in foreseen):
            consume(it, value, "unknown", place)


def _qualified(func: Func) -> str:
    owner = (func.cls.ir.name,) if func.cls is not None else ()
    return ".".join((func.env.name, *owner, func.fn.name))
