"""Contexts that are entered by `with`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.fixes import tree
from jaxlint.target import version

if TYPE_CHECKING:
    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place

_SET_MESH = "0.7.1"
"""From which version on `jax.set_mesh` is there."""

_OLD_CONTEXT = frozenset({"pjit", "thread_resources", "xmap"})
_SPECS = frozenset({"PartitionSpec", "P"})
_TRACES = frozenset({"jit", "pjit", "pmap", "filter_jit", "checkpoint", "remat"})


def set_mesh(editor: Editor, place: Place) -> Fix | None:
    """`with jax.set_mesh(mesh):` for `with mesh:`."""
    node = editor.node(place)
    item = editor.parent(node)
    if not isinstance(item, cst.WithItem) or item.asname is not None or not isinstance(node, cst.BaseExpression):
        return None
    statement = editor.parent(item)
    spelled = editor.name("jax.set_mesh", node)
    if not isinstance(statement, cst.With) or spelled is None:
        return None
    code, imports = spelled
    safe = not _relies_on_old(editor, statement) and editor.target.lowest >= version(_SET_MESH)
    edit = editor.replace(node, f"{code}({editor.argument(node)})")
    return editor.fix(f"use `{code}`", edit, safe=safe, imports=imports)


def _relies_on_old(editor: Editor, statement: cst.With) -> bool:
    """Whether something may read the old context: `pjit`, a bare spec in the body, or a trace around the statement."""
    nodes = editor.nodes
    if any(isinstance(node, cst.Name | cst.Attribute) and tree.last_name(node) in _OLD_CONTEXT for node in nodes):
        return True
    calls = [node for node in tree.walk(statement.body) if isinstance(node, cst.Call)]
    if any(tree.last_name(call.func) in _SPECS for call in calls):
        return True
    around: cst.CSTNode | None = statement
    while around is not None:
        if isinstance(around, cst.FunctionDef) and any(tree.names(each) & _TRACES for each in around.decorators):
            return True
        around = editor.parent(around)
    return False
