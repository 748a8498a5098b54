"""Running functions that nothing has called: with unknown arguments, on the host or under their transformation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.arguments import is_compiled
from jaxlint.semantics.axes import NO_AXES
from jaxlint.semantics.calls import call, call_func
from jaxlint.semantics.frames import Ctx, Frame
from jaxlint.semantics.lifting import LEFT_OUT, WEAK
from jaxlint.semantics.mutations import DICT_METHODS
from jaxlint.semantics.state import State
from jaxlint.semantics.taught import as_key
from jaxlint.semantics.values import (
    ClassV,
    Const,
    Content,
    ExtObj,
    Func,
    Method,
    Opaque,
    Partial,
    Place,
    Ref,
    Value,
    Wrapped,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.project import ModuleEnv

_DICT_USES = DICT_METHODS | {"[str]"}
_ARRAY_USES = frozenset(
    [
        "arith",
        "order",
        ".shape",
        ".ndim",
        ".dtype",
        ".size",
        ".astype",
        ".at",
        ".T",
        ".reshape",
        ".sum",
        ".mean",
        ".max",
        ".min",
        ".ravel",
        ".flatten",
        ".dot",
    ]
)


def hint_of(fn: ir.FunctionIR, param: ir.Param) -> str | None:
    """What the uses and the default of a parameter say about it."""
    uses = fn.uses.get(param.name, set())
    if uses & _DICT_USES:
        return "dict"
    if uses & _ARRAY_USES or fn.only_tested(param.name):
        return "array"
    default = param.default
    if isinstance(default, ir.Lit) and isinstance(default.value, bool | int | float):
        return "array"
    return None


def unknown_arguments(it: Interpreter, func: Func, skip: int, bound: set[str], traced: bool) -> dict[str, Value]:
    """An opaque value for each parameter that a caller must give."""
    from jaxlint.semantics.type_hints import annotated

    found: dict[str, Value] = {}
    for index, param in enumerate(func.fn.params):
        if index < skip or param.kind in ("star", "starstar") or param.name in bound:
            continue
        # Inside a trace they are younger than it, as if a caller there had made them.
        key = ("param", id(func.fn), param.name, traced, it.fr.ctx.mark)
        value: Value = it.child(key, lambda p=param: _parameter(func, p, traced))  # type: ignore[misc]
        if param.annotation is not None:
            value = annotated(it, param.annotation, value)
        elif traced and isinstance(value, Opaque) and value.hint is None:
            value = _by_structure(it, func, param.name, value)
        found[param.name] = as_key(it, func, index, param.name, value)
    return found


def unknown_rest(it: Interpreter, func: Func) -> Value | None:
    """What stands for the further arguments of a function that takes any number of them."""
    if all(param.kind != "star" for param in func.fn.params):
        return None
    return it.child(("rest", id(func.fn), it.fr.ctx.mark), Opaque)


def _parameter(func: Func, param: ir.Param, traced: bool) -> Value:
    if not traced:
        return Opaque(param.name)
    tag = None
    if param.default is not None:
        tag = LEFT_OUT
    elif not func.fn.uses.get(param.name, set()) & _ARRAY_USES - {"arith", "order"}:
        tag = WEAK
    return Opaque(param.name, hint=hint_of(func.fn, param), tag=tag)


def _by_structure(it: Interpreter, func: Func, name: str, value: Opaque) -> Value:
    """The instance that a parameter stands for, when just one class of its module has the attributes that are used."""
    from jaxlint.semantics.classes import PYTREES, all_fields, instance_of

    used = {use[1:] for use in func.fn.uses.get(name, ()) if use.startswith(".")}
    if not used or len(used) < 2:
        return value
    found: list[ClassV] = []
    for cls in func.env.names.values():
        if isinstance(cls, ClassV) and cls.kind in PYTREES and used <= set(all_fields(cls)):
            found.append(cls)
    return instance_of(it, found[0], value) if len(found) == 1 else value


def receiver_of(it: Interpreter, cls: ClassV) -> Value:
    """`self` for a method that nothing calls."""

    def make() -> Value:
        return Ref("object", 0, Content({}, None, True), cls, name="self")

    return it.child(("self", cls.uid), make)


def _base(it: Interpreter, env: ModuleEnv) -> None:
    """A frame to call from, at module level."""
    top = env.ir.top
    assert top is not None
    it.fr = Frame(top, env, Ctx(), None, None, None, None)
    it.st = State(it.fr.fid, {})
    it.done_once = it.filled = 0
    it.donations = it.empties = 0  # of this entry's paths none is known yet
    it.fr.own.parent = None


def is_static_method(func: Func) -> bool:
    """Whether the definition carries `@staticmethod`."""
    return any(isinstance(expr, ir.Name) and expr.name == "staticmethod" for _, expr in func.fn.decorators)


def _is_class_method(func: Func) -> bool:
    return any(isinstance(expr, ir.Name) and expr.name == "classmethod" for _, expr in func.fn.decorators)


def run_host(it: Interpreter, func: Func, receiver: Value | None = None) -> Content | None:
    """Run a function on the host with unknown arguments; what its receiver holds afterwards."""
    _base(it, func.env)
    it.direct = True
    it.local_memo = {}
    target = func
    if func.cls is not None and not is_static_method(func) and func.receiver is None and func.fn.params:
        owner: Value = receiver if receiver is not None else receiver_of(it, func.cls)
        if _is_class_method(func):
            owner = func.cls
        target = Func(func.fn, func.env, func.closure, owner, func.cls, func.defaults)
    skip = 1 if target.receiver is not None else 0
    arguments = unknown_arguments(it, target, skip, set(), traced=False)
    place: Place = (func.fn.module, func.fn.id)
    positional = [name for name in arguments if _is_positional(func.fn, name)]
    call_func(
        it,
        target,
        tuple(arguments[name] for name in positional),
        {name: value for name, value in arguments.items() if name not in positional},
        place,
        unknown_rest(it, target),
    )
    if isinstance(target.receiver, Ref):
        return it.st.content(target.receiver)
    return None


def _is_positional(fn: ir.FunctionIR, name: str) -> bool:
    return any(param.name == name and param.kind in ("pos", "any") for param in fn.params)


def run_generic(it: Interpreter, func: Func) -> None:
    """Run a nested function that was made but never called, inside the current state."""
    arguments = unknown_arguments(it, func, 1 if func.receiver is not None else 0, set(), traced=False)
    place: Place = (func.fn.module, func.fn.id)
    positional = [name for name in arguments if _is_positional(func.fn, name)]
    # Whoever calls it may bind axes.
    outer, it.fr.ctx.axes = it.fr.ctx.axes, NO_AXES
    it.unasked += 1
    try:
        call_func(
            it,
            func,
            tuple(arguments[name] for name in positional),
            {name: value for name, value in arguments.items() if name not in positional},
            place,
            unknown_rest(it, func),
        )
        it.fr.ctx.axes = outer
    finally:
        it.unasked -= 1


def run_wrapper(it: Interpreter, wrapped: Wrapped) -> None:
    """Run a transformed function that nothing calls, with unknown arguments."""
    from jaxlint.semantics.transforms import call_wrapped
    from jaxlint.semantics.wrappers import innermost

    func = innermost(wrapped.inner)
    if func is None:
        _run_module_method(it, wrapped)
        return
    given: set[str] = set()
    count = 0
    value: Value = wrapped.inner
    while isinstance(value, Partial | Wrapped):
        if isinstance(value, Partial):
            count += len(value.args)
            given |= set(value.kwargs)
            value = value.func
        else:
            value = value.inner
    args: list[Value] = []
    skip = count
    if func.receiver is not None:
        skip += 1
    elif func.cls is not None and count == 0 and not is_static_method(func) and func.fn.params:
        skip += 1
        owner = receiver_of(it, func.cls)
        args.append(owner if not _is_class_method(func) else func.cls)
    given |= _static_inside(it, wrapped.inner, func)
    arguments = unknown_arguments(it, func, skip, given, traced=True)
    kwargs: dict[str, Value] = {}
    names = [param.name for param in func.fn.params]
    first_given = min((names.index(name) for name in given if name in names), default=len(names))
    for name, argument in arguments.items():
        if _is_positional(func.fn, name) and names.index(name) < first_given:
            args.append(argument)
        else:
            kwargs[name] = argument
    info = wrapped.transform
    star = unknown_rest(it, func) if info.mode == "abstract" and is_compiled(info.options) else None
    call_wrapped(it, wrapped, tuple(args), kwargs, wrapped.place, star, generic=True)


def _run_module_method(it: Interpreter, wrapped: Wrapped) -> None:
    """`jit(net.apply)`: a haiku or linen module's method, with unknown variables and arguments."""
    from jaxlint.semantics.attributes import class_attr
    from jaxlint.semantics.transforms import call_wrapped
    from jaxlint.semantics.wrappers import innermost

    method = wrapped.inner
    if not isinstance(method, Method) or method.name not in ("apply", "init"):
        return
    receiver = method.receiver
    args: list[Value] = []
    inner: Value | None = None
    if isinstance(receiver, ExtObj) and receiver.args and receiver.cls.startswith("haiku.Transformed"):
        inner = receiver.args[0]
        count = 1 if method.name == "init" else 1 + ("State" in receiver.cls)
        if method.name == "apply" and "without_apply_rng" not in receiver.kwargs:
            count += 1
        args = [Opaque() for _ in range(count)]
    elif isinstance(receiver, Ref) and receiver.cls is not None:
        inner = class_attr(receiver.cls, "__call__")
        args = [Opaque()]
    func = innermost(inner) if inner is not None else None
    if func is None:
        return
    skip = 1 if isinstance(receiver, Ref) else 0
    found = unknown_arguments(it, func, skip, set(), traced=True)
    args += [value for name, value in found.items() if _is_positional(func.fn, name)]
    call_wrapped(it, wrapped, tuple(args), {}, wrapped.place, generic=True)


def _static_inside(it: Interpreter, value: Value, func: Func) -> set[str]:
    """Parameters with a default that an inner transformation takes as static: nobody traces them."""
    from jaxlint.semantics.wrappers import Chosen

    found: set[str] = set()
    while isinstance(value, Partial | Wrapped):
        if isinstance(value, Wrapped):
            found |= Chosen(it, value, "static_argnums", "static_argnames").names
            value = value.inner
        else:
            value = value.func
    return {param.name for param in func.fn.params if param.name in found and param.default is not None}


def run_scheduled(it: Interpreter, wrapped: Wrapped, env: ModuleEnv) -> None:
    """Run a module's transformed function that nothing called."""
    from jaxlint.semantics.wrappers import innermost

    func = innermost(wrapped.inner)
    if func is None and not isinstance(wrapped.inner, Method):
        return
    _base(it, env)
    it.direct = True
    it.local_memo = {}
    run_wrapper(it, wrapped)


__all__ = ["Const", "call", "run_generic", "run_host", "run_scheduled", "run_wrapper"]
