"""Stores that outlive a trace: into attributes, items, containers and modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.events import ItemAssigned, Mutated
from jaxlint.semantics.values import (
    UNKNOWN,
    Array,
    ClassV,
    Content,
    ExtObj,
    Func,
    ModuleV,
    Opaque,
    Place,
    Ref,
    Union,
    Value,
    Wrapped,
    ancestors,
    traced_inside,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


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


DICT_METHODS = frozenset({".pop", ".items", ".keys", ".values", ".get", ".update", ".setdefault"})
"""Uses of a name that say that it holds a dict."""


def is_jax_array(it: Interpreter, base: Value, expr: Any) -> bool:
    """Whether an item store goes to an immutable JAX array, and not to a dict of them."""
    if type(expr) is ir.Name and it.fr.fn.uses.get(expr.name, set()) & DICT_METHODS:
        return False
    if isinstance(base, Array):
        return base.lib == "jax"
    if isinstance(base, Opaque):
        if base.trace is not None:
            return base.hint == "array" and base.trace.certain
        return base.hint == "array" and _declared_jax(it, expr)
    return False


_JAX_TYPES = frozenset({"jax.Array", "jax.numpy.ndarray"})
"""Annotations that promise an array of JAX and nothing else."""


def _declared_jax(it: Interpreter, expr: Any) -> bool:
    """Whether the annotation of a parameter promises an array of JAX."""
    from jaxlint.semantics.type_hints import names_library_type

    if type(expr) is ir.Name:
        found = (param.annotation for param in it.fr.fn.params if param.name == expr.name)
        return any(annotation is not None and names_library_type(it, annotation, _JAX_TYPES) for annotation in found)
    return False


def mutation(
    it: Interpreter, target: Value, name: str, stored: Value | None, place: Place, *, accumulates: bool = False
) -> None:
    """Tell when a store into `target` outlives the running trace; `accumulates` when each run adds to it."""
    from jaxlint.semantics.compiles import runs_traced
    from jaxlint.semantics.undone import counterparts, undone

    ctx = it.fr.ctx
    if isinstance(target, Ref):
        _note_change(it, target, name, place)
    if ctx.depth == 0 or (ctx.shape and (stored is None or traced_inside(stored) is None)):
        return
    if _explicit_state(it, target, name) or undone(it, name):
        return
    static = stored is None or traced_inside(stored) is None
    if static and (_balanced(it) or _memoised(it, name, place) or deliberate_store(it, name, place)):
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
        if deliberate_store(it, name, place):
            return  # a memo of this trace
        event.target = "argument" if kind != "self" else kind
        if not (isinstance(target, Opaque) and _may_be_handed_back(it)):
            ctx.pending.append((chain, event))
        return
    if static and not ctx.abstract and not (ctx.mode == "batched" and (accumulates or it.augmenting)):
        return  # eager `vmap` and `grad` run the function on every call; rows are counted once all the same
    older = target.depth < ctx.depth if isinstance(target, Ref) else uid in it.older or uid < ctx.mark
    if not older or not isinstance(target, Ref | Opaque):
        return
    others = counterparts(it, name)
    if others:
        it.later.append(lambda: None if any(runs_traced(it, fn) for fn in others) else it.emit(event))
    else:
        it.emit(event)


def _may_be_handed_back(it: Interpreter) -> bool:
    """Whether an argument of unknown class may be one that the caller sees changed: a variable of flax.

    Its own transformations hand objects back, and those of JAX the variables that are made to be changed in a trace.
    """
    return it.fr.ctx.transform.startswith("flax.nnx.") or "hijax" in it.fr.fn.module.keywords


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


def _memoised(it: Interpreter, name: str, place: Place) -> bool:
    """Whether the function looks into the container before it stores: a memo, which may be filled once."""
    uses = it.fr.fn.uses.get(name.removesuffix("[…]"), set())
    return bool(uses & {"in", ".get", "len()"}) and not _counts_up(it, place)


def _counts_up(it: Interpreter, place: Place) -> bool:
    """Whether the statement stores a number that it computes from the one it finds: `d[k] = d.get(k, 0) + 1`."""
    from jaxlint.semantics.compiles import nodes

    stmt = next((node for node in nodes(it.fr.fn.body) if isinstance(node, ir.Assign) and node.id == place[1]), None)
    if stmt is None or not isinstance(stmt.value, ir.Bin) or not isinstance(stmt.targets[0], ir.Sub):
        return False
    held = describe(stmt.targets[0].obj)
    called = (node.func for node in nodes([stmt.value]) if isinstance(node, ir.Call))
    return any(isinstance(func, ir.Attr) and func.attr == "get" and describe(func.obj) == held for func in called)


def deliberate_store(it: Interpreter, name: str, place: Place) -> bool:
    """Whether a test around the store says that it is meant for the time of tracing."""
    from jaxlint.semantics.memos import deliberate

    return it.done_once > 0 or deliberate(it, place, name)


def _explicit_state(it: Interpreter, target: Value, name: str) -> bool:
    """Whether something gathers what is stored in the object, and hands it on when the trace is over."""
    from jaxlint.semantics.properties import is_managed

    if isinstance(target, Ref) and target.cls is not None and target.cls.kind in _EXPLICIT:
        return True
    return is_managed(it, target, name.rpartition(".")[2])


_EXPLICIT = frozenset({"nnx_module", "linen_module", "haiku_module", "nnx_object"})


def set_attr(it: Interpreter, base: Value, attr: str, value: Value, place: Place, base_expr: Any) -> None:
    """`base.attr = value`."""
    from jaxlint.semantics.properties import is_managed

    if isinstance(base, Union):
        for member in base.members:
            set_attr(it, member, attr, value, place, base_expr)
        return
    name = f"{describe(base_expr)}.{attr}"
    if it.fr.ctx.depth and is_managed(it, base, attr):
        value = UNKNOWN  # whoever gathers it puts something else there when the trace is over
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
    elif isinstance(base, Func | Wrapped):
        if it.fr.ctx.depth > 0 and base.uid < it.fr.ctx.mark and traced_inside(value) is not None:
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
