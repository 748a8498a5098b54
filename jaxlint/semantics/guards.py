"""Which code runs on some versions of a library only: behind a version test, `hasattr`, or an attempt that may fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jaxlint.syntax import ir

IMPORTS, NAMES, ARGUMENTS = 1, 2, 4
EVERYTHING = IMPORTS | NAMES | ARGUMENTS
LOOKUP_ERRORS = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError"})
_ANY_ERROR = frozenset({"", "Exception", "BaseException"})
_VERSIONS = frozenset({"__version__", "__version_info__"})
_SEARCHES = frozenset({"find_spec", "signature", "getfullargspec"})
_WARNING_CHECKS = frozenset({"deprecated_call", "warns", "assertWarns", "assertWarnsRegex"})
_SMALL_ATTEMPT = 2
"""Statements under `except Exception` that still are an attempt at something that may not exist."""


def parts(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """The direct parts of an expression; the body of a lambda is not one."""
    lister = _PARTS.get(type(expr))
    return tuple(part for part in lister(expr) if part is not None) if lister is not None else ()


def _dict_parts(expr: ir.DictE) -> list[ir.Expr | None]:
    return [part for item in expr.items for part in item]


def _comprehension_parts(expr: ir.Comp) -> list[ir.Expr | None]:
    return [*(part for clause in expr.clauses for part in (clause.iter, *clause.ifs)), expr.key, expr.elt]


_PARTS: dict[type[ir.Expr], Callable[[Any], Iterable[ir.Expr | None]]] = {
    ir.Attr: lambda expr: (expr.obj,),
    ir.Sub: lambda expr: (expr.obj, expr.index),
    ir.Call: lambda expr: (expr.func, *expr.args, *(value for _, value in expr.keywords)),
    ir.Bin: lambda expr: (expr.left, expr.right),
    ir.Bool: lambda expr: (expr.left, expr.right),
    ir.Unary: lambda expr: (expr.operand,),
    ir.Compare: lambda expr: (expr.left, *(value for _, value in expr.parts)),
    ir.Cond: lambda expr: (expr.test, expr.body, expr.orelse),
    ir.Seq: lambda expr: expr.items,
    ir.DictE: _dict_parts,
    ir.FString: lambda expr: (part[0] for part in expr.parts),
    ir.Star: lambda expr: (expr.value,),
    ir.Walrus: lambda expr: (expr.value,),
    ir.Slice: lambda expr: (expr.lower, expr.upper, expr.step),
    ir.Comp: _comprehension_parts,
    ir.Yield: lambda expr: (expr.value,),
}


def blocks(stmt: ir.Stmt) -> tuple[list[ir.Stmt], ...]:
    """The blocks of a compound statement in the same scope."""
    if isinstance(stmt, ir.If | ir.For | ir.While):
        return stmt.body, stmt.orelse
    if isinstance(stmt, ir.With):
        return (stmt.body,)
    if isinstance(stmt, ir.Try):
        return stmt.body, *(handler.body for handler in stmt.handlers), stmt.orelse, stmt.final
    if isinstance(stmt, ir.Match):
        return tuple(case.body for case in stmt.cases)
    return ()


def statements(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a scope, in order; the bodies of functions and classes are scopes of their own."""
    for stmt in body:
        yield stmt
        for block in blocks(stmt):
            yield from statements(block)


class VersionTests:
    """Recognises tests of a library's version or of what it has.

    flags: names whose value was decided by such a test, attributes with a leading dot. is_library: whether an
    expression is the library, or a part of it.
    """

    def __init__(self, flags: set[str], is_library: Callable[[ir.Expr], bool]) -> None:
        self.flags = flags
        self._is_library = is_library

    def __call__(self, expr: ir.Expr) -> bool:
        """Whether a test asks about the version."""
        if isinstance(expr, ir.Name):
            return expr.name in self.flags or expr.name in _VERSIONS
        if isinstance(expr, ir.Attr):
            if expr.attr in _VERSIONS or "." + expr.attr in self.flags:
                return True
        elif isinstance(expr, ir.Call) and self._asks(expr):
            return True
        elif isinstance(expr, ir.Compare):
            op, right = expr.parts[0]
            if op in ("in", "not in") and self._is_library(right):
                return True
        return any(self(part) for part in parts(expr))

    def _asks(self, call: ir.Call) -> bool:
        func = call.func
        if isinstance(func, ir.Name):
            if func.name == "hasattr":
                return True
            if func.name in ("getattr", "dir") and call.args:
                return self._is_library(call.args[0])
            name = func.name
        else:
            name = func.attr if isinstance(func, ir.Attr) else ""
        if name == "version" and call.args and isinstance(call.args[0], ir.Lit):
            return str(call.args[0].value) in ("jax", "jaxlib")
        return name in _SEARCHES


def caught(stmt: ir.Try) -> list[set[str]]:
    """The names of the errors that each handler catches; an empty name for a bare `except`."""
    found: list[set[str]] = []
    for handler in stmt.handlers:
        kinds = handler.type.items if isinstance(handler.type, ir.Seq) else [handler.type]
        found.append({_last(kind) if kind is not None else "" for kind in kinds})
    return found


def _last(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Name):
        return expr.name
    return expr.attr if isinstance(expr, ir.Attr) else "?"


def attempt(stmt: ir.Try) -> int:
    """What the body of a `try` may do in vain: imports, reading names, giving arguments."""
    errors = {error for handler in caught(stmt) for error in handler}
    found = 0
    if errors & LOOKUP_ERRORS:
        found |= IMPORTS | NAMES
    if "TypeError" in errors:
        found |= ARGUMENTS
    if errors & _ANY_ERROR:
        found |= EVERYTHING if len(stmt.body) <= _SMALL_ATTEMPT else IMPORTS
    return found


def is_fallback(errors: set[str]) -> bool:
    """Whether a handler says what to do when something does not exist."""
    return bool(errors & (LOOKUP_ERRORS | _ANY_ERROR | {"TypeError"}))


_TRACER_ERRORS = frozenset(
    [
        "TypeError",
        "ConcretizationTypeError",
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "NonConcreteBooleanIndexError",
    ]
)


def awaits_tracers(stmt: ir.Try) -> bool:
    """Whether a `try` attempts something that fails on traced values, and says what to do then."""
    awaited = _TRACER_ERRORS | _ANY_ERROR if len(stmt.body) <= _SMALL_ATTEMPT else _TRACER_ERRORS
    handled = zip(stmt.handlers, caught(stmt), strict=True)
    return any(errors & awaited and not isinstance(handler.body[-1], ir.Raise) for handler, errors in handled)


def context_guards(stmt: ir.With) -> bool:
    """`with suppress(AttributeError):`, `with pytest.raises(ImportError):`, `with pytest.deprecated_call():`."""
    for expr, _ in stmt.items:
        if isinstance(expr, ir.Call):
            if _last(expr.func) in _WARNING_CHECKS:
                return True
            names = {_last(part) for arg in expr.args for part in (arg.items if isinstance(arg, ir.Seq) else [arg])}
            if names & LOOKUP_ERRORS:
                return True
    return False


def type_checking(test: ir.Expr) -> bool | None:
    """True for `TYPE_CHECKING`, False for its negation."""
    if isinstance(test, ir.Unary) and test.op == "not":
        inner = type_checking(test.operand)
        return None if inner is None else not inner
    return True if _last(test) == "TYPE_CHECKING" else None


def leaves(body: list[ir.Stmt]) -> bool:
    """Whether a block ends by leaving the code around it, other than by an error."""
    last = body[-1] if body else None
    if isinstance(last, ir.Return) or (isinstance(last, ir.Jump) and last.kind in ("break", "continue")):
        return True
    return isinstance(last, ir.If) and bool(last.orelse) and leaves(last.body) and leaves(last.orelse)


def may_leave(stmt: ir.If) -> bool:
    """Whether one side of an `if` leaves the code around it."""
    return leaves(stmt.body) or leaves(stmt.orelse)
