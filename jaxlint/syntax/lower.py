"""Lower a LibCST module to the compact form in one walk over its meaningful fields.

Whitespace nodes are never visited. Statements are numbered in the order of their first line, which is also the order
in which `ast` meets them; `jaxlint.syntax.positions` relies on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.python import literal

_BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
}
_UNARY: dict[type[cst.CSTNode], str] = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}
_COMPARE: dict[type[cst.CSTNode], str] = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}
_CONSTANTS: dict[str, Any] = {"None": None, "True": True, "False": False}


def lower(tree: cst.Module, path: str, name: str, is_package: bool) -> ir.ModuleIR:
    """Return the compact form of `tree`, the module `name` at `path`."""
    module = ir.ModuleIR(path, name, is_package)
    lowering = _Lowering(module, tree.default_indent)
    top = ir.FunctionIR(lowering.new(tree), module, "<module>", "", None)
    module.top = top
    lowering.fn = top
    top.body = module.body = lowering.block(tree.body, "")
    top.size = len(lowering.nodes)
    return module


class _Lowering:
    """State of one lowering: the node table, the function being lowered and the indentation."""

    def __init__(self, module: ir.ModuleIR, default_indent: str) -> None:
        self.module = module
        self.default_indent = default_indent
        self.nodes: list[cst.CSTNode] = module.nodes if module.nodes is not None else []
        self.statement_of = module.statement_of
        self.statements = module.statements if module.statements is not None else []
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
            return [stmt for small in body.body if (stmt := self.small(small, body, indent)) is not None]
        out: list[ir.Stmt] = []
        for line in body:
            if type(line) is cst.SimpleStatementLine:
                for small in line.body:
                    stmt = self.small(small, line, indent)
                    if stmt is not None:
                        out.append(stmt)
            else:
                stmt = _COMPOUND[type(line)](self, line, indent)
                out.append(stmt)
        return out

    def small(self, node: cst.CSTNode, line: cst.CSTNode, indent: str) -> ir.Stmt | None:
        id = self.begin(node, line, indent)
        return _SMALL[type(node)](self, node, id)

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
        return _EXPR[type(node)](self, node)

    def maybe(self, node: cst.CSTNode | None) -> ir.Expr | None:
        return None if node is None else _EXPR[type(node)](self, node)

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


# ---- expressions ----------------------------------------------------------------------------------------------------


def _name(low: _Lowering, node: Any) -> ir.Expr:
    value = node.value
    id = low.new(node)
    if value in _CONSTANTS:
        return ir.Lit(id, _CONSTANTS[value])
    low.fn.loads[value] = id
    low.fn.taken[value] += 1
    return ir.Name(id, value)


def _number(low: _Lowering, node: Any) -> ir.Expr:
    text = node.value
    try:
        value: Any
        if text.isdigit() and (text[0] != "0" or len(text) == 1):
            value = int(text)
        elif _PLAIN_FLOAT.fullmatch(text):
            value = float(text)
        else:
            value = literal(text)
    except (ValueError, SyntaxError):
        value = float("nan")
    return ir.Lit(low.new(node), value)


_PLAIN_FLOAT = re.compile(r"[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]*\.?[0-9]+[eE][-+]?[0-9]+|\.[0-9]+")


def _string(low: _Lowering, node: Any) -> ir.Expr:
    text = node.value
    if "\\" in text or text[0] not in "\"'":
        try:
            value = literal(text)
        except (ValueError, SyntaxError):
            value = text
    else:
        value = text[3:-3] if text[:3] in ('"""', "'''") else text[1:-1]
    return ir.Lit(low.new(node), value)


def _concatenated(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.expr(node.left), low.expr(node.right)
    if type(left) is ir.Lit and type(right) is ir.Lit and type(left.value) is type(right.value):
        return ir.Lit(id, left.value + right.value)
    parts = [p for side in (left, right) if isinstance(side, ir.FString) for p in side.parts]
    return ir.FString(id, parts)


def _formatted(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    parts: list[tuple[ir.Expr, bool, str | None]] = []
    for part in node.parts:
        if type(part) is cst.FormattedStringExpression:
            parts.append((low.expr(part.expression), part.format_spec is not None, part.conversion))
            for inner in part.format_spec or ():
                if type(inner) is cst.FormattedStringExpression:
                    parts.append((low.expr(inner.expression), False, None))
    return ir.FString(id, parts)


def _templated(low: _Lowering, node: Any) -> ir.Expr:
    return ir.FString(low.new(node), [])


def _attribute(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    obj = low.expr(node.value)
    attr = node.attr.value
    low.use(obj, "." + attr)
    return ir.Attr(id, obj, attr)


def _subscript(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    obj = low.expr(node.value)
    slices = node.slice
    if len(slices) == 1 and slices[0].comma.__class__ is not cst.Comma:
        index = _slice(low, slices[0].slice)
    else:
        index = ir.Seq(low.new(node), "tuple", [_slice(low, element.slice) for element in slices])
    low.use(obj, "[str]" if type(index) is ir.Lit and isinstance(index.value, str) else "[]")
    return ir.Sub(id, obj, index)


def _slice(low: _Lowering, node: Any) -> ir.Expr:
    if type(node) is cst.Index:
        value = low.expr(node.value)
        return ir.Star(low.new(node), value) if node.star is not None else value
    return ir.Slice(low.new(node), low.maybe(node.lower), low.maybe(node.upper), low.maybe(node.step))


def _call(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    func = low.expr(node.func)
    args: list[ir.Expr] = []
    keywords: list[tuple[str | None, ir.Expr]] = []
    for arg in node.args:
        if arg.keyword is not None:
            keywords.append((arg.keyword.value, low.expr(arg.value)))
            low.module.keywords.add(arg.keyword.value)
        elif not arg.star:
            args.append(low.expr(arg.value))
        elif arg.star == "*":
            args.append(ir.Star(low.new(arg), low.expr(arg.value)))
        else:
            keywords.append((None, low.expr(arg.value)))
    if type(func) is ir.Name:
        if func.name in ("len", "tuple", "list", "dict", "sorted", "enumerate", "zip", "isinstance", "float", "int"):
            for value in args:
                low.use(value, func.name + "()")
        low.use(func, "()")
    if len(args) > 1:
        last = func.attr if type(func) is ir.Attr else func.name if type(func) is ir.Name else ""
        if low.module.given.get(last, 0) < len(args):
            low.module.given[last] = len(args)
    return ir.Call(id, func, args, keywords)


def _binary(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.expr(node.left), low.expr(node.right)
    low.use(left, "arith")
    low.use(right, "arith")
    return ir.Bin(id, _BINARY[type(node.operator)], left, right)


def _boolean(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.tested(low.expr(node.left)), low.expr(node.right)
    return ir.Bool(id, "and" if type(node.operator) is cst.And else "or", left, right)


def _unary(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    operand = low.expr(node.expression)
    op = _UNARY[type(node.operator)]
    if op == "not":
        low.tested(operand)
    else:
        low.use(operand, "arith")
    if op == "-" and type(operand) is ir.Lit and isinstance(operand.value, int | float):
        return ir.Lit(id, -operand.value)
    return ir.Unary(id, op, operand)


def _comparison(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left = low.expr(node.left)
    parts: list[tuple[str, ir.Expr]] = []
    previous = left
    for target in node.comparisons:
        op = _COMPARE[type(target.operator)]
        right = low.expr(target.comparator)
        if op[0] in "<>":
            low.use(previous, "order")
            low.use(right, "order")
        elif op in ("in", "not in"):
            low.use(right, "in")
        parts.append((op, right))
        previous = right
    return ir.Compare(id, left, parts)


def _conditional(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    test = low.tested(low.expr(node.test))
    return ir.Cond(id, test, low.expr(node.body), low.expr(node.orelse))


def _display(kind: str) -> Callable[[_Lowering, Any], ir.Expr]:
    def lower_display(low: _Lowering, node: Any) -> ir.Expr:
        id = low.new(node)
        items: list[ir.Expr] = []
        for element in node.elements:
            value = low.expr(element.value)
            items.append(ir.Star(low.new(element), value) if type(element) is cst.StarredElement else value)
        return ir.Seq(id, kind, items)

    return lower_display


def _dict(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for element in node.elements:
        if type(element) is cst.DictElement:
            key = low.expr(element.key)
            items.append((key, low.expr(element.value)))
        else:
            items.append((None, low.expr(element.value)))
    return ir.DictE(id, items)


def _lambda(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    fn = low.function(node, "<lambda>", low.prefix)
    fn.is_lambda = True
    low.parameters(fn, node.params)

    def body() -> list[ir.Stmt]:
        value = low.expr(node.body)
        return [ir.Return(value.id, value)]

    low.inside(fn, fn.qualname + ".", body)
    return ir.Lambda(id, fn)


def _comprehension(kind: str) -> Callable[[_Lowering, Any], ir.Expr]:
    def lower_comprehension(low: _Lowering, node: Any) -> ir.Expr:
        id = low.new(node)
        low.in_comprehension.append(set())
        clauses: list[ir.Clause] = []
        part = node.for_in
        while part is not None:
            iterable = low.expr(part.iter)
            low.use(iterable, "iter")
            target = low.target(part.target)
            clauses.append(ir.Clause(target, iterable, [low.tested(low.expr(test.test)) for test in part.ifs]))
            part = part.inner_for_in
        key = low.expr(node.key) if kind == "dict" else None
        elt = low.expr(node.value if kind == "dict" else node.elt)
        low.in_comprehension.pop()
        return ir.Comp(id, kind, elt, key, clauses)

    return lower_comprehension


def _walrus(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    value = low.expr(node.value)
    name = node.target.value
    if name not in low.fn.globals and name not in low.fn.nonlocals:
        low.fn.locals.add(name)
    return ir.Walrus(id, name, value)


def _yield(low: _Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    low.fn.is_generator = True
    value = node.value
    if type(value) is cst.From:
        return ir.Yield(id, "yield from", low.expr(value.item))
    return ir.Yield(id, "yield", low.maybe(value))


def _await(low: _Lowering, node: Any) -> ir.Expr:
    return ir.Yield(low.new(node), "await", low.expr(node.expression))


def _ellipsis(low: _Lowering, node: Any) -> ir.Expr:
    return ir.Lit(low.new(node), ...)


_EXPR: dict[type[Any], Callable[[_Lowering, Any], ir.Expr]] = {
    cst.Name: _name,
    cst.StarredElement: lambda low, node: low.expr(node.value),  # `x = *y`, which only the compiler refuses
    cst.Integer: _number,
    cst.Float: _number,
    cst.Imaginary: _number,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: _call,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _unary,
    cst.Comparison: _comparison,
    cst.IfExp: _conditional,
    cst.Tuple: _display("tuple"),
    cst.List: _display("list"),
    cst.Set: _display("set"),
    cst.Dict: _dict,
    cst.Lambda: _lambda,
    cst.ListComp: _comprehension("list"),
    cst.SetComp: _comprehension("set"),
    cst.GeneratorExp: _comprehension("generator"),
    cst.DictComp: _comprehension("dict"),
    cst.NamedExpr: _walrus,
    cst.Yield: _yield,
    cst.Await: _await,
    cst.Ellipsis: _ellipsis,
}
if hasattr(cst, "TemplatedString"):
    _EXPR[cst.TemplatedString] = _templated


# ---- statements -----------------------------------------------------------------------------------------------------


def _expr_stmt(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.ExprStmt(id, low.expr(node.value))


def _assign(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.expr(node.value)
    return ir.Assign(id, [low.target(target.target) for target in node.targets], value)


def _ann_assign(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.maybe(node.value)
    annotation = low.expr(node.annotation.annotation)
    return ir.Assign(id, [low.target(node.target)], value, annotation)


def _aug_assign(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    value = low.expr(node.value)
    low.use(value, "arith")
    target = low.target(node.target)
    low.use(target, "arith")
    if type(target) is ir.Name:
        low.fn.loads[target.name] = id
    return ir.AugAssign(id, target, _BINARY[type(node.operator)], value)


def _return(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Return(id, low.maybe(node.value))


def _raise(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Raise(id, low.maybe(node.exc))


def _jump(kind: str) -> Callable[[_Lowering, Any, int], ir.Stmt]:
    return lambda low, node, id: ir.Jump(id, kind)


def _assert(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    return ir.Assert(id, low.tested(low.expr(node.test)), low.maybe(node.msg))


def _delete(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    target = low.target(node.target)
    return ir.Delete(id, target.items if isinstance(target, ir.Seq) else [target])


def _global(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    for item in node.names:
        low.fn.globals.add(item.name.value)
        low.fn.locals.discard(item.name.value)
    return ir.Jump(id, "pass")


def _nonlocal(low: _Lowering, node: Any, id: int) -> ir.Stmt:
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


def _import(low: _Lowering, node: Any, id: int) -> ir.Stmt:
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


def _import_from(low: _Lowering, node: Any, id: int) -> ir.Stmt:
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


def _type_alias(low: _Lowering, node: Any, id: int) -> ir.Stmt:
    low.bind(node.name.value)
    return ir.Jump(id, "pass")


_SMALL: dict[type[Any], Callable[[_Lowering, Any, int], ir.Stmt]] = {
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


def _if(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    test = low.tested(low.expr(node.test))
    body = low.block(node.body, indent)
    orelse: list[ir.Stmt] = []
    if type(node.orelse) is cst.If:
        orelse = [_if(low, node.orelse, indent)]
    elif node.orelse is not None:
        orelse = low.block(node.orelse.body, indent)
    return ir.If(id, test, body, orelse)


def _while(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    test = low.tested(low.expr(node.test))
    body = low.block(node.body, indent)
    orelse = low.block(node.orelse.body, indent) if node.orelse is not None else []
    return ir.While(id, test, body, orelse)


def _for(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    iterable = low.expr(node.iter)
    low.use(iterable, "iter")
    target = low.target(node.target)
    body = low.block(node.body, indent)
    orelse = low.block(node.orelse.body, indent) if node.orelse is not None else []
    return ir.For(id, target, iterable, body, orelse)


def _with(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    items = [
        (low.expr(item.item), low.target(item.asname.name) if item.asname is not None else None) for item in node.items
    ]
    return ir.With(id, items, low.block(node.body, indent))


def _try(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
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


def _match(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
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


def _pattern(low: _Lowering, node: Any, values: list[ir.Expr], binds: list[str]) -> bool:
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


def _decorators(low: _Lowering, node: Any) -> list[tuple[int, ir.Expr]]:
    return [(low.new(item), low.expr(item.decorator)) for item in node.decorators]


def _function_def(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
    id = low.begin(node, node, indent)
    name = node.name.value
    decorators = _decorators(low, node)
    low.bind(name)
    fn = low.function(node, name, low.prefix)
    fn.class_name = low.class_name
    fn.decorators = decorators
    fn.is_async = node.asynchronous is not None
    low.parameters(fn, node.params)
    if node.returns is not None:
        fn.returns = low.expr(node.returns.annotation)
    low.inside(fn, f"{fn.qualname}.<locals>.", lambda: low.block(node.body, indent))
    return ir.FunctionDef(id, fn)


def _class_def(low: _Lowering, node: Any, indent: str) -> ir.Stmt:
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


_COMPOUND: dict[type[Any], Callable[[_Lowering, Any, str], ir.Stmt]] = {
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
