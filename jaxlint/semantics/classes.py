"""Classes of the project: what their bases make of them, their fields, and what an instance of them usually holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, tuples
from jaxlint.semantics.attributes import bind, class_attr, class_field, version
from jaxlint.semantics.registered import note_static
from jaxlint.semantics.type_hints import annotated, annotation_of
from jaxlint.semantics.values import (
    NONE,
    UNKNOWN,
    Array,
    ClassV,
    Const,
    Content,
    Descriptor,
    Ext,
    ExtObj,
    Field,
    Func,
    Key,
    Opaque,
    Place,
    Ref,
    Trace,
    TupleV,
    Union,
    Value,
    weaken,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

STATIC_FIELDS = frozenset({"linen_module", "enum", "static_object"})
"""Kinds of class whose fields are configuration, never traced."""

PYTREES = frozenset(
    {"equinox_module", "pytree_dataclass", "namedtuple", "nnx_module", "pytree", "train_state", "namedtuple_state"}
)
"""Kinds of class whose array fields are traced when an instance goes into a traced function."""

NUMBERS_STATIC = frozenset({"nnx_module", "nnx_object"})
"""Those of them whose Python numbers are structure, as their strings are."""


_REGISTERING = frozenset(
    f"jax.tree_util.register_{name}" for name in ("pytree_node_class", "pytree_with_keys_class", "dataclass")
)
"""Decorators that make a class a pytree."""


def define_class(it: Interpreter, stmt: ir.ClassDef) -> Value:
    """The value of a class statement."""
    from jaxlint.semantics.calls import call
    from jaxlint.semantics.expressions import evaluate

    frame = it.fr
    closure = frame.own if frame.fn.parent is not None else None
    cls = ClassV(stmt, frame.env, closure)
    for base in stmt.bases:
        value = evaluate(it, base)
        if isinstance(value, ClassV):
            cls.bases.append(value)
        elif isinstance(value, Ext):
            cls.ext_bases.append(value.name)
        elif (named := tuples.defaults_of(value)) is not None:
            cls.ext_bases.append("typing.NamedTuple")
            cls.fields.update({name: Field("", default, False) for name, default in named.items()})
        else:
            cls.ext_bases.append("?")
    cls.kind = _kind(it, cls)
    it.classes.append(cls)
    for _, value_expr in stmt.keywords:
        evaluate(it, value_expr)
    _run_body(it, cls, stmt.body)
    result: Value = cls
    for _, decorator in reversed(stmt.decorators):
        value = _at_run_time(it, evaluate(it, decorator))
        name = _decorator_name(value)
        kind = it.knowledge.classes.get(name, "") if name else ""
        if kind in ("dataclass_decorator", "struct_decorator"):
            cls.frozen = _is_frozen(kind, value)
            cls.unhashable = name == "dataclasses.dataclass" and not cls.frozen and not _is_hashable(cls, value)
            if cls.kind in ("object", "dataclass"):
                cls.kind = "dataclass" if kind == "dataclass_decorator" else "pytree_dataclass"
        elif name in _REGISTERING:
            cls.kind = "pytree"
            _static_names(it, cls, value)
            note_static(cls, class_attr(cls, "tree_flatten_with_keys") or class_attr(cls, "tree_flatten"))
        elif name and (it.knowledge.decorators.get(name, "").startswith("transparent") or name.startswith("builtins.")):
            continue
        elif isinstance(value, Func):
            made = call(it, value, (cls,), {}, (frame.fn.module, stmt.id))
            result = made if isinstance(made, ClassV) else result
        else:
            it.gave_up("unknown decorator", name)
            cls.ext_bases.append("?")
    return result


def _static_names(it: Interpreter, cls: ClassV, decorator: Value) -> None:
    """`register_dataclass(…, meta_fields=[…])`: the named fields are static."""
    from jaxlint.semantics.values import Partial
    from jaxlint.semantics.wrappers import constants

    names = constants(it, decorator.kwargs.get("meta_fields")) if isinstance(decorator, Partial) else None
    for name in names or ():
        field = cls.fields.get(name)
        if field is not None:
            field.static = True


def _is_frozen(kind: str, decorator: Value) -> bool:
    """Whether a dataclass decorator makes its class immutable."""
    options = decorator.kwargs if isinstance(decorator, ExtObj) else {}
    default = kind == "struct_decorator" and not getattr(decorator, "name", "").startswith("chex.")
    found = options.get("frozen")
    return found.value is True if isinstance(found, Const) else default


def _is_hashable(cls: ClassV, decorator: Value) -> bool:
    """Whether a mutable dataclass keeps a hash: its own, that of identity, or one that it asks for."""
    options = decorator.kwargs if isinstance(decorator, ExtObj) else {}
    return "__hash__" in cls.attrs or "eq" in options or "unsafe_hash" in options


def _at_run_time(it: Interpreter, decorator: Value) -> Value:
    """The decorator that runs, where another one of the standard library stands in for it while types are checked."""
    if not isinstance(decorator, Union):
        return decorator
    for member in decorator.members:
        if it.knowledge.classes.get(_decorator_name(member)) == "struct_decorator":
            return member
    return decorator.members[-1]


def _decorator_name(value: Value) -> str:
    from jaxlint.semantics.values import Partial

    if isinstance(value, ExtObj):
        return value.cls  # a decorator with options
    while isinstance(value, Partial):
        value = value.func
    return value.name if isinstance(value, Ext) else ""


def _kind(it: Interpreter, cls: ClassV) -> str:
    for name in cls.ext_bases:
        if name in ("typing.NamedTuple", "typing_extensions.NamedTuple"):
            return "namedtuple"
        if name.startswith("enum."):
            return "enum"
        found = it.knowledge.classes.get(name)
        if found is not None:
            return found
        if name.endswith(("Exception", "Error")):
            return "exception"
    for base in cls.bases:
        if base.kind != "object":
            return base.kind
    return _own_kind(it, cls)


_MODULES = frozenset({"linen_module", "haiku_module", "nnx_module", "equinox_module"})


def _own_kind(it: Interpreter, cls: ClassV) -> str:
    """The kind of a class that is itself one of a library's: the library is what is analysed."""
    package = cls.env.name
    while package:
        found = it.knowledge.classes.get(f"{package}.{cls.ir.name}")
        if found in _MODULES:
            return found
        package = package.rpartition(".")[0]
    return "object"


def _run_body(it: Interpreter, cls: ClassV, body: list[ir.Stmt]) -> None:
    """Bind the names of a class body as its attributes."""
    from jaxlint.semantics.calls import apply_decorators
    from jaxlint.semantics.expressions import evaluate
    from jaxlint.semantics.statements import exec_block, make_function

    saved = dict(it.st.env)
    for stmt in body:
        if isinstance(stmt, ir.FunctionDef):
            func = make_function(it, stmt.fn)
            func.cls = cls
            value = apply_decorators(it, func, stmt.fn.decorators, cls.attrs)
            cls.attrs[stmt.fn.name] = value
            it.st.bind(stmt.fn.name, value)
        elif isinstance(stmt, ir.Assign) and stmt.annotation is not None and isinstance(stmt.targets[0], ir.Name):
            name = stmt.targets[0].name
            default = evaluate(it, stmt.value) if stmt.value is not None else None
            field = Field(_annotation_name(it, stmt.annotation), default, _is_static(it, stmt))
            field.cls = annotation_of(it, stmt.annotation)[1] if field.annotation == "class" else None
            cls.fields[name] = field
            if default is not None:
                it.st.bind(name, default)
        elif isinstance(stmt, ir.Assign) and stmt.value is not None:
            value = evaluate(it, stmt.value)
            for target in stmt.targets:
                if isinstance(target, ir.Name):
                    cls.attrs[target.name] = value
                    it.st.bind(target.name, value)
        elif isinstance(stmt, ir.ClassDef):
            inner = define_class(it, stmt)
            cls.attrs[stmt.name] = inner
            it.st.bind(stmt.name, inner)
        else:
            before = dict(it.st.env)
            states = exec_block(it, [stmt], [it.st])
            if states:
                it.st = states[0]
            for name, value in it.st.env.items():
                if before.get(name) is not value:
                    cls.attrs[name] = value
    st = it.st
    for name in [name for name, value in st.env.items() if saved.get(name) is not value]:
        if name in saved:
            st.bind(name, saved[name])
        else:
            st.unbind(name)


def _annotation_name(it: Interpreter, annotation: ir.Expr) -> str:
    from jaxlint.semantics.mutations import describe
    from jaxlint.semantics.type_hints import annotation_of

    if type(annotation) is ir.Lit and isinstance(annotation.value, str):
        return (
            "builtins." + annotation.value if annotation.value in ("int", "bool", "float", "str") else annotation.value
        )
    hint, cls = annotation_of(it, annotation)
    if hint is not None:
        return hint
    if cls is not None:
        return "class"
    text = describe(annotation.obj if isinstance(annotation, ir.Sub) else annotation)
    return "ClassVar" if text.endswith("ClassVar") else text


def _is_static(it: Interpreter, stmt: ir.Assign) -> bool:
    """Whether a field is declared as static: `field(static=True)`, `field(pytree_node=False)`, ClassVar."""
    value = stmt.value
    if isinstance(value, ir.Call):
        for name, argument in value.keywords:
            if isinstance(argument, ir.Lit):
                if name == "static" and argument.value is True:
                    return True
                if name == "pytree_node" and argument.value is False:
                    return True
            if name == "metadata" and isinstance(argument, ir.DictE):
                for key, flag in argument.items:
                    if isinstance(key, ir.Lit) and key.value == "static" and isinstance(flag, ir.Lit):
                        return bool(flag.value)
        func = value.func
        text = func.attr if isinstance(func, ir.Attr) else func.name if isinstance(func, ir.Name) else ""
        if text in ("static_field",):
            return True
    annotation = stmt.annotation
    text = annotation.obj.attr if isinstance(annotation, ir.Sub) and isinstance(annotation.obj, ir.Attr) else ""
    if isinstance(annotation, ir.Sub) and isinstance(annotation.obj, ir.Name):
        text = annotation.obj.name
    return text == "ClassVar"


def all_fields(cls: ClassV) -> dict[str, Field]:
    """Annotated fields in the order of `__init__`."""
    found: dict[str, Field] = {}
    for base in reversed(cls.bases):
        found.update(all_fields(base))
    found.update({name: field for name, field in cls.fields.items() if field.annotation != "ClassVar"})
    return found


def instantiate(
    it: Interpreter, cls: ClassV, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place, star: Value | None
) -> Value:
    """`cls(*args, **kwargs)`."""
    from jaxlint.semantics.calls import call

    if cls.kind == "enum":
        return Opaque(static=True)
    if cls.kind == "exception":
        return Opaque("exception", static=True)
    fields = all_fields(cls)
    if cls.kind == "namedtuple":
        names = tuple(fields)
        values = _fill(it, fields, args, kwargs)
        return TupleV(tuple(values[name] for name in names), cls, names)
    init = class_attr(cls, "__init__")
    ref = Ref("object", it.fr.ctx.depth, Content({}, None, init is None and not _is_dataclass(cls)), cls)
    if class_attr(cls, "__new__") is not None:
        return Opaque()
    if isinstance(init, Func):
        call(it, bind(it, init, ref, cls, place), args, kwargs, place, star)
        _check_init(it, ref, cls, place)
        return ref
    if fields or _is_dataclass(cls):
        values = _fill(it, fields, args, kwargs)
        ref.initial = Content(values, None, "?" in cls.ext_bases or cls.kind == "object")
        post = class_attr(cls, "__post_init__")
        if isinstance(post, Func):
            call(it, bind(it, post, ref, cls, place), (), {}, place)
        _check_init(it, ref, cls, place)
        return ref
    for value in (*args, *kwargs.values()):
        if isinstance(value, Key) and cls.ext_bases and cls.kind != "object":
            from jaxlint.semantics.keys import consume

            consume(it, value, "init", place)
    return ref


def _check_init(it: Interpreter, ref: Ref, cls: ClassV, place: Place) -> None:
    """Equinox calls `__check_init__` once an instance is made."""
    from jaxlint.semantics.calls import call

    check = class_attr(cls, "__check_init__") if cls.kind == "equinox_module" else None
    if isinstance(check, Func):
        call(it, bind(it, check, ref, cls, place), (), {}, place)


def _is_dataclass(cls: ClassV) -> bool:
    return cls.kind in ("dataclass", "pytree_dataclass", "linen_module", "equinox_module", "train_state")


def _fill(
    it: Interpreter, fields: dict[str, Field], args: tuple[Value, ...], kwargs: dict[str, Value]
) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for position, (name, field) in enumerate(fields.items()):
        if position < len(args):
            values[name] = args[position]
        elif name in kwargs:
            values[name] = kwargs[name]
        elif field.default is not None and isinstance(field.default, Const):
            values[name] = field.default
        else:
            values[name] = Opaque(name, static=field.static)
    return values


# ---- what an instance usually holds ---------------------------------------------------------------------------------


def instance_of(it: Interpreter, cls: ClassV, value: Opaque) -> Value:
    """The instance that an opaque value annotated with a class stands for."""

    def make() -> Value:
        if cls.kind == "namedtuple":
            fields = all_fields(cls)
            items = tuple(
                field_value(it, cls, name, field, value.trace, value, value.name) for name, field in fields.items()
            )
            return TupleV(items, cls, tuple(fields))
        ref = Ref("object", it.fr.ctx.depth, Content({}, None, True), cls, name=value.name)
        ref.trace = weaken(value.trace) if cls.kind not in PYTREES else value.trace
        if cls.kind in STATIC_FIELDS:
            ref.trace = None
        return ref

    made = it.child((value.uid, "instance", cls.uid), make)
    if value.uid in it.older and made.uid:
        it.older.add(made.uid)
    if value.uid in it.fr.ctx.arguments and made.uid:
        it.fr.ctx.arguments.add(made.uid)
        if isinstance(made, Ref):
            made.argument = True
    return made


def field_value(
    it: Interpreter, cls: ClassV, name: str, field: Field, trace: Trace | None, parent: Value, owner: str
) -> Value:
    """What a field of an instance of `cls` holds when nothing was stored."""
    text = f"{owner}.{name}" if owner else name
    if field.static or cls.kind in STATIC_FIELDS:
        return Opaque(text, static=field.annotation not in ("key", "array"))
    annotation = field.annotation
    if annotation in ("str", "callable", "Callable", "type"):
        return Opaque(text, static=True)
    plain = annotation in ("bool", "int", "float", "str", "builtins.bool", "builtins.int", "builtins.str")
    if plain and (cls.kind == "equinox_module" or trace is None):
        return Opaque(text, static=True)
    hint = None
    if annotation in ("array", "float", "int", "bool"):
        hint = "array"
    elif annotation == "key":
        hint = "key"
    certain = cls.kind in ("namedtuple", "pytree") or (cls.kind in PYTREES and hint == "array")
    value = Opaque(text, trace=trace if certain else weaken(trace), hint=hint, parent=parent, tag=("attr", name))
    inner = field.cls
    if inner is not None and inner.kind == cls.kind == "pytree_dataclass":
        value.trace = trace
        return instance_of(it, inner, value)
    return value


def typical_attr(it: Interpreter, base: Ref, cls: ClassV, attr: str, field: Field | None) -> Value:
    """An attribute that the class declares or its constructor stores, else an opaque one."""
    name = f"{base.name or 'self'}.{attr}"
    if field is not None:
        flags = base.trace.flags if base.trace is not None else 0
        return it.child(
            (base.uid, "attr", attr, flags, version(it, base)),
            lambda: field_value(it, cls, attr, field, base.trace, base, base.name or "self"),
        )
    held = typical_instance(it, cls)
    value = held.initial.items.get(attr) if held is not None else None
    if value is not None:
        kept = _general(it, base, cls, attr, value, name)
        if kept is not None:
            return kept
    key = (base.uid, "attr", attr, version(it, base))
    return it.child(key, lambda: Opaque(name, trace=weaken(base.trace), parent=base, tag=("attr", attr)))


def _general(it: Interpreter, base: Ref, cls: ClassV, attr: str, value: Value, name: str) -> Value | None:
    """What the value that the constructor stored says about any instance at any time."""
    if isinstance(value, Const):
        if value.value is None or attr in mutable_attrs(cls):
            return None
        return it.child((base.uid, "attr", attr, "static"), lambda: Opaque(name, static=True))
    if isinstance(value, Key):
        key = (base.uid, "attr", attr, version(it, base))
        return it.child(
            key, lambda: Opaque(name, hint="key", parent=base, tag=("attr", attr), trace=weaken(base.trace))
        )
    if isinstance(value, Union) or value is UNKNOWN or value is NONE:
        return None
    if isinstance(value, Array | Opaque):
        empty = cls.empties.get(attr)
        if empty is not None and attr_writers(cls).get(attr) == {it.fr.fn.name}:
            made = it.child((base.uid, "attr", attr, "empty"), Array)
            if ("e", made.uid) not in it.st.res and isinstance(made, Array):
                buffers.make_empty(it, made, empty.place, empty.function)
            return made
        if isinstance(value, Opaque) and value.static and attr not in mutable_attrs(cls):
            if it.meetings.is_divergent(value.expr):
                return value
            return it.child((base.uid, "attr", attr, "static"), lambda: Opaque(name, static=True))
        if isinstance(value, Array) and value.lib == "jax" and base.trace is None:
            return it.child((base.uid, "attr", attr, "array", version(it, base)), Array)
        return None
    if isinstance(value, Ref) and value.kind == "object" and value.cls is not None:
        cls_of_value = value.cls
        return it.child(
            (base.uid, "attr", attr, "object"),
            lambda: Ref("object", base.depth, Content({}, None, True), cls_of_value, name=name),
        )
    if isinstance(value, Ref):
        return it.child(
            (base.uid, "attr", attr, "ref"),
            lambda: Ref(value.kind, base.depth, Content({} if value.kind == "dict" else (), None, True), name=name),
        )
    return value if attr not in mutable_attrs(cls) else None


def typical_instance(it: Interpreter, cls: ClassV) -> Ref | None:
    """An instance after its constructor ran with unknown arguments."""
    if cls.instance is not None:
        return cls.instance
    ref = Ref("object", 0, Content({}, None, True), cls, name="self")
    cls.instance = ref
    for name in ("__init__", "setup", "__post_init__"):
        init = class_attr(cls, name)
        if not isinstance(init, Func):
            continue

        def run(init: Func = init) -> None:
            from jaxlint.semantics.entries import run_host

            content = run_host(it, init, ref)
            if content is not None:
                ref.initial = content
                for attr, held in content.items.items():
                    empty = it.st.res.get(("e", held.uid))
                    if isinstance(empty, buffers.Empty):
                        cls.empties[attr] = empty

        emit, it.emit = it.emit, lambda event: None
        entered = set(it.entered)
        try:
            it.isolated(run)
        finally:
            it.emit = emit
            it.entered = entered
    return ref


def mutable_attrs(cls: ClassV) -> set[str]:
    """Attributes that methods other than the constructor store."""
    return set(attr_writers(cls))


def attr_writers(cls: ClassV) -> dict[str, set[str]]:
    """Attributes that methods other than the constructor store, with the methods that do."""
    if cls.writers is not None:
        return cls.writers
    writers: dict[str, set[str]] = {}
    for base in cls.bases:
        for attr, methods in attr_writers(base).items():
            writers.setdefault(attr, set()).update(methods)
    for stmt in cls.ir.body:
        if (
            isinstance(stmt, ir.FunctionDef)
            and stmt.fn.name not in ("__init__", "setup", "__post_init__")
            and stmt.fn.params
        ):
            found: set[str] = set()
            _stores(stmt.fn.body, stmt.fn.params[0].name, found)
            for attr in found:
                writers.setdefault(attr, set()).add(stmt.fn.name)
    cls.writers = writers
    return writers


def _stores(body: list[ir.Stmt], receiver: str, found: set[str]) -> None:
    for stmt in body:
        targets: list[Any] = []
        if isinstance(stmt, ir.Assign):
            targets = list(stmt.targets)
        elif isinstance(stmt, ir.AugAssign):
            targets = [stmt.target]
        while targets:
            target = targets.pop()
            if isinstance(target, ir.Seq):
                targets += target.items
            elif isinstance(target, ir.Attr) and isinstance(target.obj, ir.Name) and target.obj.name == receiver:
                found.add(target.attr)
        for name in ("body", "orelse", "final"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, list):
                _stores(inner, receiver, found)
        for handler in getattr(stmt, "handlers", ()):
            _stores(handler.body, receiver, found)
        if isinstance(stmt, ir.FunctionDef):
            _stores(stmt.fn.body, receiver, found)


__all__ = ["Descriptor", "annotated", "class_field", "define_class", "instantiate", "typical_attr"]
