"""What a function's own text says about its parameters: what kind of value each must be."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from jaxlint.confirm.inside.recorders import SAMPLERS
from jaxlint.confirm.inside.target import Function, dotted

_ARRAY_ATTRIBUTES = frozenset(
    (
        "shape", "ndim", "dtype", "size", "T", "at", "sum", "mean", "max", "min", "reshape", "astype", "ravel",
        "flatten", "transpose", "any", "all", "std", "var", "dot", "argmax", "argmin", "cumsum", "prod", "squeeze",
        "copy", "block_until_ready", "item", "tolist", "real", "imag", "conj",
    )
)  # fmt: skip
_DICT_ATTRIBUTES = frozenset(["items", "keys", "values", "get", "setdefault", "update", "pop", "copy"])
_INTEGER_WORDS = frozenset(["length", "num", "n", "total_repeat_length", "num_segments", "size", "n_samples"])
_CONSTRUCTORS = frozenset(["zeros", "ones", "full", "empty", "arange", "eye", "broadcast_to", "reshape"])
_DEPTH = 4


@dataclass(slots=True)
class Spec:
    """Votes for kinds (`key`, `array`, `int`, `float`, `str`, `bool`, `callable`, `dict`, `seq`, `fields`, `module`).

    rank: the least number of axes. items: by key, position or field. element: of what is iterated over.
    """

    votes: Counter[str] = field(default_factory=Counter)
    rank: int = 0
    exact_rank: int | None = None
    items: dict[Any, Spec] = field(default_factory=dict)
    element: Spec | None = None
    arity: int = 1
    strings: list[str] = field(default_factory=list)
    annotation: ast.expr | None = None
    default: Any = None
    has_default: bool = False
    integral: bool = False

    def item(self, key: Any) -> Spec:
        """The spec of a part."""
        return self.items.setdefault(key, Spec())

    def each(self) -> Spec:
        """The spec of what iteration gives."""
        if self.element is None:
            self.element = Spec()
        return self.element


class Reader:
    """Reads specs off the functions of one module. `names` is the module's namespace."""

    def __init__(self, functions: dict[int, Function], names: dict[str, Any]) -> None:
        self._by_name = {node.name: node for node in functions.values() if not isinstance(node, ast.Lambda)}
        self._names = names

    def read(self, function: Function, depth: int = 0) -> dict[str, Spec]:
        """The specs of a function's parameters, in order."""
        arguments = function.args
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        specs = {argument.arg: Spec(annotation=argument.annotation) for argument in listed}
        defaults = zip([*arguments.posonlyargs, *arguments.args][::-1], arguments.defaults[::-1], strict=False)
        keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        for argument, default in [*defaults, *keyword]:
            if default is not None:
                specs[argument.arg].has_default = True
        if arguments.vararg is not None:
            specs[arguments.vararg.arg] = Spec(Counter(seq=1))
        body = function.body if isinstance(function.body, list) else [ast.Expr(function.body)]
        if depth < _DEPTH:
            scope = dict(specs)
            for _ in range(2):  # names bound late in a loop are used early in it
                for statement in body:
                    self._visit(statement, scope, depth)
        return specs

    def _visit(self, node: ast.AST, scope: dict[str, Spec], depth: int) -> None:
        method = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node, scope, depth)
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            own = {argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
            inner = {name: spec for name, spec in scope.items() if name not in own}
        for child in ast.iter_child_nodes(node):
            self._visit(child, inner, depth)

    def spec(self, node: ast.AST, scope: dict[str, Spec]) -> Spec | None:
        """The spec that an expression is a part of."""
        if isinstance(node, ast.Name):
            return scope.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.spec(node.value, scope)
            if base is None or node.attr in _ARRAY_ATTRIBUTES or node.attr in _DICT_ATTRIBUTES | {"append", "_replace"}:
                return None
            return base.item(f".{node.attr}")
        if isinstance(node, ast.Subscript):
            base = self.spec(node.value, scope)
            if base is not None and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str | int):
                return base.item(node.slice.value)
        if isinstance(node, ast.Starred):
            return self.spec(node.value, scope)
        return None

    def _on_attribute(self, node: ast.Attribute, scope: dict[str, Spec], depth: int) -> None:
        base = self.spec(node.value, scope)
        if base is None:
            return
        if node.attr in _ARRAY_ATTRIBUTES:
            base.votes["array"] += 2
        elif node.attr in ("items", "keys", "values", "get", "update", "setdefault"):
            base.votes["dict"] += 3
        elif node.attr == "append":
            base.votes["seq"] += 3
        elif node.attr != "_replace":
            base.votes["fields"] += 2
            base.item(f".{node.attr}")

    def _on_subscript(self, node: ast.Subscript, scope: dict[str, Spec], depth: int) -> None:
        base = self.spec(node.value, scope)
        if base is not None:
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                base.votes["dict"] += 3
            elif isinstance(node.slice, ast.Tuple):
                base.votes["array"] += 2
                base.rank = max(base.rank, sum(not _is_none(part) for part in node.slice.elts))
            elif isinstance(node.slice, ast.Slice):
                base.votes["array"] += 1
                base.rank = max(base.rank, 1)
            else:
                base.votes["array"] += 1
                base.rank = max(base.rank, 1)
        shape = node.value
        if isinstance(shape, ast.Attribute) and shape.attr == "shape" and isinstance(node.slice, ast.Constant):
            owner = self.spec(shape.value, scope)
            if owner is not None and isinstance(node.slice.value, int):
                owner.rank = max(owner.rank, node.slice.value + 1)
        for part in _index_parts(node.slice):
            index = self.spec(part, scope)
            if (index is not None and base is None) or (index is not None and isinstance(part, ast.Name)):
                index.integral = True

    def _on_compare(self, node: ast.Compare, scope: dict[str, Spec], depth: int) -> None:
        sides = [node.left, *node.comparators]
        texts: list[str] = []
        for side in sides:
            parts = side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
            texts += [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        for side in sides:
            spec = self.spec(side, scope)
            if spec is None:
                continue
            if (texts and not isinstance(node.ops[0], ast.In | ast.NotIn)) or (texts and side is node.left):
                spec.votes["str"] += 3
                spec.strings += texts
            elif texts:
                spec.votes["dict"] += 1
            elif any(isinstance(other, ast.Constant) and other.value is not None for other in sides):
                spec.votes["number"] += 1

    def _on_call(self, node: ast.Call, scope: dict[str, Spec], depth: int) -> None:
        callee = self.spec(node.func, scope)
        if callee is not None:
            callee.votes["callable"] += 3
            callee.arity = max(1, len(node.args))
        name = dotted(node.func)
        last = name.rpartition(".")[2]
        if self._is_random(name) and (node.args or node.keywords):
            first = node.args[0] if node.args else node.keywords[0].value
            self._vote(first, scope, "key", 5)
            for argument in node.args[1:]:
                if isinstance(argument, ast.Tuple):
                    self._shape(argument, scope)
        for index, argument in enumerate(node.args):
            if last == "range":
                self._vote(argument, scope, "int", 4)
            if last in _CONSTRUCTORS and (index == 0) == (last not in ("broadcast_to", "reshape", "full")):
                self._shape(argument, scope)
            if last in ("iter", "enumerate", "zip", "len", "sum", "reversed", "sorted", "list", "tuple"):
                spec = self.spec(argument, scope)
                if spec is not None:
                    spec.rank = max(spec.rank, 1)
                    spec.votes["seq"] += 1
        for keyword in node.keywords:
            if keyword.arg in ("key", "rng"):
                self._vote(keyword.value, scope, "key", 3)
            elif keyword.arg in _INTEGER_WORDS:
                self._vote(keyword.value, scope, "int", 3)
            elif keyword.arg == "shape":
                self._shape(keyword.value, scope)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            for argument in node.args:
                self._shape(argument, scope)
        if last in ("vmap", "map", "scan") or isinstance(node.func, ast.Call):
            for argument in node.args:
                self._vote(argument, scope, "array", 1)
        self._pass_on(node, name, scope, depth)

    def _pass_on(self, node: ast.Call, name: str, scope: dict[str, Spec], depth: int) -> None:
        """Arguments of functions of the module are what these make of them."""
        called = self._by_name.get(name.rpartition(".")[2]) if name else None
        if called is None or depth >= _DEPTH:
            return
        theirs = self.read(called, depth + 1)
        names = [word for word in theirs if word != "self"]
        given = [(word, argument) for word, argument in zip(names, node.args, strict=False)]
        given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in theirs]
        for word, argument in given:
            mine = self.spec(argument, scope)
            if mine is not None:
                merge(mine, theirs[word])

    def _shape(self, node: ast.AST, scope: dict[str, Spec]) -> None:
        parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        for part in parts:
            self._vote(part, scope, "int", 3)

    def _vote(self, node: ast.AST, scope: dict[str, Spec], kind: str, weight: int) -> None:
        if isinstance(node, ast.BinOp):
            self._vote(node.left, scope, kind, weight)
            self._vote(node.right, scope, kind, weight)
        spec = self.spec(node, scope)
        if spec is not None:
            spec.votes[kind] += weight

    def _on_for(self, node: ast.For | ast.comprehension, scope: dict[str, Spec], depth: int) -> None:
        self._iterate(node.target, node.iter, scope)

    _on_comprehension = _on_for

    def _iterate(self, target: ast.AST, over: ast.AST, scope: dict[str, Spec]) -> None:
        if isinstance(over, ast.Call):
            name = dotted(over.func).rpartition(".")[2]
            elements = target.elts if isinstance(target, ast.Tuple) else []
            if name == "enumerate" and len(elements) == 2 and over.args:
                self._iterate(elements[1], over.args[0], scope)
            elif name == "zip" and len(elements) == len(over.args):
                for element, argument in zip(elements, over.args, strict=True):
                    self._iterate(element, argument, scope)
            elif name in ("items", "values") and isinstance(over.func, ast.Attribute):
                spec = self.spec(over.func.value, scope)
                part = elements[-1] if elements and name == "items" else target
                if spec is not None:
                    self._bind(part, spec.each(), scope)
            return
        spec = self.spec(over, scope)
        if spec is not None:
            spec.votes["seq"] += 2
            spec.rank = max(spec.rank, 1)
            self._bind(target, spec.each(), scope)

    def _bind(self, target: ast.AST, spec: Spec, scope: dict[str, Spec]) -> None:
        if isinstance(target, ast.Name):
            # Votes that the name gets are votes for what it was taken from.
            scope[target.id] = spec
        elif isinstance(target, ast.Tuple | ast.List):
            spec.votes["tuple"] += 3
            for index, element in enumerate(target.elts):
                self._bind(element, spec.item(index), scope)

    def _on_assign(self, node: ast.Assign, scope: dict[str, Spec], depth: int) -> None:
        target = node.targets[0]
        spec = self.spec(node.value, scope)
        if isinstance(target, ast.Tuple):
            if spec is not None:
                self._bind(target, spec, scope)
            elif isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
                owner = self.spec(node.value.value, scope)
                if owner is not None:
                    owner.exact_rank = len(target.elts)
        elif isinstance(target, ast.Name) and spec is not None and target.id not in scope:
            scope[target.id] = spec
        elif isinstance(target, ast.Subscript):
            stored = self.spec(target.value, scope)
            if stored is not None and isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
                stored.votes["dict"] += 2

    def _on_binop(self, node: ast.BinOp, scope: dict[str, Spec], depth: int) -> None:
        for side in (node.left, node.right):
            spec = self.spec(side, scope)
            if spec is not None:
                spec.votes["number"] += 1
                if isinstance(node.op, ast.MatMult):
                    spec.votes["array"] += 2
                    spec.rank = max(spec.rank, 1)
                    if side is node.right:
                        spec.items.setdefault("matmul", Spec())

    def _test(self, node: Any, scope: dict[str, Spec], depth: int) -> None:
        spec = self.spec(node.test, scope)
        if spec is not None:
            spec.votes["bool"] += 2

    _on_if = _on_ifexp = _on_assert = _test

    def _is_random(self, name: str) -> bool:
        base, _, last = name.rpartition(".")
        if last not in (*SAMPLERS, "split", "fold_in"):
            return False
        value: Any = self._names.get((base or last).split(".")[0])
        for part in base.split(".")[1:]:
            value = getattr(value, part, None)
        module = getattr(value, "__name__" if base else "__module__", "")
        return "random" in module and "jax" in module


def merge(mine: Spec, other: Spec) -> None:
    """Take in what another function makes of the same value."""
    mine.votes.update(other.votes)
    mine.rank = max(mine.rank, other.rank)
    mine.exact_rank = mine.exact_rank or other.exact_rank
    mine.arity = max(mine.arity, other.arity)
    mine.strings += [text for text in other.strings if text not in mine.strings]
    mine.integral = mine.integral or other.integral
    mine.annotation = mine.annotation or other.annotation
    for key, spec in other.items.items():
        if key in mine.items:
            if mine.items[key] is not spec:
                merge(mine.items[key], spec)
        else:
            mine.items[key] = spec
    mine.element = mine.element or other.element


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis)


def _index_parts(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.Tuple):
        return [part for element in node.elts for part in _index_parts(element)]
    if isinstance(node, ast.Slice):
        return []
    if isinstance(node, ast.Compare):
        return []
    return [node]
