"""Attributes that may give another value each time they are read: a stream of keys looks like a field from outside."""

from __future__ import annotations

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
    found: frozenset[str] | None = it.memo.get(("computing", path))
    if found is None:
        modules = it.project.started(path)
        found = frozenset(fn.name for env in modules for fn in env.ir.functions if _is_computing(fn))
        if all(env.state == "done" for env in modules):
            it.memo["computing", path] = found
    return found


def _is_computing(fn: ir.FunctionIR) -> bool:
    """Whether a function is a property that stores or calls something."""
    if fn.class_name is None or not any(type(expr) is ir.Name and expr.name == "property" for _, expr in fn.decorators):
        return False
    return any(
        isinstance(expr, ir.Call) or (isinstance(stmt, ir.Assign | ir.AugAssign) and isinstance(expr, ir.Attr))
        for stmt in statements(fn.body)
        for expr in expressions(stmt)
    )
