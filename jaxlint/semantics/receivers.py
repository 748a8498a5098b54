"""Methods that a compiling transformation takes: what their `self` is, and whether what they read of it changes later.

An object that is no pytree is no argument of a compiled function; a static or captured one is a constant of it. The
question whether its attributes change is answered for the class as a whole: by its methods, those of its bases and
those of its subclasses in the project, apart from the constructor and what only the constructor calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.attributes import class_attr
from jaxlint.semantics.events import MethodTraced
from jaxlint.semantics.updates import blocks, expressions, statements
from jaxlint.semantics.values import CONTAINER_CHANGES, ClassV, Descriptor, Func, Place, Ref, Value, Wrapped
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_COMPILERS = frozenset({"jax.jit", "jax.pmap", "equinox.filter_jit"})
_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "setup", "__set_name__", "__setstate__"})
_PLAIN_KINDS = frozenset({"object", "dataclass"})
PLAIN_BASES = ("abc.", "typing.", "typing_extensions.", "collections.abc.", "builtins.object")


class Application:
    """A compiling transformation applied to a method: by a decorator, or to the method of an object."""

    __slots__ = ("cls", "func", "how", "place", "stored")

    def __init__(self, place: Place, func: Func, cls: ClassV, how: str, stored: ir.FunctionIR | None) -> None:
        self.place = place
        self.func = func
        self.cls = cls
        self.how = how
        self.stored = stored


def applied(it: Interpreter, transform: str, wrapped: Wrapped, func: Func | None) -> None:
    """A transformation is applied: remember it when it compiles a method."""
    if transform not in _COMPILERS or func is None or func.cls is None or not func.fn.params:
        return
    if isinstance(func.receiver, Ref):
        maker = it.fr.func
        if it.fr.fn.name in _CONSTRUCTORS and maker is not None and maker.receiver is func.receiver:
            cls = func.receiver.cls or func.cls
            it.applications.append(Application(wrapped.place, func, cls, "bound", it.fr.fn))
        return
    if func.receiver is not None or func.fn.params[0].name != "self" or wrapped.inner is not func:
        return
    if any(_is_unbound(expr) for _, expr in func.fn.decorators):
        return
    how = "static" if transform.startswith("equinox.") else _self_of(it, wrapped)
    if how is not None:
        it.applications.append(Application(wrapped.place, func, func.cls, how, None))


def _is_unbound(decorator: ir.Expr) -> bool:
    return isinstance(decorator, ir.Name) and decorator.name in ("staticmethod", "classmethod")


def _self_of(it: Interpreter, wrapped: Wrapped) -> str | None:
    """How `self` goes into the compiled function; None where the options are not understood."""
    from jaxlint.semantics.wrappers import Chosen

    chosen = Chosen(it, wrapped, "static_argnums", "static_argnames")
    if not chosen.known:
        return None
    return "static" if chosen.has(0, "self") else "traced"


def finish(it: Interpreter) -> None:
    """Tell of the methods of the file, now that every class of it is complete."""
    applications, it.applications = it.applications, []
    for application in applications:
        if _is_plain(application.cls):
            _judge(it, application)


def _judge(it: Interpreter, application: Application) -> None:
    cls, fn = application.cls, application.func.fn
    heirs = [other for other in it.classes if other is not cls and cls in _lineage(other)]
    if any(not _is_plain(heir) for heir in heirs):
        return
    if application.how == "traced":
        it.emit(MethodTraced(application.place, fn.name, cls.ir.name, "traced", None, None))
        return
    if cls.frozen or (application.how == "static" and class_attr(cls, "__hash__") is not None):
        return
    reading, read = _reads(cls, fn)
    for attribute, place in _changed([*_lineage(cls), *heirs], reading, application):
        if attribute in read:
            it.emit(MethodTraced(application.place, fn.name, cls.ir.name, application.how, attribute, place))
            return


def _is_plain(cls: ClassV) -> bool:
    """Whether instances are ordinary objects: nothing registers the class, or may, as a pytree."""
    if cls.kind not in _PLAIN_KINDS or cls.ir.keywords:
        return False
    if any(not name.startswith(PLAIN_BASES) for name in cls.ext_bases) or "__init_subclass__" in cls.attrs:
        return False
    return all(_is_plain(base) for base in cls.bases)


def _lineage(cls: ClassV) -> list[ClassV]:
    found = [cls]
    for base in cls.bases:
        found += [other for other in _lineage(base) if other not in found]
    return found


# ---- what a method reads --------------------------------------------------------------------------------------------


def _reads(cls: ClassV, fn: ir.FunctionIR) -> tuple[set[str], set[str]]:
    """The methods that run when `fn` is traced, and the attributes of `self` that they read."""
    methods: set[str] = {fn.name}
    attributes: set[str] = set()
    queue = [fn]
    while queue:
        current = queue.pop()
        stored = set(_stored(current.body, _self_name(current)))
        for name in _mentions(current):
            method = _method(class_attr(cls, name))
            if method is None:
                if name not in stored:
                    attributes.add(name)
            elif name not in methods:
                methods.add(name)
                queue.append(method)
    return methods, attributes


def _self_name(fn: ir.FunctionIR) -> str:
    return fn.params[0].name if fn.params else "self"


def _method(value: Value | None) -> ir.FunctionIR | None:
    for _ in range(6):
        if isinstance(value, Descriptor):
            value = value.func
        elif isinstance(value, Wrapped):
            value = value.inner
    return value.fn if isinstance(value, Func) else None


def _mentions(fn: ir.FunctionIR) -> set[str]:
    """Attributes of `self` that a method names, also in functions inside it."""
    name = _self_name(fn)
    found = {use[1:] for use in fn.uses.get(name, ()) if use.startswith(".")}
    for inner in fn.module.functions:
        if inner.parent is fn and name not in inner.locals:
            found |= {use[1:] for use in inner.uses.get(name, ()) if use.startswith(".")}
    return found


# ---- what changes ---------------------------------------------------------------------------------------------------


def _methods(cls: ClassV) -> Iterator[ir.FunctionIR]:
    for stmt in cls.ir.body:
        if isinstance(stmt, ir.FunctionDef) and stmt.fn.params:
            yield stmt.fn


def _changed(classes: list[ClassV], reading: set[str], application: Application) -> Iterator[tuple[str, Place]]:
    """Attributes that methods change after construction, with the places."""
    methods = [fn for cls in classes for fn in _methods(cls)]
    constructing = _constructing(methods)
    wrapper = _wrapper_name(application)
    for fn in methods:
        if fn.name in constructing or fn.name in reading:
            continue
        if wrapper is not None and _makes_anew(fn, wrapper):
            continue
        for attribute, stmt in _stored(fn.body, _self_name(fn)).items():
            yield attribute, (fn.module, stmt.id)


def _constructing(methods: list[ir.FunctionIR]) -> set[str]:
    """The constructor, and helpers that nothing but it calls."""
    found = set(_CONSTRUCTORS)
    callers: dict[str, set[str]] = {}
    for fn in methods:
        for name in _mentions(fn):
            callers.setdefault(name, set()).add(fn.name)
    growing = True
    while growing:
        growing = False
        for fn in methods:
            by = callers.get(fn.name, set()) - {fn.name}
            if fn.name not in found and fn.name.startswith("_") and by and by <= found:
                found.add(fn.name)
                growing = True
    return found


def _wrapper_name(application: Application) -> str | None:
    """The attribute that holds the compiled method."""
    if application.stored is None:
        return None
    for stmt in statements(application.stored.body):
        if isinstance(stmt, ir.Assign) and stmt.value is not None and stmt.value.id == application.place[1]:
            return next((target.attr for target in stmt.targets if isinstance(target, ir.Attr)), None)
    return None


def _makes_anew(fn: ir.FunctionIR, wrapper: str) -> bool:
    """Whether a method that changes the object also compiles again, and nothing there keeps the old wrapper alive."""
    stores = loads = 0
    for stmt in statements(fn.body):
        targets = stmt.targets if isinstance(stmt, ir.Assign) else []
        stores += sum(_is_attribute(target, fn, wrapper) for target in targets)
        loads += sum(_is_attribute(expr, fn, wrapper) for expr in expressions(stmt))
    return stores > 0 and loads <= stores


def _is_attribute(expr: ir.Expr, fn: ir.FunctionIR, name: str) -> bool:
    return (
        isinstance(expr, ir.Attr)
        and expr.attr == name
        and isinstance(expr.obj, ir.Name)
        and expr.obj.name == _self_name(fn)
    )


def _stored(body: list[ir.Stmt], receiver: str) -> dict[str, ir.Stmt]:
    """Attributes of the receiver that statements store, change item by item or change by a method; not memos.

    One that is set to None is emptied, to be filled again.
    """
    found: dict[str, ir.Stmt] = {}
    for stmt in body:
        if isinstance(stmt, ir.If) and _asks_whether_there(stmt.test, receiver):
            continue
        for attribute in _stored_by(stmt, receiver):
            found.setdefault(attribute, stmt)
        for block in blocks(stmt):
            for attribute, inner in _stored(block, receiver).items():
                found.setdefault(attribute, inner)
    return found


def _stored_by(stmt: ir.Stmt, receiver: str) -> list[str]:
    targets: list[Any] = []
    if isinstance(stmt, ir.Assign):
        emptied = isinstance(stmt.value, ir.Lit) and stmt.value.value is None
        targets = list(stmt.targets) if stmt.value is not None and not emptied else []
    elif isinstance(stmt, ir.AugAssign | ir.For):
        targets = [stmt.target]
    elif isinstance(stmt, ir.Delete):
        targets = list(stmt.targets)
    elif isinstance(stmt, ir.ExprStmt) and isinstance(stmt.value, ir.Call):
        func = stmt.value.func
        if isinstance(func, ir.Attr) and func.attr in CONTAINER_CHANGES:
            targets = [ir.Sub(func.id, func.obj, func.obj)]
    found: list[str] = []
    while targets:
        target = targets.pop()
        if isinstance(target, ir.Seq):
            targets += target.items
        elif isinstance(target, ir.Star):
            targets.append(target.value)
        elif isinstance(target, ir.Sub):
            targets.append(target.obj)
        elif isinstance(target, ir.Attr) and isinstance(target.obj, ir.Name) and target.obj.name == receiver:
            found.append(target.attr)
    return found


def _asks_whether_there(test: ir.Expr, receiver: str) -> bool:
    """`if self.x is None`, `if not self.x`, `if not hasattr(self, "x")`: what follows is stored once."""
    if isinstance(test, ir.Unary) and test.op == "not":
        inner = test.operand
        if isinstance(inner, ir.Call):
            return isinstance(inner.func, ir.Name) and inner.func.name == "hasattr"
        return isinstance(inner, ir.Attr) and isinstance(inner.obj, ir.Name) and inner.obj.name == receiver
    if isinstance(test, ir.Compare) and len(test.parts) == 1:
        op, right = test.parts[0]
        left = test.left
        own = isinstance(left, ir.Attr) and isinstance(left.obj, ir.Name) and left.obj.name == receiver
        return own and op == "is" and isinstance(right, ir.Lit) and right.value is None
    return False
