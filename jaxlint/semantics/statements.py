"""What statements do to the paths of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import (
    attributes,
    branches,
    buffers,
    containers,
    guards,
    mutations,
    properties,
    stacked,
    type_hints,
    unrolled,
    updates,
)
from jaxlint.semantics.attempts import Attempt
from jaxlint.semantics.calls import apply_decorators
from jaxlint.semantics.classes import define_class
from jaxlint.semantics.events import (
    ContextEntered,
    KeyDiscarded,
    Mutated,
    WorldTouched,
)
from jaxlint.semantics.expressions import evaluate
from jaxlint.semantics.frames import Loop
from jaxlint.semantics.interpreter import MAX_STEPS
from jaxlint.semantics.items import set_item
from jaxlint.semantics.iteration import iterate, unpack
from jaxlint.semantics.keys import note_derived, note_subkeys
from jaxlint.semantics.liveness import liveness
from jaxlint.semantics.operators import binary, compare
from jaxlint.semantics.project import ModuleEnv, resolve_relative
from jaxlint.semantics.provenance import note
from jaxlint.semantics.repeats import asks_for_missing, evaluate_arm
from jaxlint.semantics.state import State, join, reduce_states
from jaxlint.semantics.undone import undone
from jaxlint.semantics.values import (
    NONE,
    UNKNOWN,
    Array,
    CompileTime,
    Const,
    Ext,
    Func,
    Key,
    ModuleV,
    Opaque,
    Ref,
    TupleV,
    Value,
    fresh_uid,
    traced_inside,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter

UNROLLED = 6
"""Loops over a sequence of known length are run pass by pass up to this many."""


def exec_block(it: Interpreter, body: list[ir.Stmt], states: list[State]) -> list[State]:
    """Run statements over every path; return the paths that fall out at the end."""
    module_level = it.fr.fn.parent is None
    for stmt in body:
        if not states:
            return states
        run = _EXEC[type(stmt)]
        it.steps += len(states)
        it.statements += len(states)
        split = False
        if len(states) == 1:
            it.st = states[0]
            out = run(it, stmt)
            if out is None:
                states = [it.st]
            else:
                states, split = out, True
        else:
            after: list[State] = []
            for state in states:
                it.st = state
                out = run(it, stmt)
                if out is None:
                    after.append(it.st)
                else:
                    after += out
                    split = True
            states = after
        if split and len(states) > 1:
            it.here = stmt.id
            states = reduce_states(states, liveness(it))
        if module_level and states and it.fr.env.state == "running":
            it.fr.env.names = states[0].env
    return states


def assign_target(it: Interpreter, target: ir.Expr, value: Value, stmt: ir.Node) -> None:
    """Bind an assignment target."""
    kind = type(target)
    if kind is ir.Name:
        name = target.name  # type: ignore[attr-defined]
        if type(value) is Opaque and not value.name and value.trace is None:
            value.name = name
        fn = it.fr.fn
        if fn.parent is None:
            it.changes[("g", it.fr.env.path, name)] = it.place(stmt)
        elif name in fn.globals or name in fn.nonlocals:
            _rebinding_event(it, name, value, stmt)
        it.assign(name, value)
    elif kind is ir.Seq:
        items = target.items  # type: ignore[attr-defined]
        star = next((i for i, item in enumerate(items) if type(item) is ir.Star), None)
        parts = unpack(it, value, len(items), star, it.place(target))
        for item, part in zip(items, parts, strict=True):
            assign_target(it, item.value if type(item) is ir.Star else item, part, stmt)
    elif kind is ir.Attr:
        base = evaluate(it, target.obj)  # type: ignore[attr-defined]
        mutations.set_attr(it, base, target.attr, value, it.place(stmt), target.obj)  # type: ignore[attr-defined]
    elif kind is ir.Sub:
        base = evaluate(it, target.obj)  # type: ignore[attr-defined]
        index = evaluate(it, target.index)  # type: ignore[attr-defined]
        set_item(it, base, index, value, it.place(stmt), target.obj, "=")  # type: ignore[attr-defined]
    elif kind is ir.Star:
        assign_target(it, target.value, value, stmt)  # type: ignore[attr-defined]


def _rebinding_event(it: Interpreter, name: str, value: Value, stmt: ir.Node) -> None:
    """Tell that a traced function rebinds a name of an outer scope."""
    fr = it.fr
    _note_rebinding(it, name, stmt)
    if fr.ctx.depth == 0 or ((fr.ctx.shape or not fr.ctx.abstract) and traced_inside(value) is None):
        return
    if name in fr.fn.globals:
        target = "global"
    else:
        closure = fr.own.parent
        while closure is not None and name not in closure.fn.locals:
            closure = closure.parent
        if closure is None or closure.depth >= fr.ctx.depth:
            return
        target = "nonlocal"
    if traced_inside(value) is None and mutations.deliberate_store(it, name, it.place(stmt)):
        return
    if undone(it, name):
        return
    it.emit(Mutated(it.place(stmt), target, name, value, fr.ctx.why, fr.ctx.transform))


def _note_rebinding(it: Interpreter, name: str, stmt: ir.Node) -> None:
    """Keep where an outer variable was last rebound, and whether a trace ever did it."""
    fr = it.fr
    variable: tuple[Any, ...] = ("g", fr.env.path, name)
    if name in fr.fn.nonlocals:
        closure = fr.own.parent
        while closure is not None and name not in closure.fn.locals:
            closure = closure.parent
        variable = ("v", closure.fid if closure is not None else 0, name)
    it.changes[variable] = it.place(stmt)
    if fr.ctx.remembers:
        it.traced_writes.add(variable)


def _expr(it: Interpreter, stmt: ir.ExprStmt) -> None:
    it.dropped = stmt.value
    value = evaluate(it, stmt.value)
    derived = type(value) is Key and (value.tag is not None or value.parent is not None)
    if type(stmt.value) is ir.Call and type(value) is Key and derived and value.place == it.place(stmt.value):
        it.emit(KeyDiscarded(it.place(stmt), value.tag if isinstance(value.tag, str) else "split"))
    if type(stmt.value) is ir.Call:
        updates.dropped(it, stmt.value)
    if type(stmt.value) is ir.Call and _never_returns(it, stmt.value):
        it.st.assume("dead", True)


def _never_returns(it: Interpreter, call: ir.Call) -> bool:
    func = call.func
    return (
        type(func) is ir.Attr and func.attr == "exit" and type(func.obj) is ir.Name and func.obj.name in ("sys", "os")
    )


def _assign(it: Interpreter, stmt: ir.Assign) -> list[State] | None:
    if stmt.value is None:
        return None
    if type(stmt.value) is ir.Cond:
        # `x = a if t else b` keeps its paths apart as the statement would.
        cond = stmt.value
        out: list[State] = []
        true, false = branches.branch(it, cond.test, it.st, "conditional expression", it.place(cond))
        for arm, states in ((cond.body, true), (cond.orelse, false)):
            for state in states:
                it.st = state
                _bind_all(it, stmt, arm, evaluate_arm(it, cond, arm))
                out.append(it.st)
        return out
    _bind_all(it, stmt, stmt.value, evaluate(it, stmt.value))
    return None


def _bind_all(it: Interpreter, stmt: ir.Assign, source: ir.Expr, value: Value) -> None:
    if stmt.annotation is not None and type(value) is Opaque:
        value = type_hints.annotated(it, stmt.annotation, value)
    for target in stmt.targets:
        if type(target) is ir.Seq and type(value) is Key:
            note_subkeys(it, target, value, stmt, source)
        elif type(value) is Key:
            note_derived(it, target, value, stmt)
        assign_target(it, target, value, stmt)


def _aug_assign(it: Interpreter, stmt: ir.AugAssign) -> None:
    target = stmt.target
    current = evaluate(it, target)
    operand = evaluate(it, stmt.value)
    place = it.place(stmt)
    if (it.donations or it.empties) and type(target) is ir.Name:
        buffers.read(it, current, it.place(target), "used in arithmetic")
        buffers.read(it, operand, it.place(stmt.value), "used in arithmetic")
    if type(target) is ir.Name and isinstance(current, Ref) and current.kind in ("list", "set", "dict"):
        containers.call_container(it, current, "extend" if current.kind == "list" else "update", (operand,), {}, place)
        return
    if type(target) is ir.Sub:
        base = evaluate(it, target.obj)
        index = evaluate(it, target.index)
        if mutations.is_jax_array(it, base, target.obj):
            set_item(it, base, index, operand, place, target.obj, stmt.op)
            return
        result = binary(it, stmt.op, current, operand, place)
        set_item(it, base, index, result, place, target.obj, stmt.op)
        return
    if isinstance(current, Ref) and current.cls is not None and properties.has_managed(current.cls):
        return  # the object itself takes the operand in
    result = note(binary(it, stmt.op, current, operand, place), stmt.op, (current, operand), place)
    it.augmenting = True
    assign_target(it, target, result, stmt)
    it.augmenting = False


def _return(it: Interpreter, stmt: ir.Return) -> list[State]:
    frame = it.fr
    if type(stmt.value) is ir.Cond:
        cond = stmt.value
        true, false = branches.branch(it, cond.test, it.st, "conditional expression", it.place(cond))
        for arm, states in ((cond.body, true), (cond.orelse, false)):
            for state in states:
                it.st = state
                value = evaluate_arm(it, cond, arm)
                buffers.returned(it, value, arm)
                frame.exits.append((value, it.st))
        return []
    value = NONE if stmt.value is None else evaluate(it, stmt.value)
    if it.watched is not None and it.watched[0] is frame.fn:
        it.watched[1].append((it.place(stmt), value))
    if stmt.value is not None:
        buffers.returned(it, value, stmt.value)
    frame.exits.append((value, it.st))
    return []


def _raise(it: Interpreter, stmt: ir.Raise) -> list[State]:
    if stmt.value is not None:
        evaluate(it, stmt.value)
    if it.fr.handlers:
        it.fr.handlers[-1].append(it.st)
    return []


def _jump(it: Interpreter, stmt: ir.Jump) -> list[State] | None:
    if stmt.kind == "pass" or not it.fr.loops:
        return None
    loop = it.fr.loops[-1]
    if stmt.kind == "break":
        buffers.left(it)
    (loop.breaks if stmt.kind == "break" else loop.continues).append(it.st)
    return []


def _assert(it: Interpreter, stmt: ir.Assert) -> list[State]:
    true, false = branches.branch(it, stmt.test, it.st, "assert", it.place(stmt))
    if stmt.message is not None:
        for state in false:
            it.st = state
            evaluate(it, stmt.message)
    return true


def _delete(it: Interpreter, stmt: ir.Delete) -> None:
    for target in stmt.targets:
        if type(target) is ir.Name:
            it.st.unbind(target.name)
        elif type(target) is ir.Sub:
            base = evaluate(it, target.obj)
            set_item(it, base, evaluate(it, target.index), NONE, it.place(stmt), target.obj, "del")
        elif type(target) is ir.Attr:
            evaluate(it, target.obj)


def _if(it: Interpreter, stmt: ir.If) -> list[State]:
    true, false = branches.branch(it, stmt.test, it.st, "if", it.place(stmt))
    missing = asks_for_missing(stmt.test)
    frame = it.fr
    it.conditional += 1
    frame.defaulting += missing == "body"
    out = exec_block(it, stmt.body, true)
    frame.defaulting += (missing == "orelse") - (missing == "body")
    out += exec_block(it, stmt.orelse, false)
    frame.defaulting -= missing == "orelse"
    it.conditional -= 1
    return out


def _limit(it: Interpreter, states: list[State], most: int, here: int) -> list[State]:
    """Keep at most `most` paths across passes of a loop."""
    from jaxlint.semantics.state import join_states

    it.here = here
    states = reduce_states(states, liveness(it))
    while len(states) > most:
        last = states.pop()
        join_states(states[-1], last, lossy=True)
    return states


def _for(it: Interpreter, stmt: ir.For) -> list[State]:
    iterable = evaluate(it, stmt.iter)
    place = it.place(stmt.iter)
    if it.follows_rows:
        stacked.iterates(it, stmt, iterable)
    sequence = iterate(it, iterable, place)
    exits: list[State] = []
    if sequence.length is None and not sequence.nonempty:
        exits.append(buffers.without_passes(it.st.fork()))
    elif sequence.length == 0:
        exits.append(it.st)
        return exec_block(it, stmt.orelse, exits)
    loop = Loop(stmt.id)
    passes = 2
    if sequence.length is not None and sequence.length <= UNROLLED and it.steps < MAX_STEPS:
        passes = sequence.length
    loop_id = fresh_uid()
    if passes == sequence.length:
        it.short_loops.add(loop_id)
        if getattr(iterable, "kind", "") != "range":
            it.variant_loops.add(loop_id)
    frame = it.fr
    frame.loops.append(loop)
    states = [it.st]
    unrolling = unrolled.start(it, iterable, stmt.target) if frame.ctx.abstract else None
    for number in range(passes):
        it.passes.append((loop_id, number))
        for state in states:
            it.st = state
            assign_target(it, stmt.target, sequence.element(it, number), stmt)
        states = exec_block(it, stmt.body, states) + loop.continues
        loop.continues = []
        it.passes.pop()
        states = _limit(it, states, 3, stmt.id)
        if not states:
            break
    if unrolling is not None:
        unrolling.finish(it, it.place(stmt), place)
    frame.loops.pop()
    exits += states
    return exec_block(it, stmt.orelse, exits) + loop.breaks


def _while(it: Interpreter, stmt: ir.While) -> list[State]:
    loop = Loop(stmt.id)
    loop_id = fresh_uid()
    frame = it.fr
    frame.loops.append(loop)
    states = [it.st]
    exits: list[State] = []
    for number in range(3):
        entering: list[State] = []
        it.passes.append((loop_id, number))
        for state in states:
            true, false = branches.branch(it, stmt.test, state, "while", it.place(stmt))
            entering += true
            exits += false
        if number < 2:
            states = exec_block(it, stmt.body, entering) + loop.continues
            loop.continues = []
        it.passes.pop()
        states = _limit(it, states, 3, stmt.id)
        if not states:
            break
    frame.loops.pop()
    return exec_block(it, stmt.orelse, exits) + loop.breaks


def _try(it: Interpreter, stmt: ir.Try) -> list[State]:
    frame = it.fr
    before = it.st.fork() if stmt.handlers else None
    frame.handlers.append([])
    emit = it.emit
    attempt = Attempt(it, stmt) if guards.awaits_tracers(stmt) else None
    if attempt is not None:
        it.emit = attempt.emit
    it.expected.append({error for errors in guards.caught(stmt) for error in errors})
    body = exec_block(it, stmt.body, [it.st])
    it.expected.pop()
    it.emit = emit
    if attempt is not None and attempt.failed:
        body = []
    raised = frame.handlers.pop()
    out = exec_block(it, stmt.orelse, body)
    if stmt.handlers and before is not None:
        caught_errors = guards.caught(stmt)
        caught = _limit(it, [*raised, before] if raised else [before], 2, stmt.id)
        for index, handler in enumerate(stmt.handlers):
            states = caught if index == len(stmt.handlers) - 1 else [state.fork() for state in caught]
            for state in states:
                it.st = state
                if handler.type is not None:
                    evaluate(it, handler.type)
                if handler.name is not None:
                    it.assign(handler.name, Opaque(handler.name, static=True))
            if caught_errors[index] <= guards.LOOKUP_ERRORS:  # a traced value has what arrays have
                it.emit = lambda event: None if isinstance(event, WorldTouched) else emit(event)
            out += exec_block(it, handler.body, states)
            it.emit = emit
    elif raised and frame.handlers:
        frame.handlers[-1].extend(raised)
    if stmt.final:
        if not out:
            # Every path left: the clean-up still runs once, for what it tells.
            ended = [state.fork() for _, state in frame.exits[-1:] if state.fid == it.st.fid]
            exec_block(it, stmt.final, ended)
            return []
        return exec_block(it, stmt.final, out)
    return out


def _with(it: Interpreter, stmt: ir.With) -> list[State]:
    frame = it.fr
    saved = frame.ctx
    statement = it.place(stmt)
    expecting = False
    for expr, target in stmt.items:
        value = evaluate(it, expr)
        it.emit(ContextEntered(it.place(expr), value, statement))
        if type(value) is CompileTime:
            frame.ctx = saved.eager()
        if target is not None:
            assign_target(it, target, attributes.enter_context(it, value, it.place(expr)), stmt)
        expecting |= isinstance(value, Opaque) and value.tag == ("raises",)
    if expecting:
        it.expecting.add(frame.fid)
    out = exec_block(it, stmt.body, [it.st])
    if expecting:
        it.expecting.discard(frame.fid)
    frame.ctx = saved
    return out


def _match(it: Interpreter, stmt: ir.Match) -> list[State]:
    subject = evaluate(it, stmt.subject)
    out: list[State] = []
    states = [it.st]
    place = it.place(stmt)
    for case in stmt.cases:
        if not states:
            break
        if case.values and subject.trace is not None:
            for pattern in case.values:
                equal = compare(it, "==", subject, evaluate(it, pattern), place, place, place)
                branches.test_value(it, equal, "match", place, place)
        entering: list[State] = []
        rest: list[State] = []
        for state in states:
            it.st = state
            taken = branches.case_split(it, subject, case, state)
            entering += taken[0]
            rest += taken[1]
        for state in entering:
            it.st = state
            for name in case.binds:
                it.assign(name, subject if case.irrefutable else Opaque(name))
        if case.guard is not None:
            guarded: list[State] = []
            for state in entering:
                true, false = branches.branch(it, case.guard, state, "match", place)
                guarded += true
                rest += false
            entering = guarded
        out += exec_block(it, case.body, entering)
        states = _limit(it, rest, 4, stmt.id)
    return out + states


def _import(it: Interpreter, stmt: ir.Import) -> None:
    for module, bound, top in stmt.names:
        name = module.split(".", 1)[0] if top else module
        it.assign(bound, module_value(it, name))


def module_value(it: Interpreter, name: str) -> Value:
    """The value of a module name: of the project, or of a library."""
    importer = it.fr.fn.module.path
    path = it.project.find(name, importer) if name not in it.knowledge.own else None
    if path is not None:
        own = it.project.by_path.get(importer)
        if own is not None:
            own.imports.add(path)
            if it.fr.fn is own.ir.top:
                own.first_imports.add(path)
        env = it.project.load(path)
        if env is None:
            return UNKNOWN
        it.run_module(env)
        return ModuleV(env)
    return it.ext(name)


def _import_from(it: Interpreter, stmt: ir.ImportFrom) -> None:
    module = it.fr.fn.module
    name = resolve_relative(module, stmt.level, stmt.module) if stmt.level else stmt.module
    source = module_value(it, name)
    if isinstance(source, ModuleV) and source.env.state == "running":
        source.env.late += _too_early(it, stmt, source)
    if stmt.names is None:
        if isinstance(source, ModuleV):
            for public, value in source.env.names.items():
                if not public.startswith("_"):
                    it.assign(public, value)
        elif isinstance(source, Ext):
            for full in it.knowledge.functions:
                if full.startswith(source.name + ".") and full.count(".") == source.name.count(".") + 1:
                    it.assign(full.rpartition(".")[2], it.ext(full))
        return
    for imported, bound, _ in stmt.names:
        it.assign(bound, imported_value(it, source, name, imported))


def _too_early(it: Interpreter, stmt: ir.ImportFrom, source: ModuleV) -> list[tuple[ModuleEnv, str | None, str]]:
    """What is imported from a module that is still running, in an import cycle."""
    importer = it.project.by_path.get(it.fr.fn.module.path)
    if importer is None or it.fr.fn is not importer.ir.top:
        return []
    if stmt.names is None:
        return [(importer, None, "")]
    known = source.env.names
    return [(importer, imported, bound) for imported, bound, _ in stmt.names if imported not in known]


def imported_value(it: Interpreter, source: Value, module: str, name: str) -> Value:
    """The value of `from module import name`."""
    if isinstance(source, ModuleV):
        env = source.env
        found = env.names.get(name)
        if found is not None:
            return found
        submodule = f"{module}.{name}"
        if it.project.find(submodule, env.path) is not None:
            return module_value(it, submodule)
        return UNKNOWN
    full = f"{module}.{name}"
    if it.project.find(full, it.fr.fn.module.path) is not None:
        return module_value(it, full)
    return it.ext(full) if isinstance(source, Ext) else UNKNOWN


def _function_def(it: Interpreter, stmt: ir.FunctionDef) -> None:
    func = make_function(it, stmt.fn)
    it.assign(stmt.fn.name, apply_decorators(it, func, stmt.fn.decorators))


def make_function(it: Interpreter, fn: ir.FunctionIR) -> Func:
    """The function value of a definition, with its defaults and closure."""
    frame = it.fr
    defaults = {p.name: evaluate(it, p.default) for p in fn.params if p.default is not None}
    nested = frame.fn.parent is not None or frame.own.parent is not None
    closure = frame.own if nested else frame.own.parent
    func = Func(fn, frame.env, closure, defaults=defaults)
    if nested:
        frame.local_functions.append(func)
    else:
        frame.env.functions.append(func)
    return func


def _class_def(it: Interpreter, stmt: ir.ClassDef) -> None:
    it.assign(stmt.name, define_class(it, stmt))


_EXEC: dict[type[ir.Stmt], Callable[[Any, Any], list[State] | None]] = {
    ir.ExprStmt: _expr,
    ir.Assign: _assign,
    ir.AugAssign: _aug_assign,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Jump: _jump,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.Try: _try,
    ir.With: _with,
    ir.Match: _match,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
    ir.FunctionDef: _function_def,
    ir.ClassDef: _class_def,
}

__all__ = ["Array", "Const", "TupleV", "exec_block", "join", "make_function", "module_value"]
