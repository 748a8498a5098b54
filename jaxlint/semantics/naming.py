"""How messages name what stands at a place: the function around it, the arguments and indices written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.semantics.values import Func, Partial, Wrapped

if TYPE_CHECKING:
    from jaxlint.semantics.values import Place, Value
    from jaxlint.syntax import ir

UNNAMED = "…"
"""Stands for source text that cannot be told."""

_LONGEST = 60


def node_at(place: Place) -> cst.CSTNode:
    """The syntax node of a place."""
    module, id = place
    return module.nodes[id]


def source(node: cst.CSTNode | None) -> str:
    """The source text of a node on one line, shortened where it is long."""
    if node is None:
        return UNNAMED
    text = " ".join(cst.Module([]).code_for_node(node).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "…"


def innermost_function(place: Place) -> ir.FunctionIR | None:
    """The innermost function around a place, if there is any."""
    module, id = place
    found: ir.FunctionIR | None = None
    for fn in module.functions:
        if fn.id <= id < fn.id + fn.size and (found is None or fn.id > found.id):
            found = fn
    return found


def function_at(place: Place) -> str:
    """The name of the innermost function around a place."""
    fn = innermost_function(place)
    if fn is None:
        return "the module"
    return "lambda" if fn.is_lambda else fn.name


def called_at(place: Place) -> str:
    """What is called at a place, as it is written."""
    node = node_at(place)
    return source(node.func) if isinstance(node, cst.Call) else UNNAMED


def receiver_at(place: Place) -> str:
    """The object whose method is called at a place."""
    node = node_at(place)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return source(node.func.value)
    return UNNAMED


def argument_at(place: Place, parameter: str, position: int | None) -> str:
    """The argument that a call gives for a parameter, by keyword or position."""
    node = node_at(place)
    if not isinstance(node, cst.Call):
        return UNNAMED
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value == parameter:
            return source(argument.value)
    if position is not None and position < len(node.args):
        argument = node.args[position]
        if argument.keyword is None and not any(other.star for other in node.args[: position + 1]):
            return source(argument.value)
    return UNNAMED


def demanded_at(place: Place, function: str, parameter: str, position: int | None) -> str:
    """The argument of a library's function or array method, which counts its receiver as the first."""
    if not function.startswith("jax.Array."):
        return argument_at(place, parameter, position)
    if position == 0:
        return receiver_at(place)
    return argument_at(place, parameter, position - 1 if position is not None else None)


def index_at(place: Place, position: int, bound: str = "") -> str:
    """One index of a subscript, or a bound of it when it is a slice."""
    node = node_at(place)
    if not isinstance(node, cst.Subscript):
        return UNNAMED
    found: cst.CSTNode | None = node.slice[position if position < len(node.slice) else 0].slice
    if isinstance(found, cst.Index):
        found = found.value
    if isinstance(found, cst.Slice):
        found = getattr(found, bound, None) or found
    return source(found)


def subscripted_at(place: Place) -> str:
    """What is indexed at a place, without a trailing `.at`."""
    node = node_at(place)
    if not isinstance(node, cst.Subscript):
        return UNNAMED
    value = node.value
    if isinstance(value, cst.Attribute) and value.attr.value == "at":
        value = value.value
    return source(value)


def formatted_at(place: Place, number: int) -> str:
    """A value where it is written, or the one that a call of `.format` or an operation with `%` formats."""
    node = node_at(place)
    if isinstance(node, cst.BinaryOperation):
        return source(node.right)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "format":
        return source(node.args[number].value) if number < len(node.args) else source(node.func.value)
    return source(node)


def callable_name(value: Value) -> str:
    """The name of the function that a chain of wrappers and partials ends in."""
    for _ in range(12):
        if isinstance(value, Func):
            return "lambda" if value.fn.is_lambda else value.fn.name
        if isinstance(value, Partial):
            value = value.func
        elif isinstance(value, Wrapped):
            value = value.inner
        else:
            break
    return "the function"


def parameters_at(place: Place) -> set[str]:
    """The parameters of the innermost function around a place."""
    module, id = place
    found: set[str] = set()
    start = -1
    for fn in module.functions:
        if start < fn.id <= id < fn.id + fn.size:
            start, found = fn.id, {param.name for param in fn.params}
    return found


def is_decorator(place: Place) -> bool:
    """Whether a place is a decorator."""
    return isinstance(node_at(place), cst.Decorator)


def described_callable(what: str, name: str) -> str:
    """How a message speaks of a callable that was just made."""
    return {
        "lambda": "a lambda",
        "function": f"the local function `{name}`",
        "partial": "a `partial`",
        "method": f"the bound method `{name}`",
        "wrapped": f"the result of `{name}`",
    }[what]


def is_written_out(place: Place, parameter: str, position: int | None) -> bool:
    """Whether a call gives a parameter as a literal tuple or list, not as a name or by a computation."""
    node = node_at(place)
    if isinstance(node, cst.Decorator):
        node = node.decorator
    if not isinstance(node, cst.Call):
        return False
    found: cst.BaseExpression | None = None
    for number, argument in enumerate(node.args):
        named = argument.keyword is not None and argument.keyword.value == parameter
        if named or (argument.keyword is None and number == position):
            found = argument.value
    return isinstance(found, cst.Tuple | cst.List)
