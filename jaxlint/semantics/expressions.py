"""What expressions evaluate to."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxlint.semantics import buffers, captures, dunders, effects, timing
from jaxlint.semantics.demands import check_index, is_mask
from jaxlint.semantics.events import Concretized, TruthTested
from jaxlint.semantics.operators import binary, compare, is_static
from jaxlint.semantics.provenance import note
from jaxlint.semantics.repeats import evaluate_arm
from jaxlint.semantics.state import State, join, join_all
from jaxlint.semantics.values import (
    ABSTRACT,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    Content,
    Key,
    Opaque,
    Place,
    Ref,
    SliceV,
    Trace,
    TupleV,
    Value,
    fingerprint,
    is_none,
    members,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def evaluate(it: Interpreter, expr: ir.Expr) -> Value:
    """The value of an expression on the current path."""
    return _EVAL[type(expr)](it, expr)


_LITERALS: dict[Any, Const] = {}


def _lit(it: Interpreter, expr: ir.Lit) -> Value:
    value = expr.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    return Const(value)


def _name(it: Interpreter, expr: ir.Name) -> Value:
    value = it.st.env.get(expr.name)
    if value is None:
        value = it.lookup(expr.name)
        if value is None:
            return it.ext("builtins." + expr.name) if expr.name in _BUILTINS else UNKNOWN
        if it.fr.ctx.remembers:
            captures.name_read(it, expr)
    if type(value) is Key:
        it.touched.add(value.uid)
    return value


def _attr(it: Interpreter, expr: ir.Attr) -> Value:
    from jaxlint.semantics.attributes import METADATA, get_attr

    if it.empties and expr.attr in METADATA:
        empties, it.empties = it.empties, 0  # only the type of the value is asked for
        base = evaluate(it, expr.obj)
        it.empties += empties
    else:
        base = evaluate(it, expr.obj)
    return get_attr(it, base, expr.attr, it.place(expr))


def _sub(it: Interpreter, expr: ir.Sub) -> Value:
    from jaxlint.semantics.items import get_item, read_back

    base = evaluate(it, expr.obj)
    index = evaluate(it, expr.index)
    if (it.donations or it.empties) and isinstance(base, Array):
        buffers.read(it, base, it.place(expr.obj), "indexed")
    if it.fr.ctx.depth and type(index) is not Const:
        check_index(it, base, index, it.place(expr))
    place = it.place(expr)
    result = get_item(it, base, index, place)
    if it.fr.ctx.pending:
        read_back(it.fr.ctx, base, result)
    return note(result, "[]", (base, index), place) if type(result) is Array and type(base) in _INDEXED else result


_INDEXED = (Array, Opaque)


def _slice(it: Interpreter, expr: ir.Slice) -> Value:
    return SliceV(
        evaluate(it, expr.lower) if expr.lower is not None else NONE,
        evaluate(it, expr.upper) if expr.upper is not None else NONE,
        evaluate(it, expr.step) if expr.step is not None else NONE,
    )


def _bin(it: Interpreter, expr: ir.Bin) -> Value:
    left = evaluate(it, expr.left)
    right = evaluate(it, expr.right)
    place = it.place(expr)
    if it.donations or it.empties:
        buffers.read(it, left, it.place(expr.left), "used in arithmetic")
        buffers.read(it, right, it.place(expr.right), "used in arithmetic")
    op = expr.op
    result = note(binary(it, op, left, right, place), op, (left, right), place)
    if result.trace is not None:
        it.work += 1
    if op in ("-", "/", "**") and type(result) is Array:
        from jaxlint.semantics.numerics import check_arithmetic

        check_arithmetic(it, op, left, right, place)
    return result


def _unary(it: Interpreter, expr: ir.Unary) -> Value:
    from jaxlint.semantics.branches import test_value, truth

    operand = evaluate(it, expr.operand)
    place = it.place(expr)
    if expr.op == "not":
        test_value(it, operand, "not", place, it.place(expr.operand))
        known = truth(it, operand)
        if known is not None:
            return FALSE if known else TRUE
        found = fingerprint(operand)
        return Opaque(static=True, expr=it.intern(("not", found)) if found is not None else None)
    if it.donations or it.empties:
        buffers.read(it, operand, place, "used in arithmetic")
    own = dunders.unary(it, expr.op, operand, place)
    if own is not None:
        return own
    if type(operand) is Const and expr.op == "-" and isinstance(operand.value, int | float):
        return Const(-operand.value)
    dtype = "bool" if is_mask(operand) and expr.op == "~" else None
    if operand.trace is not None:
        return note(Array(operand.trace, dtype=dtype), expr.op, (operand,), place)
    if isinstance(operand, Array):
        traced = operand.lib == "jax" and it.fr.ctx.abstract
        made = Array(Trace(ABSTRACT, it.fr.ctx.why) if traced else None, lib=operand.lib, dtype=dtype)
        return note(made, expr.op, (operand,), place)
    found = fingerprint(operand)
    if found is None and not is_static(operand):
        return UNKNOWN
    negated = Opaque(static=is_static(operand), expr=it.intern(("neg", expr.op, found)) if found is not None else None)
    return note(negated, expr.op, (operand,), place)


def _bool(it: Interpreter, expr: ir.Bool) -> Value:
    from jaxlint.semantics.branches import branch

    place = it.place(expr)
    left_value: list[Value] = []
    left = evaluate(it, expr.left)
    left_value.append(left)
    if left.trace is not None:
        it.emit(TruthTested(place, left, expr.op, it.place(expr.left)))
    from jaxlint.semantics.branches import truth

    known = truth(it, left)
    if known is not None:
        return left if known == (expr.op == "or") else evaluate(it, expr.right)
    # The left operand is evaluated again as a test, for what each way teaches; its events are told once.
    emit, it.emit = it.emit, lambda event: None
    true, false = branch(it, expr.left, it.st, expr.op, place)
    it.emit = emit
    ending, going = (true, false) if expr.op == "or" else (false, true)
    result: Value | None = None
    after: list[State] = list(ending)
    defaulting = expr.op == "or"
    for state in going:
        it.st = state
        it.fr.defaulting += defaulting
        value = evaluate(it, expr.right)
        it.fr.defaulting -= defaulting
        result = value if result is None else join(result, value)
        after.append(it.st)
    if not after:
        return UNKNOWN
    it.st = join_all(after)
    if result is None:
        return left
    if expr.op == "or":
        kept = [member for member in members(left) if not is_none(member)]
        left = kept[0] if len(kept) == 1 else left
    if is_static(left) and is_static(result):
        return Opaque(static=True) if not (ending and is_none(left)) else result
    return join(left, result) if ending else result


def _compare(it: Interpreter, expr: ir.Compare) -> Value:
    left = evaluate(it, expr.left)
    result: Value = TRUE
    left_expr = expr.left
    chained = len(expr.parts) > 1
    first: Value | None = None
    for position, (op, right_expr) in enumerate(expr.parts):
        right = evaluate(it, right_expr)
        result = compare(it, op, left, right, it.place(expr), it.place(left_expr), it.place(right_expr))
        if type(result) is Array:
            note(result, op, (left, right), it.place(expr))
        first = first or (result if result.trace is not None else None)
        if chained and position < len(expr.parts) - 1 and result.trace is not None and it.testing is not expr:
            it.emit(TruthTested(it.place(expr), result, "chained comparison", it.place(expr)))
        left, left_expr = right, right_expr
    if chained and first is not None:
        return first
    return Opaque(static=True) if chained and result.trace is None else result


def _cond(it: Interpreter, expr: ir.Cond) -> Value:
    from jaxlint.semantics.branches import branch

    true, false = branch(it, expr.test, it.st, "conditional expression", it.place(expr))
    result: Value | None = None
    after: list[State] = []
    for arm, states in ((expr.body, true), (expr.orelse, false)):
        for state in states:
            it.st = state
            value = evaluate_arm(it, expr, arm)
            result = value if result is None else join(result, value)
            after.append(it.st)
    if not after or result is None:
        return UNKNOWN
    it.st = join_all(after)
    return result


def _seq(it: Interpreter, expr: ir.Seq) -> Value:
    from jaxlint.semantics.iteration import iterate

    items: list[Value] = []
    rest: Value | None = None
    open_ended = False
    for item in expr.items:
        if type(item) is not ir.Star:
            items.append(evaluate(it, item))
            continue
        value = evaluate(it, item.value)
        sequence = iterate(it, value, it.place(item))
        if sequence.length is not None and sequence.length <= 64:
            items += [sequence.element(it, i) for i in range(sequence.length)]
        else:
            open_ended = True
            element = sequence.element(it, 0)
            rest = element if rest is None else join(rest, element)
    if expr.kind == "tuple" and not open_ended:
        return TupleV(tuple(items))
    if open_ended:
        for element in items:
            rest = element if rest is None else join(rest, element)
        items = []
    kind, name = ("list", "tuple") if expr.kind == "tuple" else (expr.kind, "")
    return Ref(kind, it.fr.ctx.depth, Content(tuple(items), rest, open_ended), name=name)


def _dict(it: Interpreter, expr: ir.DictE) -> Value:
    items: dict[Any, Value] = {}
    rest: Value | None = None
    open_ended = False
    for key_expr, value_expr in expr.items:
        if key_expr is None:
            value = evaluate(it, value_expr)
            if isinstance(value, Ref) and value.kind == "dict":
                content = it.st.content(value)
                items.update(content.items)
                open_ended |= content.open
                rest = content.rest if rest is None else rest
            else:
                open_ended = True
                rest = UNKNOWN
            continue
        key = evaluate(it, key_expr)
        value = evaluate(it, value_expr)
        found = fingerprint(key)
        if isinstance(key, Const) and found is not None:
            items[key.value] = value
        elif found is not None:
            items[found] = value
            open_ended = True
        else:
            open_ended = True
            rest = value if rest is None else join(rest, value)
    return Ref("dict", it.fr.ctx.depth, Content(items, rest, open_ended))


def _fstring(it: Interpreter, expr: ir.FString) -> Value:
    values: list[Value] = []
    places: list[Place] = []
    for part, has_spec, conversion in expr.parts:
        value = evaluate(it, part)
        values.append(value)
        places.append(it.place(part))
        if not it.fr.ctx.depth and isinstance(value, Array | Opaque):
            timing.wait(it, value, it.place(part), "format")
        if it.donations:
            buffers.read_donated(it, value, it.place(part))
        if has_spec and conversion is None and value.trace is not None:
            it.emit(Concretized(it.place(part), value, "format spec"))
    return effects.text_of(it, tuple(values), tuple(places))


def _star(it: Interpreter, expr: ir.Star) -> Value:
    return evaluate(it, expr.value)


def _walrus(it: Interpreter, expr: ir.Walrus) -> Value:
    value = evaluate(it, expr.value)
    it.assign(expr.name, value)
    return value


def _lambda(it: Interpreter, expr: ir.Lambda) -> Value:
    from jaxlint.semantics.statements import make_function

    return make_function(it, expr.fn)


def _yield(it: Interpreter, expr: ir.Yield) -> Value:
    value = evaluate(it, expr.value) if expr.value is not None else NONE
    if expr.kind == "await":
        return value
    if expr.kind == "yield":
        it.fr.yields.append(value)
    return Opaque("yielded")


def _comp(it: Interpreter, expr: ir.Comp) -> Value:
    from jaxlint.semantics.comprehensions import comprehend

    return comprehend(it, expr)


def _call(it: Interpreter, expr: ir.Call) -> Value:
    from jaxlint.semantics.calls import evaluate_call

    return evaluate_call(it, expr)


_EVAL: dict[type[ir.Expr], Callable[[Any, Any], Value]] = {
    ir.Lit: _lit,
    ir.Name: _name,
    ir.Attr: _attr,
    ir.Sub: _sub,
    ir.Slice: _slice,
    ir.Call: _call,
    ir.Bin: _bin,
    ir.Unary: _unary,
    ir.Bool: _bool,
    ir.Compare: _compare,
    ir.Cond: _cond,
    ir.Seq: _seq,
    ir.DictE: _dict,
    ir.FString: _fstring,
    ir.Star: _star,
    ir.Walrus: _walrus,
    ir.Lambda: _lambda,
    ir.Comp: _comp,
    ir.Yield: _yield,
}


_BUILTINS = frozenset(dir(builtins))
