"""Transformations: wrapping a callable, calling the wrapper, and what traces its arguments.

How each transformation feeds its callable and what it gives back is data (`knowledge/transforms.tsv`); this module
reads the columns `mode`, `feeds` and `gives`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import TransformInfo, term
from jaxlint.semantics import (
    axes,
    buffers,
    captures,
    compiles,
    contracts,
    loops,
    processes,
    receivers,
    specs,
    timing,
    updates,
)
from jaxlint.semantics.arguments import check_arguments, is_compiled
from jaxlint.semantics.calls import call
from jaxlint.semantics.demands import traced_part
from jaxlint.semantics.events import ArgumentConcrete, Transformed
from jaxlint.semantics.interpreter import Ctx
from jaxlint.semantics.keys import CONSUMING, consume
from jaxlint.semantics.libraries import bind_known, returned
from jaxlint.semantics.lifting import WEAK, Lifting, element_of, leaf_of, strip
from jaxlint.semantics.signatures import check_options
from jaxlint.semantics.state import join, join_all
from jaxlint.semantics.values import (
    ABSTRACT,
    BATCHED,
    DEFAULTED,
    DIFF,
    FLOW,
    NONE,
    UNKNOWN,
    Array,
    Const,
    Content,
    ExtObj,
    Func,
    Key,
    Many,
    Opaque,
    Partial,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    Why,
    Wrapped,
    fingerprint,
    fresh_uid,
    is_none,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

Kwargs = dict[str, Value]

_STATIC = frozenset({"static_argnums", "static_argnames", "static_broadcasted_argnums"})

_BODIES = frozenset(
    ["scan", "fori_loop", "while_loop", "map", "vmap", "pmap", "filter_vmap", "filter_pmap", "associative_scan"]
)
"""Transformations that run their callable once a step or row."""


# ---- callables ------------------------------------------------------------------------------------------------------


def innermost(value: Value) -> Func | None:
    """The function of the project that a chain of wrappers and partials ends in."""
    for _ in range(12):
        if isinstance(value, Func):
            return value
        if isinstance(value, Partial):
            value = value.func
        elif isinstance(value, Wrapped):
            value = value.inner
        else:
            return None
    return None


def parameter_names(value: Value) -> list[str] | None:
    """Positional parameters that a callable still takes, by name."""
    if isinstance(value, Func):
        names = [p.name for p in value.fn.params if p.kind in ("pos", "any")]
        return names[1:] if value.receiver is not None else names
    if isinstance(value, Partial):
        names_left = parameter_names(value.func)
        if names_left is None:
            return None
        return [name for name in names_left[len(value.args) :] if name not in value.kwargs]
    if isinstance(value, Wrapped):
        return parameter_names(value.inner)
    return None


def constants(it: Interpreter, value: Value | None) -> list[Any] | None:
    """The constants of an option such as `static_argnums`; None when they are not known."""
    if value is None or is_none(value):
        return []
    if isinstance(value, Const):
        return [value.value]
    items: Iterable[Value]
    if isinstance(value, TupleV):
        items = value.items
    elif isinstance(value, Ref) and value.kind in ("list", "set"):
        content = it.st.content(value)
        if content.open or content.rest is not None:
            return None
        items = content.items
    elif isinstance(value, Many) and value.kind == "range" and value.length is not None:
        items = [value.element(i) for i in range(min(value.length, 6))]
    else:
        return None
    found = [item.value for item in items if isinstance(item, Const)]
    return found if len(found) == len(list(items)) else None


class Chosen:
    """Arguments that an option picks, by position and by name. `known` is False when the option is not understood."""

    def __init__(self, it: Interpreter, wrapped: Wrapped, numbers: str, names: str) -> None:
        options = wrapped.options
        positions = constants(it, options.get(numbers))
        if not positions and numbers == "static_argnums" and "static_broadcasted_argnums" in options:
            positions = constants(it, options.get("static_broadcasted_argnums"))
        named = constants(it, options.get(names))
        self.known = positions is not None and named is not None
        parameters = parameter_names(wrapped.inner)
        self.positions: set[int] = set()
        self.names: set[str] = {name for name in named or () if isinstance(name, str)}
        for position in positions or ():
            if not isinstance(position, int):
                continue
            if position < 0 and parameters is not None:
                position += len(parameters)
            self.positions.add(position)
            if parameters is not None and 0 <= position < len(parameters):
                self.names.add(parameters[position])
        if parameters is not None:
            self.positions |= {index for index, name in enumerate(parameters) if name in self.names}
            # A wrapper that passes its arguments on has the signature of what it wraps: the names are found there.
            func = innermost(wrapped.inner)
            if func is not None and self.names - {param.name for param in func.fn.params}:
                self.known = self.known and not any(param.kind == "star" for param in func.fn.params)

    def has(self, position: int | None, name: str | None) -> bool:
        """Whether an argument is picked."""
        return (position is not None and position in self.positions) or (name is not None and name in self.names)


# ---- applying -------------------------------------------------------------------------------------------------------


def apply_transform(
    it: Interpreter, info: TransformInfo, args: tuple[Value, ...], kwargs: Kwargs, place: Place, star: Value | None
) -> Value:
    """`jax.jit(f, …)`, `lax.scan(f, …)` and the like."""
    bound = bind_known(info.params, args, kwargs, star)
    for name, value in kwargs.items():
        bound.setdefault(name, value)
    first = info.callables[0] if info.callables else ""
    inner = bound.get(first)
    if info.result in ("wrapper", "decorator_wrapper", "methods"):
        if inner is None or is_none(inner):
            return Partial(it.ext(info.name), args, kwargs)
        if info.result == "decorator_wrapper":
            return it.ext("functools.__identity__")
        options = {k: v for k, v in bound.items() if k != first}
        if it.open_call == place:
            for name in _STATIC & info.options:
                options.setdefault(name, UNKNOWN)
        return _wrap(it, info, inner, options, place)
    if info.result == "decorator_call":
        return Wrapped(info, UNKNOWN, bound, place)
    if info.result == "same":
        return inner if inner is not None else UNKNOWN
    if info.result == "none" or info.mode == "unknown":
        return NONE if info.result == "none" else Opaque()
    if info.name in compiles.CONTROL_FLOW and it.passes and not it.fr.ctx.abstract:
        functions = [
            found for spec in info.callables for found in _functions(it, spec, bound, spec.rpartition(":")[2].strip())
        ]
        compiles.fed(it, info, functions, place)
    return run_feeds(it, info, bound, args, kwargs, place)


def _wrap(it: Interpreter, info: TransformInfo, inner: Value, options: dict[str, Value], place: Place) -> Value:
    it.emit(Transformed(place, info.name, inner, innermost(inner), options))
    if info.options:
        check_options(it, info, inner, options, place)
        specs.check_arguments(it, info, inner, options, place)
        axes.made(it, info, options)
    if info.result == "methods":
        if info.name == "haiku.without_apply_rng" and isinstance(inner, ExtObj):
            return ExtObj(inner.cls, inner.args, {"without_apply_rng": Const(True)})
        with_state = "with_state" in info.name
        cls = "haiku.TransformedWithState" if with_state else "haiku.Transformed"
        if isinstance(inner, ExtObj):
            return inner
        return ExtObj(cls, (inner,))
    if info.mode == "host":
        return Opaque()
    if info.mode in ("eager", "handler"):
        return inner
    wrapped = Wrapped(info, inner, options, place)
    it.timeline.made.add(wrapped.uid)
    receivers.applied(it, info.name, wrapped, innermost(inner))
    it.schedule(wrapped)
    if info.name in contracts.CUSTOM:
        contracts.declared(it, wrapped)
    return wrapped


# ---- calling a wrapper ----------------------------------------------------------------------------------------------


def trace_flags(info: TransformInfo) -> int:
    """The trace flag of a mode."""
    if info.mode == "diff":
        return DIFF if is_forward(info) else DIFF | FLOW
    return {"abstract": ABSTRACT, "shape": ABSTRACT, "batched": BATCHED}.get(info.mode, 0)


def is_forward(info: TransformInfo) -> bool:
    """Whether a differentiation carries tangents along instead of going back."""
    return short_name(info) in _FORWARD


_FORWARD = frozenset(["jvp", "jacfwd", "linearize", "filter_jvp", "filter_jacfwd", "funm", "assert_numerical_grads"])


def short_name(info: TransformInfo) -> str:
    """The last part of a transformation's name."""
    return info.name.rpartition(".")[2]


def _body_name(info: TransformInfo) -> str:
    """What a message calls the transformation that runs a body; maps over trees are told from those over rows."""
    name = short_name(info)
    return f"tree.{name}" if info.name.startswith("jax.tree.") else name


def open_trace(it: Interpreter, info: TransformInfo, place: Place, *, body: bool) -> Ctx:
    """The context in which the transformed function runs."""
    outer = it.fr.ctx
    ctx = Ctx(outer)
    ctx.mark = fresh_uid()
    if info.mode != "eager":
        ctx.depth += 1
        ctx.transform = info.name
        ctx.mode = info.mode
    if info.mode in ("abstract", "shape"):
        ctx.abstract = True
        ctx.why = Why(place, f"traced by `{short_name(info)}` here", outer.why)
    ctx.shape = info.mode == "shape"
    if "mesh" in info.options or "refs" in info.feeds:
        ctx.axes = ctx.axes._replace(open=True)  # the cores of a kernel have names too
    if info.mode == "diff" and not is_forward(info):
        ctx.differentiating = True
    if info.mode == "host":
        ctx.abstract = False
        ctx.depth = 0
        ctx.why = None
        ctx.remembers = False
    elif "remembers" in info.options:
        ctx.remembers = True
        ctx.reads = {}
    if body:
        ctx.bodies = (*outer.bodies, (ctx.mark, _body_name(info), place))
    return ctx


def call_wrapped(
    it: Interpreter,
    wrapped: Wrapped,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
    star: Value | None = None,
    *,
    generic: bool = False,
) -> Value:
    """Call what a transformation returned."""
    info: TransformInfo = wrapped.transform
    if info.result == "decorator_call":
        bound = {**wrapped.options, info.callables[0]: args[0] if args else UNKNOWN}
        return run_feeds(it, info, bound, args, kwargs, place)
    it.mark_entered(wrapped)
    if info.mode in ("custom", "rule", "eager", "handler", "host", "unknown"):
        result = call(it, wrapped.inner, args, kwargs, place, star)
        if info.mode in ("custom", "rule") and it.fr.ctx.differentiating:
            loops.forget(it, result)
        return result if info.mode != "host" else Opaque()
    if "refs" in info.feeds:
        return _call_with_refs(it, wrapped, place)
    flags = trace_flags(info)
    body = short_name(info) in _BODIES
    why_place = wrapped.place
    ctx = open_trace(it, info, why_place, body=body)
    ctx.axes = axes.bound_by(it, wrapped)
    if not generic and star is None and info.mode == "abstract" and is_compiled(info.options):
        chosen = Chosen(it, wrapped, "static_argnums", "static_argnames")
        check_arguments(it, wrapped, chosen, args, kwargs, parameter_names(wrapped.inner) or [], place)
    lifted, lifted_kwargs, liftings = _lift_arguments(it, wrapped, args, kwargs, ctx, flags, place)
    rows, it.row_origins = it.row_origins, []
    if star is not None and Chosen(it, wrapped, "static_argnums", "static_argnames").positions:
        star = Opaque()
    elif star is not None:
        star = Opaque(star.__class__.__name__, trace=Trace(flags, Why(why_place, _why_text(info), ctx.why)))
    for lifting in liftings:
        ctx.arguments |= lifting.uids
    if info.mode == "batched":
        for value in (*lifted, *lifted_kwargs.values()):
            _collect(it, value, ctx.arguments, 0)
    outer_ctx = it.fr.ctx
    saved_muted = it.muted_keys
    before = it.st
    if info.mode == "shape":
        it.muted_keys = True
        it.st = before.fork()
    it.fr.ctx = ctx
    try:
        out = call(it, wrapped.inner, lifted, lifted_kwargs, place, star)
    finally:
        it.fr.ctx = outer_ctx
        it.muted_keys = saved_muted
    if info.mode == "shape":
        it.st = before
    if flags & FLOW:
        loops.check(it, info.name, wrapped.inner, out, wrapped.options, wrapped.place)
    if "out_specs" in info.options:
        specs.check_result(it, wrapped, out)
    _flush_pending(it, ctx, out)
    if info.mode != "shape":
        it.row_origins = rows
        _replay_origins(it, liftings, place)
    if ctx.reads:
        prints = _static_prints(it, wrapped, args, kwargs)
        captures.remember(it, captures.identity(it, wrapped.inner, prints), ctx.reads, wrapped.place)
    result = _gives(it, info, wrapped, out, args, place)
    if not generic:
        if it.meetings.spanning and not it.fr.ctx.depth and is_compiled(info.options):
            processes.compiled(it, (*args, *kwargs.values()), place, short_name(info))
        if not it.fr.ctx.depth:
            timing.called_wrapper(it, wrapped, result, place)
        _donate(it, wrapped, args, kwargs, place)
    return result


def _static_prints(it: Interpreter, wrapped: Wrapped, args: tuple[Value, ...], kwargs: Kwargs) -> tuple[Any, ...]:
    """Fingerprints of the static arguments of a call: each set of them has a trace of its own."""
    chosen = Chosen(it, wrapped, "static_argnums", "static_argnames")
    if not chosen.known:
        return (None,)
    parameters = parameter_names(wrapped.inner) or []
    found = [
        fingerprint(value)
        for index, value in enumerate(args)
        if chosen.has(index, parameters[index] if index < len(parameters) else None)
    ]
    return (*found, *(fingerprint(value) for name, value in kwargs.items() if chosen.has(None, name)))


def _why_text(info: TransformInfo) -> str:
    return f"an argument of the function that `{short_name(info)}` transforms here"


def _lift_arguments(
    it: Interpreter,
    wrapped: Wrapped,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    ctx: Ctx,
    flags: int,
    place: Place,
) -> tuple[tuple[Value, ...], Kwargs, list[Lifting]]:
    info: TransformInfo = wrapped.transform
    arrays_only = info.name.startswith("equinox.") and info.mode != "batched"
    why = Why(wrapped.place, _why_text(info), it.fr.ctx.why)
    trace = Trace(flags, why)
    parameters = parameter_names(wrapped.inner) or []
    lifting = Lifting(it, trace, ctx.depth, arrays_only=arrays_only)
    unmapped = Lifting(it, trace, ctx.depth, fresh=True)
    static = Chosen(it, wrapped, "static_argnums", "static_argnames")
    positions = _differentiated(it, wrapped) if info.mode == "diff" else None
    axes = _mapped_axes(it, wrapped) if info.mode == "batched" else None
    unsplit = _without_spec(it, wrapped.options.get("in_specs"))

    def lift(value: Value, position: int | None, name: str | None) -> Value:
        if info.mode in ("abstract", "shape"):
            if static.has(position, name) or position in unsplit:
                return value
            if not static.known and not isinstance(value, Array | Key):
                return Opaque()
            if info.name == "jax.pmap":
                return element_of(it, lifting(value), trace)
            return lifting(value)
        if info.mode == "diff":
            if positions is None:
                return Opaque()
            if (position if position is not None else -1) in positions:
                return lifting(value)
            _share(it, ctx, value)
            return value
        if info.name.startswith("equinox."):
            return _map_arrays(it, value, position, axes, trace, unmapped)
        return _map(it, value, position, axes, trace, unmapped)

    lifted = tuple(
        lift(value, index, parameters[index] if index < len(parameters) else None) for index, value in enumerate(args)
    )
    lifted_kwargs = {name: lift(value, None, name) for name, value in kwargs.items()}
    return lifted, lifted_kwargs, [lifting, unmapped]


def _without_spec(it: Interpreter, specs: Value | None) -> set[int]:
    """The positions for which `in_specs` says None: `shard_map` hands those arguments through as they are."""
    items: Iterable[Value] = ()
    if isinstance(specs, TupleV) and specs.cls is None:
        items = specs.items
    elif isinstance(specs, Ref) and specs.kind == "list" and not it.st.content(specs).open:
        items = it.st.content(specs).items
    return {position for position, item in enumerate(items) if is_none(item)}


def _share(it: Interpreter, ctx: Ctx, value: Value) -> None:
    """`grad` hands arguments that it does not differentiate through as they are."""
    if value.uid:
        ctx.arguments.add(value.uid)
        ctx.shared.add(value.uid)


def _differentiated(it: Interpreter, wrapped: Wrapped) -> set[int] | None:
    found = wrapped.options.get("argnums")
    if found is None:
        return {0}
    positions = constants(it, found)
    return None if positions is None else {p for p in positions if isinstance(p, int)}


def _mapped_axes(it: Interpreter, wrapped: Wrapped) -> Any:
    """For each position whether it is mapped: a list, True (all) or None (not known)."""
    found = wrapped.options.get("in_axes")
    if found is None or (isinstance(found, Const) and isinstance(found.value, int)):
        return True
    if isinstance(found, TupleV):
        return list(found.items)
    if isinstance(found, Ref) and found.kind == "list":
        content = it.st.content(found)
        return list(content.items) if content.rest is None and not content.open else None
    return None


def _map(it: Interpreter, value: Value, position: int | None, axes: Any, trace: Trace, unmapped: Lifting) -> Value:
    if axes is None:
        return Opaque()
    if axes is not True and position is not None:
        axis = axes[position] if position < len(axes) else None
        if axis is None or is_none(axis):
            return _unmapped(it, value, unmapped)
        if not isinstance(axis, Const):
            if isinstance(axis, TupleV | Ref):
                return Opaque(trace=Trace(trace.flags | 8, trace.why))
            return Opaque()
    return element_of(it, value, trace)


def _map_arrays(
    it: Interpreter, value: Value, position: int | None, axes: Any, trace: Trace, unmapped: Lifting
) -> Value:
    """Equinox maps arrays alone: Python values stay as they are."""
    if isinstance(value, Const):
        return value
    if isinstance(value, Opaque):
        if value.static or value.hint in ("int", "float", "bool", "str", "callable"):
            return value
        if value.hint is None or value.tag == WEAK:
            trace = Trace(trace.flags | DEFAULTED, trace.why)
    return _map(it, value, position, axes, trace, unmapped)


def _unmapped(it: Interpreter, value: Value, unmapped: Lifting) -> Value:
    """An argument that every row shares: its own value, received rather than captured."""
    if isinstance(value, Key):
        key = Key(value.place, many=value.many, trace=value.trace, constant=value.constant, rows=value.rows)
        unmapped.origins.append((key, value))
        return key
    if isinstance(value, Opaque) and not value.static:
        made = Opaque(value.name, trace=value.trace, hint=value.hint)
        unmapped.origins.append((made, value))
        return made
    return value


def _replay_origins(it: Interpreter, liftings: list[Lifting], place: Place) -> None:
    """A key that the body used up under an identity of its own is used up for the caller too."""
    from jaxlint.semantics.events import Use

    rows, it.row_origins = it.row_origins, []
    for origins in (rows, *(lifting.origins for lifting in liftings)):
        for made, origin in origins:
            uses = it.st.res.get(made.uid, ())
            for use in uses if isinstance(uses, tuple) else ():
                if isinstance(use, Use) and use.how in CONSUMING:
                    consume(it, origin, "call", place, definite=use.definite, inner=use)
                    break


def _flush_pending(it: Interpreter, ctx: Ctx, out: Value) -> None:
    """Tell the stores into argument containers that the function does not return."""
    if not ctx.pending:
        return
    returned_uids: set[int] = set()
    _collect(it, out, returned_uids, 0)
    for uids, event in ctx.pending:
        if not uids & returned_uids:
            it.emit(event)
    ctx.pending = []


def _collect(it: Interpreter, value: Value, found: set[int], depth: int) -> None:
    if value.uid:
        found.add(value.uid)
    if depth > 4:
        return
    for item in value.members if isinstance(value, Union) else _held(it, value):
        _collect(it, item, found, depth + 1)
    if isinstance(value, Opaque):
        parent = value.parent
        while parent is not None:
            found.add(parent.uid)
            parent = getattr(parent, "parent", None)


def _collect_own(it: Interpreter, value: Value, found: set[int], depth: int) -> None:
    """The identities of a value that was made for the traced function, and of what it holds."""
    if value.uid and isinstance(value, Opaque | Ref):
        found.add(value.uid)
    if depth > 4:
        return
    for item in _held(it, value):
        _collect_own(it, item, found, depth + 1)


def _held(it: Interpreter, value: Value) -> Iterable[Value]:
    """What a tuple or a container of the program holds on this path."""
    if isinstance(value, TupleV):
        return value.items
    if not isinstance(value, Ref):
        return ()
    items = it.st.content(value).items
    return items.values() if isinstance(items, dict) else items


def call_compiled(it: Interpreter, inner: Value, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> Value:
    """A call of `f.lower(…).compile()`: as of `f`, where no argument is static."""
    if not isinstance(inner, Wrapped) or Chosen(it, inner, "static_argnums", "static_argnames").positions:
        return Opaque()
    timing.compiled_ahead(it, inner)
    return call_wrapped(it, inner, args, kwargs, place)


def _donate(it: Interpreter, wrapped: Wrapped, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    options = wrapped.options
    if "donate" in options:
        _donate_all(it, options["donate"], args, kwargs, place)
        return
    if "donate_argnums" not in options and "donate_argnames" not in options:
        return
    chosen = Chosen(it, wrapped, "donate_argnums", "donate_argnames")
    if not chosen.known or it.fr.ctx.abstract:
        return
    parameters = parameter_names(wrapped.inner) or []
    donated: list[tuple[Value, str]] = []
    kept: list[Value] = []
    static = Chosen(it, wrapped, "static_argnums", "static_argnames")
    for index, value in enumerate(args):
        name = parameters[index] if index < len(parameters) else None
        if chosen.has(index, name):
            donated.append((value, name or ""))
        elif not static.has(index, name):
            kept.append(value)
    for name, value in kwargs.items():
        if chosen.has(None, name):
            donated.append((value, name))
        elif not static.has(None, name):
            kept.append(value)
    for value, _ in donated:
        buffers.read(it, value, place, "donated again")
    _same_buffer_twice(it, [value for value, _ in donated], kept, place)
    for value in kept:
        buffers.read(it, value, place, "passed on")
    for value, name in donated:
        buffers.donate(it, value, place, name)


def _donate_all(it: Interpreter, option: Value, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    """Equinox's `donate="all"` and its variants."""
    word = option.value if isinstance(option, Const) else None
    if not isinstance(word, str) or word in ("none",) or it.fr.ctx.abstract:
        return
    chosen = args[1:] if "except-first" in word else args
    for value in (*chosen, *kwargs.values()):
        buffers.read(it, value, place, "donated again")
    for value in (*chosen, *kwargs.values()):
        buffers.donate(it, value, place, "")


def _same_buffer_twice(it: Interpreter, donated: list[Value], kept: list[Value], place: Place) -> None:
    """One array donated and given again in the same call."""
    from jaxlint.semantics.events import DonatedRead, Donation

    seen: set[int] = set()
    for position, value in enumerate([*donated, *kept]):
        uids = {leaf.uid for leaf in buffers.leaves(it, value) if not (isinstance(leaf, Array) and leaf.lib != "jax")}
        if uids & seen:
            it.emit(DonatedRead(place, value, Donation(place, "", tuple(it.passes), value), "same call", False))
            return
        if position < len(donated):
            seen |= uids


# ---- feeding callables ----------------------------------------------------------------------------------------------


def call_shaped(it: Interpreter, wrapped: Wrapped, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    """`f.lower(…)` and the like trace without running: keys are not consumed, nothing is donated."""
    before, muted = it.st, it.muted_keys
    it.st = before.fork()
    it.muted_keys = True
    try:
        call_wrapped(it, wrapped, args, kwargs, place, generic=True)
    finally:
        it.st, it.muted_keys = before, muted


def attach_rules(
    it: Interpreter, wrapped: Wrapped, name: str, args: tuple[Value, ...], kwargs: Kwargs | None = None
) -> Value:
    """`f.defvjp(fwd, bwd)`: the rules are functions that JAX calls later."""
    contracts.attach(it, wrapped, name, args, kwargs or {})
    return args[0] if name == "defjvp" and args else NONE


def _call_with_refs(it: Interpreter, wrapped: Wrapped, place: Place) -> Value:
    """A Pallas kernel: every parameter is a mutable reference."""
    info: TransformInfo = wrapped.transform
    ctx = open_trace(it, info, wrapped.place, body=False)
    names = parameter_names(wrapped.inner) or []
    outer = it.fr.ctx
    it.fr.ctx = ctx
    why = Trace(ABSTRACT, ctx.why)
    try:
        call(it, wrapped.inner, tuple(Array(why, lib="ref") for _ in names), {}, place)
    finally:
        it.fr.ctx = outer
    return strip(it, Opaque(trace=why), place)


def run_feeds(
    it: Interpreter,
    info: TransformInfo,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
) -> Value:
    """Call a transformation that calls its functions now: loops, branches, maps over trees."""
    outer, it.remembered = it.remembered, []
    result = _run_feeds(it, info, bound, args, kwargs, place)
    for root, reads in it.remembered:
        captures.remember(it, root, reads, place)
    it.remembered = outer
    if info.gives.startswith("maptree"):
        updates.note(it, place, info.name, "tree_map", bound.get("f"))
    return result


def _run_feeds(
    it: Interpreter,
    info: TransformInfo,
    bound: dict[str, Value],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    place: Place,
) -> Value:
    tree = bound.get("tree")
    small = isinstance(tree, TupleV) and tree.cls is None and 0 < len(tree.items) <= 4
    if info.name == "jax.tree.map" and isinstance(tree, TupleV) and small and not _rest(bound, "rest"):
        parts = [run_feeds(it, info, {**bound, "tree": item}, args, kwargs, place) for item in tree.items]
        return TupleV(tuple(parts))
    if it.fr.ctx.depth:
        _check_counts(it, info, bound, place)
    feeds = _parse_feeds(info.feeds)
    results: dict[str, Value] = {}
    body = short_name(info) in _BODIES
    before = it.st
    muted = it.muted_keys
    if info.mode == "shape":
        it.muted_keys = True
        it.st = before.fork()
    branching = (len(info.callables) > 1 and "operand" in info.feeds) or any("branches" in c for c in info.callables)
    start, after = it.st, []
    try:
        for spec in info.callables:
            name = spec.rpartition(":")[2].strip()
            for function in _functions(it, spec, bound, name):
                if branching:
                    it.st = start.fork()
                out = _feed(it, info, function, feeds.get(name, []), bound, kwargs, place, body)
                results[name] = join(results[name], out) if name in results else out
                if branching:
                    after.append(it.st)
    finally:
        it.muted_keys = muted
    if branching and after:
        it.st = join_all(after)
    if info.mode == "shape":
        it.st = before
    fake = Wrapped(info, UNKNOWN, bound, place)
    out = next(reversed(results.values())) if results else UNKNOWN
    first = info.callables[0].rpartition(":")[2].strip() if info.callables else ""
    if info.mode == "diff" and not is_forward(info):
        loops.check(it, info.name, bound.get(first, UNKNOWN), results.get(first, out), bound, place)
    given = _gives(it, info, fake, results.get(first, out), args, place, results, bound)
    if it.fr.ctx.differentiating and body:
        loops.carry_back(it, info.name, bound, results, given)
    if info.mode in ("abstract", "diff", "batched") and not it.fr.ctx.depth:
        timing.dispatched(it, given, place, compiled=False)
    return given


_COUNTS = ("length", "unroll", "batch_size")


def _check_counts(it: Interpreter, info: TransformInfo, bound: dict[str, Value], place: Place) -> None:
    """Tell of traced numbers of steps: they are part of the program."""
    for name in _COUNTS:
        if name in bound and name in info.options:
            trace = traced_part(it, bound[name])
            if trace is not None:
                params = info.params.params
                position = params.index(name) if name in params else None
                it.emit(ArgumentConcrete(place, info.name, name, bound[name], trace, position))


def _functions(it: Interpreter, spec: str, bound: dict[str, Value], name: str) -> list[Value]:
    value = bound.get(name, bound.get("*" + name))
    if value is None:
        return []
    if not spec.startswith("branches"):
        return [] if is_none(value) else [value]
    if isinstance(value, TupleV):
        return list(value.items)
    if isinstance(value, Ref) and value.kind in ("list", "dict"):
        content = it.st.content(value)
        items = list(content.items.values()) if isinstance(content.items, dict) else list(content.items)
        return items + ([content.rest] if content.rest is not None else [])
    return []


def _parse_feeds(text: str) -> dict[str, list[str]]:
    feeds: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, colon, tokens = part.partition(":")
        if colon:
            feeds[name.strip()] = [token.strip() for token in tokens.split(",") if token.strip()]
    return feeds


def _feed(
    it: Interpreter,
    info: TransformInfo,
    function: Value,
    tokens: list[str],
    bound: dict[str, Value],
    kwargs: Kwargs,
    place: Place,
    body: bool,
) -> Value:
    """Run one callable as the transformation does; loops run a second time when a key is carried."""
    if isinstance(function, Wrapped):
        it.mark_entered(function)
    outer = it.fr.ctx
    eager_loop = info.mode == "eager" and (info.name.startswith("builtins.") or "elem" in info.feeds)
    is_tree = info.name in ("jax.tree.map", "jax.tree.map_with_path")
    ctx = outer if info.mode == "eager" and not is_tree else open_trace(it, info, place, body=body or is_tree)
    flags = trace_flags(info)
    trace = (
        Trace(flags, Why(place, f"given to the function by `{short_name(info)}` here", outer.why)) if flags else None
    )
    liftings: list[Lifting] = []
    rows: list[tuple[Value, Value]] = []
    passes = 2 if (body and not is_tree) or eager_loop else 1
    loop_id = fresh_uid()
    out: Value = UNKNOWN
    carried: Value | None = None
    for number in range(passes):
        uses_before = it.st.res
        fed = _arguments(it, info, tokens, bound, trace, ctx, liftings, number, carried)
        rows += it.row_origins
        it.row_origins = []  # those of a body that runs inside are its own
        it.passes.append((loop_id, number))
        it.fr.ctx = ctx
        try:
            out = call(it, function, tuple(fed), _fed_kwargs(tokens, kwargs, info), place)
        finally:
            it.fr.ctx = outer
            it.passes.pop()
        if number == 0:
            if it.st.res is uses_before and not eager_loop:
                break
            carried = out.items[0] if isinstance(out, TupleV) and out.items and short_name(info) == "scan" else out
    if ctx is not outer:
        _flush_pending(it, ctx, out)
        if ctx.reads:
            it.remembered.append((captures.identity(it, function), ctx.reads))
    it.row_origins = rows
    _replay_origins(it, liftings[:1], place)
    return out


def _fed_kwargs(tokens: list[str], kwargs: Kwargs, info: TransformInfo) -> Kwargs:
    if "**kwargs" not in tokens:
        return {}
    known = {*info.params.params, *info.params.keyword_only}
    return {name: value for name, value in kwargs.items() if name not in known}


def _arguments(
    it: Interpreter,
    info: TransformInfo,
    tokens: list[str],
    bound: dict[str, Value],
    trace: Trace | None,
    ctx: Ctx,
    liftings: list[Lifting],
    number: int,
    carried: Value | None,
) -> list[Value]:
    arrays_only = "filter" in info.options
    lifting = Lifting(it, trace, ctx.depth, fresh=True, arrays_only=arrays_only) if trace is not None else None
    if lifting is not None:
        liftings.append(lifting)
    fed: list[Value] = []
    traced = trace if trace is not None else Trace(ABSTRACT, ctx.why) if ctx.abstract else None
    plain = Lifting(it, trace, ctx.depth, arrays_only=arrays_only) if trace is not None else None
    for token in tokens:
        kind, _, source = token.partition("=")
        if kind == "carry":
            value = carried if number and carried is not None else bound.get(source, UNKNOWN)
            fed.append(lifting(value) if lifting is not None else value)
        elif kind in ("elem", "*elem"):
            values = _rest(bound, source) if kind[0] == "*" else [bound.get(source, NONE)]
            fed += _rows(it, values, traced if trace is not None else None, number, ctx)
        elif kind == "arg":
            if source in bound:
                fed.append(plain(bound[source]) if plain is not None else bound[source])
            elif source in ("x", "row"):
                fed.append(Array(traced))
        elif kind == "*seq":
            fed += [plain(v) if plain is not None else v for v in _items(it, bound.get(source))]
        elif kind in ("leaf", "*leaf"):
            values = _rest(bound, source) if kind[0] == "*" else [bound.get(source, UNKNOWN)]
            fed += [leaf_of(it, value) for value in values]
        elif kind == "**kwargs":
            continue
        elif kind.startswith("*"):
            name = kind[1:]
            values = _rest(bound, name)
            fed += [plain(value) if plain is not None else value for value in values]
        elif kind in ("scalar", "row", "traced", "out", "cotangent"):
            lower = bound.get("lower")
            start = lower.value if kind == "traced" and isinstance(lower, Const) else None
            fed.append(Array(traced, tag=("from", start) if isinstance(start, int) else None))
        elif kind == "numpy":
            fed.append(Array(lib="numpy"))
        elif kind in ("ref", "refs"):
            fed.append(Array(traced, lib="ref"))
        elif kind == "static":
            fed.append(Opaque(static=True))
        else:
            fed.append(Opaque())
    if plain is not None:
        ctx.arguments |= plain.uids
    return fed


def _rows(it: Interpreter, values: list[Value], trace: Trace | None, number: int, ctx: Ctx) -> list[Value]:
    """The row of each value that a step gets; under a trace it is a copy of its own."""
    rows = [_element(it, value, trace, number) for value in values]
    if trace is not None:
        for row in rows:
            _collect_own(it, row, ctx.arguments, 0)
    return rows


def _element(it: Interpreter, value: Value, trace: Trace | None, number: int) -> Value:
    from jaxlint.semantics.iteration import iterate

    if trace is not None:
        return element_of(it, value, trace, step=number)
    return iterate(it, value, (it.fr.fn.module, it.fr.fn.id)).get(number)


def _rest(bound: dict[str, Value], name: str) -> list[Value]:
    value = bound.get("*" + name)
    return list(value.items) if isinstance(value, TupleV) else []


def _items(it: Interpreter, value: Value | None) -> list[Value]:
    if isinstance(value, TupleV):
        return list(value.items)
    if isinstance(value, Ref) and value.kind == "list":
        return list(it.st.content(value).items)
    return [Opaque()] if value is not None else []


# ---- what comes back ------------------------------------------------------------------------------------------------


def _gives(
    it: Interpreter,
    info: TransformInfo,
    wrapped: Wrapped,
    out: Value,
    args: tuple[Value, ...],
    place: Place,
    results: dict[str, Value] | None = None,
    bound: dict[str, Value] | None = None,
) -> Value:
    """The value that the column `gives` describes."""
    return _given(it, info.gives or "out", info, wrapped, out, args, place, results or {}, bound or {})


def _given(
    it: Interpreter,
    text: str,
    info: TransformInfo,
    wrapped: Wrapped,
    out: Value,
    args: tuple[Value, ...],
    place: Place,
    results: dict[str, Value],
    bound: dict[str, Value],
) -> Value:
    def again(inner: str) -> Value:
        return _given(it, inner, info, wrapped, out, args, place, results, bound)

    kind, parts = term(text)
    if kind == "out" or kind in results:
        value = results.get(kind, out)
        return value if info.mode in ("eager", "custom", "handler", "rule") else strip(it, value, place)
    if kind == "item" and len(parts) == 2:
        source = again(parts[0])
        position = int(parts[1])
        if isinstance(source, TupleV) and position < len(source.items):
            return source.items[position]
        return Opaque()
    if kind == "stack":
        return _stacked(it, again(parts[0]), place)
    if kind == "like":
        return _like(it, parts[0] if parts else "", bound, args, place)
    if kind == "grads":
        found = args[0] if args else UNKNOWN
        return strip(it, found, place) if isinstance(found, Array | Opaque | TupleV | Ref) else Opaque(hint="array")
    if kind == "tuple":
        return TupleV(tuple(again(part) for part in parts))
    if kind == "list":
        return Ref("list", it.fr.ctx.depth, Content((), again(parts[0]) if parts else None, True))
    if kind == "when":
        flag = wrapped.options.get(parts[0])
        if flag is None:
            return again(parts[2]) if len(parts) > 2 else UNKNOWN
        if isinstance(flag, Const):
            return again(parts[1] if flag.value else parts[2])
        return Opaque()
    if kind == "join":
        values = [results[part] for part in parts if part in results]
        if not values:
            return Opaque()
        result = values[0]
        for value in values[1:]:
            result = join(result, value)
        return strip(it, result, place) if info.mode != "eager" else result
    if kind == "maptree":
        return _mapped_tree(it, bound.get(parts[0]) if parts else None, out)
    if kind in ("callable", "shapes", "static", "unknown", "elem", "numpy"):
        return Opaque(static=kind in ("static",))
    return returned(it, (kind, parts), bound, args, {}, place, info.name)


def _like(it: Interpreter, name: str, bound: dict[str, Value], args: tuple[Value, ...], place: Place) -> Value:
    if name == "args":
        return strip(it, args[0], place) if args else Opaque()
    value = bound.get(name)
    return strip(it, value, place) if value is not None else Opaque()


def _stacked(it: Interpreter, value: Value, place: Place) -> Value:
    """The result with a leading axis."""
    if isinstance(value, Key):
        return Key(place, many=True, trace=value.trace, tag="result")
    if isinstance(value, TupleV):
        return TupleV(tuple(_stacked(it, item, place) for item in value.items), value.cls, value.names)
    if isinstance(value, Array):
        return Array(value.trace)
    if isinstance(value, Ref | Union):
        return value if isinstance(value, Ref) else Opaque(trace=value.trace)
    return value


def _mapped_tree(it: Interpreter, tree: Value | None, out: Value) -> Value:
    """`tree.map(f, tree)`: the shape of the tree with the results of `f`; an identity keeps the tree itself."""
    if tree is None:
        return Opaque()
    for item in _chain(out):
        if item is tree or (isinstance(item, Opaque) and item.uid == tree.uid):
            return tree
    if isinstance(tree, Array | Const | Key):
        return out
    if isinstance(tree, TupleV):
        return TupleV(tuple(_mapped_tree(it, item, _again(item, out)) for item in tree.items), tree.cls, tree.names)
    if isinstance(tree, Ref) and tree.kind in ("dict", "list"):
        content = it.st.content(tree)
        rest = _mapped_tree(it, content.rest, _again(content.rest, out)) if content.rest is not None else None
        items: Any
        if isinstance(content.items, dict):
            items = {name: _mapped_tree(it, item, _again(item, out)) for name, item in content.items.items()}
        else:
            items = tuple(_mapped_tree(it, item, _again(item, out)) for item in content.items)
        return Ref(tree.kind, it.fr.ctx.depth, Content(items, rest, content.open))
    if isinstance(out, Key):
        return Opaque(trace=out.trace)
    made = Opaque(getattr(tree, "name", ""), trace=out.trace if out.trace is not None else None)
    empty = buffers.empty_state(it, out)
    if empty is not None:
        it.st.set_res(("e", made.uid), buffers.Empty(empty.place, empty.function, made, empty.parts))
    return made


def _chain(out: Value) -> Iterable[Value]:
    if isinstance(out, Opaque) and out.tag == ("leaf",) and out.parent is not None:
        yield out.parent
    yield out


def _again(item: Value, out: Value) -> Value:
    """The result for another leaf: like `out`, with an identity of its own."""
    if out is item:
        return item
    if isinstance(out, Array):
        return Array(out.trace, lib=out.lib)
    if isinstance(out, Opaque):
        return Opaque(trace=out.trace, hint=out.hint)
    return out
