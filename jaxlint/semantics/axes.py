"""Named axes: what binds them, what asks for them, and specs that name axes of a mesh.

A collective is told of when one run meets it where its axis is certainly unbound, and no run meets it where the axis
may be bound. Certainly unbound is what runs under a map or a compiled function whose maps all have other names, or
beside a map of that very name in the function that makes it. What a plain function does is up to its callers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from jaxlint.semantics.arguments import is_compiled
from jaxlint.semantics.events import AxisUnbound, SpecMisfit
from jaxlint.semantics.values import Const, ExtObj, Place, Ref, TupleV, Value, Wrapped, is_none, members

if TYPE_CHECKING:
    from jaxlint.knowledge import TransformInfo
    from jaxlint.semantics.interpreter import Interpreter

_AXIS_OPTIONS = ("axis_name", "spmd_axis_name", "axis_env")
_INSIDE_MODULES = frozenset({"linen", "haiku_state"})
_CATCHING = frozenset({"", "NameError", "Exception", "BaseException"})


class Axes(NamedTuple):
    """The axes around running code.

    names: those that are bound. open: others may be bound too. rooted: a map or a compiled function encloses the code.
    beside: those that the outermost function binds elsewhere in itself.
    """

    names: frozenset[str] = frozenset()
    open: bool = False
    rooted: bool = False
    beside: frozenset[str] = frozenset()


NO_AXES = Axes()
BARE = Axes(rooted=True)
"""No map is around the code, for certain."""


# ---- binding --------------------------------------------------------------------------------------------------------


def bound_by(it: Interpreter, wrapped: Wrapped) -> Axes:
    """The axes inside a transformed function."""
    outer: Axes = it.fr.ctx.axes
    info: TransformInfo = wrapped.transform
    options = wrapped.options
    names = set(outer.names)
    is_open = outer.open
    maps = "axis_name" in info.options or "mesh" in info.options
    for option in _AXIS_OPTIONS:
        value = options.get(option)
        if value is not None and not is_none(value):
            found = axis_names(it, value)
            names |= found or set()
            is_open |= found is None
    if "mesh" in info.options:
        mesh = options.get("mesh")
        found = mesh_axes(it, mesh) if mesh is not None else None
        manual = axis_names(it, options["axis_names"]) if "axis_names" in options else set()
        names |= (found or set()) | (manual or set())
        is_open |= found is None or manual is None
    roots = (maps or is_compiled(info.options)) and not info.options & _INSIDE_MODULES
    return Axes(frozenset(names), is_open, outer.rooted or roots, outer.beside)


def made(it: Interpreter, info: TransformInfo, options: dict[str, Value]) -> None:
    """A map is made: its axis is bound in it, and not in what stands beside it."""
    ctx = it.fr.ctx
    if ctx.depth or "axis_name" not in info.options:
        return
    value = options.get("axis_name")
    if isinstance(value, Const) and isinstance(value.value, str):
        ctx.axes = ctx.axes._replace(beside=ctx.axes.beside | {value.value})


def axis_names(it: Interpreter, value: Value) -> set[str] | None:
    """The names in a constant, tuple or list; None when they are not all known."""
    if isinstance(value, Const):
        return {value.value} if isinstance(value.value, str) else None
    if isinstance(value, TupleV):
        parts = value.items
    elif isinstance(value, Ref) and value.kind in ("list", "set"):
        content = it.st.content(value)
        if content.open or content.rest is not None:
            return None
        parts = tuple(content.items)
    else:
        return None
    found: set[str] = set()
    for part in parts:
        inner = axis_names(it, part)
        if inner is None:
            return None
        found |= inner
    return found


def mesh_axes(it: Interpreter, mesh: Value) -> set[str] | None:
    """The axes of a mesh; None when they are not known."""
    found: set[str] = set()
    for member in members(mesh):
        if not isinstance(member, ExtObj) or it.knowledge.classes.get(member.cls) != "mesh":
            return None
        names = member.kwargs.get("axis_names")
        if names is None:
            names = member.args[1] if len(member.args) > 1 else None
        known = axis_names(it, names) if names is not None else None
        if known is None:
            return None
        found |= known
    return found or None


# ---- asking ---------------------------------------------------------------------------------------------------------


def asked(it: Interpreter, place: Place, function: str, value: Value) -> None:
    """A collective asks for axes by name."""
    names = axis_names(it, value)
    axes: Axes = it.fr.ctx.axes
    if not names:
        return
    attempt = any(errors & _CATCHING for errors in it.expected)
    for name in sorted(names):
        if attempt:
            it.st.assume(("axis", name), True)  # on the path that goes on, the attempt did not fail
        elif name in axes.names or axes.open or ("axis", name) in it.st.facts:
            it.bound_axes.add((place, name))
        elif (axes.rooted or name in axes.beside) and (place, name) not in it.unbound_axes:
            within = it.fr.fn.name if it.fr.fn.parent is not None else ""
            it.unbound_axes[place, name] = AxisUnbound(place, function, name, tuple(sorted(axes.names)), within)
            it.later.append(lambda name=name: _tell(it, place, name))  # type: ignore[misc]


def _tell(it: Interpreter, place: Place, name: str) -> None:
    if (place, name) not in it.bound_axes:
        it.emit(it.unbound_axes[place, name])


# ---- specs ----------------------------------------------------------------------------------------------------------


def check_spec(it: Interpreter, place: Place, mesh: Value | None, spec: Value | None) -> None:
    """Tell of a spec that names an axis which its mesh lacks."""
    if mesh is None or spec is None:
        return
    bound = mesh_axes(it, mesh)
    if bound is None:
        return
    for name in spec_axes(it, spec):
        if name not in bound:
            it.emit(SpecMisfit(place, name, tuple(sorted(bound))))
            return


def spec_axes(it: Interpreter, spec: Value, depth: int = 0) -> list[str]:
    """The axes that a spec certainly names, or the specs in a container."""
    if isinstance(spec, ExtObj) and it.knowledge.classes.get(spec.cls) == "partition_spec":
        found: list[str] = []
        for part in spec.args:
            parts = part.items if isinstance(part, TupleV) else (part,)
            found += [item.value for item in parts if isinstance(item, Const) and isinstance(item.value, str)]
        return found
    items: tuple[Value, ...] = ()
    if isinstance(spec, TupleV):
        items = spec.items
    elif isinstance(spec, Ref) and spec.kind in ("list", "dict"):
        content = it.st.content(spec)
        items = tuple(content.items.values() if isinstance(content.items, dict) else content.items)
    return [name for item in items if depth < 4 for name in spec_axes(it, item, depth + 1)]
