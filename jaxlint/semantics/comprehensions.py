"""What comprehensions and generator expressions make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import stacked, unrolled
from jaxlint.semantics.branches import branch
from jaxlint.semantics.expressions import evaluate
from jaxlint.semantics.iteration import Sequence, iterate
from jaxlint.semantics.state import join, join_all
from jaxlint.semantics.statements import UNROLLED, assign_target
from jaxlint.semantics.values import UNKNOWN, Const, Content, Ref, Value, fingerprint, fresh_uid
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def comprehend(it: Interpreter, expr: ir.Comp) -> Value:
    """The container that a comprehension makes; its own names are gone after it."""
    saved = dict(it.st.env)
    run = _Run(it, expr)
    run.clauses(0)
    _restore_names(it, saved, expr)
    return run.made()


class _Run:
    """One run of a comprehension: what its passes gave, and whether these are all."""

    def __init__(self, it: Interpreter, expr: ir.Comp) -> None:
        self.it = it
        self.expr = expr
        self.results: list[tuple[Value | None, Value]] = []
        """The key of a dict's item, and the element."""
        self.complete = True

    def clauses(self, number: int) -> None:
        """Run the clauses from `number` on, the innermost of which give an element."""
        if number < len(self.expr.clauses):
            self._iterate(number)
            return
        key = evaluate(self.it, self.expr.key) if self.expr.key is not None else None
        element = evaluate(self.it, self.expr.elt)
        self.results.append((key, element))
        if self.it.follows_rows:
            self.it.elements[id(self.expr.elt)] = element

    def _iterate(self, number: int) -> None:
        it, clause = self.it, self.expr.clauses[number]
        iterable = evaluate(it, clause.iter)
        if it.follows_rows:
            stacked.iterates(it, clause, iterable)
        sequence: Sequence = iterate(it, iterable, it.place(clause.iter))
        passes, loop_id = self._passes(sequence), fresh_uid()
        if passes == sequence.length:
            it.short_loops.add(loop_id)
            if getattr(iterable, "kind", "") != "range":
                it.variant_loops.add(loop_id)
        unrolling = unrolled.start(it, iterable, clause.target) if it.fr.ctx.abstract else None
        for index in range(passes):
            it.passes.append((loop_id, index))
            assign_target(it, clause.target, sequence.element(it, index), self.expr)
            self._filter(number, 0)
            it.passes.pop()
        if unrolling is not None:
            unrolling.finish(it, it.place(self.expr), it.place(clause.iter))

    def _passes(self, sequence: Sequence) -> int:
        """All passes of a short sequence, else two, which show what one does to the next."""
        if sequence.length is not None and sequence.length <= UNROLLED:
            return sequence.length
        self.complete = False
        return 2

    def _filter(self, number: int, position: int) -> None:
        """Go on with the inner clauses where the tests from `position` on hold."""
        it, tests = self.it, self.expr.clauses[number].ifs
        if position == len(tests):
            self.clauses(number + 1)
            return
        test = tests[position]
        true, false = branch(it, test, it.st, "comprehension filter", it.place(test))
        self.complete = self.complete and not false
        if not true:
            it.st = join_all(false)
            return
        it.st = join_all(true)
        self._filter(number, position + 1)
        if false:
            it.st = join_all([it.st, *false])

    def made(self) -> Value:
        """The container of what the passes gave."""
        kind, depth = self.expr.kind, self.it.fr.ctx.depth
        if kind == "dict":
            return Ref("dict", depth, self._items())
        values = tuple(value for _, value in self.results)
        if self.complete:
            return Ref("list" if kind != "set" else "set", depth, Content(values))
        rest = None
        for value in values:
            rest = _joined(rest, value)
        return Ref("list" if kind != "set" else "set", depth, Content((), rest or UNKNOWN, True))

    def _items(self) -> Content:
        items: dict[Any, Value] = {}
        rest: Value | None = None
        for key, value in self.results:
            if self.complete and isinstance(key, Const) and fingerprint(key) is not None:
                items[key.value] = value
            else:
                rest = _joined(rest, value)
        return Content(items, rest, not self.complete)


def _joined(rest: Value | None, value: Value) -> Value:
    return value if rest is None else join(rest, value)


def _restore_names(it: Interpreter, saved: dict[str, Value], expr: ir.Comp) -> None:
    """The names that a comprehension binds are its own."""
    for clause in expr.clauses:
        stack = [clause.target]
        while stack:
            target = stack.pop()
            if type(target) is ir.Name:
                old = saved.get(target.name)
                if old is None:
                    it.st.unbind(target.name)
                else:
                    it.st.bind(target.name, old)
            elif type(target) is ir.Seq:
                stack += target.items
            elif type(target) is ir.Star:
                stack.append(target.value)
