"""Calls: evaluating arguments, binding parameters, and running or summarising the callee."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, compiles, stacked, timing, varying
from jaxlint.semantics.caches import Meeting, mark, outside_the_trace
from jaxlint.semantics.demands import DEMANDS
from jaxlint.semantics.events import Called
from jaxlint.semantics.expressions import evaluate
from jaxlint.semantics.frames import Ctx, Frame
from jaxlint.semantics.interpreter import MAX_DEPTH, MAX_RUNS, MAX_STEPS, MAX_WORK
from jaxlint.semantics.memos import first_call
from jaxlint.semantics.provenance import note
from jaxlint.semantics.state import join
from jaxlint.semantics.values import (
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
    Opaque,
    Partial,
    Place,
    Ref,
    TupleV,
    Union,
    Value,
    Wrapped,
    traced_inside,
    weaken,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def evaluate_call(it: Interpreter, expr: ir.Call) -> Value:
    """The value of a call expression."""
    from jaxlint.semantics.iteration import iterate

    callee = _callee(it, expr.func)
    args: list[Value] = []
    spread: list[Value] = []
    star: Value | None = None
    for argument in expr.args:
        if type(argument) is not ir.Star:
            args.append(evaluate(it, argument))
            continue
        value = evaluate(it, argument.value)
        spread.append(value)
        sequence = iterate(it, value, it.place(argument))
        if sequence.length is not None and sequence.length <= 32 and star is None:
            args += [sequence.element(it, i) for i in range(sequence.length)]
        elif star is None:
            star = sequence.element(it, 0)
            if value.trace is None and isinstance(star, Opaque) and star.trace is None:
                star = it.child((star.uid, "spread"), Opaque)
    kwargs: dict[str, Value] = {}
    for name, value_expr in expr.keywords:
        value = evaluate(it, value_expr)
        if name is not None:
            kwargs[name] = value
            continue
        spread.append(value)
        if isinstance(value, Ref) and value.kind == "dict":
            content = it.st.content(value)
            kwargs.update({key: held for key, held in content.items.items() if isinstance(key, str)})
        else:
            it.open_call = it.place(expr)
    if it.fr.ctx.pending and not (type(callee) is Ext and callee.name.startswith("builtins.")):
        _handed_on(it, (*args, *kwargs.values(), *spread))
    place = it.place(expr)
    if type(callee) is Wrapped or type(callee) is Partial:
        _compiled(it, callee, tuple(args), kwargs, expr)
    elif type(callee) is Union:
        for member in callee.members:
            _compiled(it, member, tuple(args), kwargs, expr)
    elif it.follows_rows:
        if type(callee) is Ext:
            stacked.called(it, callee.name, expr)
        elif type(callee) is Method and callee.name == "append" and len(args) == 1:
            it.elements[id(expr.args[0])] = args[0]
    if type(callee) is Method:
        from jaxlint.semantics.methods import call_method
        from jaxlint.semantics.mutations import describe

        base_name = describe(expr.func.obj) if isinstance(expr.func, ir.Attr) else "…"
        return call_method(it, callee, tuple(args), kwargs, place, base_name, dropped=it.dropped is expr)
    return call(it, callee, tuple(args), kwargs, place, star)


def _handed_on(it: Interpreter, values: tuple[Value, ...]) -> None:
    """A changed copy of an argument that another call is given is put to use: nothing of the change is lost."""
    ctx = it.fr.ctx
    uids = {value.uid for value in values if value.uid}
    ctx.pending = [(changed, event) for changed, event in ctx.pending if not changed & uids]


def _compiled(it: Interpreter, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], expr: ir.Call) -> None:
    """What a call of a compiled function tells of compiling it."""
    found = varying.behind_partial(callee)
    if found is None or found[0].transform.name not in compiles.COMPILING:
        return
    wrapped, bound = found
    if wrapped is callee:
        compiles.called(it, wrapped, expr.func, it.place(expr))
    if it.passes:
        varying.called(it, wrapped, bound, args, kwargs, expr)


def _callee(it: Interpreter, func: ir.Expr) -> Value:
    """What is called; a method of an opaque value stays a method of it."""
    if type(func) is not ir.Attr:
        return evaluate(it, func)
    from jaxlint.semantics.attributes import get_attr

    base = evaluate(it, func.obj)
    if isinstance(base, Opaque):
        changed = it.st.heap.get(base.uid)
        if not (isinstance(changed, Content) and func.attr in changed.items):
            return Method(base, func.attr)
    return get_attr(it, base, func.attr, it.place(func))


def call(
    it: Interpreter,
    callee: Value,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
    star: Value | None = None,
) -> Value:
    """The value of calling `callee`; `star` stands for further positional arguments of unknown number."""
    kind = type(callee)
    if kind is Func:
        return call_func(it, callee, args, kwargs, place, star)  # type: ignore[arg-type]
    if kind is Ext:
        from jaxlint.semantics.libraries import call_ext

        return call_ext(it, callee.name, args, kwargs, place, star)  # type: ignore[attr-defined]
    if kind is Partial:
        merged = {**callee.kwargs, **kwargs}  # type: ignore[attr-defined]
        return call(it, callee.func, callee.args + args, merged, place, star)  # type: ignore[attr-defined]
    if kind is Wrapped:
        from jaxlint.semantics.transforms import call_wrapped

        return call_wrapped(it, callee, args, kwargs, place, star)  # type: ignore[arg-type]
    if kind is ClassV:
        from jaxlint.semantics.classes import instantiate

        return instantiate(it, callee, args, kwargs, place, star)  # type: ignore[arg-type]
    if kind is Method:
        from jaxlint.semantics.methods import call_method

        return call_method(it, callee, args, kwargs, place, "…")  # type: ignore[arg-type]
    if kind is Ref:
        from jaxlint.semantics.attributes import call_method_of

        result = call_method_of(it, callee, "__call__", args, kwargs, place)  # type: ignore[arg-type]
        return result if result is not None else unknown_call(it, callee, args, kwargs, place)
    if kind is ExtObj:
        from jaxlint.semantics.libraries import call_ext_obj

        return call_ext_obj(it, callee, args, kwargs, place)  # type: ignore[arg-type]
    if kind is Union:
        return _call_union(it, callee, args, kwargs, place, star)  # type: ignore[arg-type]
    return unknown_call(it, callee, args, kwargs, place)


def _call_union(
    it: Interpreter, callee: Union, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place, star: Value | None
) -> Value:
    from jaxlint.semantics.state import join_all

    result: Value | None = None
    start = it.st
    after = []
    emit = it.emit
    if sum(isinstance(member, Ext) for member in callee.members) > 1:
        # Which library is called (NumPy or jax.numpy, say) was chosen by what cannot be seen: the fitting one.
        it.emit = lambda event: None if event.place == place and isinstance(event, DEMANDS) else emit(event)
    for member in callee.members:
        if member is NONE:
            continue
        it.st = start.fork()
        value = call(it, member, args, kwargs, place, star)
        result = value if result is None else join(result, value)
        after.append(it.st)
    it.emit = emit
    if not after or result is None:
        it.st = start
        return UNKNOWN
    it.st = join_all(after)
    return result


_HARMLESS = frozenset(
    [
        "append",
        "add",
        "insert",
        "extend",
        "replace",
        "_replace",
        "update",
        "set",
        "get",
        "pop",
        "info",
        "debug",
        "warning",
        "error",
        "log",
        "put",
        "items",
        "setdefault",
        "assertEqual",
        "assertTrue",
        "write",
        "format",
        "join",
        "register",
        "save",
        "restore",
        "log_metrics",
        "array",
        "asarray",
        "asanyarray",
        "concatenate",
        "device_get",
        "device_put",
        "reshape",
        "stack",
    ]
)


_VALUE_METHODS = frozenset(
    name
    for kind in (str, bytes, list, tuple, dict, set, deque, range)
    for name in dir(kind)
    if not name.startswith("_")
)
"""Methods that Python's own values have: they use no keys up, and start no work."""

_CHECKS = ("assert", "fail", "skip", "subTest")
"""How the methods of a test case begin that only look at what they are given."""


def _is_plain_method(it: Interpreter, callee: Value, name: str, values: tuple[Value, ...]) -> bool:
    """Whether an unknown object's method is one of Python's values, of arrays or of tests, and is given no key."""
    from jaxlint.semantics.keys import is_key

    if not name and type(callee) is Opaque and isinstance(callee.tag, tuple) and callee.tag[0] == "attr":
        name = callee.tag[1]
    if not name or isinstance(callee, Ext | Func):
        return False
    if name.startswith(_CHECKS):
        return True
    of_arrays = it.knowledge.functions.get(f"jax.Array.{name}")
    known = name in _VALUE_METHODS or (of_arrays is not None and of_arrays.effect("sync") is None)
    return known and not any(isinstance(value, Key) or is_key(it, value) for value in values)


def _named(callee: Value, name: str) -> str:
    """What the counts of unknown callees call one."""
    if isinstance(callee, Ext):
        return callee.name
    if isinstance(callee, Func):
        return f"{callee.fn.name}, which subclasses define"
    if name:
        return f".{name}"
    return f"a value called {callee.name}" if isinstance(callee, Opaque) and callee.name else "a value"


def unknown_call(
    it: Interpreter, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place, name: str = ""
) -> Value:
    """A call of something that cannot be seen: keys given to it count as consumed."""
    from jaxlint.semantics.keys import consume, consume_deep, is_key

    plain = _is_plain_method(it, callee, name, (*args, *kwargs.values()))
    if not plain:
        it.gave_up("unknown callee", _named(callee, name))
    stores = plain or name in _HARMLESS or name[:1].isupper()
    if not it.fr.ctx.depth and (not stores or name in ("save", "restore")):
        timing.unseen(it)
    for keyword, value in (*((None, value) for value in args), *kwargs.items()):
        if isinstance(value, Key) or is_key(it, value):
            if not stores or keyword == "key" or keyword in it.knowledge.key_names:
                consume(it, value, "unknown", place)
        elif isinstance(value, Opaque) and not value.static and not stores:
            consume(it, value, "unknown", place, definite=keyword in it.knowledge.key_names)
        elif keyword == "rngs":
            consume_deep(it, value, "unknown", place, keys=True)
        if it.donations:
            buffers.read_donated(it, value, place)
    trace = callee.trace
    if it.fr.ctx.abstract:
        for value in (*args, *kwargs.values()):
            trace = trace or traced_inside(value)
        if trace is not None and trace.certain and callee.trace is not None and callee.trace.certain:
            return Opaque(name, trace=trace)  # a module that came in as an argument
    return note(Opaque(name, trace=weaken(trace)), f"call.{name}", args, place)


# ---- functions of the project ---------------------------------------------------------------------------------------


def _element_of(it: Interpreter, known: tuple[Value, ...], star: Value, taken: int) -> Callable[[Any], Value]:
    """The elements of a tuple that begins with known values; of `star`, that many went to parameters of their own."""

    def element(index: Any) -> Value:
        if not isinstance(index, int):
            return star
        if 0 <= index < len(known):
            return known[index]
        return _spread(it, star, "", taken + index - len(known) if index >= 0 else index)

    return element


def _spread(it: Interpreter, star: Value, name: str, position: int) -> Value:
    """One of the values that `*star` hands over: the same one each time."""
    if not isinstance(star, Opaque):
        return Opaque(name, trace=star.trace)
    return it.child((star.uid, "at", position), lambda: Opaque(name, trace=star.trace, tag=star.tag))


def bind_arguments(
    it: Interpreter,
    func: Func,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    star: Value | None = None,
) -> dict[str, Value]:
    """The variables that a call starts with: every parameter by name."""
    from jaxlint.semantics.type_hints import annotated, hinted

    env: dict[str, Value] = {}
    if func.receiver is not None:
        args = (func.receiver, *args)
    given = list(args)
    rest_kwargs = dict(kwargs)
    taken = 0
    for param in func.fn.params:
        name, kind = param.name, param.kind
        if kind == "star":
            if star is None:
                env[name] = TupleV(tuple(given))
            else:
                env[name] = Many("tuple", _element_of(it, tuple(given), star, taken))
            given = []
            continue
        if kind == "starstar":
            env[name] = Ref("dict", it.fr.ctx.depth, Content(rest_kwargs, None, True))
            continue
        if kind != "kw" and given:
            value = given.pop(0)
        elif name in rest_kwargs:
            value = rest_kwargs.pop(name)
        elif star is not None and kind != "kw":
            value = _spread(it, star, name, taken)
            taken += 1
        elif func.defaults is not None and name in func.defaults:
            value = func.defaults[name]
        else:
            value = Opaque(name)
        if isinstance(value, TupleV | Ref) and getattr(value, "kind", "") != "object":
            it.given_collections.add((func.fn, name))
        if type(value) is Opaque and value.hint is None:
            if param.annotation is not None:
                value = annotated(it, param.annotation, value)
            elif value.trace is not None and func.fn.only_tested(name):
                value = hinted(it, value, "array")
        env[name] = value
    return env


def call_func(
    it: Interpreter,
    func: Func,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    place: Place,
    star: Value | None = None,
    ctx: Ctx | None = None,
) -> Value:
    """Call a function of the project: nested functions run in place, others through a summary."""
    from jaxlint.semantics import abstraction, summaries

    fn = func.fn
    if it.statements > MAX_WORK:
        it.gave_up("file budget")
        timing.unseen(it)
        it.tainted.add("file budget")  # what is known from here on serves this file only
        return Opaque()
    if it.depth >= MAX_DEPTH or it.steps > MAX_STEPS:
        it.gave_up("budget")
        timing.unseen(it)
        return Opaque()
    if it.running.count(fn) > 1 or (it.running.count(fn) == 1 and func.closure is None):
        return Opaque()
    if func.receiver is not None and not it.direct and is_stub(fn):
        return unknown_call(it, func, args, kwargs, place, fn.name)  # a subclass does what it does
    env = bind_arguments(it, func, args, kwargs, star)
    context = ctx if ctx is not None else it.fr.ctx
    if it.donations and not buffers.deletes(fn):
        for value in (*args, *kwargs.values()):
            if not isinstance(value, Func):
                buffers.read_donated(it, value, place)
    direct, it.direct = it.direct, False
    meeting = Meeting(it, func, env, place) if it.cached and id(fn) in it.cached else None
    once = context.depth > 0 and func.receiver is not None and first_call(it, place, func.receiver)
    filled = meeting is not None and meeting.may_be_filled(context)
    emit = it.emit
    it.done_once += once
    if filled:
        it.filled += 1
        it.emit = outside_the_trace(emit)
    in_script = bool(context.bodies) and it.fr.fn.parent is None  # whose own variables the body sees
    if direct or in_script or func.closure is not None or fn.is_lambda or not abstraction.can_abstract(it, env):
        result = run_inline(it, func, env, place, context)
    else:
        result = summaries.call_summarised(it, func, env, place, context)
    it.emit = emit
    it.filled -= filled
    it.done_once -= once
    if meeting is not None:
        meeting.returned(it, result)
    return result


def is_stub(fn: ir.FunctionIR) -> bool:
    """Whether a method only says that subclasses must define it."""
    if len(fn.body) > 2 or not fn.body:
        return False
    last = fn.body[-1]
    if len(fn.body) == 2 and not (isinstance(fn.body[0], ir.ExprStmt) and isinstance(fn.body[0].value, ir.Lit)):
        return False
    if not isinstance(last, ir.Raise):
        return False
    raised = last.value.func if isinstance(last.value, ir.Call) else last.value
    return isinstance(raised, ir.Name) and raised.name == "NotImplementedError"


def run_inline(it: Interpreter, func: Func, env: dict[str, Value], place: Place, ctx: Ctx) -> Value:
    """Run the callee inside the caller's state."""
    runs = it.runs.get(id(func.fn), 0)
    if runs >= MAX_RUNS:
        it.gave_up("repeated")
        timing.unseen(it)
        return Opaque()
    it.runs[id(func.fn)] = runs + 1
    frame = Frame(func.fn, func.env, ctx, it.fr, place, func.closure, func)
    return it.run_frame(frame, env)


def apply_decorators(
    it: Interpreter, func: Func, decorators: list[tuple[int, ir.Expr]], siblings: dict[str, Value] | None = None
) -> Value:
    """The value that a decorated definition binds."""
    value: Value = func
    for node_id, expr in reversed(decorators):
        if type(expr) is ir.Attr and expr.attr in ("setter", "deleter", "getter") and siblings is not None:
            return siblings.get(func.fn.name, UNKNOWN)
        if type(expr) is ir.Call and _same_with_options(it, expr):
            continue
        decorator = evaluate(it, expr)
        value = _decorate(it, decorator, value, (it.fr.fn.module, node_id))
    if isinstance(value, Wrapped) and value.transform.mode in ("abstract", "shape"):
        it.decorated_away.add(id(func.fn))
    return value


_SAME = ("transparent", "same", "marker", "test_parameters", "expected_failure", "entry_point", "retry")
"""Effects of decorators that leave the function what it is to its callers."""


def _same_with_options(it: Interpreter, expr: ir.Call) -> bool:
    """Whether a decorator with options, such as `@named_scope("attention")`, leaves the function what it is."""
    if type(expr.func) not in (ir.Name, ir.Attr):
        return False
    maker = evaluate(it, expr.func)
    if type(maker) is not Ext or it.knowledge.decorators.get(maker.name, "") not in _SAME:
        return False
    for argument in (*expr.args, *(value for _, value in expr.keywords)):
        evaluate(it, argument.value if type(argument) is ir.Star else argument)
    return True


def _decorate(it: Interpreter, decorator: Value, value: Value, place: Place) -> Value:
    inner: Value = decorator
    while isinstance(inner, Partial):
        inner = inner.func
    if isinstance(inner, Ext):
        name = inner.name
        effect = it.knowledge.decorators.get(name, "")
        word = effect.split("(", 1)[0].split(";", 1)[0].strip()
        short = name.rpartition(".")[2]
        if short in ("property", "cached_property"):
            if short == "cached_property":
                mark(it, value, place)
            return Descriptor(short, value)
        if short in ("staticmethod", "classmethod"):
            return Descriptor(short, value)
        if word == "cached" or name == "functools.__cache__":
            mark(it, value, place)
            return value
        if name == "functools.wraps" or word in _SAME:
            return value
        if word == "contextmanager" and isinstance(value, Func) and changes_nothing(value.fn):
            return value  # entering it gives what the generator yields
    by_method = isinstance(decorator, Method) and isinstance(decorator.receiver, Wrapped)
    if (isinstance(decorator, Opaque | Method) and not by_method) or decorator is UNKNOWN:
        it.gave_up("unknown decorator", decorator.name if isinstance(decorator, Opaque | Method) else "")
        return Opaque(value.fn.name) if isinstance(value, Func) else Opaque()
    result = call(it, decorator, (value,), {}, place)
    return result


def changes_nothing(fn: ir.FunctionIR) -> bool:
    """Whether a function stores nothing into what outlives it, and so has nothing to set back."""
    if fn.globals or fn.nonlocals:
        return False
    for node in compiles.nodes(fn.body):
        if isinstance(node, ir.Try):
            return False
        if isinstance(node, ir.Assign | ir.Delete) and any(isinstance(t, ir.Attr | ir.Sub) for t in node.targets):
            return False
        if isinstance(node, ir.AugAssign) and not isinstance(node.target, ir.Name):
            return False
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.attr in CONTAINER_CHANGES:
            return False
    return True


def told(it: Interpreter, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], place: Place) -> None:
    """Tell that a library function is called."""
    ctx = it.fr.ctx
    it.emit(Called(place, name, args, kwargs, ctx.depth > 0, ctx.why))


__all__ = ["Any", "Array", "At", "Const", "apply_decorators", "bind_arguments", "call", "evaluate_call", "unknown_call"]
