"""Values going into a trace and coming out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.classes import NUMBERS_STATIC, PYTREES, STATIC_FIELDS, class_field
from jaxlint.semantics.values import (
    ABSTRACT,
    DEFAULTED,
    DIFF,
    FLOW,
    LOOPED,
    MAYBE,
    UNKNOWN,
    Array,
    ClassV,
    Const,
    Content,
    Ext,
    ExtObj,
    Key,
    Many,
    Opaque,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

NUMBERS = frozenset({"inf", "nan", "pi", "e", "euler_gamma"})
"""Constants of NumPy-like modules."""

_PLAIN = ("str", "dict", "callable", "structure")

LEFT_OUT = ("default",)
"""Tag of a parameter that callers may leave at its default."""

WEAK = ("weak",)
"""Tag of a parameter that nothing but arithmetic shows to be an array."""
_UNDER_ABSTRACT = ABSTRACT | FLOW | LOOPED
"""What is left to know of a value of which no number is known."""


class Lifting:
    """Makes the values that a traced function receives.

    fresh: they get identities of their own (loop state, rows); `origins` then maps each back to what it came from.
    arrays_only: Python numbers stay static, as under equinox's filtered transformations.
    """

    def __init__(
        self, it: Interpreter, trace: Trace, depth: int, *, fresh: bool = False, arrays_only: bool = False
    ) -> None:
        self.it = it
        self.trace = trace
        self.depth = depth
        self.fresh = fresh
        self.arrays_only = arrays_only
        self.uids: set[int] = set()
        self.origins: list[tuple[Value, Value]] = []

    def __call__(self, value: Value, level: int = 0) -> Value:
        """The value as the traced function receives it."""
        made = self._lift(value, level)
        if made.uid:
            self.uids.add(made.uid)
        return made

    def _over(self, value: Value) -> Trace:
        """The trace laid over the one that the value has already."""
        inner = value.trace
        if inner is None or inner.flags & ~MAYBE & ~self.trace.flags == 0:
            return self.trace
        flags = (self.trace.flags | inner.flags) & ~MAYBE
        if flags & ABSTRACT:
            # What a filtered transformation receives may still be plain; what `jit` receives is traced for certain.
            flags &= _UNDER_ABSTRACT | (DEFAULTED if self.arrays_only else 0)
        return Trace(flags, self.trace.why)

    def _lift(self, value: Value, level: int) -> Value:
        trace = self._over(value)
        if isinstance(value, Const):
            constant = value.value
            if isinstance(constant, bool | int | float | complex) and not self.arrays_only:
                return Array(trace)
            return value
        if isinstance(value, Array):
            if value.lib == "ref":
                return value
            parent = None if self.fresh else value.parent
            made = Array(trace, shape=value.shape, dtype=value.dtype, parent=parent, tag=value.tag)
            if not self.fresh:
                made.uid, made.made = value.uid, value.made
            else:
                self.origins.append((made, value))
            self._keep_empty(value, made)
            return made
        if isinstance(value, Opaque):
            return self._opaque(value)
        if isinstance(value, Key):
            key = Key(value.place, many=value.many, trace=trace, constant=value.constant, rows=value.rows)
            if self.fresh:
                self.origins.append((key, value))
            else:
                key.uid, key.parent, key.tag = value.uid, value.parent, value.tag
            return key
        if level > 4:
            return Opaque(trace=trace)
        if isinstance(value, TupleV):
            return TupleV(tuple(self(item, level + 1) for item in value.items), value.cls, value.names)
        if isinstance(value, Ref):
            return self._ref(value, level)
        if isinstance(value, Union):
            return Union(tuple(self(member, level + 1) for member in value.members))
        if isinstance(value, Many):
            element = value.element
            return Many(value.kind, lambda i: self(element(i), level + 1), value.length, value.source)
        if isinstance(value, Ext) and value.name.rpartition(".")[2] in NUMBERS and not self.arrays_only:
            return Array(trace)
        if isinstance(value, ExtObj) and self.it.knowledge.classes.get(value.cls) == "abstract_value":
            return Array(trace)
        return value

    def _keep_empty(self, value: Array, made: Array) -> None:
        from jaxlint.semantics.buffers import Empty

        empty = self.it.st.res.get(("e", value.uid)) if self.it.empties else None
        if isinstance(empty, Empty) and made.uid != value.uid:
            self.it.st.set_res(("e", made.uid), Empty(empty.place, empty.function, made, empty.parts))

    def _opaque(self, value: Opaque) -> Value:
        if value.static and (self.arrays_only or value.hint in _PLAIN):
            return value
        hint = value.hint
        if hint in ("float", "int", "bool") or (value.static and hint in (None, "range", "shape")):
            if self.arrays_only:
                return value
            hint = "array" if hint in ("float", "int", "bool", "range") else None
        if hint in ("str", "callable"):
            return value
        trace = self._over(value)
        if value.tag == LEFT_OUT or (self.arrays_only and (value.tag == WEAK or hint is None)):
            trace = Trace(trace.flags | DEFAULTED, trace.why)
        made = Opaque(value.name, trace=trace, hint=hint)
        if self.fresh:
            self.origins.append((made, value))
        else:
            made.uid, made.parent, made.tag = value.uid, value.parent, value.tag
        return made

    def _ref(self, value: Ref, level: int) -> Value:
        content = self.it.st.content(value)
        cls = value.cls
        if cls is not None and value.kind == "object" and cls.kind not in PYTREES:
            return value
        made = Ref(value.kind, self.depth, Content(()), cls, argument=True, name=value.name)
        made.trace = self.trace if cls is None or cls.kind not in STATIC_FIELDS else None
        if value.kind in ("list", "dict", "set"):
            made.trace = None
        if not self.fresh:
            made.uid = value.uid
        outer, self.arrays_only = self.arrays_only, self.arrays_only or (cls is not None and cls.kind in NUMBERS_STATIC)
        rest = self(content.rest, level + 1) if content.rest is not None else None
        items: Any
        if isinstance(content.items, dict):
            items = {}
            for name, item in content.items.items():
                items[name] = item if _is_static_field(cls, name) else self(item, level + 1)
        else:
            items = tuple(self(item, level + 1) for item in content.items)
        self.arrays_only = outer
        made.initial = Content(items, rest, content.open)
        if made.uid in self.it.st.heap:
            self.it.st.heap = {key: held for key, held in self.it.st.heap.items() if key != made.uid}
        return made


def _is_static_field(cls: ClassV | None, name: object) -> bool:
    """Whether an attribute is part of the structure of its object, no leaf."""
    field = class_field(cls, name) if cls is not None and isinstance(name, str) else None
    return field is not None and bool(field.static)


def _still_differentiated(value: Value, outer: Trace | None) -> Trace | None:
    """The trace of a result where the caller is being differentiated in reverse mode."""
    flags = value.trace.flags & (FLOW | LOOPED) if value.trace is not None else 0
    if not flags or value.trace is None:
        return outer
    return Trace(outer.flags | flags, outer.why) if outer is not None else Trace(DIFF | flags, value.trace.why)


def strip(it: Interpreter, value: Value, place: Any, level: int = 0) -> Value:
    """What a value is for the caller once the trace is over."""
    ctx = it.fr.ctx
    outer = Trace(ABSTRACT, ctx.why) if ctx.abstract else None
    if isinstance(value, Const):
        if isinstance(value.value, bool | int | float | complex):
            return Array(outer)
        return value
    if isinstance(value, Array):
        if value.lib == "ref":
            return value
        trace = _still_differentiated(value, outer) if ctx.differentiating else outer
        return Array(trace, shape=value.shape, dtype=value.dtype)
    if isinstance(value, Opaque):
        if value.static and value.hint in _PLAIN:
            return value
        hint = value.hint if not value.static else None
        trace = _still_differentiated(value, outer) if ctx.differentiating else outer
        return Opaque(value.name, trace=trace, hint=hint)
    if isinstance(value, Key):
        return Key(place, many=value.many, trace=outer, rows=value.rows, tag="result")
    if level > 4:
        return Opaque(trace=outer)
    if isinstance(value, TupleV):
        return TupleV(tuple(strip(it, item, place, level + 1) for item in value.items), value.cls, value.names)
    if isinstance(value, Ref):
        content = it.st.content(value)
        rest = strip(it, content.rest, place, level + 1) if content.rest is not None else None
        items: Any
        if isinstance(content.items, dict):
            items = {
                name: item if _is_static_field(value.cls, name) else strip(it, item, place, level + 1)
                for name, item in content.items.items()
            }
        else:
            items = tuple(strip(it, item, place, level + 1) for item in content.items)
        made_ref = Ref(value.kind, ctx.depth, Content(items, rest, content.open), value.cls)
        made_ref.trace = outer if value.kind == "object" and value.trace is not None else None
        return made_ref
    if isinstance(value, Union):
        return Union(tuple(strip(it, member, place, level + 1) for member in value.members))
    if isinstance(value, Many):
        element = value.element
        return Many(value.kind, lambda i: strip(it, element(i), place, level + 1), value.length)
    return value


def element_of(it: Interpreter, value: Value, trace: Trace, level: int = 0, step: int = 0) -> Value:
    """One row of what is mapped over or scanned; `step` tells the passes of a loop apart."""
    if value.trace is not None and value.trace.flags & ~MAYBE & ~trace.flags:
        flags = trace.flags | (value.trace.flags & ~MAYBE)
        trace = Trace(flags & _UNDER_ABSTRACT if flags & ABSTRACT else flags, trace.why)
    if isinstance(value, Key):
        index = Opaque("step", static=True)
        if value.many and step == 0:
            made = it.child(
                (value.uid, "mapped row"), lambda: Key(value.place, parent=value, tag=("row", index), trace=trace)
            )
            it.row_origins.append((made, value))
            return made
        return Key(value.place, parent=value, tag=("row", index), trace=trace)
    if isinstance(value, Array):
        shape = value.shape[1:] if value.shape else None
        return Array(trace, shape=shape, dtype=value.dtype)
    if isinstance(value, TupleV):
        items_of = tuple(element_of(it, item, trace, level + 1, step) for item in value.items)
        return TupleV(items_of, value.cls, value.names)
    if isinstance(value, Ref) and level < 4:
        content, cls = it.st.content(value), value.cls
        items: Any
        if isinstance(content.items, dict):
            items = {
                name: item if _is_static_field(cls, name) else element_of(it, item, trace, level + 1, step)
                for name, item in content.items.items()
            }
        else:
            items = tuple(element_of(it, item, trace, level + 1, step) for item in content.items)
        rest = element_of(it, content.rest, trace, level + 1, step) if content.rest is not None else None
        made_ref = Ref(value.kind, it.fr.ctx.depth, Content(items, rest, content.open), cls)
        made_ref.trace = trace if value.kind == "object" and (cls is None or cls.kind not in STATIC_FIELDS) else None
        return made_ref
    if isinstance(value, Many):
        if isinstance(value.source, Key):
            source = value.source
            made_key = Key(source.place, parent=source, tag=("row", Opaque("step", static=True)), trace=trace)
            it.row_origins.append((made_key, value))
            return made_key
        return element_of(it, value.element(0), trace, level + 1, step)
    if isinstance(value, Opaque):
        if value.static and value.hint in _PLAIN:
            return value
        if value.tag == LEFT_OUT:
            trace = Trace(trace.flags | DEFAULTED, trace.why)
        made = Opaque(value.name, trace=trace, hint=value.hint if value.hint in ("array", "key", "dict") else None)
        # The rows of an opaque value are keys when the value turns out to hold keys.
        made.parent, made.tag = value, ("row", Opaque("step", static=True))
        it.row_origins.append((made, value))
        return made
    if isinstance(value, Const):
        return value
    if isinstance(value, Union):
        return Union(tuple(element_of(it, member, trace, level + 1, step) for member in value.members))
    return Opaque(trace=trace) if value is UNKNOWN else value


def leaf_of(it: Interpreter, value: Value, level: int = 0) -> Value:
    """One leaf of a tree."""
    if isinstance(value, Key):
        return Key(value.place, parent=value, tag=("row", Opaque("leaf", static=True)), trace=value.trace)
    if isinstance(value, Array | Const):
        return value
    if isinstance(value, Opaque):
        certain = value.trace is not None and value.trace.certain
        return Opaque(value.name, trace=value.trace, hint="array" if certain else None, parent=value, tag=("leaf",))
    if level < 4:
        items: list[Value] = []
        if isinstance(value, TupleV):
            items = list(value.items)
        elif isinstance(value, Ref):
            content = it.st.content(value)
            items = list(content.items.values()) if isinstance(content.items, dict) else list(content.items)
            if content.rest is not None:
                items.append(content.rest)
        elif isinstance(value, Union):
            items = list(value.members)
        for item in items:
            if isinstance(item, Array | Key | Opaque | TupleV | Ref | Union):
                return leaf_of(it, item, level + 1)
    if isinstance(value, Ref):
        hint = "array" if value.trace is not None else None
        return Opaque(trace=value.trace, hint=hint, parent=value, tag=("leaf",))
    return Opaque()


__all__ = ["Lifting", "element_of", "fresh_uid", "leaf_of", "strip"]
