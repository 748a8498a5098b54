"""What a module spells of JAX's public interface, before any alias is resolved, and under which guard.

One walk over the compact form, apart from the interpreter: it also sees code that nothing runs, and each name as it is
written. Functions that read no name of JAX are passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.knowledge.changes import Change, Changes, load
from jaxlint.semantics import guards
from jaxlint.semantics.events import ChangeMet, PrivateImported
from jaxlint.semantics.guards import ARGUMENTS, EVERYTHING, IMPORTS, NAMES
from jaxlint.semantics.project import resolve_relative
from jaxlint.semantics.scopes import Scope, attribute_may_be_none, names_of, note_alias, optional
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter
    from jaxlint.semantics.project import ModuleEnv
    from jaxlint.target import Target

_PACKAGE = "jax"
_PARTIAL = "functools.partial"
_UPDATE = "jax.config.update"
_PRIVATE = "_src"


def tell(it: Interpreter, env: ModuleEnv, target: Target) -> None:
    """Tell what a module imports of JAX, and what it spells that changed for the versions of `target`."""
    top = env.ir.top
    if top is None or not names_of(env.ir, _PACKAGE) or it.project.find(_PACKAGE) is not None:
        return
    walk = _Walk(it, env, top, target)
    if walk.worthwhile():
        walk.run()


class _Walk:
    """One walk over a module."""

    def __init__(self, it: Interpreter, env: ModuleEnv, top: ir.FunctionIR, target: Target) -> None:
        self.it = it
        self.env = env
        self.module = env.ir
        self.top = top
        self.target = target
        self.changes: Changes = load()
        self.scope = Scope(top, None)
        self.roots: set[str] = set()
        self.flags: set[str] = set()
        self.version_test = guards.VersionTests(self.flags, lambda expr: bool(self.scope.resolve(expr)))
        self.guard = 0
        self.active = True
        self.evaluated = True
        self.cls: ir.ClassDef | None = None
        self.local = False

    def worthwhile(self) -> bool:
        """Whether a look at names alone finds anything that a walk may tell of."""
        if any(self._imports_matter(stmt) for stmt in self.module.imports):
            return True
        names = names_of(self.module, _PACKAGE)
        functions = (self.top, *self.module.functions)
        for fn in functions:
            for stmt in fn.body:
                if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Attr | ir.Name):
                    note_alias(stmt, names)
        if any(self._call_matters(name) for spelled in names.values() for name in spelled):
            return True
        return any(self._uses_matter(fn, names) for fn in functions)

    def _imports_matter(self, stmt: ir.Import | ir.ImportFrom) -> bool:
        table = self.changes.imports
        if isinstance(stmt, ir.Import):
            return any(_is_private(path) or self._first(path, table) for path, _, _ in stmt.names)
        if stmt.level or stmt.module.split(".", 1)[0] != _PACKAGE:
            return False
        if _is_private(stmt.module) or self._first(stmt.module, table):
            return True
        names = [name for name, _, _ in stmt.names or ()]
        return _PRIVATE in names or any(self._holds(table.get(f"{stmt.module}.{name}")) for name in names)

    def _uses_matter(self, fn: ir.FunctionIR, names: dict[str, set[str]]) -> bool:
        for name, uses in fn.uses.items():
            root, _, rest = name.partition(".")
            for base in names.get(root, ()):
                whole = f"{base}.{rest}" if rest else base
                for use in uses:
                    if use[0] == ".":
                        full = whole + use
                        if self._holds(self.changes.names.get(full)) or (rest and full in self.changes.packages):
                            return True
                    else:
                        full = whole
                    if full == _UPDATE:
                        return True
                    if self._call_matters(full):
                        return True
        return False

    def _call_matters(self, function: str) -> bool:
        """Whether some call in the module may give an argument of the function that changed."""
        module = self.module
        most = max(module.given.get(function.rpartition(".")[2], 0), module.given.get("partial", 0) - 1)
        for row in self.changes.arguments.get(function, ()):
            if not self._holds(row):
                continue
            if row.kind == "default" or row.argument in module.keywords or (row.limit is not None and most > row.limit):
                return True
        return False

    def run(self) -> None:
        """Find out which names stand for JAX, then walk what reads them."""
        self._find_roots()
        self._hand_on()
        self._find_all_flags()
        self.block(self.top.body)

    # ---- names ----

    def _find_roots(self) -> None:
        names = names_of(self.module, _PACKAGE)
        for fn in (self.top, *self.module.functions):
            for stmt in guards.statements(fn.body):
                if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Attr | ir.Name):
                    note_alias(stmt, names)
        self.roots = set(names)
        for statement in self.module.imports:
            if isinstance(statement, ir.ImportFrom) and statement.module == "__future__":
                self.evaluated = all(name != "annotations" for name, _, _ in statement.names or ())

    def _hand_on(self) -> None:
        """Flags that other modules of the project define."""
        for stmt in self.module.imports:
            if not isinstance(stmt, ir.ImportFrom):
                continue
            source = resolve_relative(self.module, stmt.level, stmt.module) if stmt.level else stmt.module
            path = self.it.project.find(source)
            env = self.it.project.by_path.get(path) if path is not None else None
            if env is not None and env is not self.env and env.ir.top is not None:
                flags = self._flags_of(env, env.ir.top)
                self.flags |= {bound for name, bound, _ in stmt.names or () if name in flags}

    def _flags_of(self, env: ModuleEnv, top: ir.FunctionIR) -> set[str]:
        key = ("version flags", env.path)
        found: set[str] | None = self.it.memo.get(key)
        if found is None:
            other = _Walk(self.it, env, top, self.target)
            other._find_roots()
            other._find_all_flags()
            found = self.it.memo[key] = other.flags
        return found

    def _find_all_flags(self) -> None:
        for fn in (self.top, *self.module.functions):
            self._find_flags(fn)

    def _find_flags(self, fn: ir.FunctionIR) -> None:
        """Names whose value says what the installed version is or has."""
        if fn is not self.top and not fn.loads.keys() & (self.roots | self.flags | {"version", "hasattr"}):
            return
        scope, self.scope = self.scope, Scope(fn, self.scope) if fn is not self.top else self.scope
        for stmt in guards.statements(fn.body):
            if isinstance(stmt, ir.Assign) and stmt.value is not None and self.version_test(stmt.value):
                self._flag(stmt)
            elif isinstance(stmt, ir.Return) and stmt.value is not None and self.version_test(stmt.value):
                if isinstance(stmt.value, ir.Compare | ir.Bool | ir.Unary | ir.Call):
                    self.flags.add(fn.name)
            elif isinstance(stmt, ir.Try) and guards.attempt(stmt) & IMPORTS:
                if any(isinstance(inner, ir.Import | ir.ImportFrom) for inner in stmt.body):
                    for block in guards.blocks(stmt):
                        self._flag_constants(block)
            elif isinstance(stmt, ir.If) and self.version_test(stmt.test):
                self._flag_constants(stmt.body)
                self._flag_constants(stmt.orelse)
        self.scope = scope

    def _flag_constants(self, block: list[ir.Stmt]) -> None:
        for stmt in block:
            if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Lit):
                self._flag(stmt)

    def _flag(self, stmt: ir.Assign) -> None:
        for target in stmt.targets:
            if isinstance(target, ir.Name):
                self.flags.add(target.name)
            elif isinstance(target, ir.Attr):
                self.flags.add("." + target.attr)
            elif isinstance(target, ir.Seq):
                self.flags |= {item.name for item in target.items if isinstance(item, ir.Name)}

    # ---- statements ----

    def block(self, body: list[ir.Stmt]) -> None:
        """The statements of a block; what stands behind one that leaves by a version test is guarded."""
        saved = self.guard
        for stmt in body:
            self.statement(stmt)
            if isinstance(stmt, ir.If) and self.active and guards.may_leave(stmt) and self.version_test(stmt.test):
                self.guard = EVERYTHING
        self.guard = saved

    def under(self, guard: int, body: list[ir.Stmt]) -> None:
        saved, self.guard = self.guard, self.guard | guard
        self.block(body)
        self.guard = saved

    def statement(self, stmt: ir.Stmt) -> None:
        if isinstance(stmt, ir.ImportFrom):
            self._import_from(stmt)
        elif isinstance(stmt, ir.Import):
            self._import(stmt)
        elif isinstance(stmt, ir.FunctionDef):
            self._function(stmt.fn)
        elif isinstance(stmt, ir.ClassDef):
            self._class(stmt)
        elif isinstance(stmt, ir.If):
            self._if(stmt)
        elif isinstance(stmt, ir.Try):
            self.under(guards.attempt(stmt), stmt.body)
            for handler, errors in zip(stmt.handlers, guards.caught(stmt), strict=True):
                self.under(EVERYTHING if guards.is_fallback(errors) else 0, handler.body)
            self.under(guards.attempt(stmt), stmt.orelse)
            self.block(stmt.final)
        elif isinstance(stmt, ir.With):
            for expr, _ in stmt.items:
                self.expr(expr)
            self.under(EVERYTHING if guards.context_guards(stmt) else 0, stmt.body)
        else:
            self._simple(stmt)

    def _simple(self, stmt: ir.Stmt) -> None:
        if isinstance(stmt, ir.Assign):
            for target in stmt.targets:
                if not isinstance(target, ir.Name):
                    self.expr(target)
            if stmt.annotation is not None and self.evaluated and not self.local:
                self.expr(stmt.annotation)
        elif isinstance(stmt, ir.AugAssign | ir.For):
            self.expr(stmt.target)
        if isinstance(stmt, ir.ExprStmt | ir.Assign | ir.AugAssign | ir.Return | ir.Raise):
            if stmt.value is not None:
                self.expr(stmt.value)
        elif isinstance(stmt, ir.For):
            self.expr(stmt.iter)
        elif isinstance(stmt, ir.Assert | ir.While):
            self.expr(stmt.test)
        elif isinstance(stmt, ir.Match):
            self.expr(stmt.subject)
        for block in guards.blocks(stmt):
            self.block(block)

    def _if(self, stmt: ir.If) -> None:
        checking = guards.type_checking(stmt.test)
        tested = checking is None and self.active and self.version_test(stmt.test)
        if checking is None:
            self.expr(stmt.test)
        self.under(EVERYTHING if tested or checking is True else 0, stmt.body)
        self.under(EVERYTHING if tested or checking is False else 0, stmt.orelse)

    def _function(self, fn: ir.FunctionIR) -> None:
        saved = self.guard
        for _, decorator in fn.decorators:
            if self.active and self.version_test(decorator):
                self.guard = EVERYTHING
            self.expr(decorator)
        for param in fn.params:
            if param.default is not None:
                self.expr(param.default)
            if param.annotation is not None and self.evaluated:
                self.expr(param.annotation)
        if fn.returns is not None and self.evaluated:
            self.expr(fn.returns)
        self._inside(fn)
        self.guard = saved

    def _inside(self, fn: ir.FunctionIR) -> None:
        saved = self.scope, self.active, self.local
        self.scope = Scope(fn, self.scope)
        self.active = bool(fn.loads.keys() & self.roots) or bool(fn.locals & self.roots)
        self.local = True
        self.block(fn.body)
        self.scope, self.active, self.local = saved

    def _class(self, stmt: ir.ClassDef) -> None:
        for _, decorator in stmt.decorators:
            self.expr(decorator)
        for base in stmt.bases:
            self.expr(base)
        for _, value in stmt.keywords:
            self.expr(value)
        saved = self.cls, self.local
        self.cls, self.local = stmt, False
        self.block(stmt.body)
        self.cls, self.local = saved

    # ---- imports ----

    def _told(self, id: int, change: Change | None, how: str, spelling: str, guard: int) -> None:
        if change is not None and self._holds(change):
            self.it.emit(ChangeMet((self.module, id), change, how, spelling, bool(self.guard & guard)))

    def _holds(self, change: Change | None) -> bool:
        """Whether the change matters to the versions that the code is judged against."""
        if change is None:
            return False
        if change.kind == "default":
            return self.target.spans(change.removed_in)
        return change.removed(self.target) or change.deprecated(self.target)

    def _import(self, stmt: ir.Import) -> None:
        for module, _, _ in stmt.names:
            if module.split(".", 1)[0] == _PACKAGE:
                if _is_private(module):
                    self._private(stmt, module, ())
                self._told(stmt.id, self._first(module, self.changes.imports), "import", module, IMPORTS)

    def _import_from(self, stmt: ir.ImportFrom) -> None:
        module = stmt.module
        if stmt.level or module.split(".", 1)[0] != _PACKAGE:
            return
        names = tuple(name for name, _, _ in stmt.names) if stmt.names is not None else ("*",)
        if _is_private(module):
            self._private(stmt, module, names)
        elif _PRIVATE in names:
            self._private(stmt, f"{module}.{_PRIVATE}", ())
        gone = self._first(module, self.changes.imports)
        if gone is not None:
            self._told(stmt.id, gone, "import", module, IMPORTS)
        for name, _, id in stmt.names or ():
            full = f"{module}.{name}"
            if gone is None or not gone.removed(self.target):
                self._told(id, self.changes.names.get(full), "import", full, IMPORTS)

    def _private(self, stmt: ir.Stmt, module: str, names: tuple[str, ...]) -> None:
        self.it.emit(PrivateImported((self.module, stmt.id), module, names, bool(self.guard & IMPORTS)))

    def _first(self, name: str, table: dict[str, Change]) -> Change | None:
        """The change of the first part of a dotted name that has one."""
        end = name.find(".")
        while end >= 0:
            end = name.find(".", end + 1)
            found = table.get(name if end < 0 else name[:end])
            if self._holds(found):
                return found
        return None

    # ---- expressions ----

    def expr(self, expr: ir.Expr) -> None:
        """What an expression spells."""
        if not self.active:
            return
        kind = type(expr)
        if kind is ir.Name or kind is ir.Lit:
            return
        if isinstance(expr, ir.Attr):
            self._attribute(expr)
        elif isinstance(expr, ir.Call):
            self._call(expr)
            for part in guards.parts(expr):
                self.expr(part)
        elif isinstance(expr, ir.Lambda):
            for param in expr.fn.params:
                if param.default is not None:
                    self.expr(param.default)
            self._inside(expr.fn)
        elif isinstance(expr, ir.Cond) and self.version_test(expr.test):
            saved, self.guard = self.guard, EVERYTHING
            self.expr(expr.body)
            self.expr(expr.orelse)
            self.guard = saved
        elif isinstance(expr, ir.Bool) and self.version_test(expr.left):
            saved, self.guard = self.guard, EVERYTHING
            self.expr(expr.right)
            self.guard = saved
        else:
            for part in guards.parts(expr):
                self.expr(part)

    def _attribute(self, expr: ir.Attr) -> None:
        if expr.attr not in self.changes.words:
            self.expr(expr.obj)
            return
        spelled = self.scope.resolve(expr)
        self.expr(expr.obj)
        if not spelled or not all(self._holds(self.changes.names.get(name)) for name in spelled):
            return
        # What stands below something that changed is told of there.
        if not any(self._first(name, self.changes.names) for name in self.scope.resolve(expr.obj)):
            name = min(spelled)
            self._told(expr.id, self.changes.names[name], "attribute", name, NAMES)

    # ---- calls ----

    def _call(self, call: ir.Call) -> None:
        names = self.scope.resolve(call.func)
        args = call.args
        if names == {_PARTIAL} and args:
            names, args = self.scope.resolve(args[0]), args[1:]
        if not names:
            return
        if names == {_UPDATE}:
            self._option(call)
        tables = [self.changes.arguments.get(name) for name in names]
        if None in tables:
            return
        # With several candidates an argument is wrong when it is wrong for each of them.
        rows = tables[0] or []
        if len(tables) > 1:
            common = set.intersection(*({row.argument for row in table} for table in tables if table))
            rows = [row for row in rows if row.argument in common]
        given = {name for name, _ in call.keywords}
        for row in rows:
            if row.kind == "default":
                if row.argument not in given and None not in given and self._counts(row, args):
                    self._told(call.id, row, "omitted", row.owner, ARGUMENTS)
            elif row.argument:
                value = next((value for name, value in call.keywords if name == row.argument), None)
                if value is not None and not self._may_be_none(value):
                    self._told(call.id, row, "argument", row.owner, ARGUMENTS)
            elif self._too_many(row, args):
                self._told(call.id, row, "position", row.owner, ARGUMENTS)

    def _too_many(self, row: Change, args: list[ir.Expr]) -> bool:
        """Whether more arguments are given by position than the function takes."""
        if row.limit is None or any(isinstance(arg, ir.Star) for arg in args):
            return False
        return any(not self._may_be_none(value) for value in args[row.limit :])

    @staticmethod
    def _counts(row: Change, args: list[ir.Expr]) -> bool:
        return not any(isinstance(arg, ir.Star) for arg in args) and len(args) <= (row.limit or 0)

    def _option(self, call: ir.Call) -> None:
        first = call.args[0] if call.args else None
        if isinstance(first, ir.Lit) and isinstance(first.value, str):
            name = f"jax.config.{first.value}"
            self._told(call.id, self.changes.names.get(name), "option", name, NAMES)

    def _may_be_none(self, value: ir.Expr) -> bool:
        """Whether an argument is None, or what a wrapper was given with None as the default."""
        if isinstance(value, ir.Lit):
            return value.value is None
        if isinstance(value, ir.Cond):
            return self._may_be_none(value.body) or self._may_be_none(value.orelse)
        if isinstance(value, ir.Name):
            param = self.scope.parameter(value.name)
            return param is not None and optional(param)
        if isinstance(value, ir.Attr) and isinstance(value.obj, ir.Name) and value.obj.name == "self":
            return self.cls is not None and attribute_may_be_none(self.cls, value.attr)
        return False


def _is_private(module: str) -> bool:
    parts = module.split(".")
    return parts[0] == _PACKAGE and any(part[0] == "_" and not part.endswith("__") for part in parts)
