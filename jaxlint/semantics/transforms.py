"""Transformations: wrapping a callable, calling the wrapper, and what traces its arguments.

What each transformation does is data (`knowledge/transforms.tsv`): this module reads the column `mode`, `feeds.py` and
`given_back.py` those of their names.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import TransformInfo
from jaxlint.semantics import (
    axes,
    captures,
    compiles,
    contracts,
    loops,
    processes,
    receivers,
    specs,
    timing,
)
from jaxlint.semantics.arguments import check_arguments, is_compiled
from jaxlint.semantics.calls import call
from jaxlint.semantics.donations import donate
from jaxlint.semantics.entering import lift_arguments
from jaxlint.semantics.events import Transformed
from jaxlint.semantics.feeds import BODIES, callables_of, run_feeds
from jaxlint.semantics.given_back import gives
from jaxlint.semantics.libraries import bind_known
from jaxlint.semantics.lifting import strip
from jaxlint.semantics.opening import open_trace, shapes_only, short_name, trace_flags, why_text
from jaxlint.semantics.pending import collect, flush_pending, replay_origins
from jaxlint.semantics.signatures import check_options
from jaxlint.semantics.values import (
    ABSTRACT,
    FLOW,
    NONE,
    UNKNOWN,
    Array,
    ClassV,
    Const,
    ExtObj,
    Opaque,
    Partial,
    Place,
    Trace,
    Value,
    Why,
    Wrapped,
    fingerprint,
    is_none,
)
from jaxlint.semantics.wrappers import STATIC, Chosen, Kwargs, innermost, parameter_names

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


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
            for name in STATIC & info.options:
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
            found for spec in info.callables for found in callables_of(it, spec, bound, spec.rpartition(":")[2].strip())
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
    if "linen" in info.options and isinstance(wrapped.inner, ClassV):
        return call(it, wrapped.inner, args, kwargs, place, star)  # an instance: its fields are no arguments of a trace
    if info.mode in ("custom", "rule", "eager", "handler", "host", "unknown"):
        result = call(it, wrapped.inner, args, kwargs, place, star)
        if info.mode in ("custom", "rule") and it.fr.ctx.differentiating:
            loops.forget(it, result)
        return result if info.mode != "host" else Opaque()
    if "refs" in info.feeds:
        return _call_with_refs(it, wrapped, place)
    flags = trace_flags(info)
    body = short_name(info) in BODIES
    why_place = wrapped.place
    ctx = open_trace(it, info, why_place, body=body)
    ctx.axes = axes.bound_by(it, wrapped)
    if not generic and star is None and info.mode == "abstract" and is_compiled(info.options):
        chosen = Chosen(it, wrapped, "static_argnums", "static_argnames")
        check_arguments(it, wrapped, chosen, args, kwargs, parameter_names(wrapped.inner) or [], place)
    lifted, lifted_kwargs, liftings = lift_arguments(it, wrapped, args, kwargs, ctx, flags, place)
    rows, it.row_origins = it.row_origins, []
    if star is not None and STATIC & wrapped.options.keys():
        star = Opaque()  # some of what it hands over may be static
    elif star is not None:
        star = Opaque(star.__class__.__name__, trace=Trace(flags, Why(why_place, why_text(info), ctx.why)))
    for lifting in liftings:
        ctx.arguments |= lifting.uids
    if info.mode == "batched":
        for value in (*lifted, *lifted_kwargs.values()):
            collect(it, value, ctx.arguments, 0)
    with shapes_only(it) if info.mode == "shape" else nullcontext():
        outer, it.fr.ctx = it.fr.ctx, ctx
        try:
            out = call(it, wrapped.inner, lifted, lifted_kwargs, place, star)
        finally:
            it.fr.ctx = outer
    if flags & FLOW:
        loops.check(it, info.name, wrapped.inner, out, wrapped.options, wrapped.place)
    if "out_specs" in info.options:
        specs.check_result(it, wrapped, out)
    flush_pending(it, ctx, out)
    if info.mode != "shape":
        it.row_origins = rows
        replay_origins(it, liftings, place)
    if ctx.reads:
        prints = _static_prints(it, wrapped, args, kwargs)
        captures.remember(it, captures.identity(it, wrapped.inner, prints), ctx.reads, wrapped.place)
        if generic:
            captures.handed_out(it, ctx.reads, wrapped.place)
    result = gives(it, info, wrapped, out, args, place)
    if not generic:
        if it.meetings.spanning and not it.fr.ctx.depth and is_compiled(info.options):
            processes.compiled(it, (*args, *kwargs.values()), place, short_name(info))
        if not it.fr.ctx.depth:
            timing.called_wrapper(it, wrapped, result, place)
        donate(it, wrapped, args, kwargs, place)
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


def call_compiled(it: Interpreter, inner: Value, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> Value:
    """A call of `f.lower(…).compile()`: as of `f`, where no argument is static."""
    if not isinstance(inner, Wrapped) or Chosen(it, inner, "static_argnums", "static_argnames").positions:
        return Opaque()
    timing.compiled_ahead(it, inner)
    return call_wrapped(it, inner, args, kwargs, place)


def call_shaped(it: Interpreter, wrapped: Wrapped, args: tuple[Value, ...], kwargs: Kwargs, place: Place) -> None:
    """`f.lower(…)` and the like trace without running: keys are not consumed, nothing is donated."""
    with shapes_only(it):
        call_wrapped(it, wrapped, args, kwargs, place, generic=True)


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
