"""Where the runs of a finding come from, in the order in which they count.

A factory of the user; annotations of jaxtyping; what the program itself runs: its import, its `__main__` block, its
tests, and calls that were seen there; then defaults and a bounded search.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.child.factory import call_factory, factory, named_in_comment
from jaxlint.child.loading import LoadError, is_main_guard
from jaxlint.confirm.inside import testing
from jaxlint.confirm.inside.entries import Entry
from jaxlint.confirm.inside.runs import Mode, Question, Run, TooLongError, copied, describe, time_limit
from jaxlint.confirm.inside.values import Candidate, combinations, like
from jaxlint.confirm.inside.watch import Call, Hook, Watched

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab

_MOST_TRIES = 48
_MOST_ANNOTATED = 2
_MOST_REPAIRS = 8
_EXAMPLES = 3
_MOST_WORDS = 12
_COLLECTING = 6.0
"""Seconds in which tests must be found; imports are most of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, how its runs differ from ordinary ones, and what is called at rows while they run."""

    question: Question
    mode: Mode
    hooks: dict[int, list[Hook]] | None


class Sources:
    """Makes the runs of one file."""

    def __init__(self, lab: Lab, inputs: str | None, *, main: bool) -> None:
        self._lab = lab
        self._inputs = inputs
        self._run_main = main
        self.imported: Run | None = None
        self.reached: set[int] = set()
        """Flagged rows that ran before: their functions may run from a trace that was kept."""
        self._main: dict[Mode, Run] = {}
        self._tests: dict[tuple[str, ...], list[str]] = {}
        self._seen: list[tuple[str, Watched]] = []

    def note(self, origin: str, watched: Watched) -> None:
        """Keep the calls that were seen in a run of the program."""
        self._seen.append((origin, watched))

    def runs(self, asked: Asked) -> Iterator[Run]:
        """Runs that may reach a finding, as long as there is time."""
        entries = self._lab.entries.for_target(asked.question.target)
        yield from self._from_factory(asked, entries)
        for entry in entries:
            for run in self._searched(entry, asked, self._lab.entries.annotated(entry), _MOST_ANNOTATED):
                yield run
                if self._lab.is_late(asked.question):
                    return
        if asked.mode == Mode() and asked.hooks is None and self.imported is not None:
            yield self.imported
        main = self._main_run(asked)
        if main is not None:
            yield main
        yield from self._from_tests(asked)
        for entry in entries:
            if self._lab.is_late(asked.question):
                return
            yield from self._from_examples(entry, asked)
        for entry in entries:
            for _ in range(_MOST_REPAIRS):
                missing = False
                for run in self._searched(entry, asked, self._lab.entries.listed(entry), _MOST_TRIES):
                    yield run
                    if self._lab.is_late(asked.question):
                        return
                    missing = self._lab.entries.learn(entry, run.error)
                    if missing:
                        break
                if not missing:
                    break

    def _main_run(self, asked: Asked) -> Run | None:
        """The `__main__` block, run once for each mode; that of a file of tests runs them all, and they come after."""
        mode, hooks = asked.mode, asked.hooks
        loaded = self._lab.loaded
        blocks = [statement for statement in loaded.tree.body if is_main_guard(statement)]
        if not blocks or not self._run_main or testing.is_test(Path(loaded.path).name):
            return None
        if mode in self._main and hooks is None:
            return self._main[mode]
        body = [statement for block in blocks for statement in getattr(block, "body", [])]
        code = compile(ast.Module(body, []), loaded.path, "exec", dont_inherit=True)
        names = vars(loaded.module)

        def block() -> None:
            exec(code, names)

        def again(mode: Mode = mode, **changes: Any) -> Run:
            return self._lab.call("the `__main__` block", "its own", block, (), {}, mode, trusted=True, **changes)

        run = again(Mode(fresh=True) if mode == Mode() and hooks is not None else mode, hooks=hooks)
        run.again = again
        if hooks is None:
            self._main[mode] = run
        return run

    def _from_factory(self, asked: Asked, entries: list[Entry]) -> Iterator[Run]:
        target = asked.question.target
        first = min((getattr(node, "lineno", 1) for node in target.definitions), default=asked.question.finding.row)
        name = self._inputs or named_in_comment(self._lab.loaded, first, asked.question.finding.row)
        if name is None:
            return
        make = factory(self._lab.loaded, name)
        own = {f"`{'.'.join(target.chain[:count])}`" for count in (1, 2)}
        rows = {entry.first_row for entry in entries if entry.label in own}
        for entry in [entry for entry in entries if entry.first_row in rows] or entries[:1]:

            def again(entry: Entry = entry, mode: Mode = asked.mode, of: Any = None, **changes: Any) -> Run:
                args, kwargs = call_factory(make, name)
                if entry.receivers and not isinstance(args[0] if args else None, entry.owner or ()):
                    args = (entry.receivers[0].make(), *args)
                if of is not None:
                    args = (of, *args[1:])
                return self._lab.call(
                    entry.label, f"from `{name}`", entry.call, args, kwargs, mode, trusted=True, **changes
                )

            run = again(hooks=asked.hooks)
            run.again, run.entry = again, entry
            yield run

    def _from_tests(self, asked: Asked) -> Iterator[Run]:
        """Tests of the project that mention what leads to the finding."""
        for test in self._tests_for(asked.question):
            if self._lab.is_late(asked.question):
                return
            runs: list[Run] = []

            def around(body: testing.Body, test: str = test, runs: list[Run] = runs) -> None:
                label = f"the test `{Path(test.partition('::')[0]).name}::{test.partition('::')[2]}`"
                mode = replace(asked.mode, fresh=asked.mode.jit)
                runs.append(self._lab.call(label, "its own", body, (), {}, mode, trusted=True, hooks=asked.hooks))

            testing.run(test, around)
            yield from runs

    def _tests_for(self, question: Question) -> list[str]:
        words = tuple(islice(self._lab.entries.leading_to(question.target), _MOST_WORDS))
        if words not in self._tests:
            self._tests[words] = []
            try:
                with time_limit(_COLLECTING):
                    path = Path(self._lab.loaded.path)
                    self._tests[words] = testing.collect(testing.test_files(path, words), words)
            except (TooLongError, SystemExit):
                pass
        return self._tests[words]

    def _from_examples(self, entry: Entry, asked: Asked) -> Iterator[Run]:
        """The entry with arguments that it, or what it wraps, was called with before."""
        if not entry.first_row or not entry.repeatable:
            return
        count = 0
        for origin, call in self._calls(entry.first_row):
            names = [name for name, _, _ in entry.parameters]
            if entry.receivers:
                names.insert(0, call.code.co_varnames[0])
            if not all(name in call.arguments for name in names):
                continue
            values = [call.arguments[name] for name in names]
            where = f"as in a call of {origin}{', with numbers of our own' if call.traced else ''}"

            def again(
                call: Call = call, values: list[Any] = values, where: str = where, mode: Mode = asked.mode,
                of: Any = None, **changes: Any,
            ) -> Run:  # fmt: skip
                fresh = [like(value) if call.traced else copied(value) for value in values]
                receiver = [fresh.pop(0)] if entry.receivers else []
                if receiver and of is not None:
                    receiver = [of]
                positional, keyword = _placed(entry, fresh)
                return self._lab.call(
                    entry.label, where, entry.call, (*receiver, *positional), keyword, mode,
                    trusted=not call.traced, **changes,
                )  # fmt: skip

            try:
                run = again(hooks=asked.hooks, mode=self._refreshed(asked))
            except RuntimeError:  # an argument was donated since
                continue
            run.again, run.entry = again, entry
            yield run
            count += 1
            if count >= _EXAMPLES:
                return

    def _calls(self, row: int) -> list[tuple[str, Call]]:
        """Calls that were seen of the function on a row, those with concrete arguments first."""
        found = [
            (origin, call)
            for origin, watched in self._seen
            for call in watched.calls
            if call.code.co_firstlineno == row
        ]
        return sorted(found, key=lambda pair: pair[1].traced)

    def _searched(
        self, entry: Entry, asked: Asked, listed: Sequence[Sequence[Candidate]] | None, most: int
    ) -> Iterator[Run]:
        question = asked.question
        if listed is None or not all(listed):
            return
        reached = 0
        for row in combinations(listed, most):
            if self._lab.is_late(question):
                return

            def again(row: tuple[Candidate, ...] = row, mode: Mode = asked.mode, of: Any = None, **changes: Any) -> Run:
                """One call, of a fresh instance or of the one given."""
                values = [candidate.make() for candidate in row]
                receiver = [values.pop(0)] if entry.receivers else []
                if receiver and of is not None:
                    receiver = [of]
                positional, keyword = _placed(entry, values)
                return self._lab.call(
                    entry.label, labels(entry, row), entry.call, (*receiver, *positional), keyword,
                    mode, **changes,
                )  # fmt: skip

            try:
                run = again(hooks=asked.hooks, mode=self._refreshed(asked))
            except Exception as error:  # an argument could not be made
                if len(row) <= 1:
                    raise LoadError(f"no argument could be made: {describe(error)}") from None
                continue
            run.again, run.entry = again, entry
            yield run
            if not run.watched.row(question.rows.start, question.rows.stop - 1).ran:
                yield from self._inner(run, asked)
            else:
                reached += 1
            if reached >= 2 and run.error is None:
                return

    def _inner(self, run: Run, asked: Asked) -> Iterator[Run]:
        """What a factory of functions returned, called."""
        results = run.result if isinstance(run.result, tuple | list) else [run.result]
        for value in list(results)[:4]:
            if callable(value) and not isinstance(value, type):
                label = f"{run.what} -> {getattr(value, '__name__', 'result')}"[:80]
                for entry in self._lab.entries.of_value(label, value):
                    if entry.label != (run.entry.label if run.entry else ""):
                        yield from self._searched(entry, asked, self._lab.entries.listed(entry), _MOST_TRIES)

    def _refreshed(self, asked: Asked) -> Mode:
        """A function that was traced before runs from its trace: forget it, or the line cannot be seen to run."""
        if asked.question.rows.start in self.reached and not asked.mode.fresh:
            return replace(asked.mode, fresh=True)
        return asked.mode


def labels(entry: Entry, row: tuple[Candidate, ...]) -> str:
    """The chosen candidates, by parameter."""
    names = [name for name, _, _ in entry.parameters]
    if entry.receivers:
        names.insert(0, "self")
    return "tried " + (
        ", ".join(f"{name}={part.label}" for name, part in zip(names, row, strict=True)) or "none needed"
    )


def _placed(entry: Entry, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Values of an entry's parameters, by position and by keyword."""
    positional: list[Any] = []
    keyword: dict[str, Any] = {}
    for (name, _, only), value in zip(entry.parameters, values, strict=True):
        if only:
            keyword[name] = value
        else:
            positional.append(value)
    return positional, keyword
