"""Functions of `itertools`, and those that `operator` makes: what they hand on of what they are given."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics.iteration import Sequence, iterate
from jaxlint.semantics.operators import binary, is_static
from jaxlint.semantics.values import NONE, UNKNOWN, Const, Many, Method, Opaque, Partial, Place, TupleV, Value

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
Handler = Callable[["Interpreter", Args, Kwargs, Place], Value]

_MOST = 36
"""Elements of a product that are told apart."""


def _listed(sequences: list[Sequence]) -> list[list[Value]] | None:
    """The elements of each sequence, where all are known."""
    found: list[list[Value]] = []
    for sequence in sequences:
        if sequence.length is None or sequence.length > _MOST:
            return None
        found.append([sequence.get(i) for i in range(sequence.length)])
    return found


def _any_of(value: Value) -> Value:
    """Some element of a sequence: of the one that is given, only whether it is traced or static is known."""
    return Opaque(trace=value.trace, static=value.trace is None and is_static(value))


def _chain(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    known = _listed([iterate(it, value, place) for value in args])
    if known is None:
        return Opaque()
    items = tuple(item for listed in known for item in listed)
    return Many("chain", lambda i: items[i] if isinstance(i, int) and i < len(items) else UNKNOWN, len(items))


def _product(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    sequences = [iterate(it, value, place) for value in args]
    repeat = kwargs.get("repeat")
    if repeat is not None:
        sequences *= repeat.value if isinstance(repeat, Const) and type(repeat.value) is int else 1
    known = _listed(sequences)
    rows = list(itertools.islice(itertools.product(*known), _MOST + 1)) if known is not None else []
    if known is None or len(rows) > _MOST:
        some = TupleV(tuple(_any_of(sequence.get(0)) for sequence in sequences))
        return Many("product", lambda i: some)
    return Many("product", lambda i: TupleV(rows[i]) if isinstance(i, int) and i < len(rows) else UNKNOWN, len(rows))


def _accumulate(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.calls import call

    if not args:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    function = args[1] if len(args) > 1 else kwargs.get("func", NONE)
    first = kwargs.get("initial", sequence.get(0))
    if isinstance(function, Const):
        later = binary(it, "+", first, sequence.get(1), place)
    else:
        later = call(it, function, (first, sequence.get(1)), {}, place)
    return Many("accumulate", lambda i: first if i == 0 else later, sequence.length)


def _pairwise(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    length = max(sequence.length - 1, 0) if sequence.length is not None else None
    return Many(
        "pairwise", lambda i: TupleV((sequence.get(i), sequence.get(i + 1))) if isinstance(i, int) else UNKNOWN, length
    )


def _islice(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if len(args) < 2:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    bounds = [value.value if isinstance(value, Const) else 0 for value in args[1:]]
    start, step = (0, 1) if len(bounds) == 1 else (bounds[0] or 0, bounds[2] if len(bounds) > 2 else 1)
    stop = bounds[0] if len(bounds) == 1 else bounds[1]
    if not all(isinstance(value, Const) for value in args[1:]) or not isinstance(stop, int):
        return Many("islice", sequence.get)
    length = len(range(start, stop, step or 1))
    if sequence.length is not None:
        length = min(length, len(range(start, sequence.length, step or 1)))
    return Many("islice", lambda i: sequence.get(start + i * (step or 1)) if isinstance(i, int) else UNKNOWN, length)


def _repeat(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    times = args[1] if len(args) > 1 else kwargs.get("times", NONE)
    length = times.value if isinstance(times, Const) and type(times.value) is int else None
    return Many("repeat", lambda i: args[0], length)


# ---- functions that `operator` makes --------------------------------------------------------------------------------


def _made(name: str) -> Handler:
    """`operator.attrgetter("x")`: a function that is given the object last."""
    return lambda it, args, kwargs, place: Partial(it.ext(f"operator.__{name}__"), args, kwargs)


def _all_of(parts: list[Value]) -> Value:
    return parts[0] if len(parts) == 1 else TupleV(tuple(parts))


def _attributes(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.attributes import get_attr

    *names, owner = args
    parts: list[Value] = []
    for name in names:
        value: Value = owner
        for attr in str(name.value).split(".") if isinstance(name, Const) else ():
            value = get_attr(it, value, attr, place)
        parts.append(value if isinstance(name, Const) else Opaque())
    return _all_of(parts) if parts else UNKNOWN


def _items(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.items import get_item

    *indices, owner = args
    return _all_of([get_item(it, owner, index, place) for index in indices]) if indices else UNKNOWN


def _method(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.methods import call_method

    name: Any = args[0].value if args and isinstance(args[0], Const) else None
    if not isinstance(name, str) or len(args) < 2:
        return Opaque()
    return call_method(it, Method(args[-1], name), args[1:-1], kwargs, place, "…")


HANDLERS: dict[str, Handler] = {
    "itertools.chain": _chain,
    "itertools.product": _product,
    "itertools.accumulate": _accumulate,
    "itertools.pairwise": _pairwise,
    "itertools.islice": _islice,
    "itertools.repeat": _repeat,
    "operator.attrgetter": _made("attrgetter"),
    "operator.itemgetter": _made("itemgetter"),
    "operator.methodcaller": _made("methodcaller"),
    "operator.__attrgetter__": _attributes,
    "operator.__itemgetter__": _items,
    "operator.__methodcaller__": _method,
}
