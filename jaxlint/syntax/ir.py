"""The compact form of a module that the interpreter runs.

Each node carries `id`, the index of its LibCST node in `ModuleIR.nodes`; the tree itself can be dropped and made again
(lowering is deterministic), so that a worker keeps the compact form of many files and the trees of few.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import libcst as cst


class Node:
    """A node of the compact form; `id` names its LibCST node."""

    __slots__ = ("id",)

    id: int


# ---- expressions ----------------------------------------------------------------------------------------------------


class Expr(Node):
    """An expression."""

    __slots__ = ()


class Lit(Expr):
    """A literal whose Python value is known."""

    __slots__ = ("value",)

    def __init__(self, id: int, value: Any) -> None:
        self.id = id
        self.value = value


class Name(Expr):
    """A name that is read."""

    __slots__ = ("name",)

    def __init__(self, id: int, name: str) -> None:
        self.id = id
        self.name = name


class Attr(Expr):
    """`obj.attr`."""

    __slots__ = ("attr", "obj")

    def __init__(self, id: int, obj: Expr, attr: str) -> None:
        self.id = id
        self.obj = obj
        self.attr = attr


class Sub(Expr):
    """`obj[index]`; several subscripts are one `Seq`."""

    __slots__ = ("index", "obj")

    def __init__(self, id: int, obj: Expr, index: Expr) -> None:
        self.id = id
        self.obj = obj
        self.index = index


class Slice(Expr):
    """`lower:upper:step` inside a subscript."""

    __slots__ = ("lower", "step", "upper")

    def __init__(self, id: int, lower: Expr | None, upper: Expr | None, step: Expr | None) -> None:
        self.id = id
        self.lower = lower
        self.upper = upper
        self.step = step


class Call(Expr):
    """A call: positional arguments may hold `Star`; keywords are (name or None for `**`, value)."""

    __slots__ = ("args", "func", "keywords")

    def __init__(self, id: int, func: Expr, args: list[Expr], keywords: list[tuple[str | None, Expr]]) -> None:
        self.id = id
        self.func = func
        self.args = args
        self.keywords = keywords


class Bin(Expr):
    """An arithmetic or bitwise operation; `op` is its sign, such as `+`."""

    __slots__ = ("left", "op", "right")

    def __init__(self, id: int, op: str, left: Expr, right: Expr) -> None:
        self.id = id
        self.op = op
        self.left = left
        self.right = right


class Unary(Expr):
    """`-x`, `+x`, `~x` or `not x`."""

    __slots__ = ("op", "operand")

    def __init__(self, id: int, op: str, operand: Expr) -> None:
        self.id = id
        self.op = op
        self.operand = operand


class Bool(Expr):
    """`a and b` or `a or b`."""

    __slots__ = ("left", "op", "right")

    def __init__(self, id: int, op: str, left: Expr, right: Expr) -> None:
        self.id = id
        self.op = op
        self.left = left
        self.right = right


class Compare(Expr):
    """A comparison, chained when it has several parts."""

    __slots__ = ("left", "parts")

    def __init__(self, id: int, left: Expr, parts: list[tuple[str, Expr]]) -> None:
        self.id = id
        self.left = left
        self.parts = parts


class Cond(Expr):
    """`body if test else orelse`."""

    __slots__ = ("body", "orelse", "test")

    def __init__(self, id: int, test: Expr, body: Expr, orelse: Expr) -> None:
        self.id = id
        self.test = test
        self.body = body
        self.orelse = orelse


class Seq(Expr):
    """A tuple, list or set display; `kind` says which."""

    __slots__ = ("items", "kind")

    def __init__(self, id: int, kind: str, items: list[Expr]) -> None:
        self.id = id
        self.kind = kind
        self.items = items


class DictE(Expr):
    """A dict display; a key of None is `**value`."""

    __slots__ = ("items",)

    def __init__(self, id: int, items: list[tuple[Expr | None, Expr]]) -> None:
        self.id = id
        self.items = items


class FString(Expr):
    """An f-string: the literal parts are left out; `parts` are (expression, has a format spec, conversion)."""

    __slots__ = ("parts",)

    def __init__(self, id: int, parts: list[tuple[Expr, bool, str | None]]) -> None:
        self.id = id
        self.parts = parts


class Star(Expr):
    """`*value` in a call or a display."""

    __slots__ = ("value",)

    def __init__(self, id: int, value: Expr) -> None:
        self.id = id
        self.value = value


class Walrus(Expr):
    """`name := value`."""

    __slots__ = ("name", "value")

    def __init__(self, id: int, name: str, value: Expr) -> None:
        self.id = id
        self.name = name
        self.value = value


class Lambda(Expr):
    """A lambda."""

    __slots__ = ("fn",)

    def __init__(self, id: int, fn: FunctionIR) -> None:
        self.id = id
        self.fn = fn


class Clause:
    """One `for target in iter if …` of a comprehension."""

    __slots__ = ("ifs", "iter", "target")

    def __init__(self, target: Expr, iter: Expr, ifs: list[Expr]) -> None:
        self.target = target
        self.iter = iter
        self.ifs = ifs


class Comp(Expr):
    """A comprehension or generator expression; `key` only for dicts."""

    __slots__ = ("clauses", "elt", "key", "kind")

    def __init__(self, id: int, kind: str, elt: Expr, key: Expr | None, clauses: list[Clause]) -> None:
        self.id = id
        self.kind = kind
        self.elt = elt
        self.key = key
        self.clauses = clauses


class Yield(Expr):
    """`yield`, `yield from` or `await`: what comes back is not known."""

    __slots__ = ("kind", "value")

    def __init__(self, id: int, kind: str, value: Expr | None) -> None:
        self.id = id
        self.kind = kind
        self.value = value


# ---- statements -----------------------------------------------------------------------------------------------------


class Stmt(Node):
    """A statement."""

    __slots__ = ()


class ExprStmt(Stmt):
    """An expression whose result is dropped."""

    __slots__ = ("value",)

    def __init__(self, id: int, value: Expr) -> None:
        self.id = id
        self.value = value


class Assign(Stmt):
    """`a = b = value`; an annotated assignment has one target."""

    __slots__ = ("annotation", "targets", "value")

    def __init__(self, id: int, targets: list[Expr], value: Expr | None, annotation: Expr | None = None) -> None:
        self.id = id
        self.targets = targets
        self.value = value
        self.annotation = annotation


class AugAssign(Stmt):
    """`target op= value`."""

    __slots__ = ("op", "target", "value")

    def __init__(self, id: int, target: Expr, op: str, value: Expr) -> None:
        self.id = id
        self.target = target
        self.op = op
        self.value = value


class Return(Stmt):
    """`return value`."""

    __slots__ = ("value",)

    def __init__(self, id: int, value: Expr | None) -> None:
        self.id = id
        self.value = value


class Raise(Stmt):
    """`raise`."""

    __slots__ = ("value",)

    def __init__(self, id: int, value: Expr | None) -> None:
        self.id = id
        self.value = value


class Jump(Stmt):
    """`break`, `continue` or `pass`."""

    __slots__ = ("kind",)

    def __init__(self, id: int, kind: str) -> None:
        self.id = id
        self.kind = kind


class Assert(Stmt):
    """`assert test, message`."""

    __slots__ = ("message", "test")

    def __init__(self, id: int, test: Expr, message: Expr | None) -> None:
        self.id = id
        self.test = test
        self.message = message


class Delete(Stmt):
    """`del targets`."""

    __slots__ = ("targets",)

    def __init__(self, id: int, targets: list[Expr]) -> None:
        self.id = id
        self.targets = targets


class If(Stmt):
    """`if`; `elif` is an `If` alone in `orelse`."""

    __slots__ = ("body", "orelse", "test")

    def __init__(self, id: int, test: Expr, body: list[Stmt], orelse: list[Stmt]) -> None:
        self.id = id
        self.test = test
        self.body = body
        self.orelse = orelse


class While(Stmt):
    """`while`."""

    __slots__ = ("body", "orelse", "test")

    def __init__(self, id: int, test: Expr, body: list[Stmt], orelse: list[Stmt]) -> None:
        self.id = id
        self.test = test
        self.body = body
        self.orelse = orelse


class For(Stmt):
    """`for target in iter`."""

    __slots__ = ("body", "iter", "orelse", "target")

    def __init__(self, id: int, target: Expr, iter: Expr, body: list[Stmt], orelse: list[Stmt]) -> None:
        self.id = id
        self.target = target
        self.iter = iter
        self.body = body
        self.orelse = orelse


class With(Stmt):
    """`with item as target, …`."""

    __slots__ = ("body", "items")

    def __init__(self, id: int, items: list[tuple[Expr, Expr | None]], body: list[Stmt]) -> None:
        self.id = id
        self.items = items
        self.body = body


class Handler:
    """One `except type as name`."""

    __slots__ = ("body", "name", "type")

    def __init__(self, type: Expr | None, name: str | None, body: list[Stmt]) -> None:
        self.type = type
        self.name = name
        self.body = body


class Try(Stmt):
    """`try`."""

    __slots__ = ("body", "final", "handlers", "orelse")

    def __init__(
        self, id: int, body: list[Stmt], handlers: list[Handler], orelse: list[Stmt], final: list[Stmt]
    ) -> None:
        self.id = id
        self.body = body
        self.handlers = handlers
        self.orelse = orelse
        self.final = final


class Case:
    """One `case` of a match: names it binds, the literals it compares with, and whether it takes anything."""

    __slots__ = ("binds", "body", "guard", "irrefutable", "values")

    def __init__(
        self, values: list[Expr], binds: list[str], guard: Expr | None, irrefutable: bool, body: list[Stmt]
    ) -> None:
        self.values = values
        self.binds = binds
        self.guard = guard
        self.irrefutable = irrefutable
        self.body = body


class Match(Stmt):
    """`match subject`."""

    __slots__ = ("cases", "subject")

    def __init__(self, id: int, subject: Expr, cases: list[Case]) -> None:
        self.id = id
        self.subject = subject
        self.cases = cases


class Import(Stmt):
    """`import a.b as c`: (module, bound name, whether the name is the top package)."""

    __slots__ = ("names",)

    def __init__(self, id: int, names: list[tuple[str, str, bool]]) -> None:
        self.id = id
        self.names = names


class ImportFrom(Stmt):
    """`from module import name as alias`; names of None is a star import; `level` counts the leading dots."""

    __slots__ = ("level", "module", "names")

    def __init__(self, id: int, module: str, level: int, names: list[tuple[str, str, int]] | None) -> None:
        self.id = id
        self.module = module
        self.level = level
        self.names = names


class FunctionDef(Stmt):
    """`def`."""

    __slots__ = ("fn",)

    def __init__(self, id: int, fn: FunctionIR) -> None:
        self.id = id
        self.fn = fn


class ClassDef(Stmt):
    """`class`."""

    __slots__ = ("bases", "body", "decorators", "keywords", "name", "qualname")

    def __init__(
        self,
        id: int,
        name: str,
        qualname: str,
        bases: list[Expr],
        keywords: list[tuple[str | None, Expr]],
        decorators: list[tuple[int, Expr]],
        body: list[Stmt],
    ) -> None:
        self.id = id
        self.name = name
        self.qualname = qualname
        self.bases = bases
        self.keywords = keywords
        self.decorators = decorators
        self.body = body


# ---- functions and modules ------------------------------------------------------------------------------------------


class Param:
    """One parameter; `kind` is one of `pos`, `any`, `star`, `kw`, `starstar`."""

    __slots__ = ("annotation", "default", "id", "kind", "name")

    def __init__(self, id: int, name: str, kind: str, default: Expr | None, annotation: Expr | None) -> None:
        self.id = id
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation


class FunctionIR:
    """A function, method or lambda.

    `locals` are the names it binds; `globals` and `nonlocals` the declared ones; `loads` maps a name to the largest id
    of a node that reads it in this function or a nested one (for liveness). `uses` tells how names are used, `taken`
    how often one is read for more than its truth.
    """

    __slots__ = (
        "body",
        "class_name",
        "decorators",
        "globals",
        "id",
        "is_generator",
        "is_lambda",
        "loads",
        "locals",
        "module",
        "name",
        "nonlocals",
        "params",
        "parent",
        "qualname",
        "returns",
        "size",
        "taken",
        "uses",
    )

    def __init__(self, id: int, module: ModuleIR, name: str, qualname: str, parent: FunctionIR | None) -> None:
        self.id = id
        self.module = module
        self.name = name
        self.qualname = qualname
        self.parent = parent
        self.class_name: str | None = None
        self.params: list[Param] = []
        self.decorators: list[tuple[int, Expr]] = []
        self.returns: Expr | None = None
        self.body: list[Stmt] = []
        self.locals: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.loads: dict[str, int] = {}
        self.uses: dict[str, set[str]] = {}
        self.taken: Counter[str] = Counter()
        self.is_generator = False
        self.is_lambda = False
        self.size = 0

    def only_tested(self, name: str) -> bool:
        """Whether the function asks for nothing but the truth of a name: nobody wants what a container would hold."""
        return self.uses.get(name) == {"truth"} and not self.taken[name]


class ModuleIR:
    """A module: its body, its LibCST nodes by id, and per node its statement.

    The nodes may be dropped; they are made again when somebody asks for them.

    Over all of it: `imports` are its import statements, `keywords` the names of keyword arguments, `given` says how
    many arguments calls give by position, by the last part of the callee's name (from two on).
    """

    __slots__ = (
        "_nodes",
        "_statements",
        "_text",
        "body",
        "functions",
        "given",
        "imports",
        "is_package",
        "keywords",
        "loads",
        "name",
        "path",
        "statement_of",
        "top",
    )

    def __init__(self, path: str, name: str, is_package: bool) -> None:
        self.path = path
        self.name = name
        self.is_package = is_package
        self.body: list[Stmt] = []
        self._nodes: list[cst.CSTNode] = []
        self.statement_of: list[int] = []
        self._statements: list[tuple[cst.CSTNode, cst.CSTNode, str]] = []
        self._text: str | None = None
        self.functions: list[FunctionIR] = []
        self.top: FunctionIR | None = None
        self.loads: dict[str, int] = {}
        self.imports: list[Import | ImportFrom] = []
        self.keywords: set[str] = set()
        self.given: dict[str, int] = {}

    @property
    def nodes(self) -> list[cst.CSTNode]:
        """The LibCST nodes by id."""
        if self._text is not None:
            self._make_again(self._text)
        return self._nodes

    @property
    def statements(self) -> list[tuple[cst.CSTNode, cst.CSTNode, str]]:
        """The statements: the node, the line that it stands in, and its indentation."""
        if self._text is not None:
            self._make_again(self._text)
        return self._statements

    def drop_nodes(self, text: str) -> None:
        """Let go of the nodes, which were made from `text`."""
        self._nodes, self._statements, self._text = [], [], text

    def _make_again(self, text: str) -> None:
        from jaxlint.syntax.lower import lower  # noqa: PLC0415 (it makes what is defined here)
        from jaxlint.syntax.parse import parse  # noqa: PLC0415

        self._text = None
        again = lower(parse(text), self.path, self.name, self.is_package)
        self._nodes, self._statements = again._nodes, again._statements
