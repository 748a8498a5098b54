"""Calls of library functions, read off the knowledge tables; the builtins that need more stand in `builtins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import FunctionInfo, Term, term
from jaxlint.semantics import (
    buffers,
    captures,
    effects,
    keys,
    numerics,
    precision,
    processes,
    singular,
    taught,
    timing,
    updates,
)
from jaxlint.semantics.builtins import HANDLERS
from jaxlint.semantics.calls import told, unknown_call
from jaxlint.semantics.demands import check_arguments, made_dtype
from jaxlint.semantics.operators import is_static
from jaxlint.semantics.provenance import note
from jaxlint.semantics.registered import note_static
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    DEFAULTED,
    DIFF,
    FLOW,
    MAYBE,
    NONE,
    Array,
    ClassV,
    CompileTime,
    Const,
    Content,
    ExtObj,
    Key,
    Many,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    fingerprint,
    is_none,
    merge_traces,
    traced_inside,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Kwargs = dict[str, Value]


def call_ext(
    it: Interpreter, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place, star: Value | None = None
) -> Value:
    """The value of calling the library function or class `name`."""
    told(it, name, args, kwargs, place)
    if it.fr.ctx.remembers:
        for value in args:
            if isinstance(value, Ref):
                captures.container_read(it, value, place)
    handler = HANDLERS.get(name)
    if handler is not None:
        if not it.fr.ctx.depth:
            if name in timing.FORCING:
                timing.wait(it, args[0] if len(args) == 1 else TupleV(args), place, name)
        else:
            info = it.knowledge.function(name)
            if info is not None and info.worldly:
                effects.touch(it, info, args, kwargs, place)
            if info is not None and name.startswith("itertools."):
                check_arguments(it, info, bind_known(info, args, kwargs), args, kwargs, place)
        return handler(it, args, kwargs, place)
    transform = it.knowledge.transforms.get(name)
    if transform is not None:
        from jaxlint.semantics.transforms import apply_transform

        return apply_transform(it, transform, args, kwargs, place, star)
    kind = it.knowledge.classes.get(name)
    if it.knowledge.function(name) is not None and (kind is None or name in it.knowledge.functions):
        return call_known(it, name, args, kwargs, place, star)
    if kind is not None:
        return ExtObj(name, args, kwargs)
    short = name.rpartition(".")[2]
    if short[:1].isupper() and "." in name:
        for value in kwargs.values():
            if isinstance(value, Key):
                keys.consume(it, value, "init", place)
        return ExtObj(name, args, kwargs)
    if name.partition(".")[0] in _QUIET:
        return Opaque(short)
    return unknown_call(it, it.ext(name), args, kwargs, place, short)


_PYTHON = frozenset({"math", "builtins", "operator"})

_JAX_LIBRARIES = frozenset(
    ["jax", "flax", "haiku", "equinox", "optax", "numpyro", "distrax", "blackjax", "brax", "chex", "rlax", "jaxopt"]
)
"""Libraries whose arrays JAX computes."""

_QUIET = frozenset(
    [
        "jax",
        "numpy",
        "scipy",
        "builtins",
        "math",
        "os",
        "sys",
        "time",
        "random",
        "functools",
        "itertools",
        "typing",
        "dataclasses",
        "logging",
        "warnings",
        "re",
        "json",
        "copy",
        "collections",
        "contextlib",
        "absl",
        "pathlib",
        "argparse",
        "enum",
        "abc",
        "operator",
        "string",
        "inspect",
        "pickle",
    ]
)
"""Libraries whose unlisted functions do not use keys up."""


_COPIES = frozenset({"jax.numpy.array", "jax.numpy.asarray", "jax.numpy.copy", "jax.Array.copy"})
"""Functions that copy an array as it is: what was unwritten of it is unwritten of the copy."""


def bind_known(
    info: FunctionInfo, args: tuple[Value, ...], kwargs: Kwargs, star: Value | None = None
) -> dict[str, Value]:
    """The arguments of a library function by parameter name."""
    bound: dict[str, Value] = {}
    for position, name in enumerate(info.params):
        if position < len(args):
            bound[name] = args[position]
        elif name in kwargs:
            bound[name] = kwargs[name]
        elif star is not None:
            bound[name] = star
    for name in info.keyword_only:
        if name in kwargs:
            bound[name] = kwargs[name]
    if info.star is not None:
        bound["*" + info.star] = TupleV(args[len(info.params) :])
    if info.keywords is not None:
        bound[info.keywords] = TupleV(tuple(value for name, value in kwargs.items() if name not in bound))
    return bound


def call_known(
    it: Interpreter, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place, star: Value | None = None
) -> Value:
    """Apply a row of the function tables."""
    info = it.knowledge.function(name)
    assert info is not None
    bound = bind_known(info, args, kwargs, star)
    if info.worldly:
        effects.touch(it, info, args, kwargs, place)
    made = _effects(it, info, bound, args, kwargs, place)
    if name in _COPIES and it.empties:
        if it.donations:
            for value in args:
                buffers.read_donated(it, value, place)
    elif (it.donations or it.empties) and not _shape_only(info, name):
        for value in _read_by(name, args, kwargs):
            buffers.read(it, value, place, f"passed to `{name.rpartition('.')[2]}`")
            if it.empties and isinstance(value, TupleV | Ref):
                for leaf in buffers.leaves(it, value):
                    if isinstance(leaf, Array):
                        buffers.read(it, leaf, place, f"passed to `{name.rpartition('.')[2]}`")
    if made is not None:
        return made
    result = returned(it, info.returns, bound, args, kwargs, place, name)
    if it.empties:
        _keep_unwritten(it, name, bound, args, result)
    if info.distributed:
        processes.called(it, info, bound, place, result)
    if not it.fr.ctx.depth:
        if name in timing.CLOCKS:
            return timing.read_clock(it, place)
        if it.timeline.active:
            timing.called_eagerly(it, name, result, place)
    if info.effect("uninit") is not None and isinstance(result, Array):
        shape = bound.get("shape")
        if isinstance(shape, Opaque) and shape.hint == "zero-shape":
            return result
        result.shape = _shape_of(it, shape)
        buffers.make_empty(it, result, place, name)
    kind = type(result)
    if kind is Array or kind is Opaque:
        note(result, name, args, place, kwargs)
        if it.fr.ctx.abstract and kind is Array:
            _worked(it, name, args)
        if name in numerics.FUNCTIONS:
            numerics.check_function(it, name, args, place)
        elif name in singular.SELECTORS:
            singular.check_select(it, args, place)
        if kind is Array and name.startswith("jax."):
            if "dtype" in bound or "new_dtype" in bound:
                precision.check_dtype(it, name, bound.get("dtype", bound.get("new_dtype")), place)
            elif info.effect("value") is not None:
                precision.check_constructor(it, name, place)
    return result


def _keep_unwritten(
    it: Interpreter, name: str, bound: dict[str, Value], args: tuple[Value, ...], result: Value
) -> None:
    """What of a result is unwritten because it is unwritten of an argument."""
    if name in _COPIES and args:
        buffers.copied(it, args[0], result)
    elif name in _WRITERS:
        buffers.write_slice(it, name, bound, result)


def _worked(it: Interpreter, name: str, args: tuple[Value, ...]) -> None:
    """Count work on arrays, and remember which opaque values are single arrays."""
    if not name.startswith("jax."):
        return
    it.work += 1
    module, _, short = name.rpartition(".")
    if module in ("jax.numpy", "jax.lax") and short not in _TAKE_LISTS:
        for value in args[:2]:
            if type(value) is Opaque and value.trace is not None:
                it.array_like.add(value.uid)


_TAKE_LISTS = frozenset(
    ["stack", "concatenate", "vstack", "hstack", "dstack", "column_stack", "array", "asarray", "block"]
)

_WRITERS = frozenset(
    f"jax.lax.{name}"
    for name in ("dynamic_update_slice", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim", "scatter")
)
"""Functions that write over their first argument."""


def _read_by(name: str, args: tuple[Value, ...], kwargs: Kwargs) -> tuple[Value, ...]:
    """The arguments whose elements a function reads, rather than writes over."""
    if name == "jax.lax.ragged_all_to_all":  # the other processes write into its output
        return (*args[:1], *args[2:], *(value for keyword, value in kwargs.items() if keyword != "output"))
    return args[1:] if name in _WRITERS else (*args, *kwargs.values())


_SHAPE_ONLY = ("zeros_like", "ones_like", "full_like", "empty_like", "ShapeDtypeStruct", "typeof", "eval_shape")


def _shape_only(info: FunctionInfo, name: str) -> bool:
    """Whether a function looks at shapes and types alone."""
    return (
        info.returns[0] == "static"
        or info.effect("metadata") is not None
        or info.returns[0] in ("same", "tree")
        or name.rpartition(".")[2] in _SHAPE_ONLY
    )


def _shape_of(it: Interpreter, shape: Value | None) -> tuple[Value, ...] | None:
    if isinstance(shape, TupleV):
        return shape.items
    if isinstance(shape, Const) and isinstance(shape.value, int):
        return (shape,)
    if isinstance(shape, Ref) and shape.kind == "list":
        content = it.st.content(shape)
        return tuple(content.items) if content.rest is None and not content.open else None
    return None


def _effects(
    it: Interpreter, info: FunctionInfo, bound: dict[str, Value], args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value | None:
    """Carry out the effects of a call; a value when an effect decides the result."""
    result: Value | None = None
    for effect, names in info.effects:
        if effect == "update":
            updates.note(it, place, info.name, "call")
        value = bound.get(names[0]) if names else None
        if effect == "sample" and value is not None:
            ordered = keys.ORDER if info.effect("orders") is not None else None
            keys.consume(it, value, "sample", place, detail=ordered)
        elif effect == "consume" and value is not None and not is_none(value):
            if isinstance(value, TupleV | Ref):
                keys.consume_deep(it, value, "init", place)
            else:
                # A stream of keys may be made of a seed as well: what it is made of need be no key.
                stream = it.knowledge.classes.get(info.name) in ("nnx_rngs", "key_stream")
                keys.consume(it, value, "init", place, definite=not stream)
        elif effect == "split" and value is not None:
            result = keys.split(it, value, bound.get("num"), place)
        elif effect == "fold" and value is not None:
            result = keys.fold_in(it, value, bound.get("data", Opaque()), place)
        elif effect == "makekey":
            result = keys.make_key(it, value, place, info.name.rpartition(".")[2])
        elif effect == "registers" and isinstance(value, ClassV) and value.kind in ("object", "dataclass"):
            value.kind = "pytree"
            note_static(value, bound.get("flatten_func", bound.get("flatten_with_keys")))
        elif effect == "donates" and value is not None:
            buffers.donate(it, value, place, names[0])
        elif effect == "sync" and not it.fr.ctx.depth:
            if names[0] == "*" or value is None:
                value = TupleV((*args, *kwargs.values()))
            timing.wait(it, value, place, info.name)
    if info.sketch:
        taught.other_keys(it, info, bound, (*args, *kwargs.values()), place)
    if it.fr.ctx.depth:
        check_arguments(it, info, bound, args, kwargs, place)
    return result


# ---- what comes back ------------------------------------------------------------------------------------------------


def _wants_numbers_only(it: Interpreter, name: str) -> bool:
    """Whether a function needs the numbers of all its arguments: NumPy makes the result, or it fails."""
    info = it.knowledge.function(name)
    return info is not None and "*" in (info.effect("concrete") or ())


def returned(
    it: Interpreter,
    returns: Term,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
    name: str,
) -> Value:
    """The value that a `returns` cell describes."""
    kind, parts = returns
    if kind in ("array", "bool_array", "elementwise"):
        if name.partition(".")[0] in _PYTHON and all(is_static(value) for value in args):
            return Opaque(static=True)
        return _array_result(it, bound, args, kwargs, kind, name)
    if kind == "static":
        fps = [fingerprint(value) for value in args]
        expr = it.intern(("call", name, *fps)) if None not in fps and not kwargs else None
        return Opaque(static=True, expr=expr)
    if kind in ("same", "maybe_same", "copy"):
        return _passed_through(it, kind, bound.get(parts[0]) if parts else None, args, kwargs, name)
    if kind in ("key", "keys"):
        info = it.knowledge.function(name)
        hidden = info is not None and info.effect("nextkey") is not None
        return Key(place, many=kind == "keys", tag=None if hidden else name.rpartition(".")[2])
    if kind == "none":
        return NONE
    if kind == "tuple":
        if parts and parts[-1] == "...":
            return Many("tuple", lambda i: returned(it, term(parts[0]), bound, args, kwargs, place, name))
        return TupleV(tuple(returned(it, term(part), bound, args, kwargs, place, name) for part in parts))
    if kind == "list":
        inner = term(parts[0]) if parts else ("unknown", ())
        element = returned(it, inner, bound, args, kwargs, place, name)
        return Ref("list", it.fr.ctx.depth, Content((), element, True))
    if kind == "numpy":
        trace = _arguments_trace(args, kwargs)
        dtype = made_dtype(kind, name, bound)
        lib = "jax" if trace is not None and not _wants_numbers_only(it, name) else "numpy"
        return Array(trace, lib=lib, dtype=dtype, tag=("made by", name))
    if kind == "instance" and parts:
        if it.knowledge.classes.get(parts[0]) == "ref":
            return Array(lib="ref")
        return ExtObj(parts[0], args, kwargs)
    if kind in ("tree", "dict", "leaf", "shapes"):
        return _tree(it, bound.get(parts[0]) if parts else None, kind, args, kwargs, name)
    if kind == "when":
        return _when(it, parts, bound, args, kwargs, place, name)
    if kind == "context":
        return CompileTime() if parts == ("eager",) else Opaque(tag=parts or None)
    if kind.startswith("callable"):
        return _callable(it, kind, parts, name)
    return Opaque(name.rpartition(".")[2])


def _array_result(
    it: Interpreter, bound: dict[str, Value], args: tuple[Value, ...], kwargs: Kwargs, kind: str, name: str
) -> Value:
    trace = _result_trace(it, args, kwargs, name)
    if trace is None and name.partition(".")[0] in _PYTHON:
        libs = {value.lib for value in args if isinstance(value, Array)}
        if "jax" not in libs:  # Python's functions of what is no JAX array, or may be none
            return Array(lib="numpy") if libs else Opaque()
    return Array(trace, lib="jax", dtype=made_dtype(kind, name, bound))


def _passed_through(
    it: Interpreter, kind: str, value: Value | None, args: tuple[Value, ...], kwargs: Kwargs, name: str
) -> Value:
    """An argument that comes back, as the same buffer or as a copy."""
    if value is None:
        return Opaque()
    if kind == "copy" or not isinstance(value, Array | Opaque | Key | Ref | TupleV | Union):
        return value if isinstance(value, Key) else Array(_result_trace(it, args, kwargs, name))
    if name.startswith(("jax.numpy", "jax.lax", "jax.Array")) and not isinstance(value, Key):
        return _as_jax(it, value, args, kwargs, name)
    return value


def _arguments_trace(args: tuple[Value, ...], kwargs: Kwargs) -> Trace | None:
    trace: Trace | None = None
    for value in (*args, *kwargs.values()):
        trace = merge_traces(trace, _deep_trace(value))
    return trace


def _deep_trace(value: Value) -> Trace | None:
    return value.trace if value.trace is not None else traced_inside(value)


def _result_trace(it: Interpreter, args: tuple[Value, ...], kwargs: Kwargs, name: str) -> Trace | None:
    trace = _arguments_trace(args, kwargs)
    for value in args:
        if isinstance(value, Ref) and value.kind == "list":
            content = it.st.content(value)
            for item in (*content.items, *((content.rest,) if content.rest is not None else ())):
                trace = merge_traces(trace, traced_inside(item))
    ctx = it.fr.ctx
    if not ctx.abstract or not (name.partition(".")[0] in _JAX_LIBRARIES or name in it.knowledge.own):
        return trace
    everything = Trace(ABSTRACT, ctx.why)
    if trace is None or not trace.certain:
        return everything
    if trace.flags & DEFAULTED:  # whatever the parameter is, JAX's result is traced
        trace = Trace(trace.flags & ~DEFAULTED, trace.why)
    return trace if trace.flags & ABSTRACT else merge_traces(trace, everything)


def _as_jax(it: Interpreter, value: Value, args: tuple[Value, ...], kwargs: Kwargs, name: str) -> Value:
    """What `jnp.asarray(value)` and the like give: the same buffer for a JAX array, an array in any case."""
    trace = _result_trace(it, args, kwargs, name)
    if isinstance(value, Array) and value.lib == "jax":
        if value.trace is trace or (trace is None and value.trace is None):
            return value
        return Array(trace, parent=value)
    if isinstance(value, Opaque) and not value.static:
        flags = trace.flags if trace is not None else 0
        return it.child((value.uid, "asarray", flags, it.fr.ctx.depth), lambda: Array(trace, parent=value))
    return Array(trace)


def _tree(it: Interpreter, value: Value | None, kind: str, args: tuple[Value, ...], kwargs: Kwargs, name: str) -> Value:
    if kind == "shapes":
        return Opaque(static=False)
    if value is None:
        return Opaque()
    if isinstance(value, Array):
        trace = _result_trace(it, args, kwargs, name)
        return Opaque(trace=trace, hint="dict") if kind == "dict" else Array(trace)
    if isinstance(value, Key):
        return value
    trace = _arguments_trace((value,), {})
    if kind == "dict":
        return Opaque(trace=trace, hint="dict")
    if kind == "leaf":
        return Opaque(trace=trace, hint="array" if trace is not None else None)
    return Opaque(trace=trace)


def _when(
    it: Interpreter,
    parts: tuple[str, ...],
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
    name: str,
) -> Value:
    """`when(flag,a,b)` or `when(flag=default,a,b)`."""
    flag, _, default = parts[0].partition("=")
    value = bound.get(flag)
    chosen: bool | None
    if value is None:
        chosen = default in ("True",)
    elif isinstance(value, Const):
        chosen = bool(value.value) if default in ("", "True", "False") else value.value == default.strip("'\"")
        if default == "False":
            chosen = not value.value
        elif default == "" and isinstance(value.value, int | float) and not isinstance(value.value, bool):
            chosen = True  # a number that is given, no flag
    elif isinstance(value, Array) or value.trace is not None or flag in ("x", "y"):
        chosen = True  # an array that is given, no flag
    else:
        chosen = None
    if default == "False" and value is None:
        chosen = False
    branches = [returned(it, term(part), bound, args, kwargs, place, name) for part in parts[1:3]]
    if chosen is None:
        return join(branches[0], branches[1])
    return branches[0] if chosen else branches[1]


def _callable(it: Interpreter, kind: str, parts: tuple[str, ...], name: str) -> Value:
    return ExtObj("callable", (), {"effect": Const(kind.partition(":")[2]), "of": Const(parts[0] if parts else "")})


def call_ext_obj(it: Interpreter, obj: ExtObj, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> Value:
    """Calling an instance of a library's class: a layer, an initialiser, a key stream."""
    if obj.cls == "callable":
        return _call_made(it, obj, args, kwargs, place)
    kind = it.knowledge.classes.get(obj.cls, "")
    if kind == "key_stream":
        return Key(place)
    if obj.cls == "jax.stages.Compiled" and obj.args:
        from jaxlint.semantics.transforms import call_compiled

        return call_compiled(it, obj.args[0], args, kwargs, place)
    known = f"{obj.cls}.__call__"
    if it.knowledge.functions.get(known) is not None:
        return call_known(it, known, (obj, *args), kwargs, place)
    for keyword in ("key", "rng", "rng_key"):
        value = kwargs.get(keyword)
        if value is not None and not is_none(value):
            keys.consume(it, value, "call", place, definite=isinstance(value, Key))
    trace = _arguments_trace(args, kwargs)
    if kind in ("linen_module", "nnx_module", "equinox_module", "haiku_module") and args:
        ctx = it.fr.ctx
        flow = FLOW if ctx.differentiating else 0  # the layer's own parameters are differentiated
        if ctx.abstract:
            return Array(Trace(ABSTRACT | flow, ctx.why))
        if flow and trace is None:
            return Array(Trace(DIFF | MAYBE | flow, ctx.why))
        return Array(trace) if trace is not None else Opaque()
    return unknown_call(it, obj, args, {k: v for k, v in kwargs.items() if k not in ("key", "rng", "rng_key")}, place)


def _call_made(it: Interpreter, obj: ExtObj, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> Value:
    effect: Any = obj.kwargs.get("effect")
    of: Any = obj.kwargs.get("of")
    word = effect.value if isinstance(effect, Const) else ""
    which = of.value if isinstance(of, Const) else ""
    value: Value | None = None
    if which.isdigit() and len(args) > int(which):
        value = args[int(which)]
    elif which:
        value = kwargs.get(which) or (args[0] if args else None)
    if value is None and which.isdigit():
        value = kwargs.get("key") or kwargs.get("rng")
    if word.startswith("sample") and value is not None:
        keys.consume(it, value, "sample", place)
    elif word.startswith("consume") and value is not None:
        keys.consume(it, value, "init", place)
    if word.startswith("sample"):
        return Array(Trace(ABSTRACT, it.fr.ctx.why) if it.fr.ctx.abstract else None)
    return Opaque()
