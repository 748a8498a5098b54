"""Ways into the program that lead to a finding: functions, transformed functions, methods of instances."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from jaxlint.child.loading import Loaded
from jaxlint.confirm.inside.specs import Reader, Spec
from jaxlint.confirm.inside.target import Function, Outline, Target, functions_by_row, outline
from jaxlint.confirm.inside.values import Candidate, Maker

_MOST = 10


@dataclass(slots=True)
class Entry:
    """Something to call. `parameters` are those it needs, in order; `first_row` is that of its code, if it has any."""

    label: str
    parameters: list[tuple[str, Spec, bool]]
    call: Callable[..., Any]
    first_row: int = 0
    transformed: bool = False
    receivers: list[Candidate] = field(default_factory=list)
    outermost: bool = True
    """Whether nothing else of the module uses it: what it needs around it is there."""
    owner: type | None = None
    """The class, where an instance comes first."""
    repeatable: bool = True
    """Whether a call that was seen can be repeated with what it was given."""


class Entries:
    """Finds entries in a module."""

    def __init__(self, loaded: Loaded, axis: int) -> None:
        self.names = vars(loaded.module)
        self.path = loaded.path
        self.functions = functions_by_row(loaded.tree)
        self.outline: Outline = outline(loaded.tree)
        self.reader = Reader(self.functions, self.names)
        self.maker = Maker(self.names, axis, legacy=_makes_legacy_keys(loaded.tree))

    def for_target(self, target: Target) -> list[Entry]:
        """Entries that lead to a target: what holds it, what was made of that, and what uses either."""
        wanted = self._wanted(target)
        found: list[Entry] = []
        for name in self.outline.leading_to(wanted):
            value = self.names.get(name)
            if isinstance(value, type):
                if getattr(value, "__module__", "") == self.names.get("__name__"):
                    found += self._of_class(value, target, wanted)
            elif callable(value) and not inspect.ismodule(value):
                found += self._of_callable(name, value)
            if len(found) >= _MOST:
                break
        # What is transformed shows what a trace does; plain functions come after it.
        return sorted(found, key=lambda entry: (not entry.transformed, bool(entry.parameters)))

    def leading_to(self, target: Target) -> Iterator[str]:
        """Names of functions, classes and methods that lead to a target, the nearest first."""
        return (name for name in self.outline.leading_to(self._wanted(target)) if not name.startswith("__"))

    def listed(self, entry: Entry) -> list[list[Candidate]]:
        """Candidates for what an entry needs, an instance first."""
        listed = [self.maker.candidates(name, spec) for name, spec, _ in entry.parameters]
        return [entry.receivers, *listed] if entry.receivers else listed

    def annotated(self, entry: Entry) -> list[list[Candidate]] | None:
        """Candidates from annotations and defaults alone, where jaxtyping says what an argument is; None elsewhere."""
        if entry.receivers or not any(self.maker.is_jaxtyping(spec) for _, spec, _ in entry.parameters):
            return None
        return [self.maker.annotated(spec) for _, spec, _ in entry.parameters]

    def learn(self, entry: Entry, error: BaseException | None) -> bool:
        """Whether an exception tells of a field that a parameter, or an object made for one, should have had."""
        name = getattr(error, "name", None)
        lacking = getattr(error, "obj", None)
        if not isinstance(error, AttributeError) or not isinstance(name, str) or lacking is None:
            return False
        spec: Any = getattr(type(lacking), "spec", None)
        trace = error.__traceback__
        while trace is not None and not isinstance(spec, Spec):
            if trace.tb_frame.f_code.co_filename == self.path:
                local = trace.tb_frame.f_locals
                spec = next((part for name, part, _ in entry.parameters if local.get(name) is lacking), None)
            trace = trace.tb_next
        if not isinstance(spec, Spec) or name.startswith("_") or f".{name}" in spec.items:
            return False
        spec.votes["fields"] = max(spec.votes.values(), default=0) + 2
        spec.item(f".{name}")
        return True

    def of_value(self, label: str, value: Any) -> list[Entry]:
        """Entries of a function that a call returned."""
        return self._of_callable(label, value)

    def _wanted(self, target: Target) -> set[str]:
        if target.chain:
            wanted = {target.chain[0]}
            if len(target.chain) > 1 and isinstance(target.definitions[0], ast.ClassDef):
                wanted.add(target.chain[1])
            return wanted
        return {name for statement, made in self.outline.makes if statement is target.statement for name in made}

    def _of_callable(self, name: str, value: Any) -> list[Entry]:
        node, row, layers = self.code_of(value)
        if node is None and not layers:
            return []
        try:
            signature = inspect.signature(value)
        except (TypeError, ValueError):
            return []
        specs = self.reader.read(node) if node is not None else {}
        parameters = self._parameters(signature, specs)
        axes = [_mapped(layer) for layer in layers if getattr(layer, "__code__", None) is not None]
        for mapped in axes:
            _map(parameters, mapped)
        entry = Entry(f"`{name}`", parameters, value, row, bool(layers))
        entry.outermost = not any(name in used for user, used in self.outline.uses.items() if user != name)
        return [entry]

    def _parameters(self, signature: inspect.Signature, specs: dict[str, Spec]) -> list[tuple[str, Spec, bool]]:
        listed: list[tuple[str, Spec, bool]] = []
        for name, parameter in signature.parameters.items():
            spec = specs.get(name, Spec())
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                listed.append((name, spec.each(), False))
                continue
            spec.default = parameter.default
            spec.has_default = parameter.default is not parameter.empty
            listed.append((name, spec, parameter.kind is parameter.KEYWORD_ONLY))
        return listed

    def _of_class(self, cls: type, target: Target, wanted: set[str]) -> Iterator[Entry]:
        own = bool(target.chain) and cls.__name__ == target.chain[0]
        if own and len(target.chain) > 1:
            methods = [target.chain[1]]
        else:
            methods = [name for name, node in self._methods(cls) if _uses(node, wanted)]
        if own and methods and methods[0].startswith("_") and methods[0] != "__call__":
            methods += [name for name, node in self._methods(cls) if _uses(node, {methods[0]})]
        for method in dict.fromkeys(methods):
            yield from self._of_method(cls, method)

    def _methods(self, cls: type) -> Iterator[tuple[str, ast.FunctionDef]]:
        for statement, made in self.outline.makes:
            if isinstance(statement, ast.ClassDef) and cls.__name__ in made:
                for part in statement.body:
                    if isinstance(part, ast.FunctionDef):
                        yield part.name, part

    def _of_method(self, cls: type, method: str) -> Iterator[Entry]:
        node = next((found for name, found in self._methods(cls) if name == method), None)
        if node is None:
            return
        label = f"`{cls.__name__}.{method}`"
        specs = self.reader.read(node)
        try:
            if method in ("__init__", "setup", "__post_init__"):
                parameters = self._parameters(inspect.signature(cls), specs)
                yield Entry(label, parameters, cls, 0)
                return
            signature = inspect.signature(getattr(cls, method))
        except (TypeError, ValueError, AttributeError):
            return
        static = isinstance(inspect.getattr_static(cls, method), staticmethod | classmethod)
        names = list(signature.parameters)
        if not static and names:
            signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        parameters = self._parameters(signature, specs)
        if static:
            yield Entry(label, parameters, getattr(cls, method), node.lineno)
            return
        own = specs.get(names[0], Spec()) if names else Spec()
        receivers = self._receivers(cls, own)
        call = _call_of_module(method) if _is_linen(cls) else _call_of(method)
        row = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        transformed = not _is_linen(cls) and bool(self.code_of(inspect.getattr_static(cls, method))[2])
        entry = Entry(label, parameters, call, row, transformed, receivers)
        entry.owner, entry.repeatable = cls, not _is_linen(cls)
        yield entry

    def _receivers(self, cls: type, spec: Spec) -> list[Candidate]:
        found = [
            Candidate(f"`{name}`", partial(_same, value))
            for name, value in list(self.names.items())
            if type(value) is cls
        ]
        makes = next((node for name, node in self._methods(cls) if name == "__init__"), None)
        specs = self.reader.read(makes) if makes is not None else {}
        for name, part in specs.items():
            spec.items.setdefault(f".{name}", part)
        return found + self.maker.instances(cls, spec, 0)

    def code_of(self, value: Any) -> tuple[Function | None, int, list[Any]]:
        """The function of the file that a callable comes down to, the first row of its code, and the layers around."""
        layers: list[Any] = []
        for _ in range(12):
            code = getattr(getattr(value, "__func__", value), "__code__", None)
            if code is not None and code.co_filename == self.path:
                return self.functions.get(code.co_firstlineno), code.co_firstlineno, layers
            layers.append(value)
            for inner in ("__wrapped__", "func", "fun", "_fun", "__func__"):
                below = inspect.getattr_static(value, inner, None) if inner != "__wrapped__" else None
                below = getattr(value, inner, None) if below is None or inner == "__wrapped__" else below
                if callable(below) and below is not value:
                    value = below
                    break
            else:
                break
        return None, 0, layers


def _makes_legacy_keys(tree: ast.Module) -> bool:
    """Whether a file makes keys by `PRNGKey` and never by `random.key`."""
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return "PRNGKey" in used and "key" not in used


def _same(value: Any) -> Any:
    return value


def _uses(node: ast.AST, names: set[str]) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id in names) or (isinstance(part, ast.Attribute) and part.attr in names)
        for part in ast.walk(node)
    )


def _call_of(method: str) -> Callable[..., Any]:
    return lambda receiver, *args, **kwargs: getattr(receiver, method)(*args, **kwargs)


def _call_of_module(method: str) -> Callable[..., Any]:
    """A method of a flax module runs where its variables are."""

    def call(receiver: Any, *args: Any, **kwargs: Any) -> Any:
        import jax

        keys = {name: jax.random.key(index) for index, name in enumerate(("params", "dropout", "noise", "sample"))}
        chosen = {} if method in ("__call__", "setup") else {"method": method}
        variables = receiver.init(keys, *args, **chosen, **kwargs)
        return receiver.apply(variables, *args, rngs=keys, mutable=True, **chosen, **kwargs)

    return call


def _is_linen(cls: type) -> bool:
    return any(base.__module__.startswith("flax.linen") for base in cls.__mro__)


def _mapped(layer: Any) -> Any:
    """The `in_axes` of a `vmap` layer; None where the layer is something else."""
    code = getattr(layer, "__code__", None)
    if code is None or "in_axes" not in code.co_freevars:
        return None
    try:
        return inspect.getclosurevars(layer).nonlocals.get("in_axes")
    except (TypeError, ValueError):
        return None


def _map(parameters: list[tuple[str, Spec, bool]], axes: Any) -> None:
    """Give the mapped parameters one more axis."""
    if axes is None:
        return
    for index, (name, spec, keyword) in enumerate(parameters):
        axis = axes if isinstance(axes, int) else axes[index] if index < len(axes) else 0
        if axis is None or keyword:
            continue
        if spec.votes["key"]:
            spec.rank = 1
        elif spec.votes["tuple"]:
            for part in spec.items.values():
                part.rank += 1
                part.votes["array"] += 3
        else:
            spec.rank += 1
            spec.votes["array"] += 4
            if spec.exact_rank is not None:
                spec.exact_rank += 1
        parameters[index] = (name, spec, keyword)
