"""LibCST expressions -> compact form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lowering import Lowering
from jaxlint.syntax.python import literal

BINARY: dict[type[cst.CSTNode], str] = {
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


def _name(low: Lowering, node: Any) -> ir.Expr:
    value = node.value
    id = low.new(node)
    if value in _CONSTANTS:
        return ir.Lit(id, _CONSTANTS[value])
    low.fn.loads[value] = id
    low.fn.taken[value] += 1
    return ir.Name(id, value)


def _number(low: Lowering, node: Any) -> ir.Expr:
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


def _string(low: Lowering, node: Any) -> ir.Expr:
    text = node.value
    if "\\" in text or text[0] not in "\"'":
        try:
            value = literal(text)
        except (ValueError, SyntaxError):
            value = text
    else:
        value = text[3:-3] if text[:3] in ('"""', "'''") else text[1:-1]
    return ir.Lit(low.new(node), value)


def _concatenated(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.expr(node.left), low.expr(node.right)
    if type(left) is ir.Lit and type(right) is ir.Lit and type(left.value) is type(right.value):
        return ir.Lit(id, left.value + right.value)
    parts = [p for side in (left, right) if isinstance(side, ir.FString) for p in side.parts]
    return ir.FString(id, parts)


def _formatted(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    parts: list[tuple[ir.Expr, bool, str | None]] = []
    for part in node.parts:
        if type(part) is cst.FormattedStringExpression:
            parts.append((low.expr(part.expression), part.format_spec is not None, part.conversion))
            for inner in part.format_spec or ():
                if type(inner) is cst.FormattedStringExpression:
                    parts.append((low.expr(inner.expression), False, None))
    return ir.FString(id, parts)


def _templated(low: Lowering, node: Any) -> ir.Expr:
    return ir.FString(low.new(node), [])


def _attribute(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    obj = low.expr(node.value)
    attr = node.attr.value
    low.use(obj, "." + attr)
    return ir.Attr(id, obj, attr)


def _subscript(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    obj = low.expr(node.value)
    slices = node.slice
    if len(slices) == 1 and slices[0].comma.__class__ is not cst.Comma:
        index = _slice(low, slices[0].slice)
    else:
        index = ir.Seq(low.new(node), "tuple", [_slice(low, element.slice) for element in slices])
    low.use(obj, "[str]" if type(index) is ir.Lit and isinstance(index.value, str) else "[]")
    return ir.Sub(id, obj, index)


def _slice(low: Lowering, node: Any) -> ir.Expr:
    if type(node) is cst.Index:
        value = low.expr(node.value)
        return ir.Star(low.new(node), value) if node.star is not None else value
    return ir.Slice(low.new(node), low.maybe(node.lower), low.maybe(node.upper), low.maybe(node.step))


def _call(low: Lowering, node: Any) -> ir.Expr:
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


def _binary(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.expr(node.left), low.expr(node.right)
    low.use(left, "arith")
    low.use(right, "arith")
    return ir.Bin(id, BINARY[type(node.operator)], left, right)


def _boolean(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    left, right = low.tested(low.expr(node.left)), low.expr(node.right)
    return ir.Bool(id, "and" if type(node.operator) is cst.And else "or", left, right)


def _unary(low: Lowering, node: Any) -> ir.Expr:
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


def _comparison(low: Lowering, node: Any) -> ir.Expr:
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


def _conditional(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    test = low.tested(low.expr(node.test))
    return ir.Cond(id, test, low.expr(node.body), low.expr(node.orelse))


def _display(kind: str) -> Callable[[Lowering, Any], ir.Expr]:
    def lower_display(low: Lowering, node: Any) -> ir.Expr:
        id = low.new(node)
        items: list[ir.Expr] = []
        for element in node.elements:
            value = low.expr(element.value)
            items.append(ir.Star(low.new(element), value) if type(element) is cst.StarredElement else value)
        return ir.Seq(id, kind, items)

    return lower_display


def _dict(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for element in node.elements:
        if type(element) is cst.DictElement:
            key = low.expr(element.key)
            items.append((key, low.expr(element.value)))
        else:
            items.append((None, low.expr(element.value)))
    return ir.DictE(id, items)


def _lambda(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    fn = low.function(node, "<lambda>", low.prefix)
    fn.is_lambda = True
    low.parameters(fn, node.params)

    def body() -> list[ir.Stmt]:
        value = low.expr(node.body)
        return [ir.Return(value.id, value)]

    low.inside(fn, fn.qualname + ".", body)
    return ir.Lambda(id, fn)


def _comprehension(kind: str) -> Callable[[Lowering, Any], ir.Expr]:
    def lower_comprehension(low: Lowering, node: Any) -> ir.Expr:
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


def _walrus(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    value = low.expr(node.value)
    name = node.target.value
    if name not in low.fn.globals and name not in low.fn.nonlocals:
        low.fn.locals.add(name)
    return ir.Walrus(id, name, value)


def _yield(low: Lowering, node: Any) -> ir.Expr:
    id = low.new(node)
    low.fn.is_generator = True
    value = node.value
    if type(value) is cst.From:
        return ir.Yield(id, "yield from", low.expr(value.item))
    return ir.Yield(id, "yield", low.maybe(value))


def _await(low: Lowering, node: Any) -> ir.Expr:
    return ir.Yield(low.new(node), "await", low.expr(node.expression))


def _ellipsis(low: Lowering, node: Any) -> ir.Expr:
    return ir.Lit(low.new(node), ...)


EXPRESSIONS: dict[type[Any], Callable[[Lowering, Any], ir.Expr]] = {
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
    EXPRESSIONS[cst.TemplatedString] = _templated
