"""What lowering keeps track of while it walks a tree: ids, scope, indentation, and how names are used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import libcst as cst

from jaxlint.syntax import ir


@dataclass(frozen=True)
class Tables:
    """How nodes of each type are lowered."""

    expressions: dict[type[Any], Callable[[Lowering, Any], ir.Expr]]
    small: dict[type[Any], Callable[[Lowering, Any, int], ir.Stmt]]
    """Statements of one line; they are handed their id."""
    compound: dict[type[Any], Callable[[Lowering, Any, str], ir.Stmt]]
    """Statements with blocks; they are handed their indentation."""


class Lowering:
    """State of one lowering: the node table, the function being lowered and the indentation."""

    def __init__(self, module: ir.ModuleIR, default_indent: str, tables: Tables) -> None:
        self.tables = tables
        self.module = module
        self.default_indent = default_indent
        self.nodes: list[cst.CSTNode] = module.nodes
        self.statement_of = module.statement_of
        self.statements = module.statements
        self.fn: ir.FunctionIR = None  # type: ignore[assignment]  # set before the first block
        self.class_name: str | None = None
        self.prefix = ""
        self.statement = 0
        self.in_comprehension: list[set[str]] = []

    def new(self, node: cst.CSTNode) -> int:
        """Give `node` the next id."""
        self.nodes.append(node)
        self.statement_of.append(self.statement)
        return len(self.nodes) - 1

    def begin(self, node: cst.CSTNode, line: cst.CSTNode, indent: str) -> int:
        """Open the next statement and return the id of its node."""
        self.statement = len(self.statements)
        self.statements.append((node, line, indent))
        return self.new(node)

    # ---- statements ----

    def block(self, body: Any, indent: str) -> list[ir.Stmt]:
        """Lower a sequence of statements or the body of a compound statement."""
        if type(body) is cst.IndentedBlock:
            indent += body.indent if body.indent is not None else self.default_indent
            body = body.body
        elif type(body) is cst.SimpleStatementSuite:
            return [self.small(small, body, indent) for small in body.body]
        out: list[ir.Stmt] = []
        for line in body:
            if type(line) is cst.SimpleStatementLine:
                out += [self.small(small, line, indent) for small in line.body]
            else:
                out.append(self.tables.compound[type(line)](self, line, indent))
        return out

    def small(self, node: cst.CSTNode, line: cst.CSTNode, indent: str) -> ir.Stmt:
        """Lower one of the statements that share a line."""
        id = self.begin(node, line, indent)
        return self.tables.small[type(node)](self, node, id)

    def bind(self, name: str) -> None:
        """Record that the function (or the comprehension) binds `name`."""
        if self.in_comprehension:
            self.in_comprehension[-1].add(name)
            return
        fn = self.fn
        if name not in fn.globals and name not in fn.nonlocals:
            fn.locals.add(name)

    def target(self, node: cst.CSTNode) -> ir.Expr:
        """Lower an assignment target and bind its names."""
        kind = type(node)
        if kind is cst.Name:
            self.bind(node.value)  # type: ignore[attr-defined]
            return ir.Name(self.new(node), node.value)  # type: ignore[attr-defined]
        if kind is cst.Tuple or kind is cst.List:
            id = self.new(node)
            items: list[ir.Expr] = []
            for element in node.elements:  # type: ignore[attr-defined]
                inner = self.target(element.value)
                items.append(ir.Star(self.new(element), inner) if type(element) is cst.StarredElement else inner)
            return ir.Seq(id, "tuple", items)
        if kind is cst.StarredElement:
            return ir.Star(self.new(node), self.target(node.value))  # type: ignore[attr-defined]
        return self.expr(node)

    # ---- expressions ----

    def expr(self, node: cst.CSTNode) -> ir.Expr:
        """Lower an expression."""
        return self.tables.expressions[type(node)](self, node)

    def maybe(self, node: cst.CSTNode | None) -> ir.Expr | None:
        """Lower an expression that may be missing."""
        return None if node is None else self.tables.expressions[type(node)](self, node)

    def use(self, expr: ir.Expr, how: str) -> None:
        """Record how a plain name is used: evidence about what a parameter can be."""
        if type(expr) is ir.Name:
            name = expr.name
        elif type(expr) is ir.Attr and type(expr.obj) is ir.Name:
            name = f"{expr.obj.name}.{expr.attr}"
        else:
            return
        uses = self.fn.uses.get(name)
        if uses is None:
            self.fn.uses[name] = {how}
        else:
            uses.add(how)

    def tested(self, test: ir.Expr) -> ir.Expr:
        """Record that an expression is only asked for its truth; the parts of `not`, `and`, `or` are told by them."""
        if type(test) is ir.Name:
            self.use(test, "truth")
            self.fn.taken[test.name] -= 1
        elif type(test) is ir.Bool:
            self.tested(test.right)
        return test

    def function(self, node: Any, name: str, prefix: str) -> ir.FunctionIR:
        """Open a function of the module; its parameters and body follow."""
        fn = ir.FunctionIR(self.new(node), self.module, name, prefix + name, self.fn)
        self.module.functions.append(fn)
        return fn

    def parameters(self, fn: ir.FunctionIR, params: cst.Parameters) -> None:
        """Lower parameters: defaults and annotations belong to the enclosing scope."""
        for group, kind in (
            (params.posonly_params, "pos"),
            (params.params, "any"),
            ((params.star_arg,) if isinstance(params.star_arg, cst.Param) else (), "star"),
            (params.kwonly_params, "kw"),
            ((params.star_kwarg,) if params.star_kwarg is not None else (), "starstar"),
        ):
            for param in group:
                default = self.maybe(param.default)
                annotation = self.maybe(param.annotation.annotation) if param.annotation is not None else None
                fn.params.append(ir.Param(self.new(param), param.name.value, kind, default, annotation))
                fn.locals.add(param.name.value)

    def inside(self, fn: ir.FunctionIR, prefix: str, lower_body: Callable[[], list[ir.Stmt]]) -> None:
        """Lower the body of `fn` in its own scope."""
        saved = self.fn, self.class_name, self.prefix, self.in_comprehension
        self.fn, self.class_name, self.prefix, self.in_comprehension = fn, None, prefix, []
        fn.body = lower_body()
        fn.size = len(self.nodes) - fn.id  # parameters and body
        self.fn, self.class_name, self.prefix, self.in_comprehension = saved
        loads = self.fn.loads
        for name, last in fn.loads.items():
            if name in fn.locals:
                continue
            if loads.get(name, -1) < last:
                loads[name] = last
            self.fn.taken[name] += fn.taken[name]
            if "truth" in fn.uses.get(name, ()):
                self.fn.uses.setdefault(name, set()).add("truth")
