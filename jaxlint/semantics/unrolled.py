"""Python loops inside a trace: each pass adds a copy of its body to the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jaxlint.semantics.events import LoopUnrolled
from jaxlint.semantics.provenance import made_of, short
from jaxlint.semantics.values import Array, Many, Opaque, Place, TupleV, Value
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Ctx
    from jaxlint.semantics.interpreter import Interpreter

LARGE = 50
"""From this many passes on, a fixed number is worth a loop of JAX."""

_FEW = re.compile(
    r"layer|block|level|depth|stage|head|module|param|weight|leaf|leaves|grad|tree|net|model|fn|func|transform|arg|name"
    r"|key|list|dict|group|order|degree|rank|member|expert|hidden|dim|shape|loss|metric|cell|axis|axes|opt|rule|term|seq"
)
"""Names of collections and counts that are few by nature."""

_SPATIAL = re.compile(r"n?_?dims?|spatial_dimensions?|num_dims?|rank|d")
"""Names of a number of dimensions, which is two or three."""

_DISPLAYS = frozenset(["array", "asarray", "stack", "meshgrid", "split", "array_split", "unstack"])
_COUNTED = frozenset(["+", "-", "*", "//"])


class Unrolled:
    """A loop that JAX unrolls, and how much work had been done when it started."""

    __slots__ = ("before", "kind", "parameter", "what")

    def __init__(self, kind: str, what: str, before: int, parameter: tuple[ir.FunctionIR, str] | None) -> None:
        self.kind = kind
        self.what = what
        self.before = before
        self.parameter = parameter

    def finish(self, it: Interpreter, place: Place, iterated: Place) -> None:
        """Tell of the loop, if its passes did any work on arrays."""
        if it.work <= self.before:
            return
        event = LoopUnrolled(place, self.kind, self.what, iterated, it.fr.fn.name)
        parameter = self.parameter
        if parameter is None:
            it.emit(event)
        else:  # the calls of the project decide, once all are known
            it.later.append(lambda: None if parameter in it.given_collections else it.emit(event))


def start(it: Interpreter, iterable: Value, target: ir.Expr) -> Unrolled | None:
    """What is unrolled when a loop over `iterable` starts under a trace; None where the passes are few by nature."""
    if it.fr.ctx.shape or _in_kernel(it):
        return None  # nothing is compiled where only shapes are asked for
    found = _count(it, iterable, target)
    if found is None:
        return None
    parameter = None
    if isinstance(iterable, Opaque) and iterable.hint is None and iterable.name:
        parameter = it.fr.fn, iterable.name
    return Unrolled(*found, it.work, parameter)


def _in_kernel(it: Interpreter) -> bool:
    """Whether a kernel is traced, whose loops over the registers of a block are unrolled on purpose."""
    ctx: Ctx | None = it.fr.ctx
    while ctx is not None:
        if ".pallas." in ctx.transform:
            return True
        ctx = ctx.parent
    return False


def _count(it: Interpreter, value: Value, target: ir.Expr) -> tuple[str, str] | None:
    if isinstance(value, Many):
        if value.kind == "range":
            return _range(it, value)
        if value.kind == "enumerate" and type(target) is ir.Seq and value.source is not None:
            return _count(it, value.source, target.items[-1])
        if value.kind == "reversed" and value.source is not None:
            return _count(it, value.source, target)
        return None
    return ("rows", "") if type(target) is ir.Name and _is_rows(it, value) else None


def _range(it: Interpreter, value: Many) -> tuple[str, str] | None:
    if value.length is not None:
        return ("default", str(value.length)) if value.length >= LARGE else None
    bounds = value.source.items if isinstance(value.source, TupleV) else ()
    if bounds and isinstance(bounds[0], Opaque) and _is_negated(bounds[0]):
        return None  # offsets to both sides: the width of a band or a stencil
    for bound in bounds[:2]:
        found = _source(it, bound, 0)
        if found is not None:
            return found
    return None


def _is_negated(value: Opaque) -> bool:
    return value.made is not None and value.made.op == "-" and len(value.made.args) == 1


def _source(it: Interpreter, value: Value, depth: int) -> tuple[str, str] | None:
    """What a number of passes comes from: the length of an axis, or an argument."""
    if not isinstance(value, Opaque) or value.trace is not None or depth > 5:
        return None
    parent = value.parent
    if isinstance(parent, Opaque) and parent.hint == "shape":
        return None if _SPATIAL.fullmatch(value.name) else ("axis", "")
    if value.made is not None:
        if value.made.op == "len":
            return ("axis", "") if value.made.args and _is_array(it, value.made.args[0]) else None
        if value.made.op not in _COUNTED:
            return None
        found = [_source(it, part, depth + 1) for part in value.made.args]
        return next((part for part in found if part is not None), None)
    if parent is not None or value.hint == "range":
        return None
    if value.static and value.name == "size":
        return "axis", ""
    return _argument(it, value)


def _argument(it: Interpreter, value: Opaque) -> tuple[str, str] | None:
    """An argument of the running function or of one around it, unless it is few by its name or default."""
    if not value.name or _FEW.search(value.name.lower()):
        return None
    fn: ir.FunctionIR | None = it.fr.fn
    while fn is not None:
        for param in fn.params:
            if param.name == value.name:
                default = param.default.value if isinstance(param.default, ir.Lit) else None
                small = isinstance(default, int) and default < LARGE
                return None if small else ("argument", value.name)
        fn = fn.parent
    return None


def _is_array(it: Interpreter, value: Value) -> bool:
    """Whether a traced value is certainly one array."""
    if value.trace is None or not value.trace.certain:
        return False
    if isinstance(value, Array):
        return value.lib == "jax"
    return isinstance(value, Opaque) and (value.hint == "array" or value.uid in it.array_like)


def _is_rows(it: Interpreter, value: Value) -> bool:
    """Whether a loop goes over the rows of a traced array."""
    if _is_array(it, value):
        made = made_of(value)
        fixed = isinstance(value, Array) and value.shape is not None
        return short(made) not in _DISPLAYS and not fixed
    plain = isinstance(value, Opaque) and value.trace is not None and value.trace.certain and value.hint is None
    if not plain or not isinstance(value, Opaque) or value.parent is not None or value.made is not None:
        return False
    # Nothing but its rows is asked of it: a dict or a list of layers would be subscripted or tested as well.
    if it.fr.fn.uses.get(value.name, set()) & {"[]", "[str]", "in", "()", ".items", ".keys", ".values", "len()"}:
        return False
    typed = any(param.name == value.name and param.annotation is not None for param in it.fr.fn.params)
    return not typed and _argument(it, value) is not None
