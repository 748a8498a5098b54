"""Stores that the code around them takes back: a value put back in its place, an entry that is removed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.semantics.mutations import describe
from jaxlint.semantics.updates import expressions, statements
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

_OPPOSITES = {"append": ("pop",), "appendleft": ("popleft",), "push": ("pop",), "add": ("remove", "discard")}
_ADDING = frozenset({"add", "append"})
_REMOVING = frozenset({"pop", "remove", "discard"})


def undone(it: Interpreter, name: str) -> bool:
    """Whether the running function takes back what it stores in `name`."""
    fn = it.fr.fn
    found: frozenset[str] | None = it.memo.get(("undone", id(fn)))
    if found is None:
        found = it.memo["undone", id(fn)] = frozenset(_put_back(fn)) | frozenset(_taken_out(fn))
    return name in found


def counterparts(it: Interpreter, name: str) -> list[ir.FunctionIR]:
    """The methods beside the running one that take out what it puts into `name`, or put in what it takes out."""
    if it.fr.cls is None:
        return []
    fn = it.fr.fn
    wanted = _REMOVING if name in _touched(fn, _ADDING) else _ADDING if name in _touched(fn, _REMOVING) else frozenset()
    methods = (stmt.fn for stmt in it.fr.cls.ir.body if isinstance(stmt, ir.FunctionDef) and stmt.fn is not fn)
    return [method for method in methods if wanted and name in _touched(method, wanted)]


def _put_back(fn: ir.FunctionIR) -> Iterator[str]:
    """What is stored again in the place where a local variable, bound but once, took it from."""
    bound = Counter(target.name for target in _targets(fn) if isinstance(target, ir.Name))
    saved: dict[str, str] = {}
    for target, value in _assigned(fn):
        if isinstance(value, ir.Name) and saved.get(value.name) == describe(target):
            yield saved[value.name]
        elif isinstance(target, ir.Name) and isinstance(value, ir.Attr | ir.Name) and bound[target.name] == 1:
            saved[target.name] = describe(value)


def _targets(fn: ir.FunctionIR) -> Iterator[ir.Expr]:
    for stmt in statements(fn.body):
        stored = stmt.targets if isinstance(stmt, ir.Assign) else [getattr(stmt, "target", None)]
        for target in stored:
            yield from target.items if isinstance(target, ir.Seq) else [target] if target is not None else []


def _assigned(fn: ir.FunctionIR) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """Targets with what is stored in them, those of unpacked displays one by one."""
    for stmt in statements(fn.body):
        if isinstance(stmt, ir.Assign) and stmt.value is not None:
            for target in stmt.targets:
                value = stmt.value
                if isinstance(target, ir.Seq) and isinstance(value, ir.Seq) and len(target.items) == len(value.items):
                    yield from zip(target.items, value.items, strict=True)
                else:
                    yield target, value


def _taken_out(fn: ir.FunctionIR) -> Iterator[str]:
    """Containers that an entry is put into and taken out of."""
    calls = [
        (expr.func.attr, describe(expr.func.obj), [describe(argument) for argument in expr.args])
        for stmt in statements(fn.body)
        for expr in expressions(stmt)
        if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr)
    ]
    for method, container, entry in calls:
        for opposite in _OPPOSITES.get(method, ()):
            if (opposite, container, entry if method == "add" else []) in calls:
                yield container


def _touched(fn: ir.FunctionIR, methods: frozenset[str]) -> Iterator[str]:
    """Containers into which a function puts single entries, or from which it takes them."""
    for stmt in statements(fn.body):
        stored = stmt.targets if isinstance(stmt, ir.Assign if methods is _ADDING else ir.Delete) else ()
        yield from (describe(target.obj) for target in stored if isinstance(target, ir.Sub))
        for expr in expressions(stmt):
            if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.attr in methods and expr.args:
                yield describe(expr.func.obj)
