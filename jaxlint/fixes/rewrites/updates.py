"""Functional updates of arrays, and results that were dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.fixes import tree
from jaxlint.target import version

if TYPE_CHECKING:
    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place

_METHODS = {"=": "set", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power"}
_SUBTRACTS = "0.7"
"""From which version on `.at[]` has `subtract`; before, the negative is added."""


def store_item(editor: Editor, place: Place, op: str) -> Fix | None:
    """`x[i] = v` as `x = x.at[i].set(v)`, `x[i] += v` as `.add(v)`, and so on."""
    node = editor.node(place)
    if isinstance(node, cst.Assign) and len(node.targets) == 1 and op == "=":
        target, value = node.targets[0].target, node.value
    elif isinstance(node, cst.AugAssign) and op != "=":
        target, value = node.target, node.value
    else:
        return None
    if not isinstance(target, cst.Subscript):
        return None
    array = editor.text(target.value)
    if not tree.dotted(target.value):
        return None
    plain = isinstance(target.value, cst.Name)
    if plain and not editor.is_local(array, node):
        return None  # the assignment would make a new variable
    index = editor.slice(editor.between(target.slice[0], target.slice[-1]))
    if target.slice[-1].comma is not cst.MaybeSentinel.DEFAULT:
        index = index.rstrip().removesuffix(",") + ","
    method = _METHODS.get(op)
    given = editor.argument(value)
    if method is None:
        method, given = "set", f"{array}[{index}] {op} {editor.operand(value)}"
    elif method == "subtract" and editor.target.lowest < version(_SUBTRACTS):
        method, given = "add", f"-{editor.operand(value)}"
    code = f"{array} = {array}.at[{index}].{method}({given})"
    return editor.fix(f"use `{array} = {array}.at[…].{method}(…)`", editor.replace(node, code), safe=plain)


def bind_result(editor: Editor, place: Place, kind: str, function: str) -> Fix | None:
    """The result of a functional update bound to what it is an update of."""
    node = editor.node(place)
    statement = editor.statement(node)
    if not isinstance(node, cst.Call) or not isinstance(statement, cst.Expr) or statement.value is not node:
        return None
    updated = _updated(node, kind, function)
    if updated is None or not tree.dotted(updated):
        return None
    name = editor.text(updated)
    root = name.partition(".")[0]
    if not (editor.is_local(root, node) if root == name else root == "self" or editor.is_local(root, node)):
        return None
    return editor.fix(f"bind the result to `{name}`", editor.before(statement, f"{name} = "), safe=False)


def _updated(call: cst.Call, kind: str, function: str) -> cst.BaseExpression | None:
    """What a functional update makes a new version of."""
    if kind == "at":
        method = call.func
        item = method.value if isinstance(method, cst.Attribute) else None
        at = item.value if isinstance(item, cst.Subscript) else None
        return at.value if isinstance(at, cst.Attribute) and at.attr.value == "at" else None
    if kind == "tree_map":
        return None
    last = function.rpartition(".")[2]
    positions = {"apply_updates": 0, "tree_at": 1}
    if last in positions:
        plain = [argument for argument in call.args if argument.keyword is None and not argument.star]
        return plain[positions[last]].value if len(plain) > positions[last] else None
    return call.func.value if isinstance(call.func, cst.Attribute) and last == call.func.attr.value else None
