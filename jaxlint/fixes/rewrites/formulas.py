"""Formulas in floating point that have a stable function of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.fixes import tree

if TYPE_CHECKING:
    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place

_SIGMOIDS = frozenset({"sigmoid", "expit", "logistic"})


def stable(editor: Editor, place: Place) -> Fix | None:
    """The stable function where the whole formula is written in one expression and both are the same function."""
    node = editor.node(place)
    found: tuple[str, str] | None = None
    if isinstance(node, cst.Call) and _is_call(node, "log"):
        found = _logarithm(editor, node.args[0].value)
    elif isinstance(node, cst.BinaryOperation):
        found = _arithmetic(editor, node)
    if found is None or not isinstance(node, cst.BaseExpression):
        return None
    function, arguments = found
    spelled = editor.name(function, node)
    if spelled is None:
        return None
    code, imports = spelled
    return editor.fix(f"use `{code}`", editor.replace_whole(node, f"{code}({arguments})"), imports=imports)


def _logarithm(editor: Editor, inner: cst.BaseExpression) -> tuple[str, str] | None:
    if isinstance(inner, cst.BinaryOperation):
        return _logarithm_of_operation(editor, inner)
    if not isinstance(inner, cst.Call):
        return None
    name = tree.last_name(inner.func)
    if name == "softmax" and _plain(inner) and not _is_method(inner):
        first, last = inner.args[0], inner.args[-1]
        return "jax.nn.log_softmax", editor.slice(editor.between(first, last))
    if _is_call(inner, *_SIGMOIDS):
        return "jax.nn.log_sigmoid", editor.argument(inner.args[0].value)
    if name == "sum":
        return _logsumexp(editor, inner)
    return None


def _logarithm_of_operation(editor: Editor, inner: cst.BinaryOperation) -> tuple[str, str] | None:
    if isinstance(inner.operator, cst.Subtract) and _is_one(inner.left) and _is_call(inner.right, *_SIGMOIDS):
        assert isinstance(inner.right, cst.Call)
        return "jax.nn.log_sigmoid", f"-{editor.operand(inner.right.args[0].value)}"
    added = _beside_one(inner)
    if added is None:
        return None
    if _is_call(added, "exp"):
        assert isinstance(added, cst.Call)
        return "jax.nn.softplus", editor.argument(added.args[0].value)
    return "jax.numpy.log1p", editor.argument(added)


def _logsumexp(editor: Editor, call: cst.Call) -> tuple[str, str] | None:
    """`sum(exp(x), axis)` and `exp(x).sum(axis)`, with a dimension kept or not."""
    method = isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.Call)
    if method:
        assert isinstance(call.func, cst.Attribute)
        summed: cst.BaseExpression = call.func.value
        options = list(call.args)
    elif call.args and call.args[0].keyword is None:
        summed, options = call.args[0].value, list(call.args[1:])
    else:
        return None
    if not _is_call(summed, "exp") or any(argument.star for argument in options):
        return None
    assert isinstance(summed, cst.Call)
    positional = [argument for argument in options if argument.keyword is None]
    keywords = {argument.keyword.value for argument in options if argument.keyword is not None}
    if len(positional) > 1 or not keywords <= {"axis", "keepdims"}:
        return None
    pieces = [editor.argument(summed.args[0].value)]
    for argument in options:
        name = argument.keyword.value if argument.keyword is not None else "axis"
        pieces.append(f"{name}={editor.argument(argument.value)}")
    return "jax.nn.logsumexp", ", ".join(pieces)


def _arithmetic(editor: Editor, node: cst.BinaryOperation) -> tuple[str, str] | None:
    left, right = node.left, node.right
    if isinstance(node.operator, cst.Subtract) and _is_one(right) and _is_call(left, "exp"):
        assert isinstance(left, cst.Call)
        return "jax.numpy.expm1", editor.argument(left.args[0].value)
    if not isinstance(node.operator, cst.Divide) or not _is_one(left) or not isinstance(right, cst.BinaryOperation):
        return None
    added = _beside_one(right)
    if added is None or not _is_call(added, "exp"):
        return None
    assert isinstance(added, cst.Call)
    exponent = added.args[0].value
    if _negative(exponent):
        return "jax.nn.sigmoid", editor.text(exponent)[1:].lstrip()
    return "jax.nn.sigmoid", f"-{editor.operand(exponent)}"


def _negative(node: cst.BaseExpression) -> bool:
    """Whether a minus sign that goes for the whole of a product stands in front of it."""
    while isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply | cst.Divide):
        node = node.left
        if node.lpar:
            return False
    return isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)


def _beside_one(node: cst.BinaryOperation) -> cst.BaseExpression | None:
    if not isinstance(node.operator, cst.Add):
        return None
    if _is_one(node.left):
        return node.right
    return node.left if _is_one(node.right) else None


def _is_one(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer | cst.Float) and node.evaluated_value == 1


def _is_call(node: cst.CSTNode, *names: str) -> bool:
    """A call of one of the functions with one plain argument."""
    return (
        isinstance(node, cst.Call)
        and tree.last_name(node.func) in names
        and len(node.args) == 1
        and node.args[0].keyword is None
        and not node.args[0].star
    )


def _plain(call: cst.Call) -> bool:
    return bool(call.args) and not any(argument.star for argument in call.args)


def _is_method(call: cst.Call) -> bool:
    """Whether a method of a value is called, not the function of a module."""
    return isinstance(call.func, cst.Attribute) and not tree.dotted(call.func)
