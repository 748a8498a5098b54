"""What may be given to a compiled function: hashable values where it is static, arrays and trees of them elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.attributes import class_attr
from jaxlint.semantics.classes import PYTREES
from jaxlint.semantics.events import ArgumentNotArray, StaticUnhashable
from jaxlint.semantics.values import (
    Array,
    ClassV,
    Const,
    Ext,
    ExtObj,
    Func,
    Many,
    Method,
    Opaque,
    Place,
    Ref,
    SliceV,
    TupleV,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.wrappers import Chosen

_MAKERS = ("array", "asarray", "arange", "linspace", "zeros", "ones", "full", "empty", "eye", "stack", "concatenate")
ARRAY_MAKERS = frozenset(f"numpy.{name}" for name in _MAKERS)
"""Functions of NumPy that never give a scalar."""

_HASHABLE = ("frozenset", "tuple")
"""What a container is called that cannot be changed."""

_LIBRARY_OBJECTS = {
    "optax_transform": "an optimizer",
    "linen_module": "a Flax module",
    "haiku_module": "a Haiku module",
    "mesh": "a mesh",
    "sharding": "a sharding",
    "checkpointer": "a checkpointer",
    "logger": "a logger",
    "path": "a path",
    "generator": "a generator of random numbers",
}
"""Kinds of objects of libraries that are neither arrays nor trees of them."""

_PLAIN_BASES = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")

Found = tuple[str, bool]
"""What a value is called, and whether it is only inside of the argument."""


def is_compiled(options: set[str]) -> bool:
    """Whether a transformation takes static arguments: it hashes them and makes arrays of all others."""
    return "linen" not in options and bool(
        options & {"static_argnums", "static_argnames", "static_broadcasted_argnums"}
    )


def check_arguments(
    it: Interpreter,
    wrapped: Wrapped,
    static: Chosen,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    parameters: list[str],
    place: Place,
) -> None:
    """Tell of arguments of a compiled function that it cannot take."""
    if not static.known:
        return
    given: list[tuple[int | None, str | None, Value]] = [
        (position, parameters[position] if position < len(parameters) else None, value)
        for position, value in enumerate(args)
    ]
    given += [(None, name, value) for name, value in kwargs.items()]
    receives = _takes_receiver(wrapped)
    for position, name, value in given:
        shown = name if name is not None else f"#{position}"
        if static.has(position, name):
            found = unhashable(it, value)
            if found is not None:
                it.emit(StaticUnhashable(place, wrapped.inner, shown, *found))
        elif not (receives and position == 0):
            found = not_array(it, value)
            if found is not None:
                it.emit(ArgumentNotArray(place, wrapped.inner, shown, *found))


def _takes_receiver(wrapped: Wrapped) -> bool:
    """Whether the first parameter is the object whose method was compiled."""
    from jaxlint.semantics.wrappers import innermost

    func = innermost(wrapped.inner)
    return func is not None and func.cls is not None and func.receiver is None


def unhashable(it: Interpreter, value: Value, depth: int = 0) -> Found | None:
    """What has no hash in a value."""
    if isinstance(value, Ref) and value.kind in ("list", "dict", "set") and value.name not in _HASHABLE:
        return value.kind, depth > 0
    if isinstance(value, Ref) and value.cls is not None and value.cls.unhashable:
        return "mutable dataclass", depth > 0
    if isinstance(value, Array):
        if value.lib == "jax":
            return "JAX array", depth > 0
        maker = value.tag[1] if isinstance(value.tag, tuple) and value.tag[:1] == ("made by",) else ""
        return ("NumPy array", depth > 0) if maker in ARRAY_MAKERS else None
    if isinstance(value, TupleV) and depth < 3:
        for item in value.items:
            found = unhashable(it, item, depth + 1)
            if found is not None:
                return found
    return None


def not_array(it: Interpreter, value: Value, depth: int = 0) -> Found | None:
    """What is neither an array nor a tree of arrays in a value."""
    inside = depth > 0
    kind = _plain_kind(it, value)
    if kind is not None:
        return kind, inside
    if depth > 3:
        return None
    items: tuple[Value, ...] = ()
    if isinstance(value, TupleV):
        items = value.items
    elif isinstance(value, Ref) and value.kind in ("list", "dict"):
        content = it.st.content(value)
        items = tuple(content.items.values()) if isinstance(content.items, dict) else tuple(content.items)
    for item in items:
        found = not_array(it, item, depth + 1)
        if found is not None:
            return found
    return None


def _plain_kind(it: Interpreter, value: Value) -> str | None:
    if isinstance(value, Const):
        return "a string" if isinstance(value.value, str | bytes) else None
    if isinstance(value, Opaque):
        if value.static and value.hint == "str":
            return "a string"
        return _member(value)
    if isinstance(value, Func):
        if value.fn.is_lambda:
            return "a lambda"
        if value.receiver is None:
            return "a function"
        receiver = value.receiver
        plain = isinstance(receiver, Ref) and receiver.cls is not None and _is_plain(receiver.cls)
        return "a bound method" if plain else None
    if isinstance(value, Wrapped):
        return "a function" if value.transform.name.startswith("jax.") else None
    if isinstance(value, Method):
        known = isinstance(value.receiver, ExtObj) and it.knowledge.classes.get(value.receiver.cls) == "optax_transform"
        return "a bound method" if known and value.name in ("init", "update") else None
    if isinstance(value, Ext):
        return _library_kind(it, value)
    if isinstance(value, ClassV):
        return "a class"
    if isinstance(value, SliceV):
        return "a slice"
    if isinstance(value, Many):
        return "a range" if value.kind == "range" else None
    if isinstance(value, ExtObj):
        return _LIBRARY_OBJECTS.get(it.knowledge.classes.get(value.cls, ""))
    if isinstance(value, Ref) and value.kind == "object" and value.cls is not None:
        if value.cls.kind == "linen_module" and not _decorated(value.cls):
            return f"an instance of `{value.cls.ir.name}`"
        own = not it.st.content(value).open and _is_plain(value.cls)
        return f"an instance of `{value.cls.ir.name}`" if own else None
    return None


def _member(value: Opaque) -> str | None:
    """A member of an enumeration that is no number."""
    tag = value.tag
    if not (isinstance(tag, tuple) and len(tag) == 2 and tag[0] == "member" and isinstance(tag[1], ClassV)):
        return None
    cls = tag[1]
    numbers = any(base.endswith(("IntEnum", "IntFlag", ".int", ".float")) for base in _library_bases(cls))
    return None if numbers or _decorated(cls) else f"a member of `{cls.ir.name}`"


def _library_kind(it: Interpreter, value: Ext) -> str | None:
    info = it.knowledge.functions.get(value.name)
    if info is None or not value.name.startswith(("jax.", "numpy.", "optax.", "flax.", "haiku.")):
        return None
    if info.effect("value") is None:
        return "a function"
    return "a type" if info.params and info.returns[0] in ("elementwise", "numpy") else None


def _library_bases(cls: ClassV) -> list[str]:
    found = list(cls.ext_bases)
    for base in cls.bases:
        found += _library_bases(base)
    return found


def _decorated(cls: ClassV) -> bool:
    """Whether a class or a base of it carries a decorator, which may register it."""
    return bool(cls.ir.decorators) or any(_decorated(base) for base in cls.bases)


def _is_plain(cls: ClassV) -> bool:
    """Whether instances of a class are certainly no pytrees and no arrays."""
    if cls.kind not in ("object", "dataclass") or cls.kind in PYTREES:
        return False
    if any(not base.startswith(_PLAIN_BASES) for base in _library_bases(cls)):
        return False
    if cls.kind == "object" and _decorated(cls):
        return False
    if cls.ir.keywords or class_attr(cls, "__init_subclass__") is not None:
        return False
    return all(class_attr(cls, name) is None for name in ("__jax_array__", "tree_flatten", "__array__"))
