"""Attributes and methods: of arrays, containers, instances and opaque values; and stores that outlive a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import captures
from jaxlint.semantics import items as items_module
from jaxlint.semantics.events import ItemAssigned, Mutated
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
    ABSTRACT,
    CONTAINER_CHANGES,
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
    ancestors,
    fingerprint,
    traced_inside,
    weaken,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

set_item = items_module.set_item

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
CHANGES = CONTAINER_CHANGES | {"popleft", "extendleft", "rotate", "write"}


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


# ---- instances ------------------------------------------------------------------------------------------------------


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
    return Opaque()


# ---- annotations ----------------------------------------------------------------------------------------------------

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


# ---- stores ---------------------------------------------------------------------------------------------------------


def describe(expr: Any) -> str:
    """The text of a name or attribute chain, for messages."""
    if type(expr) is ir.Name:
        return expr.name
    if type(expr) is ir.Attr:
        return f"{describe(expr.obj)}.{expr.attr}"
    if type(expr) is ir.Sub:
        return f"{describe(expr.obj)}[…]"
    if type(expr) is ir.Call:
        return f"{describe(expr.func)}(…)"
    return "…"


_DICT_METHODS = frozenset({".pop", ".items", ".keys", ".values", ".get", ".update", ".setdefault"})


def is_jax_array(it: Interpreter, base: Value, expr: Any) -> bool:
    """Whether an item store goes to an immutable JAX array, and not to a dict of them."""
    if type(expr) is ir.Name and it.fr.fn.uses.get(expr.name, set()) & _DICT_METHODS:
        return False
    if isinstance(base, Array):
        return base.lib == "jax"
    if isinstance(base, Opaque):
        return base.hint == "array" and base.trace is not None and base.trace.certain
    return False


def mutation(
    it: Interpreter, target: Value, name: str, stored: Value | None, place: Place, *, accumulates: bool = False
) -> None:
    """Tell when a store into `target` outlives the running trace; `accumulates` when each run adds to it."""
    ctx = it.fr.ctx
    if isinstance(target, Ref):
        _note_change(it, target, name, place)
    if ctx.depth == 0 or (ctx.shape and (stored is None or traced_inside(stored) is None)):
        return
    if isinstance(target, Ref) and target.cls is not None and _explicit_state(it, target, ctx.transform):
        return
    static = stored is None or traced_inside(stored) is None
    if static and (_balanced(it) or _memoised(it, name) or deliberate_store(it, name, place)):
        return
    root: Value = target
    for item in ancestors(target):
        root = item
    uid = root.uid
    kind = "self" if name == "self" or name.startswith("self.") else "object"
    event = Mutated(place, kind, name, stored, ctx.why, ctx.transform)
    chain = frozenset(item.uid for item in ancestors(target))
    if chain & ctx.arguments:
        if uid in ctx.shared or target.uid in ctx.shared:
            event.target, event.shared = "argument", True
            if stored is not None and traced_inside(stored) is not None:
                it.emit(event)
            return
        event.target = "argument" if kind != "self" else kind
        if not (isinstance(target, Opaque) and ctx.transform.startswith("flax.nnx.")):  # which hands objects back
            ctx.pending.append((chain, event))
        return
    if static and not ctx.abstract and not (ctx.mode == "batched" and (accumulates or it.augmenting)):
        return  # eager `vmap` and `grad` run the function on every call; rows are counted once all the same
    if isinstance(target, Ref):
        if target.depth < ctx.depth:
            it.emit(event)
    elif isinstance(target, Opaque) and (uid in it.older or uid < ctx.mark):
        it.emit(event)


def _note_change(it: Interpreter, target: Ref, name: str, place: Place) -> None:
    """Keep where an object was last changed, and whether a trace ever did it."""
    variable: tuple[Any, ...] = ("r", target.uid)
    if target.kind == "object":
        attribute = name.rpartition(".")[2]
        variable = ("a", target.uid, attribute)
        if target.cls is not None and deliberate_store(it, name, place):
            it.memo_attributes.add((target.cls.uid, attribute))
    it.changes[variable] = place
    if it.fr.ctx.remembers:
        it.traced_writes.add(variable)


def _balanced(it: Interpreter) -> bool:
    """Whether the store happens on entering or leaving a context, which undoes it."""
    fr: Any = it.fr
    while fr is not None:
        if fr.fn.name in ("__enter__", "__exit__"):
            return True
        fr = fr.parent
    return False


def _memoised(it: Interpreter, name: str) -> bool:
    """Whether the function looks into the container before it stores: a memo, which may be filled once."""
    uses = it.fr.fn.uses.get(name.removesuffix("[…]"), set())
    return bool(uses & {"in", ".get", "len()"})


def deliberate_store(it: Interpreter, name: str, place: Place) -> bool:
    """Whether a test around the store says that it is meant for the time of tracing."""
    from jaxlint.semantics.memos import deliberate

    return it.done_once > 0 or deliberate(it, place, name)


def _explicit_state(it: Interpreter, target: Ref, transform: str) -> bool:
    kind = target.cls.kind if target.cls is not None else ""
    return kind in ("nnx_module", "linen_module", "haiku_module", "nnx_object")


def set_attr(it: Interpreter, base: Value, attr: str, value: Value, place: Place, base_expr: Any) -> None:
    """`base.attr = value`."""
    if isinstance(base, Union):
        for member in base.members:
            set_attr(it, member, attr, value, place, base_expr)
        return
    name = f"{describe(base_expr)}.{attr}"
    if isinstance(base, Ref):
        mutation(it, base, name, value, place)
        if base.kind == "object":
            content = it.st.content(base)
            it.st.store(base, Content({**content.items, attr: value}, content.rest, content.open))
        return
    if isinstance(base, Opaque) and not base.static:
        mutation(it, base, name, value, place)
        held = it.st.heap.get(base.uid)
        items = dict(held.items) if isinstance(held, Content) else {}
        items[attr] = value
        it.st.heap = {**it.st.heap, base.uid: Content(items, None, True)}
        return
    if isinstance(base, ModuleV):
        mutation_of_module(it, name, value, place)
    elif isinstance(base, ExtObj):
        kind = it.knowledge.classes.get(base.cls, "")
        if it.fr.ctx.depth > 0 and base.uid < it.fr.ctx.mark and kind in ("", "object", "static_object"):
            it.emit(Mutated(place, "object", name, value, it.fr.ctx.why, it.fr.ctx.transform))
    elif isinstance(base, ClassV):
        if it.fr.ctx.depth > 0 and (base.closure is None or base.uid < it.fr.ctx.mark):
            it.emit(Mutated(place, "object", name, value, it.fr.ctx.why, it.fr.ctx.transform))
    elif isinstance(base, Array) and base.lib == "jax" and attr not in ("value",):
        it.emit(ItemAssigned(place, UNKNOWN, "attribute"))


def mutation_of_module(it: Interpreter, name: str, value: Value, place: Place) -> None:
    """A store into a module's attribute."""
    traced = traced_inside(value) is not None
    if it.fr.ctx.depth > 0 and (traced or (it.fr.ctx.abstract and not deliberate_store(it, name, place))):
        it.emit(Mutated(place, "global", name, value, it.fr.ctx.why, it.fr.ctx.transform))


def call_container(
    it: Interpreter,
    ref: Ref,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
    base_name: str = "",
) -> Value:
    """A method of a list, dict or set."""
    from jaxlint.semantics.iteration import iterate

    content = it.st.content(ref)
    if name not in CHANGES:
        if it.fr.ctx.remembers:
            captures.container_read(it, ref, place)
    else:
        stored = args[-1] if args and name not in ("pop", "remove", "clear", "sort", "reverse", "popitem") else None
        if name in ("update",) and kwargs:
            stored = next(iter(kwargs.values()))
        mutation(it, ref, base_name or ref.name or "…", stored, place, accumulates=True)
    if ref.kind == "list":
        return _list_method(it, ref, content, name, args, place)
    if ref.kind == "dict":
        return _dict_method(it, ref, content, name, args, kwargs, place)
    if name in ("add", "update") and args:
        value = args[0] if name == "add" else iterate(it, args[0], place).element(it, 0)
        rest = value if content.rest is None else join(content.rest, value)
        it.st.store(ref, Content(content.items, rest, True))
        return NONE
    return Opaque()


def _list_method(
    it: Interpreter, ref: Ref, content: Content, name: str, args: tuple[Value, ...], place: Place
) -> Value:
    from jaxlint.semantics.iteration import iterate

    st = it.st
    if name == "append" and args:
        if content.open or content.rest is not None:
            rest = args[0] if content.rest is None else join(content.rest, args[0])
            st.store(ref, Content(content.items, rest, True))
        elif len(content.items) < 64:
            st.store(ref, Content((*content.items, args[0])))
        else:
            st.store(ref, Content(content.items, args[0], True))
        return NONE
    if name == "extend" and args:
        sequence = iterate(it, args[0], place)
        if sequence.length is not None and sequence.length < 32 and not content.open and content.rest is None:
            added = tuple(sequence.element(it, i) for i in range(sequence.length))
            st.store(ref, Content(content.items + added))
        else:
            element = sequence.element(it, 0)
            rest = element if content.rest is None else join(content.rest, element)
            st.store(ref, Content(content.items, rest, True))
        return NONE
    if name == "pop":
        items = content.items
        if not content.open and content.rest is None and items:
            index = args[0].value if args and isinstance(args[0], Const) else (-1 if not args else None)
            if isinstance(index, int) and -len(items) <= index < len(items):
                left = list(items)
                popped = left.pop(index)
                st.store(ref, Content(tuple(left)))
                return popped  # type: ignore[no-any-return]
        return Opaque()
    if name in ("clear",):
        st.store(ref, Content(()))
        return NONE
    if name in ("insert", "remove"):
        kept: Value | None = content.rest
        for item in (*content.items, *(args[1:] if name == "insert" else ())):
            kept = item if kept is None else join(kept, item)
        st.store(ref, Content((), kept, True))
        return NONE
    if name == "copy":
        return Ref("list", it.fr.ctx.depth, content)
    if name in ("index", "count"):
        return Opaque(static=True)
    if name in ("sort", "reverse"):
        if name == "reverse" and not content.open and content.rest is None:
            st.store(ref, Content(tuple(reversed(content.items))))
        return NONE
    return Opaque()


def _dict_method(
    it: Interpreter,
    ref: Ref,
    content: Content,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
) -> Value:
    st = it.st
    known = not content.open and content.rest is None
    if name in ("get", "pop", "setdefault") and args:
        found = items_module.get_item(it, ref, args[0], place) if _has(content, args[0]) or not known else None
        default = args[1] if len(args) > 1 else NONE
        if found is None:
            if name == "setdefault":
                items_module.set_item(it, ref, args[0], default, place, None, "=")
            return default
        if name == "pop":
            st.store(ref, items_module._updated(content, "dict", args[0], None))
        return found if _has(content, args[0]) else join(found, default)
    if name == "update":
        items = dict(content.items)
        opened, rest = content.open, content.rest
        source = args[0] if args else None
        if isinstance(source, Ref) and source.kind == "dict":
            other = st.content(source)
            items.update(other.items)
            opened |= other.open
            rest = other.rest if rest is None else rest
        elif source is not None:
            opened = True
            rest = rest if rest is not None else UNKNOWN
        items.update(kwargs)
        st.store(ref, Content(items, rest, opened))
        return NONE
    if name in ("items", "values", "keys"):
        return dict_view(it, ref, content, name)
    if name == "copy":
        return Ref("dict", it.fr.ctx.depth, content)
    if name == "clear":
        st.store(ref, Content({}))
        return NONE
    return Opaque()


def _has(content: Content, key: Value) -> bool:
    try:
        return isinstance(key, Const) and key.value in content.items
    except TypeError:
        return False


def dict_view(it: Interpreter, ref: Ref, content: Content, name: str) -> Value:
    """`d.items()`, `d.values()` or `d.keys()`."""
    keys = list(content.items)
    known = not content.open and content.rest is None

    def element(i: Any) -> Value:
        number = i if isinstance(i, int) else 0
        key: Value
        if number < len(keys):
            key = Const(keys[number]) if not isinstance(keys[number], tuple) else Opaque(static=True)
            value = content.items[keys[number]]
        else:
            key = it.child((ref.uid, "k", number), lambda: Opaque(static=True))
            value = content.rest if content.rest is not None else it.child((ref.uid, "val", number), Opaque)
        if name == "keys":
            return key
        return value if name == "values" else TupleV((key, value))

    return Many("values" if name != "keys" else "static", element, len(keys) if known else None)


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

__all__ = ["fingerprint", "get_attr", "set_attr", "set_item"]
