"""Functional updates whose result nobody takes: the statement does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.events import UpdateDropped
from jaxlint.semantics.values import Ext, Func, Opaque, Partial, Place, Ref, Value, Wrapped
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_AT_METHODS = frozenset(["set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"])
_PURE_PREFIXES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.Array.", "math.", "operator.")
_PURE_BUILTINS = frozenset(
    [
        "abs",
        "bool",
        "complex",
        "divmod",
        "float",
        "int",
        "len",
        "max",
        "min",
        "pow",
        "range",
        "round",
        "str",
        "sum",
        "tuple",
        "zip",
        "isinstance",
    ]
)
_PURE_METHODS = frozenset(
    [
        "astype",
        "reshape",
        "ravel",
        "flatten",
        "squeeze",
        "transpose",
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "std",
        "var",
        "any",
        "all",
        "clip",
        "conj",
        "copy",
        "cumsum",
        "cumprod",
        "dot",
        "round",
        "swapaxes",
        "repeat",
        "take",
        "set",
        "add",
        "multiply",
        "divide",
        "power",
        "get",
    ]
)
_IMPURE_EFFECTS = frozenset(["effect", "impure", "mutates", "state", "reports", "calls", "deletes", "sync", "donates"])
_MOST_CALLS = 6


class Update:
    """The last functional update that was called: where, by which name, and what function it maps."""

    __slots__ = ("function", "kind", "mapped", "place")

    def __init__(self, place: Place, function: str, kind: str, mapped: Value | None = None) -> None:
        self.place = place
        self.function = function
        self.kind = kind
        self.mapped = mapped


def note(it: Interpreter, place: Place, function: str, kind: str, mapped: Value | None = None) -> None:
    """A functional update is called at `place`."""
    it.updated = Update(place, function, kind, mapped)


def dropped(it: Interpreter, call: ir.Call) -> None:
    """The result of `call` is dropped: tell when the call does nothing else."""
    update, it.updated = it.updated, None
    place = it.place(call)
    if update is None or update.place != place:
        if not _is_unknown_at(it, call):
            return
        update = Update(place, "at", "at")
    if it.fr.handlers or it.fr.fid in it.expecting:
        return  # the call is made for the error that it may raise
    if update.mapped is not None and not is_pure(it, update.mapped, 0):
        return
    it.emit(UpdateDropped(place, update.function, update.kind))


def _is_unknown_at(it: Interpreter, call: ir.Call) -> bool:
    """Whether a call is `x.at[i].set(v)` of an `x` that the function elsewhere takes for an array."""
    func = call.func
    if not (isinstance(func, ir.Attr) and func.attr in _AT_METHODS and isinstance(func.obj, ir.Sub)):
        return False
    at = func.obj.obj
    if not (isinstance(at, ir.Attr) and at.attr == "at" and isinstance(at.obj, ir.Name)):
        return False
    value = it.st.env.get(at.obj.name)
    if not isinstance(value, Opaque) or value.static:
        return False
    return any(_takes_for_array(stmt, at.obj.name) for stmt in statements(it.fr.fn.body))


def _takes_for_array(stmt: ir.Stmt, name: str) -> bool:
    """Whether a statement returns the name or rebinds it by an update: a reference would need neither."""
    if isinstance(stmt, ir.Return):
        value = stmt.value
        items = value.items if isinstance(value, ir.Seq) else [value]
        return any(isinstance(item, ir.Name) and item.name == name for item in items)
    return (
        isinstance(stmt, ir.Assign)
        and any(isinstance(target, ir.Name) and target.name == name for target in stmt.targets)
        and isinstance(stmt.value, ir.Call)
        and isinstance(stmt.value.func, ir.Attr)
        and isinstance(stmt.value.func.obj, ir.Sub)
        and isinstance(stmt.value.func.obj.obj, ir.Attr)
        and stmt.value.func.obj.obj.attr == "at"
    )


def statements(body: list[ir.Stmt]) -> Iterator[ir.Stmt]:
    """Every statement of a block and of the blocks inside it."""
    for stmt in body:
        yield stmt
        for block in blocks(stmt):
            yield from statements(block)


def blocks(stmt: ir.Stmt) -> list[list[ir.Stmt]]:
    """The blocks of a compound statement."""
    if isinstance(stmt, ir.FunctionDef):
        return []
    found = [held for name in ("body", "orelse", "final") if isinstance(held := getattr(stmt, name, None), list)]
    return found + [part.body for part in (*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ()))]


# ---- purity ---------------------------------------------------------------------------------------------------------


def is_pure(it: Interpreter, value: Value, depth: int) -> bool:
    """Whether a function certainly does nothing but compute: all that it calls is known to."""
    if depth > _MOST_CALLS:
        return False
    if isinstance(value, Wrapped):
        return is_pure(it, value.inner, depth + 1)
    if isinstance(value, Partial):
        return is_pure(it, value.func, depth + 1)
    if isinstance(value, Ext):
        return _pure_library(it, value.name)
    if not isinstance(value, Func) or value.fn.is_generator:
        return False
    returns = False
    for stmt in statements(value.fn.body):
        if isinstance(stmt, ir.Return):
            returns = returns or stmt.value is not None
        elif not isinstance(stmt, ir.Assign | ir.If | ir.ExprStmt):
            return False
        if isinstance(stmt, ir.ExprStmt) and not isinstance(stmt.value, ir.Lit):
            return False
        if isinstance(stmt, ir.Assign) and not all(isinstance(target, ir.Name | ir.Seq) for target in stmt.targets):
            return False
        for expr in expressions(stmt):
            if isinstance(expr, ir.Yield | ir.Walrus):
                return False
            if isinstance(expr, ir.Call) and not _pure_call(it, value, expr, depth):
                return False
    return returns and not value.fn.globals and not value.fn.nonlocals


def _pure_library(it: Interpreter, name: str) -> bool:
    if name.startswith("builtins."):
        return name.partition(".")[2] in _PURE_BUILTINS
    info = it.knowledge.function(name)
    if info is None or not name.startswith(_PURE_PREFIXES) or info.returns[0] == "none":
        return False
    return not any(effect in _IMPURE_EFFECTS for effect, _ in info.effects)


def _pure_call(it: Interpreter, owner: Func, call: ir.Call, depth: int) -> bool:
    func = call.func
    value = _resolve(it, owner, func)
    if isinstance(value, Ext | Func | Partial | Wrapped):
        return is_pure(it, value, depth + 1)
    return isinstance(func, ir.Attr) and func.attr in _PURE_METHODS and value is None


def _resolve(it: Interpreter, owner: Func, expr: ir.Expr) -> Value | None:
    """What a name or dotted name means inside a function, where that is a function or a library."""
    if isinstance(expr, ir.Name):
        if expr.name in owner.fn.locals:
            return None
        found = it.st.env.get(expr.name) if owner.closure is not None else None
        found = found or owner.env.names.get(expr.name)
        return found if found is not None else it.ext("builtins." + expr.name)
    if isinstance(expr, ir.Attr):
        base = _resolve(it, owner, expr.obj)
        if isinstance(base, Ext):
            return it.ext(f"{base.name}.{expr.attr}")
    return None


def expressions(node: Any) -> Iterator[ir.Expr]:
    """The expressions of a statement, without those of statements inside it."""
    if isinstance(node, ir.Expr):
        yield node
        if isinstance(node, ir.Lambda):
            return
    for slot in _slots(type(node)):
        yield from _inside(getattr(node, slot, None))


def _inside(held: Any) -> Iterator[ir.Expr]:
    if isinstance(held, ir.Expr | ir.Clause):
        yield from expressions(held)
    elif isinstance(held, list | tuple):
        for item in held:
            if not isinstance(item, ir.Stmt):
                yield from _inside(item)


_SLOTS: dict[type, tuple[str, ...]] = {}


def _slots(kind: type) -> tuple[str, ...]:
    found = _SLOTS.get(kind)
    if found is None:
        found = _SLOTS[kind] = tuple(
            slot for base in kind.__mro__ for slot in getattr(base, "__slots__", ()) if slot not in ("id", "fn")
        )
    return found


def receiver_replaces(value: Value) -> bool:
    """Whether the `replace` of a project object is the one that makes a changed copy."""
    if not isinstance(value, Ref) or value.cls is None:
        return False
    kinds = ("pytree_dataclass", "train_state", "dataclass", "namedtuple", "namedtuple_state")
    return value.cls.kind in kinds and "?" not in value.cls.ext_bases
