"""Names as they are written: what a scope binds them to, before anything is run."""

from __future__ import annotations

from jaxlint.semantics import guards
from jaxlint.syntax import ir


class Scope:
    """The names of a function or module. A name stands for one of several spellings, or for None: something else."""

    def __init__(self, fn: ir.FunctionIR, parent: Scope | None) -> None:
        self.fn = fn
        self.parent = parent
        self._bound: dict[str, list[ir.Expr | str | None]] | None = None
        self._resolving: set[str] = set()

    def resolve(self, expr: ir.Expr) -> frozenset[str]:
        """What an expression may spell; empty when that is not known."""
        if isinstance(expr, ir.Name):
            return self._name(expr.name)
        if isinstance(expr, ir.Attr):
            return frozenset(f"{base}.{expr.attr}" for base in self.resolve(expr.obj))
        return frozenset()

    def _name(self, name: str) -> frozenset[str]:
        fn = self.fn
        if name not in fn.locals:
            return self.parent._name(name) if self.parent is not None else frozenset()
        if self._bound is None:
            self._bound = _bindings(fn)
        if name in self._resolving:
            return frozenset()
        self._resolving.add(name)
        found: set[str] = set()
        for value in self._bound.get(name, (None,)):
            spelled = frozenset({value}) if isinstance(value, str) else self.resolve(value) if value else frozenset()
            if not spelled:
                found.clear()
                break
            found |= spelled
        self._resolving.discard(name)
        return frozenset(found)

    def parameter(self, name: str) -> ir.Param | None:
        """A parameter of this function or one around it."""
        if name in self.fn.locals:
            return next((param for param in self.fn.params if param.name == name), None)
        return self.parent.parameter(name) if self.parent is not None else None


def _bindings(fn: ir.FunctionIR) -> dict[str, list[ir.Expr | str | None]]:
    """What each name of a scope is bound to."""
    bound: dict[str, list[ir.Expr | str | None]] = {param.name: [None] for param in fn.params}

    def bind(target: ir.Expr, value: ir.Expr | None) -> None:
        if isinstance(target, ir.Name):
            bound.setdefault(target.name, []).append(value)
        elif isinstance(target, ir.Seq):
            for item in target.items:
                bind(item.value if isinstance(item, ir.Star) else item, None)

    for stmt in guards.statements(fn.body):
        if isinstance(stmt, ir.Import):
            for module, name, top in stmt.names:
                bound.setdefault(name, []).append(module.split(".", 1)[0] if top else module)
        elif isinstance(stmt, ir.ImportFrom):
            source = stmt.module if not stmt.level else None
            for imported, name, _ in stmt.names or ():
                bound.setdefault(name, []).append(f"{source}.{imported}" if source else None)
        elif isinstance(stmt, ir.Assign):
            for target in stmt.targets:
                bind(target, stmt.value)
        elif isinstance(stmt, ir.FunctionDef):
            bound.setdefault(stmt.fn.name, []).append(None)
        elif isinstance(stmt, ir.ClassDef):
            bound.setdefault(stmt.name, []).append(None)
        elif isinstance(stmt, ir.For | ir.AugAssign):
            bind(stmt.target, None)
        elif isinstance(stmt, ir.With):
            for _, held in stmt.items:
                if held is not None:
                    bind(held, None)
    return bound


def names_of(module: ir.ModuleIR, package: str) -> dict[str, set[str]]:
    """The names that imports anywhere in a module bind to a package and its parts, with what they may stand for."""
    found: dict[str, set[str]] = {}
    for stmt in module.imports:
        if isinstance(stmt, ir.Import):
            for path, name, top in stmt.names:
                if path.split(".", 1)[0] == package:
                    found.setdefault(name, set()).add(package if top else path)
        elif not stmt.level and stmt.module.split(".", 1)[0] == package:
            for imported, name, _ in stmt.names or ():
                found.setdefault(name, set()).add(f"{stmt.module}.{imported}")
    return found


def note_alias(stmt: ir.Assign, names: dict[str, set[str]]) -> None:
    """`tu = jax.tree_util`."""
    parts: list[str] = []
    base = stmt.value
    while isinstance(base, ir.Attr):
        parts.append(base.attr)
        base = base.obj
    if isinstance(base, ir.Name) and base.name in names:
        spelled = {".".join([name, *reversed(parts)]) for name in names[base.name]}
        for target in stmt.targets:
            if isinstance(target, ir.Name):
                names.setdefault(target.name, set()).update(spelled)


def attribute_may_be_none(cls: ir.ClassDef, name: str) -> bool:
    """Whether a class sets an attribute to None, or to a parameter whose default is None."""
    for stmt in cls.body:
        if isinstance(stmt, ir.Assign):
            if is_none(stmt.value) and any(isinstance(t, ir.Name) and t.name == name for t in stmt.targets):
                return True
        elif isinstance(stmt, ir.FunctionDef):
            may_be = {param.name for param in stmt.fn.params if optional(param)}
            for inner in guards.statements(stmt.fn.body):
                if not isinstance(inner, ir.Assign):
                    continue
                value = inner.value
                none = is_none(value) or (isinstance(value, ir.Name) and value.name in may_be)
                if none and any(isinstance(target, ir.Attr) and target.attr == name for target in inner.targets):
                    return True
    return False


def optional(param: ir.Param) -> bool:
    """Whether None is the default of a parameter, or part of its annotation."""
    annotation = param.annotation
    if isinstance(annotation, ir.Bin):
        return is_none(annotation.right) or is_none(annotation.left)
    if isinstance(annotation, ir.Sub):
        name = annotation.obj
        return (name.attr if isinstance(name, ir.Attr) else getattr(name, "name", "")) == "Optional"
    return is_none(param.default)


def is_none(expr: ir.Expr | None) -> bool:
    """Whether an expression is `None` itself."""
    return isinstance(expr, ir.Lit) and expr.value is None
