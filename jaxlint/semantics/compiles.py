"""Functions that are compiled again and again, since what is compiled is a new object each time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import TransformInfo
from jaxlint.semantics.events import CompiledAnew
from jaxlint.semantics.values import ClassV, Const, Func, Opaque, Partial, Place, Ref, Value, Wrapped
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Frame
    from jaxlint.semantics.interpreter import Interpreter

COMPILING = frozenset(
    [
        "jax.jit",
        "jax.pmap",
        "jax.experimental.pjit.pjit",
        "equinox.filter_jit",
        "equinox.filter_pmap",
        "flax.nnx.jit",
        "flax.nnx.pmap",
    ]
)
"""Transformations that compile, and find the program again by the identity of the function."""

_AT_ONCE = frozenset(["jax.jit", "jax.pmap", "jax.experimental.pjit.pjit", "equinox.filter_jit"])
_FINDS_METHODS = frozenset(["jax.pmap", "equinox.filter_jit", "equinox.filter_pmap", "flax.nnx.jit", "flax.nnx.pmap"])
CONTROL_FLOW = frozenset(f"jax.lax.{name}" for name in ("scan", "cond", "switch", "fori_loop", "while_loop", "map"))
"""Control flow that compiles its functions where it does not run under a trace."""

MODULES = frozenset(["equinox_module", "linen_module", "nnx_module", "haiku_module", "nnx_object"])
"""Kinds of classes whose methods mostly run under a trace."""

_CACHES = frozenset(["cache", "lru_cache", "cached_property", "memoize", "fixture"])
_ONCE = ("main", "test", "setup", "init", "create", "build", "make", "prepare")
_ONCE_EXACTLY = frozenset(["__init__", "__post_init__", "__setstate__", "train", "run_experiment", "experiment"])


# ---- new callables --------------------------------------------------------------------------------------------------


def _fresh(it: Interpreter, value: Value, since: int) -> tuple[str, str] | None:
    """What kind of new object a callable is, and its name: made after `since`, or by the expression that names it."""
    if isinstance(value, Func):
        if value.receiver is not None:
            receiver = value.receiver
            cls = receiver.cls if isinstance(receiver, Ref) else None
            plain = not isinstance(receiver, ClassV) and (cls is None or cls.kind not in MODULES)
            return ("method", value.fn.name) if plain else None
        if value.uid <= since or (value.closure is None and it.fr.fn.parent is not None):
            return None
        return ("lambda", "") if value.fn.is_lambda else ("function", value.fn.name)
    if isinstance(value, Partial):
        return ("partial", "") if value.uid > since else None
    if isinstance(value, Wrapped):
        kept = value.transform.name in COMPILING or value.transform.mode in ("custom", "rule")
        return ("wrapped", value.transform.name.rpartition(".")[2]) if value.uid > since and not kept else None
    return ("method", value.tag[1]) if isinstance(value, Opaque) and _is_method(it, value) else None


def _is_method(it: Interpreter, value: Opaque) -> bool:
    """Whether an attribute of an unknown object can only be a method: of an ordinary class of the module."""
    if not isinstance(value.tag, tuple) or value.tag[0] != "attr" or value.parent is None:
        return False
    name = value.tag[1]
    classes = [cls for cls in it.fr.env.names.values() if isinstance(cls, ClassV)]
    if any(name in cls.fields for cls in classes):
        return False
    owners = [cls for cls in classes if name in cls.attrs]
    return len(owners) == 1 and owners[0].kind not in MODULES and isinstance(owners[0].attrs[name], Func)


def _varies(it: Interpreter, value: Value, since: int) -> bool:
    """Whether a callable depends on something that was made after `since`."""
    if isinstance(value, Func):
        if value.receiver is not None or value.closure is None or value.closure.fid != it.fr.fid:
            return True
        free = value.fn.loads.keys() - value.fn.locals
        return any(it.st.env[name].uid > since for name in free if name in it.st.env)
    if isinstance(value, Partial):
        parts = (*value.args, *value.kwargs.values())
        return any(part.uid > since for part in parts) or _varies(it, value.func, since)
    return _varies(it, value.inner, since) if isinstance(value, Wrapped) else True


# ---- wrappers that are called where they are made -------------------------------------------------------------------


def called(it: Interpreter, wrapped: Wrapped, callee: ir.Expr, place: Place) -> None:
    """A compiled function is called. Tell when it was made right here, of something new, for this call."""
    fr = it.fr
    if fr.ctx.abstract or wrapped.uid <= fr.fid or wrapped.place[0] is not fr.fn.module or _traced_class(fr):
        return
    if not _inside(fr.fn, wrapped.place[1]) or not _used_only_here(fr.fn, callee):
        return
    own = it.passes[fr.passes :]
    name = wrapped.transform.name
    if own and own[0][0] < wrapped.uid:
        variants = next(loop for loop, _ in reversed(own) if loop < wrapped.uid) in it.variant_loops
        # What a pass compiles for itself may serve an inner loop; what owes the pass nothing could be made before it.
        used_often = own[-1][0] > wrapped.uid and _varies(it, wrapped.inner, own[0][0])
        fresh = _fresh(it, wrapped.inner, own[0][0]) if not variants and not used_often else None
        if fresh is not None and _repeats(it, own[0][0], wrapped.place):
            _tell(it, CompiledAnew(wrapped.place, name, True, *fresh, fr.fn.name), fr.fn)
        return
    if name not in _AT_ONCE or fr.fn.parent is None:
        return
    calls = fr.compiled.setdefault(wrapped.place, ([], wrapped))[0]
    calls.append(None if own else place)


def finish(it: Interpreter, frame: Frame) -> None:
    """A function ends: what it compiled for one call only is compiled again by the next call of the function."""
    for place, (calls, wrapped) in frame.compiled.items():
        fn = frame.fn
        if None in calls or len(set(calls)) != 1 or _runs_once(fn) or _cached(fn):
            continue
        fresh = _fresh(it, _behind(wrapped.inner), frame.fid)
        if fresh is None or (fresh[0] == "method" and wrapped.transform.name in _FINDS_METHODS):
            continue
        _tell(it, CompiledAnew(place, wrapped.transform.name, False, *fresh, fn.name), fn)


def _behind(value: Value) -> Value:
    """What other transformations were applied to."""
    while isinstance(value, Wrapped):
        value = value.inner
    return value


def _repeats(it: Interpreter, loop: int, place: Place) -> bool:
    """Whether this path has come here before in the same loop."""
    fact = ("compiled", loop, place[1])
    if it.st.facts.get(fact):
        return True
    it.st.assume(fact, True)
    return False


def _tell(it: Interpreter, event: CompiledAnew, fn: ir.FunctionIR) -> None:
    """Emit the event in the end, unless the function turns out to run under a trace."""
    key = (event.place[0].path, event.place[1])
    if key not in it.compiled_anew:
        it.compiled_anew.add(key)
        it.later.append(lambda: None if runs_traced(it, fn) else it.emit(event))


def runs_traced(it: Interpreter, fn: ir.FunctionIR | None) -> bool:
    """Whether a function, or one around it, was seen running under a trace."""
    while fn is not None:
        if id(fn) in it.traced_functions:
            return True
        fn = fn.parent
    return False


def _traced_class(frame: Frame) -> bool:
    return frame.cls is not None and frame.cls.kind in MODULES


def _inside(fn: ir.FunctionIR, node: int) -> bool:
    """Whether a node belongs to the function itself."""
    return fn.parent is None or fn.id <= node < fn.id + fn.size


def _runs_once(fn: ir.FunctionIR) -> bool:
    """Whether a function is one that a program runs once: `main`, a test, what sets something up."""
    if fn.is_lambda:
        return False
    path = fn.module.path.rpartition("/")[2]
    if path.startswith(("test_", "conftest")) or path.endswith("_test.py"):
        return True
    words = fn.name.strip("_").split("_")
    return fn.name.lstrip("_").startswith(_ONCE) or "init" in words or fn.name in _ONCE_EXACTLY


def _cached(fn: ir.FunctionIR) -> bool:
    """Whether the function's results are kept, so that it runs once for each argument."""
    for _, expr in fn.decorators:
        while type(expr) is ir.Call:
            expr = expr.func
        name = expr.attr if type(expr) is ir.Attr else expr.name if type(expr) is ir.Name else ""
        if name in _CACHES:
            return True
    return False


def _used_only_here(fn: ir.FunctionIR, callee: ir.Expr) -> bool:
    """Whether the compiled function is called where it is made, or through a local name that is only called."""
    if type(callee) is ir.Call:
        return True
    if type(callee) is not ir.Name or callee.name in fn.globals or callee.name in fn.nonlocals:
        return False
    if any(inner.parent is fn and callee.name in inner.loads for inner in fn.module.functions):
        return False
    return _only_called(fn, callee.name)


@lru_cache(maxsize=8)
def _only_called(fn: ir.FunctionIR, name: str) -> bool:
    """Whether a function reads a name only to call it. Each of its runs asks this at each call."""
    wrapping = {id(node.value) for node in nodes(fn.body) if isinstance(node, ir.Assign) and _rebinds(node, name)}
    return not any(_keeps(node, name) for node in nodes(fn.body) if id(node) not in wrapping)


def _rebinds(stmt: ir.Assign, name: str) -> bool:
    """Whether a statement binds the name anew: to what wraps the function, where another path goes."""
    return len(stmt.targets) == 1 and isinstance(stmt.targets[0], ir.Name) and stmt.targets[0].name == name


def _keeps(node: Any, name: str) -> bool:
    """Whether a node reads the name for anything but a call."""
    for part in parts(node):
        if type(part) is ir.Name and part.name == name:
            target = isinstance(node, ir.Assign) and any(part is item for item in node.targets)
            if not target and not (type(node) is ir.Call and part is node.func):
                return True
    return False


def parts(node: Any) -> Iterator[Any]:
    """The nodes right below a node of the compact form."""
    for slot in _slots(type(node)):
        yield from _flat(getattr(node, slot))


_BELOW = (ir.Node, ir.Clause, ir.Handler, ir.Case)


def _flat(value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind is str or kind is int or value is None:
        return
    if kind is list or kind is tuple:
        for item in value:
            if type(item) is not str:
                yield from _flat(item)
    elif isinstance(value, _BELOW):
        yield value
    elif isinstance(value, ir.FunctionIR):
        yield from value.body


_SLOTS: dict[type, tuple[str, ...]] = {}


def _slots(kind: type) -> tuple[str, ...]:
    found = _SLOTS.get(kind)
    if found is None:
        found = tuple(slot for base in kind.__mro__ for slot in getattr(base, "__slots__", ()) if slot != "id")
        _SLOTS[kind] = found
    return found


def nodes(body: Any) -> Iterator[Any]:
    """All nodes of a body, nested functions included."""
    queue = list(_flat(body))
    while queue:
        node = queue.pop()
        yield node
        queue += parts(node)


# ---- control flow ---------------------------------------------------------------------------------------------------


def fed(it: Interpreter, info: TransformInfo, functions: list[Value], place: Place) -> None:
    """Control flow gets its functions where nothing is traced: it compiles them. Tell when a loop makes them anew."""
    fr = it.fr
    own = it.passes[fr.passes :]
    if not own or fr.ctx.abstract or _traced_class(fr):
        return
    for function in functions:
        fresh = _fresh(it, function, own[0][0])
        if fresh is not None and _repeats(it, own[0][0], place):
            _tell(it, CompiledAnew(place, info.name, True, *fresh, fr.fn.name), fr.fn)
            return


__all__ = ["COMPILING", "CONTROL_FLOW", "Const", "called", "fed", "finish", "nodes", "runs_traced"]
