"""What properties do behind what looks like a field: hand out another value in each read, tell others of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from jaxlint.semantics.attributes import class_attr, class_field
from jaxlint.semantics.receivers import PLAIN_BASES
from jaxlint.semantics.updates import expressions, statements
from jaxlint.semantics.values import ClassV, Opaque, Ref, Value, ancestors
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_ANSWERS_ALL = ("__getattr__", "__getattribute__")


def renewed(it: Interpreter, value: Value) -> bool:
    """Whether a value was read through an attribute that may be computed anew in each read."""
    return any(
        _may_compute(it, item.parent, item.tag[1])
        for item in ancestors(value)
        if type(item) is Opaque and isinstance(item.tag, tuple) and item.tag[0] == "attr"
    )


def _may_compute(it: Interpreter, owner: Value | None, attr: str) -> bool:
    if isinstance(owner, Ref) and owner.cls is not None:
        cls = owner.cls
        if class_field(cls, attr) is not None or attr in _stored(it, cls):
            return False
        if any(class_attr(cls, name) is not None for name in _ANSWERS_ALL) or _all_known(cls):
            return True  # by a property of a class that inherits from this one, since nothing here stores it
    return attr in _computing(it, it.fr.env.path)


def _stored(it: Interpreter, cls: ClassV) -> set[str]:
    from jaxlint.semantics.classes import attr_writers, typical_instance

    made = typical_instance(it, cls)
    return set(attr_writers(cls)) | (set(made.initial.items) if made is not None else set())


def _all_known(cls: ClassV) -> bool:
    return all(name.startswith(PLAIN_BASES) for name in cls.ext_bases) and all(map(_all_known, cls.bases))


def _computing(it: Interpreter, path: str) -> frozenset[str]:
    """The names of the properties that do more than read, in the classes that a file's imports lead to."""
    return _named(it, path, _is_computing)


def _is_computing(fn: ir.FunctionIR) -> bool:
    """Whether a function is a property that stores or calls something."""
    if not any(type(expr) is ir.Name and expr.name == "property" for _, expr in fn.decorators):
        return False
    return any(
        isinstance(expr, ir.Call) or (isinstance(stmt, ir.Assign | ir.AugAssign) and isinstance(expr, ir.Attr))
        for stmt in statements(fn.body)
        for expr in expressions(stmt)
    )


def is_managed(it: Interpreter, target: Value, attr: str) -> bool:
    """Whether whoever stores to an attribute tells others of the object: they gather its value and put it back."""
    if isinstance(target, Ref):
        return target.cls is not None and has_managed(target.cls)
    return isinstance(target, Opaque) and attr in _named(it, it.fr.env.path, _is_announcing)


def has_managed(cls: ClassV) -> bool:
    """Whether a class has such an attribute."""
    return any(map(_is_announcing, _methods(cls))) or any(map(has_managed, cls.bases))


def _methods(cls: ClassV) -> Iterator[ir.FunctionIR]:
    for stmt in cls.ir.body:
        if isinstance(stmt, ir.FunctionDef):
            yield stmt.fn


def _is_announcing(fn: ir.FunctionIR) -> bool:
    """Whether a function is a setter that hands the object itself to another function."""
    if not any(type(expr) is ir.Attr and expr.attr == "setter" for _, expr in fn.decorators) or not fn.params:
        return False
    calls = (expr for stmt in statements(fn.body) for expr in expressions(stmt) if isinstance(expr, ir.Call))
    return any(_hands_on(call, fn.params[0].name) for call in calls)


def _hands_on(call: ir.Call, name: str) -> bool:
    asks = type(call.func) is ir.Name and call.func.name in _ASKING
    return not asks and any(type(argument) is ir.Name and argument.name == name for argument in call.args)


_ASKING = frozenset({"callable", "getattr", "hasattr", "id", "isinstance", "len", "repr", "setattr", "str", "super"})


def _named(it: Interpreter, path: str, wanted: Callable[[ir.FunctionIR], bool]) -> frozenset[str]:
    """The names of the methods that are `wanted`, in the classes that a file's imports lead to."""
    found: frozenset[str] | None = it.memo.get((wanted, path))
    if found is None:
        modules = it.project.started(path)
        functions = (fn for env in modules for fn in env.ir.functions if fn.class_name is not None)
        found = frozenset(fn.name for fn in functions if wanted(fn))
        if all(env.state == "done" for env in modules):
            it.memo[wanted, path] = found
    return found
