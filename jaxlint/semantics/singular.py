"""`where` that rejects a value too late: what it hides has no finite slope, and the way back meets it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.semantics.events import SlopeHidden
from jaxlint.semantics.numerics import square_of
from jaxlint.semantics.operators import is_static
from jaxlint.semantics.provenance import argument, closure, flows, made_of, number, same, short, source
from jaxlint.semantics.values import Array, Made, Opaque, Place, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

SELECTORS = frozenset(["jax.numpy.where", "jax.lax.select"])
"""Functions that compute both sides and choose by a condition."""

_DEPTH = 14
_SMALL = 1e-2


def check_select(it: Interpreter, args: tuple[Value, ...], place: Place) -> None:
    """Tell of a side of a selection that has no finite slope just where the condition rejects it."""
    natural = _in_module(it)
    if len(args) != 3 or not (natural or flows(args[1]) or flows(args[2])):
        return
    tests = list(_tests(args[0]))
    if not tests:
        return
    for side, chosen in ((args[1], True), (args[2], False)):
        for made, operand in _risks(side, natural):
            if any(_guards(test, operand, made, chosen) for test in tests):
                it.emit(SlopeHidden(place, short(made) or made.op, made.place))
                it.hidden_slopes.add(made.place)
                return


# ---- where the slope is not finite ----------------------------------------------------------------------------------


def _in_module(it: Interpreter) -> bool:
    """Whether the code belongs to a layer or model that nothing calls here: its kind exists to be differentiated."""
    cls = it.fr.cls
    return cls is not None and it.fr.ctx.depth == 0 and cls.kind in _MODULES and it.fr.fn.name in _FORWARD


_MODULES = frozenset(["equinox_module", "linen_module", "nnx_module", "haiku_module"])
_FORWARD = frozenset(["__call__", "forward"])


def _carries(value: Value, natural: bool) -> bool:
    """Whether a derivative comes back through a value, or would in a module."""
    return flows(value) or (natural and isinstance(value, Array | Opaque) and not is_static(value))


def _risks(side: Value, natural: bool) -> Iterator[tuple[Made, Value]]:
    """The operations behind a value whose slope is not finite for some arguments, each with that argument."""
    queue = [(side, 0)]
    seen: set[int] = set()
    while queue and len(seen) < 60:
        value, depth = queue.pop(0)
        value = source(value)
        made = made_of(value)
        if made is None or depth > _DEPTH or value.uid in seen or not _carries(value, natural):
            continue
        seen.add(value.uid)
        operand = _singular(made, natural)
        if operand is not None:
            yield made, operand
        if short(made) in ("where", "select", "clip", "maximum", "minimum", "cond"):
            continue
        queue += [(item, depth + 1) for item in (*made.args, *made.kwargs.values())]


_NEEDS_POSITIVE = frozenset(["log", "log2", "log10", "sqrt", "rsqrt", "norm", "reciprocal", "cbrt"])
_NEEDS_RANGE = frozenset(["arccos", "acos", "arcsin", "asin", "arctanh", "atanh"])


def _singular(made: Made, natural: bool) -> Value | None:
    """The argument at which an operation may have no finite slope; None where it always has one."""
    kind = short(made) if "." in made.op else ""
    first = argument(made, 0, "x", "x1", "a")
    second = argument(made, 1, "y", "x2")
    if made.op == "/" or kind in ("divide", "true_divide", "div"):
        return second if second is not None and not _nonzero(second) else None
    if not made.op.startswith("jax.") and made.op != "**":
        return None
    if made.op == "**" or kind in ("power", "pow", "float_power"):
        return (
            first
            if _steep(second) and first is not None and _carries(first, natural) and not _positive(first)
            else None
        )
    if first is None or not _carries(first, natural):
        return None
    if kind in _NEEDS_POSITIVE:
        return first if not _positive(first) else None
    if kind == "log1p":
        return first if not _nonnegative(first) else None
    if kind in _NEEDS_RANGE:
        return first if not _bounded(first) else None
    if kind in ("arctan2", "atan2"):
        return first if second is not None and not _positive(first) and not _positive(second) else None
    return None


def _steep(exponent: Value | None) -> bool:
    """Whether a power has no finite slope at zero: fractional below one, or negative."""
    value = number(exponent)
    return value is not None and (value < 0 or (value != int(value) and value < 1))


# ---- what is known of a sign ----------------------------------------------------------------------------------------

_POSITIVE = frozenset(
    ["exp", "exp2", "softplus", "sigmoid", "softmax", "cosh", "expit", "logistic", "ones", "ones_like"]
)
_NONNEGATIVE = frozenset(
    ["abs", "absolute", "square", "sqrt", "norm", "var", "std", "relu", "fabs", "expm1_abs", "hypot"]
)
_COLLECTED = frozenset(
    [
        "sum",
        "mean",
        "max",
        "amax",
        "min",
        "amin",
        "prod",
        "cumsum",
        "reshape",
        "ravel",
        "squeeze",
        "astype",
        "asarray",
        "array",
        "broadcast_to",
        "transpose",
        "expand_dims",
        "median",
        "swapaxes",
        "moveaxis",
        "flatten",
        "repeat",
        "tile",
        "take",
        "take_along_axis",
        "concatenate",
        "stack",
        "float32",
        "[]",
        "T",
    ]
)
_REPLACED = frozenset(["where", "select", "nan_to_num"])


def _positive(value: Value, depth: int = 0) -> bool:
    """Whether a value is known to stay above zero."""
    fixed = number(value)
    if fixed is not None:
        return fixed > 0
    if is_static(value):
        return True
    made = made_of(value)
    if made is None or depth > 8:
        return False
    kind, args = short(made), made.args
    if kind in _POSITIVE or kind in _REPLACED:
        return True
    if kind in ("maximum", "fmax", "clip"):
        return _lifted(made, depth)
    if made.op == "+" and len(args) == 2:
        left, right = args
        if _tiny(left) or _tiny(right):
            return True
        signs = (_positive(left, depth + 1), _positive(right, depth + 1))
        return (signs[0] and (signs[1] or _nonnegative(right, depth + 1))) or (
            signs[1] and _nonnegative(left, depth + 1)
        )
    if made.op in ("*", "/") and len(args) == 2:
        return _positive(args[0], depth + 1) and _positive(args[1], depth + 1)
    if made.op == "**" or kind in ("sqrt", "square", "power"):
        return bool(args) and _positive(args[0], depth + 1)
    return kind in _COLLECTED and bool(args) and _positive(args[0], depth + 1)


def _tiny(value: Value) -> bool:
    """Whether a value is a small number that is added so as to keep another away from zero."""
    fixed = number(value)
    if fixed is not None:
        return 0 < fixed <= _SMALL
    return isinstance(value, Opaque) and "eps" in value.name.lower()


def _lifted(made: Made, depth: int) -> bool:
    """Whether a lower bound keeps a value above zero."""
    if short(made) == "clip":
        low = argument(made, 1, "min", "a_min")
        return low is not None and (_positive(low, depth + 1) or (number(low) is None and made_of(low) is None))
    return any(_positive(item, depth + 1) or (isinstance(item, Opaque) and not flows(item)) for item in made.args)


def _nonnegative(value: Value, depth: int = 0) -> bool:
    """Whether a value is known not to fall below zero."""
    fixed = number(value)
    if fixed is not None:
        return fixed >= 0
    if is_static(value):
        return True
    made = made_of(value)
    if made is None or depth > 8:
        return False
    kind, args = short(made), made.args
    if kind in _POSITIVE or kind in _NONNEGATIVE or kind in _REPLACED or square_of(value) is not None:
        return True
    if made.op == "**" and len(args) == 2:
        exponent = number(args[1])
        return (exponent is not None and exponent % 2 == 0) or _nonnegative(args[0], depth + 1)
    if kind in ("maximum", "fmax", "clip"):
        return any(_nonnegative(item, depth + 1) for item in made.args[-2:])
    if made.op in ("+", "*", "/") and len(args) == 2:
        return _nonnegative(args[0], depth + 1) and _nonnegative(args[1], depth + 1)
    return kind in _COLLECTED and bool(args) and _nonnegative(args[0], depth + 1)


def _nonzero(value: Value) -> bool:
    """Whether a divisor is known to stay away from zero."""
    fixed = number(value)
    if fixed is not None:
        return fixed != 0
    if _positive(value):
        return True
    made = made_of(value)
    if made is None:
        return False
    if made.op == "-" and len(made.args) == 1:
        return _nonzero(made.args[0])
    if made.op in ("*", "**", "/") and len(made.args) == 2:
        rest = made.args[1:] if made.op == "*" else ()
        return _nonzero(made.args[0]) and all(_nonzero(item) for item in rest)
    return short(made) in _COLLECTED - {"sum", "mean"} and bool(made.args) and _nonzero(made.args[0])


def _bounded(value: Value) -> bool:
    """Whether a value was cut to a range, or computed as one that cannot leave it."""
    made = made_of(value)
    return number(value) is not None or (
        made is not None and short(made) in ("clip", "tanh", "minimum", "maximum", "where")
    )


# ---- whether the condition speaks of it -----------------------------------------------------------------------------

_LOGICAL = frozenset(["any", "all", "logical_and", "logical_or", "logical_not", "logical_xor"])
_COMPARING = {
    "greater": ">",
    "less": "<",
    "greater_equal": ">=",
    "less_equal": "<=",
    "equal": "==",
    "not_equal": "!=",
    "isclose": "==",
    "gt": ">",
    "lt": "<",
    "ge": ">=",
    "le": "<=",
}


class _Test:
    """A comparison of a value with a number inside a condition. alone: it is the whole condition."""

    __slots__ = ("alone", "bound", "op", "value")

    def __init__(self, value: Value, op: str, bound: float, alone: bool) -> None:
        self.value = value
        self.op = op
        self.bound = bound
        self.alone = alone


def _tests(condition: Value, depth: int = 0, alone: bool = True) -> Iterator[_Test]:
    """The comparisons with numbers that make up a condition."""
    made = made_of(condition)
    if made is None or depth > 5:
        return
    kind = short(made)
    if made.op in ("&", "|", "~", "^") or kind in _LOGICAL or kind in _COLLECTED:
        for item in made.args:
            yield from _tests(item, depth + 1, alone=False)
        return
    op = made.op if made.op in _NEGATED else _COMPARING.get(kind, "")
    if not op or len(made.args) < 2:
        return
    left, right = made.args[0], made.args[1]
    low, high = number(left), number(right)
    if high is not None:
        yield _Test(left, op, high, alone)
    elif low is not None:
        yield _Test(right, _SWAPPED.get(op, op), low, alone)
    elif isinstance(right, Opaque) and right.made is None and _tiny(right):
        yield _Test(left, op, 0.0, alone)


_NEGATED = frozenset(["==", "!=", "<", "<=", ">", ">="])
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _guards(test: _Test, operand: Value, made: Made, chosen: bool) -> bool:
    """Whether the condition rejects the side where the operand makes it singular."""
    quotient = made.op == "/" or short(made) in ("divide", "true_divide", "div")
    equality = test.op in ("==", "!=")
    tested, used = _cores(test.value), _cores(operand)
    if _meet(tested, used):
        elsewhere = short(made) in _NEEDS_RANGE or short(made) in ("log1p", "arctan2", "atan2")
        return not test.alone or equality or elsewhere or _at_zero(test) != chosen
    if quotient and not equality:
        return False
    shared = closure(test.value).keys() & closure(operand).keys()
    return any(uid for uid in shared) or _same_sources(test.value, operand)


def _at_zero(test: _Test) -> bool:
    """Whether the comparison holds for zero."""
    return {
        "==": test.bound == 0,
        "!=": test.bound != 0,
        "<": test.bound > 0,
        "<=": test.bound >= 0,
        ">": test.bound < 0,
        ">=": test.bound <= 0,
    }[test.op]


def _cores(value: Value, depth: int = 0) -> list[Value]:
    """The values of which one is zero where this one is: behind absolute values, powers, sums of squares, factors."""
    value = source(value)
    made = made_of(value)
    if made is None or depth > 8 or not made.args:
        return [value]
    kind, args = short(made), made.args
    found = [value]
    if made.op == "*" and len(args) == 2:
        for item in args:
            found += _cores(item, depth + 1) if not is_static(item) else []
    elif made.op in ("**", "/") or (made.op == "-" and len(args) == 1) or kind in _NONNEGATIVE or kind in _COLLECTED:
        found += _cores(args[0], depth + 1)
    return found


def _meet(a: list[Value], b: list[Value]) -> bool:
    """Whether the two lists share a value."""
    return any(x.uid == y.uid if x.uid else same(x, y) for x in a for y in b) or any(same(x, y) for x in a for y in b)


def _same_sources(a: Value, b: Value) -> bool:
    """Whether both are the same computation, written twice."""
    return same(a, b)


__all__ = ["SELECTORS", "Array", "check_select"]
