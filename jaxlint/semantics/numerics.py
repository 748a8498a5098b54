"""Formulas that lose their numbers in floating point, recognised by how their parts were computed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jaxlint.semantics.events import FormulaUnstable
from jaxlint.semantics.operators import is_static
from jaxlint.semantics.provenance import argument, closure, flows, made_of, number, same, short, source
from jaxlint.semantics.values import Array, Made, Opaque, Place, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

FUNCTIONS = frozenset(f"{module}.{name}" for module in ("jax.numpy", "jax.lax") for name in ("log", "sqrt"))
"""Functions whose argument may make an unstable formula of them."""

_COUNTS = frozenset(["arange", "bincount", "count_nonzero", "iota", "len", "floor", "ceil", "round", "argmax"])
_COUNT_NAMES = re.compile(
    r"[nkij]|n_\w+|num(_\w+)?|\w*(count|counter|epoch|index|idx|iteration|length|rank|step|visits)s?", re.IGNORECASE
)
"""Names of parameters and fields that hold whole numbers."""
_SIGMOIDS = frozenset(["sigmoid", "expit", "logistic"])
_MAXIMA = frozenset(
    [
        "max",
        "amax",
        "nanmax",
        "maximum",
        "fmax",
        "cummax",
        "logsumexp",
        "log_softmax",
        "logaddexp",
        "pmax",
        "segment_max",
    ]
)


def check_function(it: Interpreter, name: str, args: tuple[Value, ...], place: Place) -> None:
    """Tell of `log` and `sqrt` of something that has a stable form of its own."""
    if not args:
        return
    made = made_of(args[0])
    if made is None:
        return
    found = _logarithm(made) if name.endswith("log") else _root(made)
    if found is None:
        return
    event = FormulaUnstable(place, *found)
    if found[0] != "root":
        it.emit(event)
    else:  # where a selection hides it, that is what there is to tell
        it.later.append(lambda: None if place in it.hidden_slopes else it.emit(event))


def check_arithmetic(it: Interpreter, op: str, left: Value, right: Value, place: Place) -> None:
    """Tell of `exp(x) - 1`, `1 - tanh(x)**2` and `1 / (1 + exp(-x))`."""
    found = _difference(left, right) if op == "-" else _square(left, right) if op == "**" else _quotient(left, right)
    if found is not None:
        it.emit(FormulaUnstable(place, *found))


Found = tuple[str, str]


def _logarithm(made: Made) -> Found | None:
    kind = short(made)
    if kind == "softmax" and made.op.startswith("jax."):
        return "default", "jax.nn.log_softmax"
    if kind in _SIGMOIDS and made.op.startswith("jax."):
        return "default", "jax.nn.log_sigmoid"
    if kind == "sum":
        exponential = _exponential(argument(made, 0, "a"))
        weighted = argument(made, 99, "where", "initial") is not None
        if exponential is not None and not weighted and not _shifted(exponential):
            return "overflow", "jax.nn.logsumexp"
        return None
    if made.op == "-" and number(made.args[0]) == 1.0:
        other = made_of(made.args[1])
        return ("default", "jax.nn.log_sigmoid") if other is not None and short(other) in _SIGMOIDS else None
    if made.op != "+":
        return None
    added = _one_more(made)
    if added is None or is_static(added):
        return None
    if _exponential(added) is not None:
        return "overflow", "jax.nn.softplus"
    return None if _counted(added) else ("cancellation", "jnp.log1p")


def _one_more(made: Made) -> Value | None:
    """What one is added to."""
    left, right = made.args
    if number(left) == 1.0:
        return right
    return left if number(right) == 1.0 else None


def _counted(value: Value) -> bool:
    """Whether a value is a count, of which one is no small part: of steps, of entries, of what two ends enclose."""
    made = made_of(value)
    if made is not None and made.op == "-" and len(made.args) == 2:
        return True
    parts = [part for part in closure(value).values() if isinstance(part, Array | Opaque)]
    return any(short(part.made) in _COUNTS or (isinstance(part, Opaque) and _whole(part)) for part in parts)


def _whole(value: Opaque) -> bool:
    """Whether an unknown value is a whole number, by its annotation or, where there is none, by its name."""
    return value.hint == "int" or bool(_COUNT_NAMES.fullmatch(value.name.rpartition(".")[2]))


def _exponential(value: Value | None) -> Value | None:
    """The exponent, where the value is a power of e that JAX computes."""
    made = made_of(value) if value is not None else None
    if made is None or short(made) != "exp" or not made.op.startswith("jax.") or not made.args:
        return None
    return made.args[0]


def _shifted(exponent: Value) -> bool:
    """Whether something like a maximum was taken off the exponent, or may have been."""
    made = made_of(exponent)
    if made is None:
        return False
    if made.op == "-" and len(made.args) == 2:
        taken = source(made.args[1])
        if isinstance(taken, Array | Opaque) and taken.made is None:
            return not is_static(taken)
        return any(short(part.made) in _MAXIMA for part in closure(taken).values() if isinstance(part, Array | Opaque))
    return short(made) in ("log_softmax", "log_sigmoid", "clip", "minimum")


def _root(made: Made) -> Found | None:
    if short(made) != "sum":
        return None
    squared = argument(made, 0, "a")
    base = square_of(squared) if squared is not None else None
    if squared is None or base is None or not flows(squared):
        return None
    return "root", "jnp.linalg.norm"


def square_of(value: Value) -> Value | None:
    """What was squared: `x**2`, `x * x`, `jnp.square(x)`."""
    made = made_of(value)
    if made is None or not made.args:
        return None
    if made.op == "**" and number(made.args[1]) == 2.0:
        return made.args[0]
    if made.op == "*" and same(made.args[0], made.args[1]):
        return made.args[0]
    return made.args[0] if short(made) == "square" else None


def _difference(left: Value, right: Value) -> Found | None:
    if number(right) == 1.0:
        return ("cancellation", "jnp.expm1") if _exponential(left) is not None else None
    if number(left) != 1.0:
        return None
    base = square_of(right)
    made = made_of(base) if base is not None else None
    if made is not None and short(made) == "tanh" and made.op.startswith("jax."):
        return "default", "1 / jnp.cosh(x)**2"
    return None


def _square(base: Value, exponent: Value) -> Found | None:
    """The square of a norm, whose derivative at zero goes through that of the root."""
    made = made_of(base)
    if number(exponent) != 2.0 or made is None or made.op != "jax.numpy.linalg.norm" or not flows(base):
        return None
    return ("root", "jnp.sum(x**2)") if len(made.args) == 1 and "ord" not in made.kwargs else None


def _quotient(left: Value, right: Value) -> Found | None:
    made = made_of(right)
    if made is None or made.op != "+" or number(left) != 1.0:
        return None
    added = _one_more(made)
    return ("overflow", "jax.nn.sigmoid") if added is not None and _exponential(added) is not None else None
