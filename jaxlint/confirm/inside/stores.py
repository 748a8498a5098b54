"""Stores into state at the flagged line: what is changed, whether it outlives the trace, whether it holds tracers.

Watched through hooks, which see the frame before and after the line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.lab import Lab
from jaxlint.confirm.inside.recorders import is_below
from jaxlint.confirm.inside.runs import Question
from jaxlint.confirm.inside.watch import Hook

_MUTATORS = frozenset(
    (
        "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear", "remove", "discard",
        "appendleft", "extendleft", "sort", "reverse", "popleft", "__setitem__", "write",
    )
)  # fmt: skip
_REACH = 4


@dataclass(slots=True)
class Store:
    """One change. text: what was changed. lost: the function was handed a copy, which nobody sees."""

    text: str
    row: int
    held: object
    frame: int
    outlives: bool
    lost: bool
    staged: bool
    probing: bool
    tracers: list[tuple[str, Any]] = field(default_factory=list)


class Stores:
    """Collects the stores of one finding over a run. `known` are objects that exist outside of the run."""

    def __init__(self, lab: Lab, question: Question) -> None:
        self._lab = lab
        self._question = question
        self.found: list[Store] = []
        self._places = list(_places(question))

    def hooks(self) -> dict[int, list[Hook]]:
        """Hooks for the flagged rows."""
        return {row: [self._before] for row in self._question.rows}

    def take(self) -> list[Store]:
        """What was found since the last time."""
        found, self.found = self.found, []
        return found

    def _before(self, frame: FrameType) -> Callable[[FrameType], None] | None:
        if not traces.kinds():
            return None
        # Calls further down may do the store: their frames are of the same file and have hooks of their own rows only.
        before = [(text, base, _value(base, frame)) for text, base in self._places]
        pictures = [_picture(value) for _, _, value in before]
        old = [{id(tracer) for _, tracer in traces.tracers_in(value, 3)} for _, _, value in before]
        staged = traces.is_staged()
        opened = traces.current()
        probing = is_below("eval_shape") or is_below("make_jaxpr")

        def after(frame: FrameType) -> None:
            for (text, base, value), picture, known in zip(before, pictures, old, strict=True):
                now = _value(base, frame)
                rebound = isinstance(base, ast.Name) and now is not value
                if not rebound and _picture(now) == picture:
                    continue
                new = [part for part in traces.tracers_in(now, 3) if id(part[1]) not in known]
                outlives = self._outlives(base, value, frame, opened)
                lost = not outlives and self._is_copy(base, value, frame)
                row = frame.f_lineno
                self.found.append(Store(text, row, now, id(frame), outlives, lost, staged, probing, new))

        return after

    def _outlives(self, base: ast.expr, value: object, frame: FrameType, opened: Any) -> bool:
        """Whether what is changed was there before the trace began."""
        root = base
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        name = root.id if isinstance(root, ast.Name) else ""
        code = frame.f_code
        if name in code.co_freevars:
            owner = frame.f_back
            while owner is not None:
                if name in owner.f_code.co_cellvars and owner.f_code.co_filename == code.co_filename:
                    return self._lab.watcher.opened_under(owner) is not opened
                owner = owner.f_back
            return True
        if name not in code.co_varnames and name not in code.co_cellvars:
            return True
        if isinstance(base, ast.Name) and not isinstance(value, list | dict | set) and not hasattr(value, "__dict__"):
            return False
        return id(value) in self._outer_objects(frame, opened)

    def _outer_objects(self, frame: FrameType, opened: Any) -> set[int]:
        """Objects that the module, or frames outside of the trace, can reach."""
        roots: list[object] = [value for name, value in frame.f_globals.items() if not name.startswith("__")]
        outer = frame.f_back
        while outer is not None:
            if (
                outer.f_code.co_filename == frame.f_code.co_filename
                and self._lab.watcher.opened_under(outer) is not opened
            ):
                roots += outer.f_locals.values()
            outer = outer.f_back
        roots += self._lab.arguments
        reached: set[int] = set()
        todo = [(root, _REACH) for root in roots]
        while todo:
            item, left = todo.pop()
            if id(item) in reached or isinstance(item, int | float | str | bytes | type(None)):
                continue
            reached.add(id(item))
            if left:
                todo += [(part, left - 1) for _, part in traces.parts(item)]
        return reached

    @staticmethod
    def _is_copy(base: ast.expr, value: object, frame: FrameType) -> bool:
        """Whether the container is an argument that a transformation handed in."""
        names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        above = frame.f_back
        direct = above is not None and above.f_code.co_filename != frame.f_code.co_filename
        return isinstance(base, ast.Name) and base.id in names and direct and isinstance(value, dict | list)


def _places(question: Question) -> Iterator[tuple[str, ast.expr]]:
    """The expressions whose objects the flagged statement changes."""
    statement = question.target.statement
    if statement is None:
        return
    parts = [node for node in ast.walk(statement) if getattr(node, "lineno", 0) in question.rows]
    declared = {
        name
        for function in question.target.definitions
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    for node in parts:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Delete):
            targets = node.targets
        for target in targets:
            for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                if isinstance(part, ast.Attribute | ast.Subscript):
                    yield ast.unparse(part), part.value
                elif isinstance(part, ast.Name) and part.id in declared:
                    yield part.id, ast.Name(part.id, ast.Load())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            yield ast.unparse(node.func.value), node.func.value


def _value(base: ast.expr, frame: FrameType) -> object:
    """The object of a chain of names, attributes and constant items in a frame; None where there is none."""
    if isinstance(base, ast.Name):
        return frame.f_locals.get(base.id, frame.f_globals.get(base.id))
    try:
        if isinstance(base, ast.Attribute):
            return getattr(_value(base.value, frame), base.attr, None)
        if isinstance(base, ast.Subscript):
            container: Any = _value(base.value, frame)
            key: Any = base.slice.value if isinstance(base.slice, ast.Constant) else _value(base.slice, frame)
            return container[key] if isinstance(container, dict | list | tuple) else None
    except Exception:
        return None
    return None


def _picture(value: object) -> object:
    """What changes when a container or an object is changed."""
    if isinstance(value, dict):
        return [(id(key), id(part)) for key, part in value.items()]
    if isinstance(value, list | set | frozenset):
        return [id(part) for part in value]
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        return [(name, id(part)) for name, part in held.items()]
    return None


def is_dead(tracer: Any) -> bool:
    """Whether a tracer is of no use any more."""
    import jax

    try:
        jax.numpy.add(tracer, 0)
    except jax.errors.UnexpectedTracerError:
        return True
    except Exception:
        try:
            jax.numpy.shape(tracer)
            jax.random.key_data(tracer)
        except jax.errors.UnexpectedTracerError:
            return True
        except Exception:
            return False
    return False
