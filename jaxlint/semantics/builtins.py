"""Python's builtins and a few functions of the standard library that shape values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, iterators, tuples, updates
from jaxlint.semantics.events import Concretized, TruthTested
from jaxlint.semantics.iteration import Sequence, iterate
from jaxlint.semantics.operators import binary, is_static
from jaxlint.semantics.provenance import note
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    ClassV,
    Const,
    Content,
    Descriptor,
    Ext,
    Func,
    Key,
    Many,
    Method,
    ModuleV,
    Opaque,
    Partial,
    Place,
    Ref,
    SliceV,
    SuperV,
    Trace,
    TupleV,
    Union,
    Value,
    Wrapped,
    fingerprint,
    fresh_uid,
    members,
    merge_traces,
    traced_inside,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
Handler = Callable[["Interpreter", Args, Kwargs, Place], Value]


def _static(it: Interpreter, name: str, args: Args, hint: str | None = None) -> Value:
    fps = [fingerprint(value) for value in args]
    expr = it.intern(("call", name, *fps)) if None not in fps else None
    return Opaque(static=True, expr=expr, hint=hint)


def _len(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    value = args[0]
    if isinstance(value, TupleV):
        return Const(len(value.items))
    if isinstance(value, Ref):
        content = it.st.content(value)
        if not content.open and content.rest is None and value.kind in ("list", "dict", "set"):
            return Const(len(content.items))
        return Opaque(static=True)
    return note(_static(it, "len", args[:1]), "len", args[:1], place)


# ---- types ----------------------------------------------------------------------------------------------------------

_PYTHON_TYPES = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.bool": bool,
    "builtins.str": str,
    "builtins.bytes": bytes,
    "builtins.complex": complex,
}
_JAX_ARRAYS = {"jax.Array", "jax.numpy.ndarray", "chex.Array", "jax.core.Tracer", "jax.typing.ArrayLike"}
_NEVER_ARRAYS = {
    *_PYTHON_TYPES,
    "builtins.tuple",
    "builtins.list",
    "builtins.dict",
    "builtins.set",
    "builtins.type",
    "builtins.slice",
    "numpy.ndarray",
    "numpy.generic",
    "numpy.number",
    "numpy.integer",
    "numpy.floating",
    "collections.abc.Mapping",
    "collections.abc.Sequence",
    "numbers.Number",
    "numbers.Real",
    "numbers.Integral",
}


def _classes(value: Value) -> list[Value]:
    if isinstance(value, TupleV):
        return [found for item in value.items for found in _classes(item)]
    return [value]


def _isinstance(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if len(args) != 2:
        return Opaque(static=True)
    value, classes = args[0], _classes(args[1])
    answers = [_is_instance(it, value, cls) for cls in classes]
    if True in answers:
        return TRUE
    if answers and all(answer is False for answer in answers):
        return FALSE
    return _static(it, "isinstance", args)


def _is_instance(it: Interpreter, value: Value, cls: Value) -> bool | None:
    name = cls.name if isinstance(cls, Ext) else ""
    if isinstance(value, Const):
        return _constant_is_instance(value, name, cls)
    traced = value.trace is not None and value.trace.certain
    if name == "builtins.slice":
        return isinstance(value, SliceV) if traced or isinstance(value, SliceV | Array | TupleV | Ref) else None
    if isinstance(value, Array) and value.lib == "jax":
        if name == "jax.core.Tracer":
            return True if traced else None
        if name in _JAX_ARRAYS:
            return True
        return False if name in _NEVER_ARRAYS or isinstance(cls, ClassV) else None
    if isinstance(value, Opaque) and traced:
        if name == "jax.core.Tracer":
            return True
        if name in _PYTHON_TYPES or name.startswith("numpy.") or name == "builtins.slice":
            return False
        if value.hint == "array":
            return True if name in _JAX_ARRAYS else False if name in _NEVER_ARRAYS else None
        return None
    if isinstance(value, TupleV):
        if name == "builtins.tuple":
            return True
        if isinstance(cls, ClassV):
            return value.cls is cls if value.cls is None or value.cls is cls else None
        return False if name in _PYTHON_TYPES or name in _JAX_ARRAYS or name == "builtins.dict" else None
    if isinstance(value, Ref):
        if value.kind == "object":
            if isinstance(cls, ClassV) and value.cls is not None:
                return True if _inherits(value.cls, cls) else None
            return False if name in _PYTHON_TYPES or name in _JAX_ARRAYS else None
        if name in ("builtins.list", "builtins.dict", "builtins.set", "builtins.tuple"):
            return name == "builtins." + value.kind
        return False if name in _PYTHON_TYPES or name in _JAX_ARRAYS or isinstance(cls, ClassV) else None
    if isinstance(value, Func):
        return False if name in _PYTHON_TYPES or name in _JAX_ARRAYS else None
    return None


def _constant_is_instance(value: Const, name: str, cls: Value) -> bool | None:
    if value.value is None:
        if name:
            return name in ("builtins.object", "types.NoneType")
        return False if isinstance(cls, ClassV) else None
    python = _PYTHON_TYPES.get(name)
    if python is not None:
        return isinstance(value.value, python)
    return False if name in _JAX_ARRAYS or isinstance(cls, ClassV) else None


def _inherits(cls: ClassV, base: ClassV) -> bool:
    return cls is base or any(_inherits(parent, base) for parent in cls.bases)


def _number(name: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        if not args:
            return Const({"int": 0, "float": 0.0, "bool": False}.get(name, 0))
        value = args[0]
        if it.donations or it.empties:
            buffers.read(it, value, place, f"converted by `{name}()`")
        if value.trace is not None and not isinstance(value, Ref):
            it.emit(Concretized(place, value, name))
            return Opaque(static=True)
        if name == "bool":
            from jaxlint.semantics.branches import truth

            known = truth(it, value)
            if known is not None:
                return TRUE if known else FALSE
        if isinstance(value, Const) and isinstance(value.value, int | float) and name in ("int", "float"):
            try:
                return Const(int(value.value) if name == "int" else float(value.value))
            except (OverflowError, ValueError):
                return Opaque(static=True)
        hint = getattr(value, "hint", None)
        return _static(it, name, args[:1], hint if hint == "range" else None)

    return handler


# ---- iterators ------------------------------------------------------------------------------------------------------


def _range(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    for value in args:
        if value.trace is not None:
            it.emit(Concretized(place, value, "range"))
    bounds = [value.value if isinstance(value, Const) and isinstance(value.value, int) else None for value in args]
    length: int | None = None
    if bounds and None not in bounds and len(bounds) <= 3:
        try:
            length = len(range(*bounds))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            length = None
    serial = fresh_uid()

    def element(i: Any) -> Value:
        if length is not None and length <= 6 and isinstance(i, int) and i < length:
            return Const(range(*bounds)[i])  # type: ignore[arg-type]
        first = 0 if len(bounds) == 1 else bounds[0] if bounds else None
        start = first if len(bounds) < 3 else None
        return it.child((serial, "range", i), lambda: _counter(start, i))

    return Many("range", element, length, TupleV(args))


def _counter(start: int | None, number: Any) -> Value:
    """The variable of a counting loop: the first pass has its start, later ones more."""
    made = Opaque(static=True, hint="range", tag=("from", start) if isinstance(start, int) else None)
    if isinstance(start, int) and number == 0:
        made.tag = ("from", start, "first")
    elif isinstance(start, int) and isinstance(number, int):
        made.tag = ("from", start, "later")
    return made


def _enumerate(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    serial = fresh_uid()

    def element(i: Any) -> Value:
        small = sequence.length is not None and sequence.length <= 6 and isinstance(i, int) and len(args) == 1
        number: Value
        if small and not kwargs:
            number = Const(i)
        else:
            start = 0 if len(args) == 1 and not kwargs else None
            number = it.child((serial, "range", i), lambda: _counter(start, i))
        return TupleV((number, sequence.get(i)))

    source = None if isinstance(args[0], Key) else args[0]
    return Many("enumerate", element, sequence.length, source)


def _zip(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    sequences = [iterate(it, value, place) for value in args]
    lengths = [sequence.length for sequence in sequences if sequence.length is not None]
    length = min(lengths) if lengths else None
    return Many("zip", lambda i: TupleV(tuple(sequence.get(i) for sequence in sequences)), length)


def _reversed(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    backwards = args[0] if isinstance(args[0], Array | Opaque) or getattr(args[0], "kind", "") == "range" else None
    return Many(
        "reversed", lambda i: sequence.from_end(it, i) if isinstance(i, int) else UNKNOWN, sequence.length, backwards
    )


def _iter(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    sequence = iterate(it, args[0], place)
    return Many("iterator", sequence.get, sequence.length)


def _next(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    value = args[0]
    if isinstance(value, Many):
        if value.kind not in ("iterator", "generator", "zip", "enumerate", "map"):
            return Opaque()
        number = it.st.heap.get(("next", value.uid), 0)
        it.st.heap = {**it.st.heap, ("next", value.uid): number + 1}
        if value.kind == "generator" or it.fr.ctx.bodies:
            return _renewed(value.element(number), place)
        return value.element(number)
    from jaxlint.semantics.values import ExtObj

    if isinstance(value, ExtObj) and it.knowledge.classes.get(value.cls) in ("key_stream", "nnx_rngs"):
        return Key(place)
    if isinstance(value, Ref) and value.kind == "object":
        from jaxlint.semantics.attributes import call_method_of

        found = call_method_of(it, value, "__next__", (), {}, place)
        if found is not None:
            return found
    return Opaque()


def _renewed(value: Value, place: Place) -> Value:
    """What a generator yields next: like before, and another."""
    if isinstance(value, Key):
        return Key(place, many=value.many, trace=value.trace)
    return Opaque() if isinstance(value, Opaque) else value


def _sequence(kind: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        depth = it.fr.ctx.depth
        if not args:
            return TupleV(()) if kind == "tuple" else Ref(kind, depth, Content(()))
        value = args[0]
        if isinstance(value, Key) or (isinstance(value, Many) and isinstance(value.source, Key)):
            return value
        sequence = iterate(it, value, place)
        if sequence.length is not None and sequence.length <= 32:
            items = tuple(sequence.get(i) for i in range(sequence.length))
            return TupleV(items) if kind == "tuple" else Ref(kind, depth, Content(items))
        if kind == "tuple":
            return value if isinstance(value, Many | Opaque) else Many("tuple", sequence.get)
        return Ref(kind, depth, Content((), sequence.get(0), True))

    return handler


def _frozenset(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    made = _sequence("set")(it, args, kwargs, place)
    if isinstance(made, Ref):
        made.name = "frozenset"
    return made


def _defaultdict(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    """A dict that makes what it lacks: what an index gives is never known to be missing."""
    made = _dict(it, args[1:], kwargs, place)
    if isinstance(made, Ref):
        made.initial = Content(made.initial.items, made.initial.rest, True)
    return made


def _dict(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    depth = it.fr.ctx.depth
    if not args:
        return Ref("dict", depth, Content(dict(kwargs)))
    value = args[0]
    if isinstance(value, Ref) and value.kind == "dict":
        content = it.st.content(value)
        return Ref("dict", depth, Content({**content.items, **kwargs}, content.rest, content.open))
    if isinstance(value, Opaque):
        return Ref("dict", depth, Content(dict(kwargs), _values_of(it, value), True))
    sequence = iterate(it, value, place)
    items: dict[Any, Value] = {}
    rest: Value | None = None
    for i in range(min(sequence.length, 16) if sequence.length is not None else 1):
        pair = sequence.get(i)
        if isinstance(pair, TupleV) and len(pair.items) == 2:
            key, held = pair.items
            if isinstance(key, Const) and sequence.length is not None and fingerprint(key) is not None:
                items[key.value] = held
            else:
                rest = held if rest is None else join(rest, held)
        else:
            rest = UNKNOWN
    items.update(kwargs)
    return Ref("dict", depth, Content(items, rest, sequence.length is None or rest is not None))


def _values_of(it: Interpreter, value: Opaque) -> Value:
    return it.child((value.uid, "any value"), lambda: Opaque(trace=value.trace, parent=value))


def _sorted(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    if "key" not in kwargs:
        _comparing(it, "sorted()", args, place)
    sequence = iterate(it, args[0], place)
    serial = fresh_uid()

    def element(i: Any) -> Value:
        from jaxlint.semantics.iteration import anonymous

        return anonymous(it, sequence.get(i if isinstance(i, int) else 0), (serial, i))

    if isinstance(args[0], Opaque) and args[0].trace is not None and args[0].hint != "array":
        return Many("sorted", lambda i: it.child((serial, "k", i), lambda: Opaque(static=True)))
    return Many("sorted", element, sequence.length)


def _comparing(it: Interpreter, name: str, args: Args, place: Place) -> Value | None:
    """Tell that a builtin compares its arguments or elements; the first traced one, if any."""
    values: list[Value] = list(args)
    if len(args) == 1:
        value = args[0]
        known = ("array",) if name == "sorted()" else ("array", None)
        parts = [part for part in members(value) if isinstance(part, Opaque) and part.trace is not None]
        if any(part.hint not in known for part in parts):
            return None
        sequence: Sequence = iterate(it, value, place)
        count = sequence.length if sequence.length is not None else 1
        values = [sequence.get(i) for i in range(min(count, 4))]
        if sequence.length == 1 and name in ("min()", "max()", "sorted()"):
            return values[0] if values and values[0].trace is not None else None
    for value in values:
        if value.trace is not None and not isinstance(value, Ref | TupleV):
            compared = value if name in ("any()", "all()") else Array(value.trace)
            it.emit(TruthTested(place, compared, name, place))
            return value
    return None


def _extreme(name: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        traced = None if "key" in kwargs else _comparing(it, f"{name}()", args, place)
        if traced is not None:
            return Array(traced.trace)
        if all(isinstance(value, Const) and isinstance(value.value, int | float) for value in args) and len(args) > 1:
            pick = min if name == "min" else max
            return Const(pick(value.value for value in args))  # type: ignore[attr-defined]
        if len(args) == 1 and not is_static(args[0]):
            element = iterate(it, args[0], place).get(0)
            return Opaque(static=is_static(element))
        return Opaque(static=all(is_static(value) for value in args))

    return handler


def _same_constant(value: Value | None, constant: Const) -> bool:
    return isinstance(value, Const) and value.value is constant.value


def _truth_of_all(name: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        _comparing(it, f"{name}()", args[:1], place)
        decisive = TRUE if name == "any" else FALSE
        if args and isinstance(args[0], Ref) and args[0].kind == "list":
            content = it.st.content(args[0])
            if any(_same_constant(value, decisive) for value in (*content.items, content.rest)):
                return decisive  # of unknown length, but hardly empty where the answer is known
        return Opaque(static=True)

    return handler


def _sum(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    if it.donations:
        buffers.read_donated(it, args[0], place)
    sequence = iterate(it, args[0], place)
    if sequence.length == 0:
        return Const(0)
    value = sequence.get(0)
    if isinstance(value, Array) or value.trace is not None:
        trace = value.trace
        if trace is None and it.fr.ctx.abstract:
            trace = Trace(ABSTRACT, it.fr.ctx.why)
        return Array(trace)
    return Opaque(static=is_static(value))


def _arithmetic(name: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        trace: Trace | None = None
        for value in args:
            trace = merge_traces(trace, value.trace)
        if trace is not None:
            return Array(trace)
        libs = {value.lib for value in args if isinstance(value, Array)}
        if libs:
            array = Array(lib="jax" if "jax" in libs else "numpy")
            return TupleV((array, Array(lib=array.lib))) if name == "divmod" else array
        if len(args) == 1 and isinstance(args[0], Const) and isinstance(args[0].value, int | float):
            return Const(abs(args[0].value)) if name == "abs" else Opaque(static=True)
        return _static(it, name, args) if all(is_static(value) for value in args) else Opaque()

    return handler


# ---- attributes -----------------------------------------------------------------------------------------------------


def _getattr(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.attributes import get_attr

    if len(args) >= 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        found = get_attr(it, args[0], args[1].value, place)
        return join(found, args[2]) if len(args) > 2 else found
    it.gave_up("dynamic attribute")
    return UNKNOWN


def _hasattr(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if len(args) == 2 and isinstance(args[0], Ext) and isinstance(args[1], Const):
        name = f"{args[0].name}.{args[1].value}"
        tables = it.knowledge
        if name in tables.functions or name in tables.transforms or name in tables.classes:
            return TRUE
    if len(args) == 2 and isinstance(args[1], Const) and args[1].value in ("shape", "dtype", "ndim", "size"):
        # A traced leaf has them all; a tree of traced leaves, which has not, needs no conversion either.
        value = args[0]
        if isinstance(value, Array) or (isinstance(value, Opaque) and value.trace is not None and value.trace.certain):
            return TRUE
    return _static(it, "hasattr", args)


def _setattr(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.mutations import set_attr

    if len(args) == 3 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        set_attr(it, args[0], args[1].value, args[2], place, None)
    return NONE


def _super(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    cls = it.fr.cls
    params = it.fr.fn.params
    receiver = it.st.env.get(params[0].name) if params else None
    if cls is None or receiver is None:
        return UNKNOWN
    return SuperV(cls, receiver)


def _static_result(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    return Opaque(static=True)


def _text(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.effects import text_of

    return text_of(it, args)


def _format(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if len(args) == 2 and args[0].trace is not None and not (isinstance(args[1], Const) and not args[1].value):
        it.emit(Concretized(place, args[0], "format spec"))
    return _text(it, args, kwargs, place)


def _namespace(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    return Ref("object", it.fr.ctx.depth, Content(dict(kwargs), None, bool(args)))


def _type(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    value = args[0] if len(args) == 1 else None
    if isinstance(value, Ref) and value.kind == "object" and value.cls is not None:
        return value.cls
    return _static(it, "type", args)


def _static_of(name: str) -> Handler:
    return lambda it, args, kwargs, place: _static(it, name, args)


def _print(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if it.donations:
        for value in args:
            buffers.read_donated(it, value, place)
    return NONE


def _slice(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if len(args) == 1:
        return SliceV(NONE, args[0], NONE)
    return SliceV(*args, NONE) if len(args) == 2 else SliceV(*args[:3]) if len(args) == 3 else UNKNOWN


def _identity(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    return args[0] if args else UNKNOWN


# ---- functools, copy, dataclasses -----------------------------------------------------------------------------------


def _partial(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    return Partial(args[0], args[1:], kwargs)


def _decorator_factory(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    """`functools.wraps(f)`, `lru_cache(maxsize=…)`: a decorator that leaves the function what it is."""
    return it.ext("functools.__identity__")


def _lru_cache(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if args and isinstance(args[0], Func | Wrapped | Partial | Descriptor):
        return args[0]
    return it.ext("functools.__cache__")


def _copy(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if not args:
        return UNKNOWN
    return _copied(it, args[0], 0)


def _copied(it: Interpreter, value: Value, depth: int) -> Value:
    if depth > 4:
        return Opaque()
    if isinstance(value, Array):
        return Array(value.trace, lib=value.lib, shape=value.shape)
    if isinstance(value, Opaque) and not value.static:
        return Opaque(value.name, trace=value.trace, hint=value.hint)
    if isinstance(value, TupleV):
        return TupleV(tuple(_copied(it, item, depth + 1) for item in value.items), value.cls, value.names)
    if isinstance(value, Ref):
        content = it.st.content(value)
        rest = _copied(it, content.rest, depth + 1) if content.rest is not None else None
        items: Any
        if isinstance(content.items, dict):
            items = {key: _copied(it, item, depth + 1) for key, item in content.items.items()}
        else:
            items = tuple(_copied(it, item, depth + 1) for item in content.items)
        made = Ref(value.kind, it.fr.ctx.depth, Content(items, rest, content.open), value.cls)
        made.trace = value.trace
        return made
    return value


def _dataclass_replace(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    from jaxlint.semantics.methods import call_method

    if not args:
        return UNKNOWN
    changed = call_method(it, Method(args[0], "replace"), (), kwargs, place, "…")
    updates.note(it, place, "dataclasses.replace", "call")
    return changed


def _asdict(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    value = args[0] if args else UNKNOWN
    if not isinstance(value, Ref) or value.kind != "object":
        return Opaque(trace=value.trace)
    content = it.st.content(value)
    return Ref("dict", it.fr.ctx.depth, Content(dict(content.items), content.rest, content.open))


def _operator(name: str) -> Handler:
    def handler(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
        return binary(it, name, args[0], args[1], place) if len(args) == 2 else Opaque()

    return handler


def _callable(it: Interpreter, args: Args, kwargs: Kwargs, place: Place) -> Value:
    if args and isinstance(args[0], Func | Wrapped | Partial | ClassV):
        return TRUE
    if args and isinstance(args[0], Array | Const | TupleV | ModuleV | Key):
        return FALSE
    return _static(it, "callable", args)


HANDLERS: dict[str, Handler] = {
    "builtins.len": _len,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _static_of("issubclass"),
    "builtins.callable": _callable,
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.super": _super,
    "builtins.type": _type,
    "builtins.id": _static_result,
    "builtins.repr": _text,
    "builtins.str": _text,
    "builtins.hash": _static_result,
    "builtins.ord": _static_result,
    "builtins.chr": _static_result,
    "builtins.format": _format,
    "builtins.print": _print,
    "builtins.int": _number("int"),
    "builtins.float": _number("float"),
    "builtins.bool": _number("bool"),
    "builtins.complex": _number("complex"),
    "builtins.range": _range,
    "builtins.slice": _slice,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.reversed": _reversed,
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.list": _sequence("list"),
    "builtins.tuple": _sequence("tuple"),
    "builtins.set": _sequence("set"),
    "builtins.frozenset": _frozenset,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _defaultdict,
    "builtins.sorted": _sorted,
    "builtins.min": _extreme("min"),
    "builtins.max": _extreme("max"),
    "builtins.any": _truth_of_all("any"),
    "builtins.all": _truth_of_all("all"),
    "builtins.sum": _sum,
    "builtins.abs": _arithmetic("abs"),
    "builtins.round": _arithmetic("round"),
    "builtins.pow": _arithmetic("pow"),
    "builtins.divmod": _arithmetic("divmod"),
    "functools.partial": _partial,
    "jax.tree_util.Partial": _partial,
    "functools.wraps": _decorator_factory,
    "types.SimpleNamespace": _namespace,
    "functools.__identity__": _identity,
    "functools.__cache__": _identity,
    "functools.lru_cache": _lru_cache,
    "functools.cache": _lru_cache,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "typing.cast": lambda it, args, kwargs, place: args[1] if len(args) > 1 else UNKNOWN,
    "dataclasses.replace": _dataclass_replace,
    "dataclasses.asdict": _asdict,
    **iterators.HANDLERS,
    **tuples.HANDLERS,
    "operator.add": _operator("+"),
    "operator.sub": _operator("-"),
    "operator.mul": _operator("*"),
}
_ = (operator, Union, traced_inside)
