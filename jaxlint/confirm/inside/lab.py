"""The laboratory of one file: runs of the program, each watched and recorded, in the order in which they count."""

from __future__ import annotations

import ast
import contextlib
import inspect
import signal
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from jaxlint.child.factory import call_factory, factory, named_in_comment
from jaxlint.child.loading import Loaded, LoadError, is_main_guard
from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.entries import Entries, Entry
from jaxlint.confirm.inside.recorders import Event, Recorder
from jaxlint.confirm.inside.target import Finding, Target, target_of
from jaxlint.confirm.inside.values import AXIS, Candidate, combinations
from jaxlint.confirm.inside.verdict import CONFIRMED, Verdict, inconclusive
from jaxlint.confirm.inside.watch import Hook, Watched, Watcher

_MOST_TRIES = 48
_MOST_REACHED = 4
_MOST_FAILED = 16
_MOST_ITEMS = 6
_EXAMPLES = 3
_LONGEST_RUN = 8.0


class TooLongError(BaseException):
    """A run was cut short. Not an Exception, so that the program's own handlers let it pass."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How a run differs from an ordinary one.

    jit: whether transformations compile (without, loops and jitted functions run in Python). fill: what uninitialised
    memory holds where it is made at the flagged rows. process: which process of two the program believes to be. stop:
    no gradient passes `jnp.where` at the flagged rows. checked: JAX's own check of keys. fresh: forget earlier traces.
    """

    jit: bool = True
    fill: float | None = None
    process: int | None = None
    stop: bool = False
    checked: bool = False
    fresh: bool = False


@dataclass(slots=True)
class Run:
    """One run: what ran with which inputs, how it ended, what was seen.

    trusted: the inputs are the program's own or the user's, not ours. again: runs it once more with fresh inputs.
    """

    what: str
    inputs: str
    trusted: bool
    error: BaseException | None
    result: Any
    watched: Watched
    events: list[Event]
    mode: Mode
    arguments: tuple[Any, ...] = ()
    again: Callable[..., Run] | None = None
    entry: Entry | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing around it, and nothing that we made up can be what fails.

        So with inputs of the program or the user, and for functions that need none.
        """
        return self.trusted or (self.entry is not None and not self.entry.parameters and not self.entry.receivers)

    def frames(self) -> list[tuple[str, int, str]]:
        """File, row and function of each frame of the exception, innermost first."""
        found: list[tuple[str, int, str]] = []
        trace = self.error.__traceback__ if self.error is not None else None
        while trace is not None:
            code = trace.tb_frame.f_code
            found.append((code.co_filename, trace.tb_lineno, code.co_name))
            trace = trace.tb_next
        return found[::-1]


Examine = Callable[[Run], Verdict | None]


@dataclass(slots=True)
class Question:
    """A finding with its surroundings."""

    finding: Finding
    target: Target
    deadline: float
    rows: range = field(default_factory=lambda: range(0))


class Lab:
    """Runs the program of one file."""

    def __init__(self, loaded: Loaded, watcher: Watcher, recorder: Recorder, request: dict[str, Any]) -> None:
        self.loaded = loaded
        self.watcher = watcher
        self.recorder = recorder
        self.entries = Entries(loaded, request.get("devices") or AXIS)
        self.seconds: float = request.get("seconds", 30.0)
        self._inputs: str | None = request.get("inputs")
        self._run_main: bool = request.get("main", True)
        self.imported: Run | None = None
        self._main: dict[Mode, Run] = {}
        self._examples: list[Watched] = []
        self._reached: set[int] = set()
        self.arguments: list[Any] = []
        """Those of the run that is under way."""
        self.blocked: set[int] = set()

    def question(self, finding: Finding) -> Question:
        """What is asked about a finding, with the time until which an answer is sought."""
        target = target_of(self.loaded.tree, finding)
        rows = range(target.first_row, target.last_row + 1)
        return Question(finding, target, time.monotonic() + 0.75 * self.seconds, rows)

    def search(
        self, question: Question, examine: Examine, mode: Mode | None = None,
        hooks: dict[int, list[Hook]] | None = None, *, ours_refute: bool = True,
    ) -> Verdict:  # fmt: skip
        """Run until one run confirms; a refutation needs every run to have passed.

        A run that passed with inputs of the program or the user refutes. Inputs of our own refute only when two runs
        passed and every line of the function up to the flagged one ran; never where another path to the line, or
        another number, could make the difference (`ours_refute`).
        """
        passed: list[tuple[Run, Verdict]] = []
        reached = failed = 0
        covered: set[int] = set()
        failure = ""
        self.blocked = set()
        self.recorder.rows = question.rows
        for run in self.runs(question, mode or Mode(), hooks):
            answer = examine(run)
            covered |= run.watched.rows.keys()
            if answer is not None:
                answer = Verdict(answer.kind, answer.evidence, answer.inputs or f"{run.what}: {run.inputs}")
                if answer.kind == CONFIRMED:
                    return answer
                passed.append((run, answer))
            if run.error is not None:
                failure = describe(run.error)
                self._note_block(run, question)
            if run.watched.row(question.rows.start, question.rows.stop - 1).ran:
                self._reached.add(question.rows.start)
                reached += run.error is None
                failed += run.error is not None
            if reached >= _MOST_REACHED or failed >= _MOST_FAILED:
                break
        trusted = [answer for run, answer in passed if run.trusted]
        missing = uncovered(question.target, covered)
        if trusted:
            return trusted[0]
        if len(passed) >= 2 and not missing and ours_refute:
            return passed[0][1]
        if passed:
            why = (
                "with inputs of our own"
                if not ours_refute
                else f"row {missing[0]} before it never did"
                if missing
                else "with one set of inputs only"
            )
            return inconclusive(f"the flagged line ran and nothing happened, but {why}", passed[0][1].inputs)
        if reached or failed:
            what = "the flagged line ran, but not under the conditions of the finding"
            return inconclusive(f"{what}{': ' + failure if failure else ''}")
        return inconclusive(f"the flagged line was not reached{': ' + failure if failure else ''}")

    def runs(self, question: Question, mode: Mode, hooks: dict[int, list[Hook]] | None = None) -> Iterator[Run]:
        """Runs that may reach a finding, as long as there is time."""
        if mode == Mode() and hooks is None and self.imported is not None:
            yield self.imported
        target = question.target
        entries = self.entries.for_target(target)
        yield from self._from_factory(question, entries, mode, hooks)
        main = self._main_run(mode, hooks)
        if main is not None:
            yield main
        for entry in entries:
            if self.is_late(question):
                return
            yield from self._from_examples(entry, mode, hooks)
        for entry in entries:
            for run in self._searched(entry, question, mode, hooks):
                yield run
                if self.is_late(question):
                    return

    def call(
        self, what: str, inputs: str, function: Callable[..., Any], arguments: tuple[Any, ...],
        keywords: dict[str, Any], mode: Mode, *, trusted: bool = False, hooks: dict[int, list[Hook]] | None = None,
    ) -> Run:  # fmt: skip
        """One run."""
        import jax

        if mode not in (Mode(), Mode(jit=False)):
            jax.clear_caches()
        self.arguments = [*arguments, *keywords.values()]
        recorder = self.recorder
        recorder.events = []
        recorder.fill, recorder.process, recorder.stop, recorder.enabled = mode.fill, mode.process, mode.stop, True
        recorder.typed = mode.checked
        error: BaseException | None = None
        result: Any = None
        context: Any = contextlib.nullcontext() if mode.jit else jax.disable_jit()
        if mode.checked:
            context = jax.debug_key_reuse(True)
        with self.watcher.watching(hooks) as watched:
            try:
                with context, time_limit(_LONGEST_RUN):
                    result = finished(function(*arguments, **keywords))
            except BaseException as caught:
                error = caught
            finally:
                recorder.fill, recorder.process, recorder.stop, recorder.enabled = None, None, False, False
                recorder.typed = False
        run = Run(
            what, inputs, trusted, error, result, watched, recorder.events, mode, (*arguments, *keywords.values())
        )
        if trusted and not isinstance(error, TooLongError) and mode == Mode():
            self._examples.append(watched)
        return run

    def _main_run(self, mode: Mode, hooks: dict[int, list[Hook]] | None) -> Run | None:
        """The `__main__` block, run once for each mode."""
        blocks = [statement for statement in self.loaded.tree.body if is_main_guard(statement)]
        if not blocks or not self._run_main:
            return None
        if mode in self._main and hooks is None:
            return self._main[mode]
        body = [statement for block in blocks for statement in getattr(block, "body", [])]
        code = compile(ast.Module(body, []), self.loaded.path, "exec", dont_inherit=True)
        names = vars(self.loaded.module)

        def block() -> None:
            exec(code, names)

        def again(mode: Mode = mode, **changes: Any) -> Run:
            return self.call("the `__main__` block", "its own", block, (), {}, mode, trusted=True, **changes)

        run = again(Mode(fresh=True) if mode == Mode() and hooks is not None else mode, hooks=hooks)
        run.again = again
        if hooks is None:
            self._main[mode] = run
        return run

    def _from_factory(
        self, question: Question, entries: list[Entry], mode: Mode, hooks: dict[int, list[Hook]] | None
    ) -> Iterator[Run]:
        definitions = question.target.definitions
        first = min((getattr(node, "lineno", 1) for node in definitions), default=question.finding.row)
        name = self._inputs or named_in_comment(self.loaded, first, question.finding.row)
        if name is None:
            return
        make = factory(self.loaded, name)
        own = question.target.chain[0] if question.target.chain else ""
        chosen = [entry for entry in entries if entry.label == f"`{own}`"] or entries[:1]
        for entry in chosen:
            if entry.receivers:
                continue

            def again(entry: Entry = entry, mode: Mode = mode, **changes: Any) -> Run:
                args, kwargs = call_factory(make, name)
                return self.call(
                    entry.label, f"from `{name}`", entry.call, args, kwargs, mode, trusted=True,
                    **changes,
                )  # fmt: skip

            run = again(hooks=hooks)
            run.again, run.entry = again, entry
            yield run

    def _from_examples(self, entry: Entry, mode: Mode, hooks: dict[int, list[Hook]] | None) -> Iterator[Run]:
        """The entry with arguments that it, or what it wraps, was called with before."""
        if not entry.first_row or entry.receivers:
            return
        count = 0
        for watched in self._examples:
            for call in watched.calls:
                if call.code.co_firstlineno != entry.first_row or call.traced:
                    continue
                names = [name for name, _, _ in entry.parameters]
                if not all(name in call.arguments for name in names):
                    continue
                values = {name: call.arguments[name] for name in names}

                def again(values: dict[str, Any] = values, mode: Mode = mode, **changes: Any) -> Run:
                    fresh = {name: copied(value) for name, value in values.items()}
                    keyword = {name: fresh.pop(name) for name, _, kind in entry.parameters if kind}
                    return self.call(
                        entry.label, "as in a call of the program", entry.call, tuple(fresh.values()), keyword,
                        mode, trusted=True, **changes,
                    )  # fmt: skip

                try:
                    run = again(hooks=hooks)
                except RuntimeError:  # an argument was donated since
                    continue
                run.again, run.entry = again, entry
                yield run
                count += 1
                if count >= _EXAMPLES:
                    return

    def _searched(
        self, entry: Entry, question: Question, mode: Mode, hooks: dict[int, list[Hook]] | None
    ) -> Iterator[Run]:
        maker = self.entries.maker
        listed = [maker.candidates(name, spec) for name, spec, _ in entry.parameters]
        if entry.receivers:
            listed.insert(0, entry.receivers)
        if not all(listed):
            return
        reached = 0
        for row in combinations(listed, _MOST_TRIES):
            if self.is_late(question):
                return

            def again(row: tuple[Candidate, ...] = row, mode: Mode = mode, of: Any = None, **changes: Any) -> Run:
                """One call, of a fresh instance or of the one given."""
                values = [candidate.make() for candidate in row]
                receiver = [values.pop(0)] if entry.receivers else []
                if receiver and of is not None:
                    receiver = [of]
                keyword: dict[str, Any] = {}
                positional: list[Any] = []
                for (name, _, only), value in zip(entry.parameters, values, strict=True):
                    if only:
                        keyword[name] = value
                    else:
                        positional.append(value)
                return self.call(
                    entry.label, labels(entry, row), entry.call, (*receiver, *positional), keyword,
                    mode, **changes,
                )  # fmt: skip

            try:
                run = again(hooks=hooks, mode=self._refreshed(mode, question))
            except Exception as error:  # an argument could not be made
                if len(row) <= 1:
                    raise LoadError(f"no argument could be made: {describe(error)}") from None
                continue
            run.again, run.entry = again, entry
            yield run
            if not run.watched.row(question.rows.start, question.rows.stop - 1).ran:
                yield from self._inner(run, question, mode, hooks)
            else:
                reached += 1
            if reached >= 2 and run.error is None:
                return

    def _inner(self, run: Run, question: Question, mode: Mode, hooks: dict[int, list[Hook]] | None) -> Iterator[Run]:
        """What a factory of functions returned, called."""
        results = run.result if isinstance(run.result, tuple | list) else [run.result]
        for value in list(results)[:4]:
            if callable(value) and not isinstance(value, type):
                for entry in self.entries.of_value(f"{run.what} -> {getattr(value, '__name__', 'result')}"[:80], value):
                    if entry.label != (run.entry.label if run.entry else ""):
                        yield from self._searched(entry, question, mode, hooks)

    def _refreshed(self, mode: Mode, question: Question) -> Mode:
        """A function that was traced before runs from its trace: forget it, or the line cannot be seen to run."""
        if question.rows.start in self._reached and not mode.fresh:
            return replace(mode, fresh=True)
        return mode

    def is_late(self, question: Question) -> bool:
        """Whether the time for a finding is over."""
        return time.monotonic() > question.deadline

    def _note_block(self, run: Run, question: Question) -> None:
        for path, row, _ in run.frames():
            if path == self.loaded.path:
                if row not in question.rows:
                    self.blocked.add(row)
                return


def labels(entry: Entry, row: tuple[Candidate, ...]) -> str:
    """The chosen candidates, by parameter."""
    names = [name for name, _, _ in entry.parameters]
    if entry.receivers:
        names.insert(0, "self")
    return "tried " + (
        ", ".join(f"{name}={part.label}" for name, part in zip(names, row, strict=True)) or "none needed"
    )


def describe(error: BaseException) -> str:
    """An exception on one line."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300].rstrip(": ")


def uncovered(target: Target, covered: set[int]) -> list[int]:
    """Rows of the target's function, up to the flagged one, that never ran."""
    if target.function is None or isinstance(target.function, ast.Lambda):
        return []
    rows: list[int] = []
    todo: list[ast.stmt] = list(target.function.body)
    while todo:
        statement = todo.pop(0)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Global | ast.Nonlocal):
            continue
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if statement.lineno < target.first_row and not is_text and not isinstance(statement, ast.Pass | ast.Try):
            rows.append(statement.lineno)
        for name in ("body", "orelse"):
            todo += [part for part in getattr(statement, name, []) if isinstance(part, ast.stmt)]
    return sorted(row for row in rows if row not in covered)


def finished(result: Any) -> Any:
    """The result, when what it stands for has been computed. Generators are run for a few items."""
    import jax

    if inspect.isgenerator(result):
        items = []
        for item in result:
            items.append(item)
            if len(items) >= _MOST_ITEMS:
                break
        result = items
    with contextlib.suppress(TypeError, AttributeError):
        for leaf in jax.tree.leaves(result):
            if isinstance(leaf, jax.Array) and not traces.is_tracer(leaf) and not leaf.is_deleted():
                leaf.block_until_ready()
    return result


def copied(value: Any) -> Any:
    """A value whose arrays can be donated without loss."""
    import jax
    import jax.numpy as jnp

    if isinstance(value, types.FunctionType):
        return value
    return jax.tree.map(
        lambda leaf: jnp.copy(leaf) if isinstance(leaf, jax.Array) and not traces.is_tracer(leaf) else leaf, value
    )


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Cut a run short by a signal; what does not return to Python is ended by the parent."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_: int, frame: FrameType | None) -> None:
        raise TooLongError(f"cut short after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
