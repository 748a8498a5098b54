"""Classes that a program registers as pytrees itself: what their flatten functions hand out beside the leaves."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.semantics.attributes import class_attr
from jaxlint.semantics.guards import parts, statements
from jaxlint.semantics.values import ClassV, Field, Func, Value
from jaxlint.syntax import ir


def note_static(cls: ClassV, flatten: Value | None) -> None:
    """Mark the fields that `flatten` hands out with the structure, and not as leaves: they are never traced."""
    if not isinstance(flatten, Func) or not flatten.fn.params:
        return
    owner = flatten.fn.params[0].name
    leaves: set[str] = set()
    structure: set[str] = set()
    for stmt in statements(flatten.fn.body):
        if isinstance(stmt, ir.Return) and isinstance(stmt.value, ir.Seq) and len(stmt.value.items) == 2:
            children, aux = stmt.value.items
            leaves |= set(_attributes(flatten.fn, children, owner))
            structure |= set(_attributes(flatten.fn, aux, owner))
    for name in structure - leaves:
        field = cls.fields.get(name)
        if field is not None:
            field.static = True
        elif class_attr(cls, "__init__") is not None:
            cls.fields[name] = Field("", None, True)


def _attributes(fn: ir.FunctionIR, expr: ir.Expr, owner: str, depth: int = 0) -> Iterator[str]:
    """The attributes of `owner` that an expression reads, also through local names."""
    if isinstance(expr, ir.Attr) and isinstance(expr.obj, ir.Name) and expr.obj.name == owner:
        yield expr.attr
        return
    if isinstance(expr, ir.Name) and expr.name != owner and depth < 3:
        for stmt in statements(fn.body):
            if isinstance(stmt, ir.Assign) and stmt.value is not None:
                for target in stmt.targets:
                    if isinstance(target, ir.Name) and target.name == expr.name:
                        yield from _attributes(fn, stmt.value, owner, depth + 1)
        return
    for part in parts(expr):
        yield from _attributes(fn, part, owner, depth)
