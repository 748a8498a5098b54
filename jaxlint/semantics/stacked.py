"""Loops that apply one function to each row of an array and stack the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.compiles import nodes, parts, runs_traced
from jaxlint.semantics.events import RowsStacked
from jaxlint.semantics.mutations import describe
from jaxlint.semantics.provenance import made_of, short
from jaxlint.semantics.values import Array, Ext, Key, Opaque, Ref, TupleV, Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

STACKERS = frozenset(f"jax.numpy.{name}" for name in ("stack", "array", "asarray", "vstack", "concatenate"))
"""Functions that join a list of arrays."""

_TREE_MAPS = frozenset(["jax.tree.map", "jax.tree_util.tree_map"])


class _Rows:
    """A loop or comprehension that fills a list: what it goes over, and what it puts in."""

    __slots__ = ("clause", "element", "iter", "loop", "target")

    def __init__(self, loop: ir.Comp | ir.For, clause: ir.Clause | ir.For, element: ir.Expr) -> None:
        self.loop = loop
        self.clause = clause
        self.target = clause.target
        self.iter = clause.iter
        self.element = element


def called(it: Interpreter, function: str, expr: ir.Call) -> None:
    """Tell when what a call joins is one value for each row of an array, computed row by row."""
    if it.fr.ctx.abstract or not expr.args:
        return
    filled = expr.args[0]
    if function in _TREE_MAPS:
        if not _stacks_leaves(filled) or len(expr.args) != 2 or type(expr.args[1]) is not ir.Star:
            return
        filled = expr.args[1].value
    elif function not in STACKERS:
        return
    rows = _rows(it, filled)
    if rows is None or _sequential(rows, filled) or _chosen_by_row(rows):
        return
    if function.endswith("concatenate") and not _one_row(rows.element):
        return
    iterated = it.iterated.get(id(rows.clause))
    if iterated is None or not _over_rows(it, rows, iterated) or not _computes(it, rows):
        return
    event = RowsStacked(it.place(rows.loop), type(rows.loop) is ir.For, _function(rows.element), describe(_array(rows)))
    fn, clause = it.fr.fn, id(rows.clause)
    it.later.append(lambda: None if clause in it.ragged or runs_traced(it, fn) else it.emit(event))


def iterates(it: Interpreter, clause: ir.Clause | ir.For, value: Value) -> None:
    """Remember what a loop goes over; Python lists may hold rows of different lengths."""
    it.iterated[id(clause)] = value
    if isinstance(value, Ref | TupleV):
        it.ragged.add(id(clause))


# ---- how the list is filled -----------------------------------------------------------------------------------------


def _rows(it: Interpreter, filled: ir.Expr) -> _Rows | None:
    if type(filled) is ir.Comp:
        single = len(filled.clauses) == 1 and not filled.clauses[0].ifs and filled.key is None
        return _Rows(filled, filled.clauses[0], filled.elt) if single else None
    if type(filled) is not ir.Name:
        return None
    found: list[_Rows] = []
    for node in nodes(it.fr.fn.body):
        if type(node) is ir.Assign and type(node.value) is ir.Comp:
            if any(type(target) is ir.Name and target.name == filled.name for target in node.targets):
                rows = _rows(it, node.value)
                found += [rows] if rows is not None else []
        elif type(node) is ir.For:
            appended = [value for stmt in node.body for value in _appended(stmt, filled.name)]
            found += [_Rows(node, node, appended[0])] if len(appended) == 1 else []
    return found[0] if len(found) == 1 else None


def _appended(stmt: ir.Stmt, name: str) -> list[ir.Expr]:
    call = stmt.value if type(stmt) is ir.ExprStmt else None
    if type(call) is not ir.Call or type(call.func) is not ir.Attr or call.func.attr != "append":
        return []
    own = type(call.func.obj) is ir.Name and call.func.obj.name == name
    return [call.args[0]] if own and len(call.args) == 1 else []


def _stacks_leaves(function: ir.Expr) -> bool:
    """Whether a function joins the leaves that it is given: `lambda *leaves: jnp.stack(leaves)`."""
    if type(function) is not ir.Lambda or not function.fn.body:
        return False
    returned = function.fn.body[0]
    call = returned.value if isinstance(returned, ir.Return) else None
    return type(call) is ir.Call and type(call.func) is ir.Attr and call.func.attr == "stack"


def _one_row(element: ir.Expr) -> bool:
    """Whether an element gets a leading axis of its own, so that joining is stacking."""
    return any(
        type(node) is ir.Sub and any(type(part) is ir.Lit and part.value is None for part in nodes([node.index]))
        for node in nodes([element])
    )


# ---- whether the passes are independent -----------------------------------------------------------------------------


def _names(target: ir.Expr) -> set[str]:
    return {node.name for node in nodes([target]) if type(node) is ir.Name}


def _sequential(rows: _Rows, filled: ir.Expr) -> bool:
    """Whether a pass reads what an earlier one has left: a variable it binds later, or the list itself."""
    if type(rows.loop) is not ir.For:
        return False
    body = rows.loop.body
    stored: set[str] = set()
    for node in nodes(body):
        if type(node) is ir.Assign:
            stored |= {name for target in node.targets for name in _names(target)}
        elif type(node) is ir.AugAssign or type(node) is ir.For:
            stored |= _names(node.target)
    bound = _names(rows.target)
    for stmt in body:
        if type(stmt) not in (ir.Assign, ir.ExprStmt):
            return True
        read = _names(stmt.value) if isinstance(stmt, ir.Assign | ir.ExprStmt) and stmt.value is not None else set()
        if read & (stored - bound):
            return True
        if type(stmt) is ir.Assign:
            bound |= {name for target in stmt.targets for name in _names(target)}
    name = filled.name if type(filled) is ir.Name else ""
    return sum(1 for node in nodes(body) if type(node) is ir.Name and node.name == name) > 1


def _chosen_by_row(rows: _Rows) -> bool:
    """Whether each pass calls another function: the loop variable itself, or what it looks up."""
    names = _names(rows.target)
    for node in nodes([rows.element]):
        if type(node) is ir.Call:
            func = node.func
            if type(func) is ir.Name and func.name in names:
                return True
            if type(func) is ir.Sub and names & _names(func.index):
                return True
    return False


# ---- whether it is rows of an array ---------------------------------------------------------------------------------


def _over_rows(it: Interpreter, rows: _Rows, iterated: Value) -> bool:
    iterable = rows.iter
    if type(iterable) is ir.Call and type(iterable.func) is ir.Name:
        if iterable.func.name == "zip":
            plain = all(type(item) is ir.Name for item in iterable.args)
            return plain and type(rows.target) is ir.Seq and all(type(item) is ir.Name for item in rows.target.items)
        if iterable.func.name == "range":
            return type(rows.target) is ir.Name and len(iterable.args) == 1 and _array(rows) is not iterable
    if type(rows.target) is not ir.Name:
        return False
    if isinstance(iterated, Array):
        return iterated.lib == "jax"
    if isinstance(iterated, Key):
        return True
    return isinstance(iterated, Opaque) and iterated.parent is None and iterated.made is None and not iterated.static


def _array(rows: _Rows) -> ir.Expr:
    """What is gone through: the iterable, or what the loop variable indexes."""
    iterable = rows.iter
    if type(iterable) is ir.Call and type(iterable.func) is ir.Name and type(rows.target) is ir.Name:
        scope = rows.loop.body if type(rows.loop) is ir.For else [rows.element]
        for node in nodes(scope):
            if type(node) is ir.Sub and type(node.index) is ir.Name and node.index.name == rows.target.name:
                return node.obj
    if type(iterable) is ir.Call and iterable.args and type(rows.target) is ir.Seq:
        return iterable.args[0]
    return iterable


def _computes(it: Interpreter, rows: _Rows) -> bool:
    """Whether an element is computed by JAX, rather than read from somewhere."""
    scope: list[ir.Node] = [*rows.loop.body, rows.element] if type(rows.loop) is ir.For else [rows.element]
    held = it.elements.get(id(rows.element))
    if held is not None and _is_array(it, held):
        made = made_of(held)
        view = isinstance(held, Array) and held.parent is not None and held.made is None
        converted = view or (made is not None and (short(made) in ("asarray", "array") or made.op.startswith("call.")))
        return not converted or _calls_jax(it, scope, but=("asarray", "array"))
    return _calls_jax(it, scope, but=("asarray", "array"))


def _is_array(it: Interpreter, value: Value) -> bool:
    if isinstance(value, TupleV):
        return bool(value.items) and all(_is_array(it, item) for item in value.items)
    if isinstance(value, Ref) and value.kind == "dict":
        items = it.st.content(value).items
        return bool(items) and isinstance(items, dict) and all(_is_array(it, item) for item in items.values())
    return isinstance(value, Array) and value.lib == "jax"


def _calls_jax(it: Interpreter, scope: list[ir.Node], but: tuple[str, ...]) -> bool:
    for node in nodes(scope):
        if type(node) is ir.Call and type(node.func) is ir.Attr and node.func.attr not in but:
            root: ir.Expr = node.func.obj
            while type(root) is ir.Attr:
                root = root.obj
            value = it.lookup(root.name) if type(root) is ir.Name else None
            if isinstance(value, Ext) and value.name.split(".")[0] == "jax":
                return True
    return False


def _function(element: ir.Expr) -> str:
    """The name of the outermost function that is applied."""
    queue: list[ir.Expr] = [element]
    while queue:
        node = queue.pop(0)
        if type(node) is ir.Call:
            return describe(node.func)
        queue += [part for part in parts(node) if isinstance(part, ir.Expr)]
    return "the same expression"
