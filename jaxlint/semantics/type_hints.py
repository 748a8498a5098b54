"""Annotations: the kind of value that they promise, of which an opaque value then is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.values import (
    ClassV,
    Ext,
    ExtObj,
    ModuleV,
    Opaque,
    Value,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


_HINTS = {
    "jax.Array": "array",
    "jax.numpy.ndarray": "array",
    "jax.typing.ArrayLike": "array",
    "chex.Array": "array",
    "chex.Numeric": "array",
    "builtins.float": "float",
    "builtins.int": "int",
    "builtins.bool": "bool",
    "builtins.str": "str",
    "numpy.ndarray": "numpy",
    "chex.PRNGKey": "key",
    "jaxtyping.PRNGKeyArray": "key",
    "jaxtyping.Key": "key",
    "jax.random.PRNGKey": "key",
    "jax.random.Key": "key",
    "jax.random.KeyArray": "key",
    "jax.random.PRNGKeyArray": "key",
    "flax.typing.PRNGKey": "key",
    "jax.random.key": "key",
    "jax.random.KeyArrayLike": "key",
    "typing.Callable": "callable",
    "collections.abc.Callable": "callable",
}


_JAXTYPING = ("Float", "Int", "Bool", "Complex", "Num", "Real", "Inexact", "Shaped", "UInt", "Array", "Scalar")


def annotation_of(it: Interpreter, annotation: ir.Expr) -> tuple[str | None, ClassV | None]:
    """(hint, project class) that an annotation gives. Evaluated without events."""
    if type(annotation) is ir.Lit and isinstance(annotation.value, str):
        name = annotation.value.strip()
        value = it.lookup(name) if name.isidentifier() else None
        return (None, value) if isinstance(value, ClassV) else (_HINTS.get("builtins." + name), None)
    if type(annotation) is ir.Bin and annotation.op == "|":
        left, right = annotation.left, annotation.right
        if type(right) is ir.Lit and right.value is None:
            hint, _cls = annotation_of(it, left)
            return (hint if hint == "key" else None), None
        return None, None
    base = annotation
    if type(base) is ir.Sub:
        inner = _dotted_value(it, base.obj)
        name = inner.name if isinstance(inner, Ext) else ""
        if name.startswith("jaxtyping."):
            short = name.rpartition(".")[2]
            return ("key" if short in ("Key", "PRNGKeyArray") else "array" if short in _JAXTYPING else None), None
        if name in ("typing.Optional",):
            hint, _ = annotation_of(it, base.index)
            return (hint if hint == "key" else None), None
        if name in ("typing.Callable", "collections.abc.Callable"):
            return "callable", None
        if name in ("builtins.dict", "typing.Dict", "typing.Mapping", "collections.abc.Mapping"):
            return "dict", None
        return None, inner if isinstance(inner, ClassV) else None
    value = _dotted_value(it, annotation)
    if isinstance(value, ClassV):
        return None, value
    if isinstance(value, Ext):
        if value.name.startswith("jaxtyping.") and value.name.rpartition(".")[2] in _JAXTYPING:
            return "array", None
        if it.knowledge.classes.get(value.name) == "train_state":
            return f"class:{value.name}", None
        return _HINTS.get(value.name), None
    return None, None


def _dotted_value(it: Interpreter, expr: ir.Expr) -> Value | None:
    if type(expr) is ir.Name:
        found = it.lookup(expr.name)
        return found if found is not None else it.ext("builtins." + expr.name)
    if type(expr) is ir.Attr:
        base = _dotted_value(it, expr.obj)
        if isinstance(base, Ext):
            return it.ext(f"{base.name}.{expr.attr}")
        if isinstance(base, ModuleV):
            return base.env.names.get(expr.attr)
    return None


def names_library_type(it: Interpreter, annotation: ir.Expr, names: frozenset[str]) -> bool:
    """Whether an annotation is one of these types of libraries, and no union or container of them."""
    value = _dotted_value(it, annotation)
    return isinstance(value, Ext) and value.name in names


def annotated(it: Interpreter, annotation: ir.Expr, value: Value) -> Value:
    """An opaque value, with what its annotation says of it."""
    if not isinstance(value, Opaque) or value.hint is not None:
        return value
    library = _library_class(it, annotation)
    if library is not None:
        return it.child((value.uid, "instance", library), lambda: ExtObj(library))
    hint, cls = annotation_of(it, annotation)
    if cls is not None and cls.kind != "enum":
        from jaxlint.semantics.classes import instance_of

        return instance_of(it, cls, value)
    if hint is None:
        return value
    if hint == "key":
        return it.child((value.uid, "key"), lambda: _key_like(value))
    return hinted(it, value, hint)


def hinted(it: Interpreter, value: Opaque, hint: str) -> Value:
    """An opaque value of which something has been learnt."""
    return it.child((value.uid, "hint", hint), lambda: _hinted(value, hint))


def _library_class(it: Interpreter, annotation: ir.Expr) -> str | None:
    """The library class that an annotation names, where instances of it matter by their class alone."""
    if type(annotation) is ir.Bin and annotation.op == "|":
        if type(annotation.right) is ir.Lit and annotation.right.value is None:
            return _library_class(it, annotation.left)
        return None
    if type(annotation) is ir.Sub and type(annotation.obj) in (ir.Name, ir.Attr):
        base = _dotted_value(it, annotation.obj)
        if isinstance(base, Ext) and base.name == "typing.Optional":
            return _library_class(it, annotation.index)
        return None
    if type(annotation) is ir.Lit and isinstance(annotation.value, str):
        value = it.lookup(annotation.value) if annotation.value.isidentifier() else None
    else:
        value = _dotted_value(it, annotation)
    if isinstance(value, Ext) and it.knowledge.classes.get(value.name) in ("mesh", "nnx_rngs", "key_stream"):
        return value.name
    return None


def _key_like(value: Opaque) -> Value:
    key = Opaque(value.name, trace=value.trace, hint="key", parent=value.parent, tag=value.tag)
    return key


def _hinted(value: Opaque, hint: str) -> Value:
    return Opaque(value.name, trace=value.trace, static=value.static, hint=hint, parent=value.parent, tag=value.tag)
