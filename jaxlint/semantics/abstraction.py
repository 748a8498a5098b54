"""Placeholders for the arguments of a call, and the shape of the arguments under which a summary is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.buffers import Empty
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.values import (
    NONE,
    UNKNOWN,
    Array,
    ClassV,
    Const,
    Content,
    Ext,
    ExtObj,
    Func,
    Key,
    Many,
    Method,
    Opaque,
    Partial,
    Ref,
    TupleV,
    Union,
    Value,
    Wrapped,
    ancestors,
    fingerprint,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


_KEPT_HINTS = frozenset({"array", "key", "dict", "range", "zero-shape", "element"})
_MAX_DEPTH = 3
_MAX_ITEMS = 32


def can_abstract(it: Interpreter, env: dict[str, Value]) -> bool:
    """Whether no argument is a function that reads variables of a call still running."""
    frames = it.st.frames
    return not any(_live_closure(it, value, frames, 0) for value in env.values())


def _live_closure(it: Interpreter, value: Value, frames: dict[int, Any], depth: int) -> bool:
    if isinstance(value, Func):
        closure = value.closure
        while closure is not None:
            if closure.fid in frames:
                return True
            closure = closure.parent
        return value.receiver is not None and depth < 3 and _live_closure(it, value.receiver, frames, depth + 1)
    if depth > 3:
        return False
    if isinstance(value, Partial):
        inner: tuple[Value, ...] = (value.func, *value.args, *value.kwargs.values())
        return any(_live_closure(it, item, frames, depth + 1) for item in inner)
    if isinstance(value, Wrapped):
        return _live_closure(it, value.inner, frames, depth + 1)
    if isinstance(value, TupleV):
        return any(_live_closure(it, item, frames, depth + 1) for item in value.items)
    if isinstance(value, Ref):
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(_live_closure(it, item, frames, depth + 1) for item in items)
    return False


class Abstraction:
    """Replaces the arguments of one call by placeholders."""

    def __init__(self, it: Interpreter, ctx: Ctx, wide: bool, wider: bool = False) -> None:
        self.it = it
        self.ctx = ctx
        self.wide = wide
        self.wider = wider
        self.actual: dict[int, Value] = {}
        self.seen: dict[int, tuple[Value, int]] = {}
        self.arguments: set[int] = set()
        self.shared: set[int] = set()
        self.older: set[int] = set()
        self.res: dict[Any, Any] = {}
        self.facts: dict[Any, Any] = {}

    def __call__(self, value: Value, depth: int = 0) -> tuple[Value, Any]:
        """The placeholder for a value, and what of the value the summary depends on."""
        uid = value.uid
        if uid:
            known = self.seen.get(uid)
            if known is not None:
                return known[0], ("same", known[1])
        made, signature = self._make(value, depth)
        if uid and made is not value and made.uid:
            self.seen[uid] = (made, len(self.seen))
            self.actual[made.uid] = value
            signature = (*signature, self._origin(value, made))
        return made, signature

    def _origin(self, value: Value, made: Value) -> int:
        """Whether the value is an argument of the traced function, and whether it is older than the trace."""
        ctx = self.ctx
        if ctx.depth == 0:
            return 0
        root, received = value, False
        for item in ancestors(value):
            root = item
            received = received or item.uid in ctx.arguments
        flags = 0
        if received:
            self.arguments.add(made.uid)
            flags |= 1
            if root.uid in ctx.shared or value.uid in ctx.shared:
                self.shared.add(made.uid)
                flags |= 2
        elif isinstance(value, Opaque) and (root.uid in self.it.older or root.uid < ctx.mark):
            self.older.add(made.uid)
            flags |= 4
        return flags

    def _make(self, value: Value, depth: int) -> tuple[Value, Any]:
        kind = type(value)
        flags = value.trace.flags if value.trace is not None else 0
        if kind is Const:
            constant = value.value  # type: ignore[attr-defined]
            found = fingerprint(value)
            if found is None or not (isinstance(constant, bool | None) or self._told_apart(constant, depth)):
                return Opaque(static=True), ("o", True, None, 0)
            return value, found
        if self.wide and self._plain(value):
            return Opaque(getattr(value, "name", "")), ("o", False, None, 0)
        if isinstance(value, Opaque):
            hint = value.hint if value.hint in _KEPT_HINTS else None
            made: Value = Opaque(value.name, trace=value.trace, static=value.static, hint=hint)
            return made, ("o", value.static, hint, flags, *self._tests(value, made))
        if isinstance(value, Array) and value.trace is not None and value.lib == "jax":
            traced = Array(value.trace)
            return traced, ("a", "jax", flags, self._empty(value, traced))
        if isinstance(value, Array):
            made = Array(value.trace, lib=value.lib, dtype=value.dtype)
            return made, ("a", value.lib, value.dtype, flags, self._empty(value, made))
        if isinstance(value, Key):
            made = Key(value.place, many=value.many, trace=value.trace, constant=value.constant, rows=value.rows)
            return made, ("k", value.many, value.rows, value.constant, flags)
        if isinstance(value, TupleV):
            if depth >= _MAX_DEPTH:
                return Opaque(trace=value.trace), ("o", False, None, flags)
            parts_made = [self(item, depth + 1) for item in value.items]
            cls_uid = value.cls.uid if value.cls is not None else 0
            return (
                TupleV(tuple(part for part, _ in parts_made), value.cls, value.names),
                ("t", cls_uid, tuple(signature for _, signature in parts_made)),
            )
        if isinstance(value, Ref):
            return self._ref(value, depth)
        if self.wider and isinstance(value, Func | Partial | Wrapped | ClassV | Method):
            return Opaque(), ("o", False, None, 0)
        if isinstance(value, Func):
            if value.receiver is None:
                return value, ("f", id(value.fn) if value.closure is None else value.uid)
            receiver, signature = self(value.receiver, depth + 1)
            bound = Func(value.fn, value.env, value.closure, receiver, value.cls, value.defaults)
            return bound, ("m", id(value.fn), signature)
        if isinstance(value, Partial) and depth < _MAX_DEPTH:
            return self._partial(value, depth)
        if isinstance(value, Union) and depth < _MAX_DEPTH:
            options = [self(member, depth + 1) for member in value.members]
            return Union(tuple(part for part, _ in options)), ("|", tuple(signature for _, signature in options))
        if isinstance(value, Ext):
            return value, ("x", value.name)
        if isinstance(value, ExtObj):
            return value, ("xo", value.cls, value.uid if value.cls.startswith(_TOLD_APART) else 0, flags)
        if value is UNKNOWN:
            return value, ("?",)
        if isinstance(value, Wrapped) and not _has_closure(value):
            return value, ("w", value.place[0].path, value.place[1])
        return value, ("v", value.uid or id(value))

    def _tests(self, value: Opaque, made: Value) -> tuple[Any, ...]:
        """How the caller's tests of an argument went, for the callee to take the same way."""
        facts = self.it.st.facts
        known: list[Any] = []
        if facts:
            subject, placeholder = fingerprint(value), fingerprint(made)
            for kind, constant in (("truth", None), ("is", fingerprint(NONE))):
                holds = facts.get((kind, subject, constant))
                if holds is not None:
                    self.facts[kind, placeholder, constant] = holds
                    known.append((kind, holds))
        return tuple(known)

    def _told_apart(self, constant: Any, depth: int) -> bool:
        """Whether the callee may do something else for this constant: a mode, a small count."""
        if self.wide or depth > 1:
            return False
        if isinstance(constant, str):
            return len(constant) <= 20
        return isinstance(constant, int) and -8 <= constant <= 8

    def _empty(self, value: Array, made: Array) -> Any:
        """What is unwritten of an array, for the callee to know."""
        empty = self.it.st.res.get(("e", value.uid))
        if not isinstance(empty, Empty):
            return None
        self.res[("e", made.uid)] = Empty(empty.place, empty.function, made, empty.parts)
        return (empty.place[1], empty.parts)

    def _plain(self, value: Value) -> bool:
        """Whether a value is an ordinary object that holds nothing rules follow."""
        if value.trace is not None:
            return False
        if isinstance(value, Many | ExtObj):
            return not isinstance(getattr(value, "source", None), Key)
        if isinstance(value, Ref) and value.kind in ("list", "dict", "set"):
            content = self.it.st.content(value)
            items = content.items.values() if isinstance(content.items, dict) else content.items
            return all(isinstance(item, Const | Opaque) and item.trace is None for item in items)
        return isinstance(value, Opaque) and not value.static and value.hint is None

    def _holds_traced(self, content: Content) -> bool:
        items = content.items.values() if isinstance(content.items, dict) else content.items
        return any(isinstance(item, Key) or item.trace is not None for item in items)

    def _ref(self, value: Ref, depth: int) -> tuple[Value, Any]:
        content = self.it.st.content(value)
        outlives = value.depth < self.ctx.depth
        cls_uid = value.cls.uid if value.cls is not None else 0
        head = ("r", value.kind, cls_uid, outlives, value.argument, value.trace.flags if value.trace else 0)
        made = Ref(value.kind, value.depth, Content(()), value.cls, argument=value.argument, name=value.name)
        made.trace = value.trace
        # Registered before its parts, for objects that hold themselves.
        self.seen[value.uid] = (made, len(self.seen))
        shallow = self.wider and not self._holds_traced(content)
        if depth >= _MAX_DEPTH or len(content.items) > _MAX_ITEMS or shallow:
            made.initial = Content({} if isinstance(content.items, dict) else (), UNKNOWN, True)
            return made, (*head, "deep")
        rest, rest_signature = (None, None) if content.rest is None else self(content.rest, depth + 1)
        if isinstance(content.items, dict):
            items: dict[Any, Value] = {}
            signatures: list[Any] = []
            for key, item in content.items.items():
                items[key], signature = self(item, depth + 1)
                signatures.append((key, signature))
            made.initial = Content(items, rest, content.open)
            return made, (*head, tuple(signatures), rest_signature, content.open)
        listed = [self(item, depth + 1) for item in content.items]
        made.initial = Content(tuple(part for part, _ in listed), rest, content.open)
        return made, (*head, tuple(signature for _, signature in listed), rest_signature, content.open)

    def _partial(self, value: Partial, depth: int) -> tuple[Value, Any]:
        func, func_signature = self(value.func, depth + 1)
        args = [self(item, depth + 1) for item in value.args]
        kwargs = {name: self(item, depth + 1) for name, item in value.kwargs.items()}
        made = Partial(func, tuple(part for part, _ in args), {name: part for name, (part, _) in kwargs.items()})
        signature = (
            "p",
            func_signature,
            tuple(signature for _, signature in args),
            tuple((name, signature) for name, (_, signature) in kwargs.items()),
        )
        return made, signature


_TOLD_APART = ("haiku.Transformed", "jax.stages.", "callable")
"""Objects of libraries that hold functions of the project."""


def _has_closure(value: Value) -> bool:
    """Whether a chain of wrappers ends in a function that captured variables."""
    while isinstance(value, Wrapped | Partial):
        value = value.inner if isinstance(value, Wrapped) else value.func
    return not isinstance(value, Func) or value.closure is not None or value.receiver is not None
