"""LibCST statements -> compact form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lower_expressions import BINARY
from jaxlint.syntax.lowering import Lowering


def _expr_stmt(low: Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.ExprStmt(id, low.expr(node.value))


def _assign(low: Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.expr(node.value)
    return ir.Assign(id, [low.target(target.target) for target in node.targets], value)


def _ann_assign(low: Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.maybe(node.value)
    annotation = low.expr(node.annotation.annotation)
    return ir.Assign(id, [low.target(node.target)], value, annotation)


def _aug_assign(low: Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.expr(node.value)
    low.use(value, "arith")
    target = low.target(node.target)
    low.use(target, "arith")
    if type(target) is ir.Name:
        low.fn.loads[target.name] = id
    return ir.AugAssign(id, target, BINARY[type(node.operator)], value)


def _return(low: Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Return(id, low.maybe(node.value))


def _raise(low: Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Raise(id, low.maybe(node.exc))


def _jump(kind: str) -> Callable[[Lowering, Any, int], ir.Stmt]:
    return lambda low, node, id: ir.Jump(id, kind)


def _assert(low: Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Assert(id, low.tested(low.expr(node.test)), low.maybe(node.msg))


def _delete(low: Lowering, node: Any, id: int) -> ir.Stmt:
    target = low.target(node.target)
    return ir.Delete(id, target.items if isinstance(target, ir.Seq) else [target])


def _global(low: Lowering, node: Any, id: int) -> ir.Stmt:
    for item in node.names:
        low.fn.globals.add(item.name.value)
        low.fn.locals.discard(item.name.value)
    return ir.Jump(id, "pass")


def _nonlocal(low: Lowering, node: Any, id: int) -> ir.Stmt:
    for item in node.names:
        low.fn.nonlocals.add(item.name.value)
        low.fn.locals.discard(item.name.value)
    return ir.Jump(id, "pass")


def _dotted(node: Any) -> str:
    if node is None:
        return ""
    if type(node) is cst.Name:
        return node.value
    return f"{_dotted(node.value)}.{node.attr.value}"


def _import(low: Lowering, node: Any, id: int) -> ir.Stmt:
    names: list[tuple[str, str, bool]] = []
    for alias in node.names:
        module = _dotted(alias.name)
        if alias.asname is not None:
            bound, top = alias.asname.name.value, False
        else:
            bound, top = module.split(".", 1)[0], True
        low.bind(bound)
        names.append((module, bound, top))
    stmt = ir.Import(id, names)
    low.module.imports.append(stmt)
    return stmt


def _import_from(low: Lowering, node: Any, id: int) -> ir.Stmt:
    names: list[tuple[str, str, int]] | None = None
    if not isinstance(node.names, cst.ImportStar):
        names = []
        for alias in node.names:
            name = _dotted(alias.name)
            bound = alias.asname.name.value if alias.asname is not None else name
            low.bind(bound)
            names.append((name, bound, low.new(alias)))
    stmt = ir.ImportFrom(id, _dotted(node.module), len(node.relative), names)
    low.module.imports.append(stmt)
    return stmt


def _type_alias(low: Lowering, node: Any, id: int) -> ir.Stmt:
    low.bind(node.name.value)
    return ir.Jump(id, "pass")


SMALL: dict[type[Any], Callable[[Lowering, Any, int], ir.Stmt]] = {
    cst.Expr: _expr_stmt,
    cst.Assign: _assign,
    cst.AnnAssign: _ann_assign,
    cst.AugAssign: _aug_assign,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Break: _jump("break"),
    cst.Continue: _jump("continue"),
    cst.Pass: _jump("pass"),
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.TypeAlias: _type_alias,
}


def _if(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    test = low.tested(low.expr(node.test))
    body = low.block(node.body, indent)
    orelse: list[ir.Stmt] = []
    if type(node.orelse) is cst.If:
        orelse = [_if(low, node.orelse, indent)]
    elif node.orelse is not None:
        orelse = low.block(node.orelse.body, indent)
    return ir.If(id, test, body, orelse)


def _while(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    test = low.tested(low.expr(node.test))
    body = low.block(node.body, indent)
    orelse = low.block(node.orelse.body, indent) if node.orelse is not None else []
    return ir.While(id, test, body, orelse)


def _for(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    iterable = low.expr(node.iter)
    low.use(iterable, "iter")
    target = low.target(node.target)
    body = low.block(node.body, indent)
    orelse = low.block(node.orelse.body, indent) if node.orelse is not None else []
    return ir.For(id, target, iterable, body, orelse)


def _with(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    items = [
        (low.expr(item.item), low.target(item.asname.name) if item.asname is not None else None) for item in node.items
    ]
    return ir.With(id, items, low.block(node.body, indent))


def _try(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    body = low.block(node.body, indent)
    handlers: list[ir.Handler] = []
    for handler in node.handlers:
        kind = low.maybe(handler.type)
        name = handler.name.name.value if handler.name is not None else None
        if name is not None:
            low.bind(name)
        handlers.append(ir.Handler(kind, name, low.block(handler.body, indent)))
    orelse = low.block(node.orelse.body, indent) if node.orelse is not None else []
    final = low.block(node.finalbody.body, indent) if node.finalbody is not None else []
    return ir.Try(id, body, handlers, orelse, final)


def _match(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    subject = low.expr(node.subject)
    inner = indent + (node.indent if node.indent is not None else low.default_indent)
    cases: list[ir.Case] = []
    for case in node.cases:
        values: list[ir.Expr] = []
        binds: list[str] = []
        irrefutable = _pattern(low, case.pattern, values, binds)
        guard = low.maybe(case.guard)
        cases.append(ir.Case(values, binds, guard, irrefutable and guard is None, low.block(case.body, inner)))
    return ir.Match(id, subject, cases)


def _pattern(low: Lowering, node: Any, values: list[ir.Expr], binds: list[str]) -> bool:
    """Collect what a pattern compares with and binds; True when it takes any value."""
    kind = type(node)
    if kind is cst.MatchAs:
        if node.name is not None:
            low.bind(node.name.value)
            binds.append(node.name.value)
        return node.pattern is None or _pattern(low, node.pattern, values, binds)
    if kind is cst.MatchValue:
        values.append(low.expr(node.value))
        return False
    if kind is cst.MatchSingleton:
        values.append(low.expr(node.value))
        return False
    if kind is cst.MatchOr:
        return any(_pattern(low, element.pattern, values, binds) for element in node.patterns)
    for name in _captures(node):
        low.bind(name)
        binds.append(name)
    return False


def _captures(node: Any) -> list[str]:
    """The names that a structural pattern binds."""
    names: list[str] = []
    stack = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.MatchAs or kind is cst.MatchStar:
            if item.name is not None:
                names.append(item.name.value)
            if kind is cst.MatchAs and item.pattern is not None:
                stack.append(item.pattern)
        elif kind is cst.MatchList or kind is cst.MatchTuple or kind is cst.MatchOr:
            stack.extend(item.patterns)
        elif kind is cst.MatchSequenceElement:
            stack.append(item.value)
        elif kind is cst.MatchOrElement or kind is cst.MatchKeywordElement:
            stack.append(item.pattern)
        elif kind is cst.MatchMapping:
            stack.extend(element.pattern for element in item.elements)
            if item.rest is not None:
                names.append(item.rest.value)
        elif kind is cst.MatchClass:
            stack.extend([*item.patterns, *item.kwds])
    return names


def _decorators(low: Lowering, node: Any) -> list[tuple[int, ir.Expr]]:
    return [(low.new(item), low.expr(item.decorator)) for item in node.decorators]


def _function_def(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    name = node.name.value
    decorators = _decorators(low, node)
    low.bind(name)
    fn = low.function(node, name, low.prefix)
    fn.class_name = low.class_name
    fn.decorators = decorators
    low.parameters(fn, node.params)
    if node.returns is not None:
        fn.returns = low.expr(node.returns.annotation)
    low.inside(fn, f"{fn.qualname}.<locals>.", lambda: low.block(node.body, indent))
    return ir.FunctionDef(id, fn)


def _class_def(low: Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    name = node.name.value
    decorators = _decorators(low, node)
    bases = [low.expr(arg.value) for arg in node.bases if not arg.star]
    keywords: list[tuple[str | None, ir.Expr]] = [
        (arg.keyword.value if arg.keyword is not None else None, low.expr(arg.value)) for arg in node.keywords
    ]
    low.bind(name)
    qualname = low.prefix + name
    saved = low.class_name, low.prefix, low.fn
    # The class body is a scope of its own: names bound there are attributes, not locals of the function around it.
    scope = ir.FunctionIR(low.new(node), low.module, name, qualname, low.fn)
    low.class_name, low.prefix, low.fn = qualname, qualname + ".", scope
    body = low.block(node.body, indent)
    low.class_name, low.prefix, low.fn = saved
    for loaded, last in scope.loads.items():
        if low.fn.loads.get(loaded, -1) < last:
            low.fn.loads[loaded] = last
    return ir.ClassDef(id, name, qualname, bases, keywords, decorators, body)


COMPOUND: dict[type[Any], Callable[[Lowering, Any, str], ir.Stmt]] = {
    cst.If: _if,
    cst.While: _while,
    cst.For: _for,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
    cst.FunctionDef: _function_def,
    cst.ClassDef: _class_def,
}
