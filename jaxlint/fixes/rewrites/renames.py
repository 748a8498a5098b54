"""Names, modules and arguments that are called something else now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.findings import Edit, Span
from jaxlint.fixes import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.knowledge.changes import Change
    from jaxlint.semantics.values import Place
    from jaxlint.target import Target


def call_other(editor: Editor, place: Place, old: str, new: str, *, safe: bool = True) -> Fix | None:
    """Call the function `new` (a qualified name) where one whose last name is that of `old` is called."""
    call = editor.node(place)
    if not isinstance(call, cst.Call) or tree.last_name(call.func) != old.rpartition(".")[2]:
        return None
    return use_other(editor, call.func, old, new, safe=safe)


def use_other(editor: Editor, node: cst.CSTNode, old: str, new: str, *, safe: bool = True) -> Fix | None:
    """Write the qualified name `new` at a node that spells `old`."""
    package, _, name = new.rpartition(".")
    if isinstance(node, cst.Attribute) and package == old.rpartition(".")[0] and tree.dotted(node):
        return editor.fix(f"use `{name}`", editor.replace(node.attr, name), safe=safe)
    spelled = editor.name(new, node)
    if spelled is None:
        return None
    code, imports = spelled
    return editor.fix(f"use `{code}`", editor.replace(node, code), safe=safe, imports=imports)


def rename_keyword(editor: Editor, call: cst.Call, old: str, new: str, *, safe: bool = True) -> Fix | None:
    """Give an argument by its new name."""
    given = {argument.keyword.value: argument.keyword for argument in call.args if argument.keyword is not None}
    if old not in given or new in given or any(argument.star == "**" for argument in call.args):
        return None
    return editor.fix(f"use `{new}=`", editor.replace(given[old], new), safe=safe)


def initialised(editor: Editor, place: Place, function: str) -> Fix | None:
    """`zeros` for `empty`, `zeros_like` for `empty_like`."""
    call = editor.node(place)
    if not isinstance(call, cst.Call) or not function.startswith("jax.numpy."):
        return None
    new = function.replace("empty", "zeros")
    found = call_other(editor, place, function, new)
    prototype = rename_keyword(editor, call, "prototype", "a")
    if found is None or prototype is None:
        return found
    return editor.fix(found.message, *found.edits, *prototype.edits, imports=found.imports)


# ---- the table of changes -------------------------------------------------------------------------------------------


def replace_api(editor: Editor, place: Place, change: Change, how: str, spelling: str) -> Fix | None:
    """What the table of changes names as a drop-in."""
    if not change.drop_in or not change.replacement:
        return None
    node = editor.node(place)
    safe = _everywhere(change, editor.target)
    if how == "argument":
        new = change.replacement.rpartition("(")[2].removesuffix("=)")
        return rename_keyword(editor, node, change.argument, new, safe=safe) if isinstance(node, cst.Call) else None
    if how == "attribute" and isinstance(node, cst.Attribute):
        if spelling.startswith("jax.Array."):
            name = change.replacement.rpartition(".")[2]
            return editor.fix(f"use `{name}`", editor.replace(node.attr, name), safe=safe)
        return use_other(editor, node, change.name, change.replacement, safe=safe) if tree.dotted(node) else None
    if how != "import":
        return None
    if isinstance(node, cst.ImportAlias):
        return _import_name(editor, node, change, safe=safe)
    return _import_module(editor, node, change, safe=safe)


def _everywhere(change: Change, target: Target) -> bool:
    """Whether the replacement exists in all of the versions: it is there when the old name is on its way out."""
    return not target.spans(change.deprecated_in or change.removed_in)


def _import_name(editor: Editor, alias: cst.ImportAlias, change: Change, *, safe: bool) -> Fix | None:
    """`from old import name` as `from new import name`, under the name that the file uses."""
    statement = editor.parent(alias)
    if (
        not isinstance(statement, cst.ImportFrom)
        or statement.module is None
        or isinstance(statement.names, cst.ImportStar)
    ):
        return None
    package, _, new = change.replacement.rpartition(".")
    bound = alias.asname.name.value if alias.asname is not None and isinstance(alias.asname.name, cst.Name) else ""
    old = bound or tree.last_name(alias.name)
    if not package:  # a module, such as `itertools`
        line = f"import {new}" if new == old else f"import {new} as {old}"
    else:
        line = f"from {package} import {new}" if new == old else f"from {package} import {new} as {old}"
    message = f"use `{line}`"
    if len(statement.names) == 1:
        return editor.fix(message, editor.replace(statement, line), safe=safe)
    edit = _without(editor, statement.names, alias)
    if _at_top(editor, statement):
        return editor.fix(message, edit, safe=safe, imports=(line,))
    new_line = editor.line_before(statement, line)
    return editor.fix(message, new_line, edit, safe=safe) if new_line is not None else None


def _at_top(editor: Editor, statement: cst.CSTNode) -> bool:
    line = editor.line(statement)
    return line is not None and isinstance(editor.parent(line), cst.Module)


def _without(editor: Editor, names: Sequence[cst.ImportAlias], alias: cst.ImportAlias) -> Edit:
    """Take one of several names out of an import."""
    number = list(names).index(alias)
    own = editor.span(alias)
    if number + 1 < len(names):
        after = editor.span(names[number + 1])
        return Edit(Span(own.row, own.column, after.row, after.column), "")
    before = editor.span(names[number - 1])
    return Edit(Span(before.end_row, before.end_column, own.end_row, own.end_column), "")


def _import_module(editor: Editor, statement: cst.CSTNode, change: Change, *, safe: bool) -> Fix | None:
    """`import old as m` as `import new as m`; what the module holds must be there, which the table says."""
    if change.kind != "module" or not isinstance(statement, cst.Import) or len(statement.names) != 1:
        return None
    alias = statement.names[0]
    if alias.asname is None or tree.dotted(alias.name) != change.name:
        return None
    edit = editor.replace(alias.name, change.replacement)
    return editor.fix(f"import `{change.replacement}`", edit, safe=safe)
