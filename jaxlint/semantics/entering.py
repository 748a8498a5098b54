"""How the arguments of a wrapper enter its trace: static ones as they are, mapped ones by row, the rest traced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import TransformInfo
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.lifting import WEAK, Lifting, element_of
from jaxlint.semantics.opening import why_text
from jaxlint.semantics.values import (
    DEFAULTED,
    Array,
    Const,
    Key,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Value,
    Why,
    Wrapped,
    is_none,
)
from jaxlint.semantics.wrappers import Chosen, Kwargs, constants, parameter_names

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def lift_arguments(
    it: Interpreter,
    wrapped: Wrapped,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    ctx: Ctx,
    flags: int,
    place: Place,
) -> tuple[tuple[Value, ...], Kwargs, list[Lifting]]:
    """The arguments as the traced function sees them, and the liftings that remember where keys came from."""
    info: TransformInfo = wrapped.transform
    arrays_only = info.name.startswith("equinox.") and info.mode != "batched"
    why = Why(wrapped.place, why_text(info), it.fr.ctx.why)
    trace = Trace(flags, why)
    parameters = parameter_names(wrapped.inner) or []
    lifting = Lifting(it, trace, ctx.depth, arrays_only=arrays_only)
    unmapped = Lifting(it, trace, ctx.depth, fresh=True)
    static = Chosen(it, wrapped, "static_argnums", "static_argnames")
    positions = _differentiated(it, wrapped) if info.mode == "diff" else None
    axes = _mapped_axes(it, wrapped) if info.mode == "batched" else None
    unsplit = _without_spec(it, wrapped.options.get("in_specs"))
    excluded = constants(it, wrapped.options.get("excluded"))

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
        if excluded is None or position in excluded or name in excluded:
            return value
        if info.name.startswith("equinox."):
            return _map_arrays(it, value, position, axes, trace, unmapped)
        return _map(it, value, position, axes, trace, unmapped)

    lifted = tuple(
        lift(value, index, parameters[index] if index < len(parameters) else None) for index, value in enumerate(args)
    )
    if "static_kwargs" in info.options:
        return lifted, kwargs, [lifting, unmapped]
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
