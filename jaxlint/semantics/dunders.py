"""Operators that a class of the project defines: `a + b`, `a < b`, `x in a`, `for x in a`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.values import Opaque, Place, Ref, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _own(it: Interpreter, value: Value, name: str, args: tuple[Value, ...], place: Place) -> Value | None:
    """What the method `__name__` of an object of the project gives; None where its class has none."""
    from jaxlint.semantics.attributes import call_method_of

    if not isinstance(value, Ref) or value.kind != "object":
        return None
    return call_method_of(it, value, f"__{name}__", args, {}, place)


def binary(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> Value | None:
    """The value of `left op right` where a class decides it."""
    name = _BINARY.get(op)
    if name is None:
        return None
    found = _own(it, left, name, (right,), place)
    return found if found is not None else _own(it, right, f"r{name}", (left,), place)


def comparison(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> Value | None:
    """The value of a comparison or of `left in right` where a class decides it."""
    from jaxlint.semantics.attributes import class_attr

    if op in ("in", "not in"):
        defined = isinstance(right, Ref) and right.cls is not None and class_attr(right.cls, "__contains__") is not None
        return Opaque(static=True) if defined else None
    name = _COMPARISONS.get(op)
    if name is None:
        return None
    found = _own(it, left, name, (right,), place)
    return found if found is not None else _own(it, right, _SWAPPED[name], (left,), place)


def unary(it: Interpreter, op: str, operand: Value, place: Place) -> Value | None:
    """The value of `-x`, `+x` or `~x` where a class decides it."""
    name = {"-": "neg", "+": "pos", "~": "invert"}.get(op)
    return _own(it, operand, name, (), place) if name is not None else None


def iterator(it: Interpreter, value: Value, place: Place) -> Value | None:
    """What goes through an object in a loop, unless the object does so itself."""
    found = _own(it, value, "iter", (), place)
    return None if found is None or isinstance(found, Ref) else found
