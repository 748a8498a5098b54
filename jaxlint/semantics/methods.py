"""Method calls on values that are no objects of the project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jaxlint.semantics import attributes, buffers, containers, effects, timing, updates
from jaxlint.semantics.attributes import METADATA, bump
from jaxlint.semantics.calls import call, told, unknown_call
from jaxlint.semantics.classes import all_fields
from jaxlint.semantics.containers import call_container
from jaxlint.semantics.contracts import DEFINERS
from jaxlint.semantics.demands import check_arguments, made_dtype
from jaxlint.semantics.events import Concretized
from jaxlint.semantics.items import get_item
from jaxlint.semantics.keys import consume, consume_deep
from jaxlint.semantics.libraries import bind_known
from jaxlint.semantics.mutations import mutation
from jaxlint.semantics.precision import asked_of_unknown, check_dtype
from jaxlint.semantics.provenance import note
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    NONE,
    UNKNOWN,
    Array,
    At,
    ClassV,
    Const,
    Content,
    ExtObj,
    Key,
    Many,
    Method,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Value,
    Wrapped,
    is_none,
    merge_traces,
    traced_inside,
    weaken,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Kwargs = dict[str, Value]


def call_method(
    it: Interpreter,
    method: Method,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
    base_name: str,
    *,
    dropped: bool = False,
) -> Value:
    """The value of `receiver.name(*args, **kwargs)`; `dropped` says that the call is a statement of its own."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Array):
        return _computed(it, receiver, name, args, kwargs, place)
    if isinstance(receiver, At):
        return _at_method(it, receiver, name, args, place)
    if isinstance(receiver, Ref):
        if receiver.kind == "object":
            return _object_method(it, receiver, name, args, kwargs, place)
        return call_container(it, receiver, name, args, kwargs, place, base_name)
    if isinstance(receiver, Opaque):
        return _opaque_method(it, receiver, name, args, kwargs, place, base_name, dropped)
    if isinstance(receiver, TupleV):
        if name == "_replace":
            updates.note(it, place, name, "call")
        return _tuple_method(it, receiver, name, kwargs)
    if isinstance(receiver, Const):
        if name == "format" and isinstance(receiver.value, str) and re.search(r"\{\w*:[^}]", receiver.value):
            for value in (*args, *kwargs.values()):
                if value.trace is not None:
                    it.emit(Concretized(place, value, "format spec"))
        if name in _NO_TEXT:
            return Opaque(static=True)
        return effects.text_of(it, (*args, *kwargs.values()), (place,))
    if isinstance(receiver, ExtObj):
        return _ext_obj_method(it, receiver, name, args, kwargs, place)
    if isinstance(receiver, Wrapped):
        return _wrapped_method(it, receiver, name, args, kwargs, place)
    if isinstance(receiver, Key):
        return Opaque(static=name in METADATA)
    if isinstance(receiver, Many):
        return Opaque(static=receiver.kind in ("range", "static"))
    return unknown_call(it, method, args, kwargs, place, name)


_NO_TEXT = frozenset(
    [
        *("count", "encode", "endswith", "find", "index", "partition", "rfind"),
        *("rindex", "rpartition", "rsplit", "split", "splitlines", "startswith"),
    ]
)
"""Methods of strings that give something else."""


# ---- arrays ---------------------------------------------------------------------------------------------------------


def _computed(
    it: Interpreter, receiver: Array, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    """An array's method; its result remembers how it was computed."""
    result = _array_method(it, receiver, name, args, kwargs, place)
    if type(result) is Array and result is not receiver:
        note(result, f"jax.Array.{name}", (receiver, *args), place, kwargs)
        if receiver.lib == "jax" and ("dtype" in kwargs or (args and name in ("astype", "view"))):
            check_dtype(it, f"jax.Array.{name}", kwargs.get("dtype", args[0] if args else None), place)
    return result


def _array_method(
    it: Interpreter, receiver: Array, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    told(it, f"jax.Array.{name}", (receiver, *args), kwargs, place)
    if name in METADATA or name in ("devices", "is_ready"):
        return Opaque(static=True)
    buffers.read(it, receiver, place, f"used by `.{name}()`")
    info = it.knowledge.function(f"jax.Array.{name}")
    if receiver.lib == "jax" and info is not None and info.effect("update") is not None:
        updates.note(it, place, name, "call")
    if it.fr.ctx.depth and info is not None and info.effects:
        given = (receiver, *args)
        check_arguments(it, info, bind_known(info, given, kwargs), given, kwargs, place)
    elif info is not None and info.effect("sync") is not None:
        timing.wait(it, receiver, place, info.name)
    trace = receiver.trace
    for value in (*args, *kwargs.values()):
        trace = merge_traces(trace, traced_inside(value))
    if trace is None and it.fr.ctx.abstract and receiver.lib == "jax":
        trace = Trace(ABSTRACT, it.fr.ctx.why)
    if name in ("item", "tolist"):
        return Opaque()
    if name in ("block_until_ready",) or (receiver.lib == "ref" and name in _REFERRING):
        return receiver
    returns = info.returns[0] if info is not None else "array"
    lib = "jax" if trace is not None else receiver.lib
    if name in ("any", "all"):
        return Array(trace, lib=lib, dtype="bool")
    if name == "astype":
        return Array(trace, lib=lib, dtype=made_dtype("", name, {"dtype": args[0]}) if args else None)
    if name in _SAME_ENTRIES:
        view = returns == "maybe_same" and name in ("reshape", "squeeze")
        return Array(trace, lib=lib, parent=receiver if view else None, dtype=receiver.dtype)
    if returns == "tuple":
        return Many("tuple", lambda i: Array(trace, lib=lib))
    if returns in ("none", "static"):
        return NONE if returns == "none" else Opaque(static=True)
    if returns == "unknown" and lib == "jax" and f"jax.Array.{name}" not in it.knowledge.functions:
        return Opaque(name, trace=weaken(trace))  # no array after all
    return Array(trace, lib=lib)


_SAME_ENTRIES = frozenset(["reshape", "ravel", "flatten", "squeeze", "transpose", "copy", "swapaxes", "repeat"])
"""Methods that keep the entries and their type."""


_REFERRING = frozenset(["reshape", "bitcast", "transpose", "squeeze", "view"])
"""Methods of a reference that give another one to the same memory."""


def _at_method(it: Interpreter, at: At, name: str, args: tuple[Value, ...], place: Place) -> Value:
    base = at.array
    trace = base.trace
    for value in (*args, *((at.index,) if at.index is not None else ())):
        trace = merge_traces(trace, traced_inside(value))
    if trace is None and it.fr.ctx.abstract:
        trace = Trace(ABSTRACT, it.fr.ctx.why)
    told(it, f"jax.Array.at.{name}", (base, *args), {}, place)
    if isinstance(base, Array) and base.lib == "ref":
        return base
    if not (isinstance(base, Array) and base.lib != "jax") and it.knowledge.functions.get(f"jax.Array.at.{name}"):
        updates.note(it, place, name, "at")
    result = Array(trace)
    if name == "set" and it.empties and at.index is not None:
        if it.donations:
            buffers.read_donated(it, base, place)
        buffers.write(it, base, result, at.index, args[0] if args else None)
        return result
    if it.donations or it.empties:
        buffers.read(it, base, place, "added to" if name == "add" else f"read by `.at[…].{name}()`")
    return result


# ---- opaque values --------------------------------------------------------------------------------------------------

_ARRAY_METHODS = frozenset(
    [
        "item",
        "tolist",
        "block_until_ready",
        "astype",
        "reshape",
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "any",
        "all",
        "argmax",
        "argmin",
        "ravel",
        "flatten",
        "squeeze",
        "transpose",
        "std",
        "var",
        "cumsum",
        "cumprod",
        "dot",
        "clip",
        "conj",
        "round",
        "swapaxes",
        "repeat",
        "take",
        "nonzero",
        "argsort",
        "searchsorted",
        "diagonal",
        "conjugate",
    ]
)
_VIEWS = {"items", "values", "keys"}
_AWAITING = frozenset({"block_until_ready", "item", "tolist"})


def _opaque_method(
    it: Interpreter,
    receiver: Opaque,
    name: str,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
    base_name: str,
    dropped: bool,
) -> Value:
    if receiver.static:
        if name == "format" and receiver.hint in (None, "str"):
            return effects.text_of(it, (*args, *kwargs.values(), receiver), (place,))
        return Opaque(static=True)
    # Where the result is used, `update` or `add` gives a new object rather than changing the old one.
    if name in containers.CHANGES and receiver.hint != "array" and dropped:
        stored = args[-1] if args and name not in ("pop", "remove", "clear", "sort", "reverse", "popitem") else None
        mutation(it, receiver, base_name, stored, place, accumulates=True)
        if name in ("append", "extend", "insert", "update", "clear", "remove", "sort", "reverse", "add", "discard"):
            return NONE if name != "update" else Opaque()
    trace = receiver.trace
    if trace is not None and (receiver.hint == "array" or (trace.certain and _is_array_method(it, name))):
        return _computed(it, _as_array(it, receiver), name, args, kwargs, place)
    if name in _VIEWS and not args:
        return _opaque_view(it, receiver, name)
    if name == "get" and args:
        found = get_item(it, receiver, args[0], place)
        return join(found, args[1]) if len(args) > 1 else found
    if receiver.hint is not None and receiver.hint.startswith("class:"):
        _library_method(it, receiver.hint[6:], name, place)
    if name in ("replace", "_replace"):
        if name == "_replace":
            updates.note(it, place, name, "call")
        return _replaced(it, receiver, kwargs)
    if name in ("split", "join", "format", "strip", "lower", "upper", "startswith", "endswith", "encode", "decode"):
        return Opaque(static=True)
    if name in METADATA:
        return Opaque(static=True)
    if it.donations and _is_array_method(it, name):
        buffers.read_donated(it, receiver, place)
    if name in _AWAITING and not args and not it.fr.ctx.depth:
        timing.wait(it, receiver, place, f"jax.Array.{name}")
        return receiver if name == "block_until_ready" else Opaque()
    if name in DEFINERS:
        it.unresolved_rules.add(place[0].path)
    if name in _ARRAY_METHODS and (args or kwargs):
        wanted = kwargs.get("dtype", args[0] if args and name == "astype" else None)
        if asked_of_unknown(receiver, wanted):
            check_dtype(it, f"jax.Array.{name}", wanted, place)
    result = _named_call(it, receiver, name, args, kwargs, place)
    bump(it, receiver)
    return result


def _is_array_method(it: Interpreter, name: str) -> bool:
    """Whether a value with this method is an array: no class of the module has one of that name."""
    if name not in _ARRAY_METHODS:
        return False
    classes = (value for value in it.fr.env.names.values() if isinstance(value, ClassV))
    return not any(attributes.class_attr(cls, name) is not None for cls in classes)


def _library_method(it: Interpreter, cls: str, name: str, place: Place) -> None:
    """A method of a value that is annotated with a library's class."""
    info = it.knowledge.functions.get(f"{cls}.{name}")
    if info is not None and info.effect("update") is not None:
        updates.note(it, place, name, "call")


def _as_array(it: Interpreter, receiver: Opaque) -> Array:
    made = it.child((receiver.uid, "array"), lambda: Array(receiver.trace, parent=receiver))
    return made if isinstance(made, Array) else Array(receiver.trace)


def _opaque_view(it: Interpreter, receiver: Opaque, name: str) -> Value:
    def element(i: object) -> Value:
        key = it.child((receiver.uid, "k", i), lambda: Opaque(static=True))
        value = it.part(
            receiver,
            ("val", i),
            lambda: Opaque(f"{receiver.name}[…]", trace=receiver.trace, parent=receiver, tag=("item", key)),
        )
        return key if name == "keys" else value if name == "values" else TupleV((key, value))

    return Many("values" if name != "keys" else "static", element)


def _replaced(it: Interpreter, receiver: Opaque, kwargs: Kwargs) -> Value:
    """A functional update: the other fields stay the receiver's own."""
    made = Opaque(receiver.name, trace=receiver.trace, hint=receiver.hint)
    held = it.st.heap.get(receiver.uid)
    items = dict(held.items) if isinstance(held, Content) else {}
    items.update(kwargs)
    items["__base__"] = receiver
    it.st.heap = {**it.st.heap, made.uid: Content(items, None, True)}
    return made


def _named_call(
    it: Interpreter, receiver: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    """An unknown method; `init` and `apply` take keys as the libraries' modules do."""
    if name in ("init", "init_with_output", "apply"):
        first = args[:1] if name != "apply" else ()
        for value in first:
            consume_deep(it, value, "init", place)
        rngs = kwargs.get("rngs")
        if rngs is not None:
            consume_deep(it, rngs, "call", place, keys=True)
            kwargs = {key: value for key, value in kwargs.items() if key != "rngs"}
        if first and isinstance(first[0], Ref | TupleV):
            args = args[1:]
        elif first:
            rest = unknown_call(it, UNKNOWN, args[1:], kwargs, place, name)
            if isinstance(first[0], Opaque):
                library = isinstance(receiver, ExtObj) and it.knowledge.classes.get(receiver.cls) == "linen_module"
                consume(it, first[0], "init", place, definite=library)
            return rest
    return unknown_call(it, UNKNOWN, args, kwargs, place, name)


# ---- containers and library objects ---------------------------------------------------------------------------------


def _tuple_method(it: Interpreter, receiver: TupleV, name: str, kwargs: Kwargs) -> Value:
    if name == "_replace" and receiver.names:
        items = tuple(kwargs.get(field, held) for field, held in zip(receiver.names, receiver.items, strict=False))
        return TupleV(items, receiver.cls, receiver.names)
    if name == "replace" and receiver.names:
        return _tuple_method(it, receiver, "_replace", kwargs)
    if name == "_asdict" and receiver.names:
        return Ref("dict", it.fr.ctx.depth, Content(dict(zip(receiver.names, receiver.items, strict=False))))
    if name in ("index", "count"):
        return Opaque(static=True)
    return Opaque()


def _object_method(
    it: Interpreter, receiver: Ref, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    """Methods that an instance of a project class inherits from a library's class."""
    cls = receiver.cls
    if cls is not None and cls.kind == "train_state" and name == "apply_gradients":
        updates.note(it, place, name, "call")
    if name in ("replace", "_replace"):
        if updates.receiver_replaces(receiver):
            updates.note(it, place, name, "call")
        content = it.st.content(receiver)
        kept = {} if cls is None or not content.open else _other_fields(it, receiver, cls, content, kwargs, place)
        items = {**kept, **content.items, **kwargs}
        made = Ref("object", it.fr.ctx.depth, Content(items, content.rest, content.open), cls)
        made.trace = receiver.trace
        made.name = receiver.name
        return made
    if name in ("make_rng", "next_rng_key"):
        return Key(place)
    if name in ("init", "init_with_output", "apply", "lazy_init") and cls is not None:
        return _module_call(it, receiver, name, args, kwargs, place)
    if name in ("param", "variable", "sow", "perturb"):
        trace = Trace(ABSTRACT, it.fr.ctx.why) if it.fr.ctx.abstract else None
        return Array(trace) if name == "param" else Opaque()
    return unknown_call(it, UNKNOWN, args, kwargs, place, name)


def _other_fields(
    it: Interpreter, receiver: Ref, cls: ClassV, content: Content, kwargs: Kwargs, place: Place
) -> dict[str, Value]:
    """The keys and arrays that a functional update leaves as they are, and that nobody has read so far."""
    return {
        name: attributes.get_attr(it, receiver, name, place)
        for name, field in all_fields(cls).items()
        if field.annotation in ("key", "array") and name not in kwargs and name not in content.items
    }


def _module_call(
    it: Interpreter, receiver: Ref, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    """`model.apply(variables, *args, rngs=…)` runs the module's method; `init` uses its keys up."""
    if args and name != "apply":
        consume_deep(it, args[0], "init", place)
        if isinstance(args[0], Opaque) and not args[0].static:
            consume(it, args[0], "init", place, definite=isinstance(args[0], Key))
    rngs = kwargs.get("rngs")
    if rngs is not None:
        consume_deep(it, rngs, "call", place, keys=True)
    chosen = kwargs.get("method")
    inner = {
        key: value for key, value in kwargs.items() if key not in ("rngs", "mutable", "method", "capture_intermediates")
    }
    module = Ref("object", it.fr.ctx.depth, it.st.content(receiver), receiver.cls, name="self")
    attr = "__call__"
    if isinstance(chosen, Const) and isinstance(chosen.value, str):
        attr = chosen.value
    elif chosen is not None and not is_none(chosen):
        return Opaque()
    result = attributes.call_method_of(it, module, attr, args[1:], inner, place)
    if name != "apply" or result is None or "mutable" in kwargs:
        return TupleV((result if result is not None else Opaque(), Opaque())) if "mutable" in kwargs else Opaque()
    return result


def _ext_obj_method(
    it: Interpreter, receiver: ExtObj, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    from jaxlint.semantics.libraries import call_known

    if receiver.cls == "jax.stages.Lowered" and name == "compile":
        return ExtObj("jax.stages.Compiled", receiver.args)
    kind = it.knowledge.classes.get(receiver.cls, "")
    if kind == "nnx_rngs" and name in ("fork", "split", "items", "keys", "values"):
        return ExtObj(receiver.cls) if name in ("fork", "split") else Opaque()
    if kind in ("key_stream", "nnx_rngs"):
        return Key(place)
    if receiver.cls in _HAIKU_PAIRS and name in ("init", "apply") and receiver.args:
        return _haiku_call(it, receiver, name, args, kwargs, place)
    known = f"{receiver.cls}.{name}"
    if it.knowledge.functions.get(known) is not None:
        return call_known(it, known, (receiver, *args), kwargs, place)
    if kind in ("generator", "path"):
        return call_known(it, known, (receiver, *args), kwargs, place)
    if kind in ("mesh", "sharding", "static_object", "partition_spec", "abstract_value"):
        return Opaque(static=True)
    if kind == "optax_transform" or receiver.cls.startswith("optax."):
        return Opaque(name)
    return _named_call(it, receiver, name, args, kwargs, place)


_HAIKU_PAIRS = frozenset({"haiku.Transformed", "haiku.TransformedWithState"})


def _haiku_call(
    it: Interpreter, receiver: ExtObj, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    with_state = "State" in receiver.cls
    position = 0 if name == "init" else (2 if with_state else 1)
    rng = args[position] if len(args) > position else kwargs.get("rng")
    no_rng = name == "apply" and receiver.kwargs.get("without_apply_rng") is not None
    if rng is not None and not no_rng:
        consume(it, rng, "init" if name == "init" else "call", place)
    rest = args[position + (0 if no_rng else 1) :]
    result = call(it, receiver.args[0], rest, {key: v for key, v in kwargs.items() if key != "rng"}, place)
    if name == "init":
        return TupleV((Opaque(), Opaque())) if with_state else Opaque()
    return TupleV((result, Opaque())) if with_state else result


def _wrapped_method(
    it: Interpreter, receiver: Wrapped, name: str, args: tuple[Value, ...], kwargs: Kwargs, place: Place
) -> Value:
    from jaxlint.semantics.transforms import attach_rules, call_shaped

    if name in ("lower", "trace", "eval_shape"):
        call_shaped(it, receiver, args, kwargs, place)
        return ExtObj("jax.stages.Lowered", (receiver,)) if name == "lower" else Opaque()
    if name in ("defvjp", "defjvp", "defjvps", "def_vmap"):
        return attach_rules(it, receiver, name, args, kwargs)
    return Opaque()
