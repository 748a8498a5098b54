"""Attributes: of arrays, classes, instances, modules and opaque values, and the methods that they find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import captures
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
    Descriptor,
    Ext,
    ExtObj,
    Func,
    Key,
    Many,
    Method,
    ModuleV,
    Opaque,
    Partial,
    Place,
    Ref,
    SuperV,
    Trace,
    TupleV,
    Union,
    Value,
    Wrapped,
    weaken,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


METADATA = frozenset(
    [
        "shape",
        "ndim",
        "size",
        "dtype",
        "itemsize",
        "nbytes",
        "sharding",
        "weak_type",
        "aval",
        "device",
        "devices",
        "committed",
        "is_fully_addressable",
        "is_fully_replicated",
        "platform",
        "format",
        "layout",
        "is_deleted",
        "vma",
    ]
)


def get_attr(it: Interpreter, base: Value, attr: str, place: Place) -> Value:
    """The value of `base.attr`."""
    if base is UNKNOWN:
        return UNKNOWN
    lookup = _ATTRIBUTES.get(type(base))
    return lookup(it, base, attr, place) if lookup is not None else Method(base, attr)


def _library_attr(it: Interpreter, base: Ext, attr: str, place: Place) -> Value:
    return it.ext(f"{base.name}.{attr}")


def _tuple_attr(it: Interpreter, base: TupleV, attr: str, place: Place) -> Value:
    if base.names and attr in base.names:
        return base.items[base.names.index(attr)]
    if base.cls is not None:
        found = class_attr(base.cls, attr)
        if found is not None:
            return bind(it, found, base, base.cls, place)
    return Method(base, attr)


def _union_attr(it: Interpreter, base: Union, attr: str, place: Place) -> Value:
    result: Value | None = None
    for member in base.members:
        if member is NONE:
            continue
        part = get_attr(it, member, attr, place)
        result = part if result is None else join(result, part)
    return result if result is not None else UNKNOWN


def _key_attr(it: Interpreter, base: Key, attr: str, place: Place) -> Value:
    if attr in METADATA:
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True))
    return Method(base, attr)


def _wrapper_attr(it: Interpreter, base: Wrapped, attr: str, place: Place) -> Value:
    return base.inner if attr == "__wrapped__" else Method(base, attr)


def _partial_attr(it: Interpreter, base: Partial, attr: str, place: Place) -> Value:
    if attr in ("keywords", "args"):
        return Opaque()
    return base.func if attr == "func" else Method(base, attr)


def _module_attr(it: Interpreter, base: ModuleV, attr: str, place: Place) -> Value:
    env = base.env
    found = it.lookup_global(env, attr)
    if found is not None:
        return found
    submodule = f"{env.name}.{attr}"
    if it.project.find(submodule, env.path) is not None:
        from jaxlint.semantics.statements import module_value

        return module_value(it, submodule)
    return UNKNOWN


def _array_attr(it: Interpreter, base: Array, attr: str, place: Place) -> Value:
    if attr == "at":
        return At(base)
    if attr in METADATA:
        if attr == "shape" and base.shape is not None:
            return TupleV(base.shape)
        return it.child(
            (base.uid, "attr", attr), lambda: Opaque(attr, static=True, hint="shape" if attr == "shape" else None)
        )
    if attr in ("T", "mT", "real", "imag", "flat"):
        trace = base.trace
        if trace is None and it.fr.ctx.abstract and base.lib == "jax":
            trace = Trace(ABSTRACT, it.fr.ctx.why)
        return Array(trace, lib=base.lib, parent=base if attr in ("T", "mT") else None)
    return Method(base, attr)


def version(it: Interpreter, value: Value) -> int:
    """How often unknown methods may have changed the attributes of an object on this path."""
    return it.st.heap.get(("v", value.uid), 0)  # type: ignore[no-any-return]


def bump(it: Interpreter, value: Value) -> None:
    """An unknown method may have changed the object's attributes."""
    it.st.heap = {**it.st.heap, ("v", value.uid): version(it, value) + 1}


def _opaque_attr(it: Interpreter, base: Opaque, attr: str, place: Place) -> Value:
    changed = it.st.heap.get(base.uid)
    if isinstance(changed, Content):
        stored = changed.items.get(attr)
        if stored is not None:
            return stored  # type: ignore[no-any-return]
        original = changed.items.get("__base__")
        if isinstance(original, Opaque):
            return _opaque_attr(it, original, attr, place)
    if base.static:
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True, parent=base, tag=("attr", attr)))
    if attr in METADATA:
        return it.child(
            (base.uid, "attr", attr), lambda: Opaque(attr, static=True, hint="shape" if attr == "shape" else None)
        )
    if attr == "at" and (base.trace is not None or base.hint == "array"):
        return At(base)
    trace = base.trace
    if trace is not None and base.hint == "array":
        if attr in ("T", "mT", "real", "imag", "flat"):
            return Array(trace)
        return Method(base, attr)
    name = f"{base.name}.{attr}" if base.name else attr
    number = version(it, base)
    # Fields of an object of unknown class may be static: not certainly traced.
    return it.part(
        base,
        ("attr", attr, number),
        lambda: Opaque(name, trace=weaken(trace), parent=base, tag=("attr", attr)),
    )


_LIBRARY_METHODS: dict[str, tuple[str, ...]] = {
    "linen_module": (
        "init",
        "apply",
        "init_with_output",
        "lazy_init",
        "make_rng",
        "param",
        "variable",
        "sow",
        "perturb",
    ),
    "pytree_dataclass": ("replace",),
    "train_state": ("replace",),
    "namedtuple": ("_replace",),
}
"""Methods that classes of a kind inherit from their library."""


def class_attr(cls: ClassV, name: str) -> Value | None:
    """An attribute of a class or of its bases, in method resolution order (depth first)."""
    found = cls.attrs.get(name)
    if found is not None:
        return found
    for base in cls.bases:
        found = class_attr(base, name)
        if found is not None:
            return found
    return None


def class_field(cls: ClassV, name: str) -> Any:
    """An annotated field of a class or of its bases."""
    found = cls.fields.get(name)
    if found is not None:
        return found
    for base in cls.bases:
        found = class_field(base, name)
        if found is not None:
            return found
    return None


def owner_of(cls: ClassV, name: str) -> ClassV | None:
    """The class in whose body `name` is bound."""
    if name in cls.attrs:
        return cls
    for base in cls.bases:
        found = owner_of(base, name)
        if found is not None:
            return found
    return None


def bind(it: Interpreter, attr: Value, receiver: Value, cls: ClassV, place: Place) -> Value:
    """What an attribute found on the class is on an instance."""
    if isinstance(attr, Func):
        return it.child(
            (attr.uid, "bound", receiver.uid or id(receiver)),
            lambda: Func(attr.fn, attr.env, attr.closure, receiver, attr.cls or cls, attr.defaults),
        )
    if isinstance(attr, Descriptor):
        if attr.kind in ("property", "cached_property"):
            from jaxlint.semantics.calls import call

            func = attr.func
            if isinstance(func, Func):
                bound = bind(it, func, receiver, cls, place)
                return call(it, bound, (), {}, place)
            return Opaque()
        if attr.kind == "classmethod":
            return bind(it, attr.func, cls, cls, place)
        return attr.func
    if isinstance(attr, Wrapped):
        return it.child((attr.uid, "bound", receiver.uid or id(receiver)), lambda: Partial(attr, (receiver,), {}))
    if isinstance(attr, Ref) and attr.cls is not None and class_attr(attr.cls, "__get__") is not None:
        return it.child((attr.uid, "got from", receiver.uid or id(receiver)), Opaque)
    return attr


def _ref_attr(it: Interpreter, base: Ref, attr: str, place: Place) -> Value:
    if base.kind != "object":
        return Method(base, attr)
    if it.fr.ctx.remembers and (base.cls is None or class_attr(base.cls, attr) is None):
        captures.attribute_read(it, base, attr, place)
    content = it.st.content(base)
    found = content.items.get(attr)
    if found is not None:
        return found  # type: ignore[no-any-return]
    cls = base.cls
    if cls is None:
        return Opaque()
    if attr == "__class__":
        return cls
    from jaxlint.semantics.classes import typical_attr

    if attr in _LIBRARY_METHODS.get(cls.kind, ()):
        return Method(base, attr)
    field = class_field(cls, attr)
    held = class_attr(cls, attr)
    if held is not None and field is None:
        return bind(it, held, base, cls, place)
    return typical_attr(it, base, cls, attr, field)


def _super_attr(it: Interpreter, base: SuperV, attr: str, place: Place) -> Value:
    for parent in base.cls.bases:
        found = class_attr(parent, attr)
        if found is not None:
            return bind(it, found, base.receiver, parent, place)
    return Method(UNKNOWN, attr)


def _class_attr_value(it: Interpreter, base: ClassV, attr: str, place: Place) -> Value:
    found = class_attr(base, attr)
    if found is None:
        if attr == "__name__":
            return Const(base.ir.name)
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True))
    if isinstance(found, Descriptor):
        if found.kind == "classmethod":
            return bind(it, found.func, base, base, place)
        return found.func
    if base.kind == "enum" and not isinstance(found, Func):
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True, tag=("member", base)))
    return found


def _ext_obj_attr(it: Interpreter, base: ExtObj, attr: str, place: Place) -> Value:
    kind = it.knowledge.classes.get(base.cls, "")
    if kind.endswith("_module") and attr in ("weight", "bias", "kernel", "scale", "value"):
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, parent=base, tag=("attr", attr)))
    if base.cls.startswith("jax.stages."):
        return Method(base, attr)
    if kind in ("mesh", "sharding", "static_object", "partition_spec", "abstract_value") and attr not in ("update",):
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True))
    if attr in METADATA:
        return it.child((base.uid, "attr", attr), lambda: Opaque(attr, static=True))
    return Method(base, attr)


def call_method_of(
    it: Interpreter, ref: Ref, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place
) -> Value | None:
    """Call a method that the object's class defines; None when it defines none."""
    if ref.cls is None:
        return None
    found = class_attr(ref.cls, name)
    if found is None or not isinstance(found, Func | Descriptor | Wrapped):
        return None
    from jaxlint.semantics.calls import call

    return call(it, bind(it, found, ref, ref.cls, place), args, kwargs, place)


def enter_context(it: Interpreter, value: Value, place: Place) -> Value:
    """What `with value as x` binds."""
    if isinstance(value, Ref):
        result = call_method_of(it, value, "__enter__", (), {}, place)
        return result if result is not None else Opaque()
    if isinstance(value, ExtObj):
        return value
    if isinstance(value, Many) and value.kind == "generator":  # of a function that is a context manager
        return value.element(0)
    return Opaque()


_ATTRIBUTES: dict[type[Value], Any] = {
    Ext: _library_attr,
    ModuleV: _module_attr,
    Array: _array_attr,
    Opaque: _opaque_attr,
    Ref: _ref_attr,
    TupleV: _tuple_attr,
    ClassV: _class_attr_value,
    Union: _union_attr,
    Key: _key_attr,
    ExtObj: _ext_obj_attr,
    SuperV: _super_attr,
    Wrapped: _wrapper_attr,
    Partial: _partial_attr,
}
"""How attributes of each kind of value are looked up; of the other kinds, every attribute is a method."""
