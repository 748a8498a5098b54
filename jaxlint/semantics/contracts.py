"""Custom derivative rules: whether a function gets the rules it announces, and whether they fit it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.events import DerivativeRuleMisfit
from jaxlint.semantics.values import (
    Array,
    Content,
    Func,
    Many,
    Opaque,
    Partial,
    Place,
    Ref,
    TupleV,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

CUSTOM = frozenset(["jax.custom_vjp", "jax.custom_jvp"])
DEFINERS = frozenset(["defvjp", "defjvp", "defjvps"])
"""Methods that give a function its rules."""


def declared(it: Interpreter, wrapped: Wrapped) -> None:
    """A function is declared to have a rule of its own; that it gets one is looked at in the end."""
    place = wrapped.place
    key = (place[0].path, place[1])
    if key in it.declared:
        return
    it.declared[key] = False
    it.later.append(lambda: _still_missing(it, key, wrapped))


def _still_missing(it: Interpreter, key: tuple[str, int], wrapped: Wrapped) -> None:
    if it.declared[key] or key[0] in it.unresolved_rules:
        return
    func = _function(wrapped.inner)
    name = func.fn.name if func is not None and not func.fn.is_lambda else ""
    fields = {"function": name or "the function", "transformation": wrapped.transform.name.rpartition(".")[2]}
    it.emit(DerivativeRuleMisfit(wrapped.place, "default", fields))


def attach(it: Interpreter, wrapped: Wrapped, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """`f.defvjp(fwd, bwd)`, `f.defjvp(rule)`: the rules are held against what they will be called with."""
    it.declared[(wrapped.place[0].path, wrapped.place[1])] = True
    if wrapped.transform.name not in CUSTOM:
        return
    count = _primal_count(wrapped.inner)
    fixed = _nondifferentiable(it, wrapped)
    if name == "defvjp" and wrapped.transform.name == "jax.custom_vjp":
        fwd, bwd = _given(args, kwargs, 0, "fwd"), _given(args, kwargs, 1, "bwd")
        if fwd is not None:
            _check(it, wrapped, fwd, "fwd", count, 2)
        if bwd is not None and fixed is not None:
            owed = count - fixed if count is not None else None
            _check(it, wrapped, bwd, "bwd", fixed + 2, owed)
    elif name == "defjvp" and fixed is not None:
        rule = _given(args, kwargs, 0, "jvp")
        if rule is not None:
            _check(it, wrapped, rule, "jvp", fixed + 2, 2)


def _given(args: tuple[Value, ...], kwargs: dict[str, Value], position: int, name: str) -> Value | None:
    return args[position] if position < len(args) else kwargs.get(name)


def _function(value: Value) -> Func | None:
    while isinstance(value, Partial | Wrapped):
        value = value.func if isinstance(value, Partial) else value.inner
    return value if isinstance(value, Func) else None


def _primal_count(value: Value) -> int | None:
    """How many arguments the function has, defaults included; None where that is open."""
    taken = _taken(value)
    return taken[1] if taken is not None and not taken[2] else None


def _taken(value: Value) -> tuple[int, int | None, bool] | None:
    """How many positional arguments a callable needs and takes at most, and whether it has arguments of other kinds."""
    if isinstance(value, Wrapped):
        return _taken(value.inner)
    if isinstance(value, Partial):
        inner = _taken(value.func)
        func = _function(value.func)
        if inner is None or func is None:
            return None
        named = [param.name for param in func.fn.params if param.kind in ("pos", "any") and param.name in value.kwargs]
        filled = len(value.args) + len(named)
        return max(inner[0] - filled, 0), inner[1] - filled if inner[1] is not None else None, inner[2]
    if not isinstance(value, Func):
        return None
    params = [param for param in value.fn.params if param.kind in ("pos", "any")]
    if value.receiver is not None:
        params = params[1:]
    needed = sum(1 for param in params if param.default is None)
    most = None if any(param.kind == "star" for param in value.fn.params) else len(params)
    return needed, most, any(param.kind in ("kw", "starstar") for param in value.fn.params)


def _nondifferentiable(it: Interpreter, wrapped: Wrapped) -> int | None:
    """How many arguments are not differentiated; None where that is not known."""
    from jaxlint.semantics.wrappers import constants

    numbers = constants(it, wrapped.options.get("nondiff_argnums"))
    names = constants(it, wrapped.options.get("nondiff_argnames"))
    return len(numbers) + len(names) if numbers is not None and names is not None else None


def _check(it: Interpreter, wrapped: Wrapped, rule: Value, kind: str, given: int | None, owed: int | None) -> None:
    func = _function(rule)
    taken = _taken(rule)
    if func is None or taken is None:
        return
    primal = _function(wrapped.inner)
    fields = {
        "function": primal.fn.name if primal is not None and not primal.fn.is_lambda else "the function",
        "rule": "the lambda" if func.fn.is_lambda else func.fn.name,
        "kind": kind,
    }
    if given is not None and (given < taken[0] or (taken[1] is not None and given > taken[1])):
        accepted = (
            str(taken[0]) if taken[1] == taken[0] else f"at least {taken[0]}" if taken[1] is None else f"{taken[1]}"
        )
        place = (func.fn.module, func.fn.id)
        it.emit(DerivativeRuleMisfit(place, "arity", {**fields, "taken": accepted, "given": str(given)}))
        return
    for place, value in _returns(it, rule, func, given):
        found = _shape(it, value)
        if found is None or found == owed or (owed is None and found != 0):
            continue
        described = f"a tuple of {found}" if found else "an array"
        message = "cotangents" if kind == "bwd" else "pair"
        it.emit(DerivativeRuleMisfit(place, message, {**fields, "returned": described, "owed": str(owed or "several")}))


def _returns(it: Interpreter, rule: Value, func: Func, given: int | None) -> list[tuple[Place, Value]]:
    """What each `return` of a rule returns, with the place of the statement."""
    from jaxlint.semantics.calls import call
    from jaxlint.semantics.opening import shapes_only

    if given is None or func.fn.is_generator or it.watched is not None:
        return []
    it.watched = (func.fn, [])
    emit, it.emit = it.emit, lambda event: None
    it.direct = True
    arguments = tuple(Opaque(f"argument {position}") for position in range(given))
    try:
        with shapes_only(it):
            call(it, rule, arguments, {}, (func.fn.module, func.fn.id))
        return it.watched[1]
    finally:
        it.watched, it.emit, it.direct = None, emit, False


_ARITHMETIC = frozenset(["-", "*", "/", "**", "@", "//"])


def _shape(it: Interpreter, value: Value) -> int | None:
    """The length of the tuple or list that is returned, 0 for an array; None where it may be anything."""
    if isinstance(value, TupleV):
        return len(value.items) if value.cls is None and value.items else None
    if isinstance(value, Ref) and value.kind == "list":
        content: Content = it.st.content(value)
        return len(content.items) or None if content.rest is None and not content.open else None
    if isinstance(value, Array):
        return 0
    if isinstance(value, Opaque) and value.made is not None:
        operands = value.made.args
        if value.made.op in _ARITHMETIC:
            return None if any(isinstance(part, TupleV | Ref | Many) for part in operands) else 0
        if value.made.op == "+":  # of tuples as well, unless one side is itself a number
            return 0 if any(_shape(it, part) == 0 for part in operands) else None
    return None
