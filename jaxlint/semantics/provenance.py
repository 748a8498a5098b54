"""How numbers were computed: questions about the operations behind a value."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.semantics.values import (
    FLOW,
    LOOPED,
    Array,
    Const,
    Made,
    Opaque,
    Place,
    Trace,
    TupleV,
    Union,
    Value,
)

Operands = tuple[Value, ...]


def note(value: Value, op: str, args: Operands, place: Place, kwargs: dict[str, Value] | None = None) -> Value:
    """Remember how a value that was just made was computed; returns it."""
    kind = type(value)
    if (kind is Array or kind is Opaque) and value.made is None and value.parent is None:  # type: ignore[attr-defined]
        for given in args:
            if given is value:
                return value  # handed through
        value.made = Made(op, args, place, kwargs)  # type: ignore[attr-defined]
        if value.trace is not None and value.trace.flags & FLOW:
            _settle(value, op)
    return value


def made_of(value: Value) -> Made | None:
    """The operation that computed a value; that of its source where it is a mere view of one."""
    for _ in range(8):
        if not isinstance(value, Array | Opaque):
            return None
        if value.made is not None:
            return value.made
        if value.parent is None or not isinstance(value, Array) or (value.tag is not None and value.tag[0] != "from"):
            return None
        value = value.parent
    return None


def source(value: Value) -> Value:
    """The value behind views of it: conversions, reshapes, transposes."""
    for _ in range(8):
        if not isinstance(value, Array) or value.made is not None or value.parent is None or value.tag is not None:
            return value
        value = value.parent
    return value


def short(made: Made | None) -> str:
    """The last part of the name of an operation: `exp` for `jax.numpy.exp`; empty for none."""
    return made.op.rpartition(".")[2] if made is not None else ""


def argument(made: Made, position: int, *names: str) -> Value | None:
    """An argument of an operation, by position or by one of its names."""
    if position < len(made.args):
        return made.args[position]
    return next((made.kwargs[name] for name in names if name in made.kwargs), None)


def operands(made: Made) -> Iterator[Value]:
    """All arguments, those in tuples one by one."""
    for value in (*made.args, *made.kwargs.values()):
        if isinstance(value, TupleV):
            yield from value.items
        else:
            yield value


def flows(value: Value) -> bool:
    """Whether a derivative comes back through the value."""
    return value.trace is not None and bool(value.trace.flags & FLOW)


def number(value: Value | None) -> float | None:
    """The number that a value is, where the program fixes it."""
    for _ in range(_STEPS):
        if isinstance(value, Const):
            constant = value.value
            return float(constant) if isinstance(constant, int | float) and not isinstance(constant, bool) else None
        made = made_of(value) if isinstance(value, Array) else None
        if made is None or not made.args or short(made) not in _CONVERSIONS:
            return None
        value = made.args[0]
    return None


_CONVERSIONS = frozenset(["asarray", "array", "float32", "float64", "bfloat16", "float16", "astype"])


_STEPS = 8
"""Operations looked through; an array may have been computed from itself, in a loop."""


def same(a: Value | None, b: Value | None, steps: int = _STEPS) -> bool:
    """Whether two values are certainly equal: one value, or the same operation on the same values."""
    if a is None or b is None or steps == 0:
        return False
    a, b = source(a), source(b)
    if a is b or (a.uid and a.uid == b.uid):
        return True
    if isinstance(a, Const) and isinstance(b, Const):
        return type(a.value) is type(b.value) and bool(a.value == b.value)
    one, other = made_of(a), made_of(b)
    if one is None or other is None or one.op != other.op or len(one.args) != len(other.args):
        return False
    if set(one.kwargs) != set(other.kwargs) or not one.args or one.op.startswith("jax.random."):
        return False
    return all(same(x, y, steps - 1) for x, y in zip(one.args, other.args, strict=True))


def closure(value: Value, limit: int = 60) -> dict[int, Value]:
    """The value and everything that it was computed from, by identity."""
    found: dict[int, Value] = {}
    queue = [value]
    while queue and len(found) < limit:
        current = queue.pop()
        if isinstance(current, TupleV):
            queue += current.items
            continue
        if isinstance(current, Union):
            queue += current.members
            continue
        if not isinstance(current, Array | Opaque) or current.uid in found:
            continue
        found[current.uid] = current
        made = current.made
        if made is not None:
            queue += [*made.args, *made.kwargs.values()]
        elif current.parent is not None:
            queue.append(current.parent)
    return found


_STILL = frozenset(
    [
        "argmax",
        "argmin",
        "argsort",
        "lexsort",
        "searchsorted",
        "digitize",
        "sign",
        "signbit",
        "floor",
        "ceil",
        "round",
        "rint",
        "trunc",
        "around",
        "fix",
        "floor_divide",
        "isnan",
        "isfinite",
        "isinf",
        "isclose",
        "allclose",
        "equal",
        "not_equal",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "array_equal",
        "any",
        "all",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "nonzero",
        "argwhere",
        "flatnonzero",
        "count_nonzero",
        "iscomplexobj",
        "zeros_like",
        "ones_like",
        "full_like",
        "empty_like",
        "stop_gradient",
        "eq",
        "ne",
        "gt",
        "ge",
        "lt",
        "le",
        "argpartition",
        "nanargmax",
        "nanargmin",
        "one_hot",
        "isin",
        "//",
    ]
)
"""Operations whose result no derivative comes back through: integers, truths, constants, what was stopped."""


def _settle(value: Value, op: str) -> None:
    """Take the derivative off a fresh result that none comes back through."""
    trace = value.trace
    if trace is None or not isinstance(value, Array | Opaque):
        return
    if op.rpartition(".")[2] in _STILL or (isinstance(value, Array) and value.dtype == "bool"):
        value.trace = Trace(trace.flags & ~(FLOW | LOOPED), trace.why)
