"""Keys that are consumed twice: split them where the order of things is plain."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.fixes import tree
from jaxlint.fixes.rewrites.renames import call_other

if TYPE_CHECKING:
    from jaxlint.findings import Edit, Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place

_HOST = frozenset({"numpy", "pickle", "json", "struct"})
_BUILTINS = frozenset(
    {"print", "list", "tuple", "set", "dict", "iter", "len", "int", "str", "bytes", "hash", "isinstance"}
)


@cache
def _own_time() -> tuple[type[cst.CSTNode], ...]:
    """What runs at another time than the statement around it, or perhaps not at all."""
    comprehensions = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
    return (cst.Lambda, cst.FunctionDef, cst.ClassDef, *comprehensions, cst.IfExp, cst.BooleanOperation)


def split_before(editor: Editor, first: Place, second: Place, key: str | None) -> Fix | None:
    """Split the key above its first use, which takes the subkey; the second then takes what the key is now."""
    if key is None or not key.isidentifier() or not (editor.here(first) and editor.here(second)):
        return None
    one, two = editor.node(first), editor.node(second)
    if not isinstance(one, cst.Call) or not isinstance(two, cst.Call) or one is two or isinstance(one.func, cst.Call):
        return None
    lines = _lines(editor, one, two)
    if lines is None or not editor.is_local(key, one) or key not in _arguments(two):
        return None
    block, start, stop = lines
    if any(_binds(line, key) for line in block[start:stop]):
        return None
    if tree.last_name(one.func) == "split":
        return _widen_split(editor, one, key)
    return _take_subkey(editor, one, key)


def split_in_loop(editor: Editor, place: Place, key: str | None) -> Fix | None:
    """Split the key in each pass of the loop that consumes it."""
    if key is None or not key.isidentifier():
        return None
    call = editor.node(place) if editor.here(place) else None
    if not isinstance(call, cst.Call):
        return None
    line = editor.line(call)
    loop = _loop_around(editor, line)
    if line is None or loop is None or not editor.is_local(key, call) or _deferred(editor, call, line):
        return None
    if _binds(loop, key):
        return None
    if tree.last_name(call.func) == "split":
        return _widen_split(editor, call, key)
    return _take_subkey(editor, call, key)


def _take_subkey(editor: Editor, call: cst.Call, key: str) -> Fix | None:
    argument = _arguments(call).get(key)
    spelled = editor.name("jax.random.split", call)
    if argument is None or spelled is None:
        return None
    subkey = editor.fresh("subkey")
    above = editor.line_before(call, f"{key}, {subkey} = {spelled[0]}({key})")
    if above is None:
        return None
    edits = (above, editor.replace(argument, subkey))
    return editor.fix(f"split `{key}` first", *edits, safe=False, imports=spelled[1])


def _widen_split(editor: Editor, call: cst.Call, key: str) -> Fix | None:
    """`a, b = split(key)` as `key, a, b = split(key, 3)`."""
    statement = editor.statement(call)
    if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    if not isinstance(target, cst.Tuple) or any(isinstance(each, cst.StarredElement) for each in target.elements):
        return None
    count = len(target.elements)
    given = _count_argument(call)
    if given is not None and not (isinstance(given, cst.Integer) and given.evaluated_value == count):
        return None
    if given is None and (count != 2 or len(call.args) != 1):
        return None
    edits: list[Edit] = [editor.before(target.elements[0], f"{key}, ")]
    if given is not None:
        edits.append(editor.replace(given, str(count + 1)))
    else:
        edits.append(editor.after(call.args[0], f", {count + 1}"))
    return editor.fix(f"split `{key}` into one more", *edits, safe=False)


def _count_argument(call: cst.Call) -> cst.BaseExpression | None:
    for number, argument in enumerate(call.args):
        if (argument.keyword is None and number == 1) or (
            argument.keyword is not None and argument.keyword.value == "num"
        ):
            return argument.value
    return None


def _lines(editor: Editor, one: cst.Call, two: cst.Call) -> tuple[list[cst.CSTNode], int, int] | None:
    """The block that holds both calls as parts of its own lines, with the numbers of the lines."""
    first, second = editor.line(one), editor.line(two)
    if not isinstance(first, cst.SimpleStatementLine) or not isinstance(second, cst.SimpleStatementLine):
        return None
    around = editor.parent(first)
    if around is None or around is not editor.parent(second):
        return None
    if not isinstance(around, cst.IndentedBlock | cst.Module):
        return None
    if _deferred(editor, one, first) or _deferred(editor, two, second):
        return None
    block: list[cst.CSTNode] = list(around.body)
    start = next(number for number, line in enumerate(block) if line is first)
    stop = next(number for number, line in enumerate(block) if line is second)
    return (block, start, stop) if start <= stop else None


def _deferred(editor: Editor, node: cst.CSTNode, line: cst.CSTNode) -> bool:
    """Whether something between a node and its line runs the node later, often, or perhaps never."""
    current: cst.CSTNode | None = node
    while current is not None and current is not line:
        if isinstance(current, _own_time()):
            return True
        current = editor.parent(current)
    return not isinstance(line, cst.SimpleStatementLine)


def _loop_around(editor: Editor, line: cst.CSTNode | None) -> cst.For | cst.While | None:
    block = editor.parent(line) if line is not None else None
    loop = editor.parent(block) if isinstance(block, cst.IndentedBlock) else None
    return loop if isinstance(loop, cst.For | cst.While) and loop.body is block else None


def _arguments(call: cst.Call) -> dict[str, cst.Name]:
    return {each.value.value: each.value for each in call.args if isinstance(each.value, cst.Name) and not each.star}


def _binds(node: cst.CSTNode, name: str) -> bool:
    """Whether a statement binds a name anywhere inside."""
    for each in tree.walk(node):
        targets: list[cst.CSTNode] = []
        if isinstance(each, cst.AssignTarget | cst.AugAssign | cst.AnnAssign | cst.For | cst.CompFor | cst.NamedExpr):
            targets = [each.target]
        elif isinstance(each, cst.AsName):
            targets = [each.name]
        if any(name in tree.names(target) for target in targets):
            return True
    return False


# ---- typed keys -----------------------------------------------------------------------------------------------------


def typed_key(editor: Editor, place: Place) -> Fix | None:
    """`key` for `PRNGKey`: safe where the key goes only into calls, since only they can be seen to take either kind."""
    call = editor.node(place)
    return call_other(editor, place, "jax.random.PRNGKey", "jax.random.key", safe=_only_passed_on(editor, call))


def _only_passed_on(editor: Editor, call: cst.CSTNode) -> bool:
    if _is_passed(editor, call):
        return True
    statement, scope = editor.statement(call), editor.scope(call)
    if not isinstance(statement, cst.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    target = statement.targets[0].target
    if not isinstance(target, cst.Name) or scope is None or scope.parent is None or not editor.nodes:
        return False
    body = editor.nodes[scope.id : scope.id + scope.size]
    uses = [node for node in body if isinstance(node, cst.Name) and node.value == target.value and node is not target]
    return all(_is_passed(editor, node) or _is_target(editor, node) for node in uses)


def _is_passed(editor: Editor, node: cst.CSTNode) -> bool:
    """Whether a value is an argument of a function that is not NumPy's or Python's own."""
    argument = editor.parent(node)
    call = editor.parent(argument) if isinstance(argument, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return False
    root = tree.dotted(call.func).partition(".")[0]
    module = editor.origin(root)
    if not root or module == "jax.numpy" or module.partition(".")[0] in _HOST:
        return False
    return bool(module) or root not in _BUILTINS


def _is_target(editor: Editor, node: cst.CSTNode) -> bool:
    """Whether a name is bound, alone or as one of several."""
    parent = editor.parent(node)
    if isinstance(parent, cst.Element):
        around = editor.parent(parent)
        parent = editor.parent(around) if around is not None else None
    return isinstance(parent, cst.AssignTarget)
