"""Variables that a remembered trace has read, and whether they hold something else when the function runs again.

JAX keeps the trace of a function object: a global, a closed-over variable or the content of an outer object is a
constant of it. Reads are noted while the function runs under a transformation that remembers; when the call is over,
what each variable holds is compared with what it held after the earlier call of the same function on this path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.compiles import runs_traced
from jaxlint.semantics.events import StaleRead
from jaxlint.semantics.updates import blocks
from jaxlint.semantics.values import (
    Content,
    Func,
    Partial,
    Place,
    Ref,
    Value,
    Wrapped,
    fingerprint,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Ctx
    from jaxlint.semantics.interpreter import Interpreter

Variable = tuple[Any, ...]
"""("v", call, name): a variable of an enclosing call; ("g", path, name): of a module; ("r", uid): the content of a
container; ("a", uid, attribute): of an object."""

_PLAIN = frozenset({"object", "dataclass"})


class Read:
    """The first read of a variable under a trace."""

    __slots__ = ("function", "name", "owner", "place", "ref")

    def __init__(
        self, place: Place, name: str, function: str, ref: Ref | None = None, owner: ir.FunctionIR | None = None
    ) -> None:
        self.place = place
        self.name = name
        self.function = function
        self.ref = ref
        self.owner = owner


# ---- noting reads ---------------------------------------------------------------------------------------------------


def name_read(it: Interpreter, expr: ir.Name) -> None:
    """A name that the running function does not bind is read under a trace that is remembered."""
    name = expr.name
    fr = it.fr
    closure = fr.own.parent
    while closure is not None:
        if name in closure.fn.locals:
            if name in rebound(it, closure.fn):
                read = Read(it.place(expr), name, fr.fn.name, owner=closure.fn)
                _note(fr.ctx, ("v", closure.fid, name), read, closure.fid)
            return
        closure = closure.parent
    top = fr.env.ir.top
    if top is not None and name in rebound(it, top):
        _note(fr.ctx, ("g", fr.env.path, name), Read(it.place(expr), name, fr.fn.name), 0)


def container_read(it: Interpreter, ref: Ref, place: Place) -> None:
    """The content of a container is read under a trace that is remembered."""
    if not ref.argument and ref.kind != "object" and ref.depth < it.fr.ctx.depth:
        _note_ref(it.fr.ctx, ("r", ref.uid), Read(place, ref.name, it.fr.fn.name, ref), ref)


def attribute_read(it: Interpreter, ref: Ref, attr: str, place: Place) -> None:
    """An attribute of an ordinary object is read under a trace that is remembered."""
    if ref.argument or ref.depth >= it.fr.ctx.depth or (ref.cls is not None and ref.cls.kind not in _PLAIN):
        return
    name = f"{ref.name}.{attr}" if ref.name else attr
    _note_ref(it.fr.ctx, ("a", ref.uid, attr), Read(place, name, it.fr.fn.name, ref), ref)


def _note(ctx: Ctx | None, variable: Variable, read: Read, older_than: int) -> None:
    while ctx is not None:
        if ctx.reads is not None and older_than < ctx.mark:
            ctx.reads.setdefault(variable, read)
        if ctx.boundary:
            return
        ctx = ctx.parent


def _note_ref(ctx: Ctx | None, variable: Variable, read: Read, ref: Ref) -> None:
    while ctx is not None:
        if ctx.reads is not None and ref.depth < ctx.depth:
            ctx.reads.setdefault(variable, read)
        if ctx.boundary:
            return
        ctx = ctx.parent


def replay_read(ctx: Ctx, variable: Variable, read: Read, actual: dict[int, Value]) -> None:
    """A callee that was run before has read a variable: note it for this call of it."""
    if variable[0] == "g":
        _note(ctx, variable, read, 0)
        return
    ref = read.ref
    if ref is None:
        return
    found = actual.get(ref.uid, ref)
    if isinstance(found, Ref) and not found.argument:
        name = read.name
        if found.name and ref.name and name.startswith(ref.name + "."):
            name = found.name + name[len(ref.name) :]
        moved = Read(read.place, name, read.function, found)
        _note_ref(ctx, (variable[0], found.uid, *variable[2:]), moved, found)


def replay_write(it: Interpreter, variable: Variable, actual: dict[int, Value]) -> None:
    """A callee that was run before under a trace wrote to a variable of what it was given."""
    if variable in it.traced_writes and variable[0] in ("r", "a") and variable[1] in actual:
        it.traced_writes.add((variable[0], actual[variable[1]].uid, *variable[2:]))


# ---- comparing ------------------------------------------------------------------------------------------------------


def identity(it: Interpreter, function: Value, static: tuple[Any, ...] = ()) -> Any:
    """What JAX remembers the trace by: the function object and its static arguments; None where that is not known."""
    if None in static:
        return None
    if isinstance(function, Func):
        if function.receiver is not None:
            uid = function.receiver.uid
            return ("m", id(function.fn), uid, static) if uid else None
        if function.closure is None:
            return ("f", id(function.fn), 0, static)
        return ("u", function.uid, 0, static)
    if isinstance(function, Partial | Wrapped):
        return ("u", function.uid, 0, static)
    return None


def remember(it: Interpreter, root: Any, reads: dict[Variable, Read], applied: Place) -> None:
    """A remembered call is over: keep what it read, and tell what has changed since the last one."""
    if root is None:
        return
    for variable, read in reads.items():
        if variable not in it.traced_writes:
            compare(it, root, variable, read, applied)


def handed_out(it: Interpreter, reads: dict[Variable, Read], applied: Place) -> None:
    """A function that its maker never calls reads a variable which another such function rebinds.

    Both were handed out, to be called in any order.
    """
    for variable, read in reads.items():
        owner = read.owner
        if owner is None or variable in it.traced_writes:
            continue
        for inner in owner.module.functions:
            stmt = _last_binding(inner.body, read.name) if read.name in inner.nonlocals else None
            if stmt is not None and inner.parent is owner and id(inner) not in it.entered:
                event = StaleRead(read.place, read.name, read.function, (inner.module, stmt.id), False, applied, False)
                it.later.append(lambda fn=inner, event=event: None if runs_traced(it, fn) else it.emit(event))  # type: ignore[misc]
                break


def compare(it: Interpreter, root: Any, variable: Variable, read: Read, applied: Place) -> None:
    """Keep or compare one variable; a memo that was empty and is full has not changed."""
    cls = read.ref.cls if read.ref is not None else None
    if variable[0] == "a" and cls is not None and (cls.uid, variable[2]) in it.memo_attributes:
        return
    key = ("cap", root, variable)
    st = it.st
    held = _held(it, variable, read)
    before = st.heap.get(key)
    if before is not None and not _same(before[0], held):
        first: Read = before[1]
        uid = variable[1] if variable[0] == "a" else 0
        bound = bool(uid) and (root[2] == uid or ("u", uid) in root[3])
        mutated = variable[0] in ("r", "a")
        changed = _changed_at(it, variable, first)
        it.emit(StaleRead(first.place, first.name, first.function, changed, mutated, applied, bound))
    elif before is None:
        st.heap = {**st.heap, key: (held, read, applied)}


def replay(it: Interpreter, key: Any, kept: Any, actual: dict[int, Value]) -> None:
    """A callee that was run before has called a function whose trace is remembered."""
    _, root, variable = key
    _, read, applied = kept
    kind, code, uid, static = root
    if kind == "u" or variable[0] == "v" or variable in it.traced_writes:
        return
    ref: Ref | None = read.ref
    if ref is not None:
        found = actual.get(ref.uid, ref)
        if not isinstance(found, Ref):
            return
        variable = (variable[0], found.uid, *variable[2:])
        read = Read(read.place, read.name, read.function, found)
    static = tuple(_translated(part, actual) for part in static)
    if uid in actual:
        uid = actual[uid].uid
    compare(it, (kind, code, uid, static), variable, read, applied)


def _translated(part: Any, actual: dict[int, Value]) -> Any:
    if isinstance(part, tuple) and part[0] == "u" and part[1] in actual:
        return ("u", actual[part[1]].uid)
    return part


def _held(it: Interpreter, variable: Variable, read: Read) -> Any:
    kind = variable[0]
    st = it.st
    if kind == "v":
        env = st.frames.get(variable[1])
        return env.get(variable[2]) if env is not None else None
    if kind == "g":
        _, path, name = variable
        changed = st.heap.get(variable)
        if changed is not None:
            return changed
        env_of = it.project.by_path.get(path)
        if env_of is None:
            return None
        running = st.frames.get(env_of.fid)
        return (running if running is not None else env_of.names).get(name)
    assert read.ref is not None
    content = st.content(read.ref)
    return content if kind == "r" else content.items.get(variable[2])


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if a is None or b is None:
        return False
    if isinstance(a, Content) and isinstance(b, Content):
        return _same_content(a, b)
    if isinstance(a, Ref) or isinstance(b, Ref):
        return False
    found = fingerprint(a)
    return found is not None and found == fingerprint(b)


def _same_content(a: Content, b: Content) -> bool:
    if a.open != b.open or len(a.items) != len(b.items) or not (a.rest is b.rest or _same(a.rest, b.rest)):
        return False
    if isinstance(a.items, dict) and isinstance(b.items, dict):
        return a.items.keys() == b.items.keys() and all(_same(a.items[key], b.items[key]) for key in a.items)
    if isinstance(a.items, dict) or isinstance(b.items, dict):
        return False
    return all(_same(x, y) for x, y in zip(a.items, b.items, strict=True))


def _changed_at(it: Interpreter, variable: Variable, read: Read) -> Place | None:
    found = it.changes.get(variable) or it.changes.get(variable[:2])
    if found is None and read.owner is not None:
        stmt = _last_binding(read.owner.body, variable[2])
        return (read.owner.module, stmt.id) if stmt is not None else None
    return found


# ---- which variables are bound more than once -----------------------------------------------------------------------


def rebound(it: Interpreter, fn: ir.FunctionIR) -> frozenset[str]:
    """Names of a function or module that may change while what it made is in use."""
    found = it.rebound_names.get(id(fn))
    if found is None:
        counts = {param.name: 1 for param in fn.params}
        _count(fn.body, counts, 1)
        names = {name for name, count in counts.items() if count > 1}
        for inner in fn.module.functions:
            if fn.parent is None:
                names |= inner.globals
            elif inner.nonlocals and _encloses(fn, inner):
                names |= inner.nonlocals
        found = it.rebound_names[id(fn)] = frozenset(names)
    return found


def _encloses(fn: ir.FunctionIR, inner: ir.FunctionIR) -> bool:
    parent = inner.parent
    while parent is not None:
        if parent is fn:
            return True
        parent = parent.parent
    return False


def _bound_names(stmt: ir.Stmt) -> list[str]:
    targets: list[Any] = []
    if isinstance(stmt, ir.Assign):
        targets = list(stmt.targets) if stmt.value is not None else []
    elif isinstance(stmt, ir.AugAssign | ir.For):
        targets = [stmt.target]
    elif isinstance(stmt, ir.With):
        targets = [target for _, target in stmt.items if target is not None]
    elif isinstance(stmt, ir.FunctionDef):
        return [stmt.fn.name]
    names: list[str] = []
    while targets:
        target = targets.pop()
        if isinstance(target, ir.Name):
            names.append(target.name)
        elif isinstance(target, ir.Seq):
            targets += target.items
        elif isinstance(target, ir.Star):
            targets.append(target.value)
    return names


def _count(body: list[ir.Stmt], counts: dict[str, int], weight: int) -> None:
    for stmt in body:
        inner = 2 if isinstance(stmt, ir.For | ir.While) else weight
        for name in _bound_names(stmt):
            counts[name] = counts.get(name, 0) + inner
        if not isinstance(stmt, ir.ClassDef):
            for block in blocks(stmt):
                _count(block, counts, inner)


def _last_binding(body: list[ir.Stmt], name: str) -> ir.Stmt | None:
    found: ir.Stmt | None = None
    for stmt in body:
        if name in _bound_names(stmt):
            found = stmt
        for block in blocks(stmt):
            found = _last_binding(block, name) or found
    return found
