"""The engine: analyses files and turns what rules report into findings. It names no rule."""

from __future__ import annotations

import gc
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libcst as cst

from jaxlint.findings import Finding, Fix, Related, Span
from jaxlint.fixes.editor import Editor
from jaxlint.knowledge.teaching import NOTHING, Teaching, taught
from jaxlint.results import FileResult
from jaxlint.rule import Rule
from jaxlint.semantics import receivers
from jaxlint.semantics.entries import run_host, run_scheduled
from jaxlint.semantics.events import ArrayCaptured, ChangeMet, Event, PrivateImported, RowsStacked
from jaxlint.semantics.interpreter import Interpreter
from jaxlint.semantics.project import ModuleEnv, Project
from jaxlint.semantics.spellings import tell
from jaxlint.semantics.values import Place, Why
from jaxlint.source import Source, UnparsableFile, read_source
from jaxlint.syntax.depth import too_deep
from jaxlint.syntax.parse import parse
from jaxlint.syntax.positions import Positions
from jaxlint.syntax.python import python_tree
from jaxlint.target import Target

if TYPE_CHECKING:
    from jaxlint.rule import FixMaker
    from jaxlint.syntax.lowered import Lowered

RECURSION_LIMIT = 20_000
_SNAKE = re.compile(r"(?<!^)(?=[A-Z])")


def handler_name(event: type[Any]) -> str:
    """The method of a rule that receives an event: `on_key_reused` for `KeyReused`."""
    return "on_" + _SNAKE.sub("_", event.__name__).lower()


class _Raw:
    """A report before its place in the file is known."""

    __slots__ = ("fix", "message", "place", "related", "rule")

    def __init__(
        self, rule: Rule, place: Place, message: str, related: Sequence[tuple[Place, str]], fix: FixMaker | None
    ) -> None:
        self.rule = rule
        self.place = place
        self.message = message
        self.related = tuple(related)
        self.fix = fix

    def order(self) -> tuple[int, str, list[tuple[str, int, str]]]:
        """Which of several reports of one code and place is kept: the one with the shortest explanation."""
        places = [(module.path, id, text) for (module, id), text in self.related]
        return (len(places), self.message, places)


class Context:
    """What rules may ask, and where they report."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def report(
        self,
        rule: Rule,
        place: Place,
        kind: str = "default",
        /,
        *,
        related: Sequence[tuple[Place, str]] = (),
        fix: FixMaker | None = None,
        **fields: object,
    ) -> None:
        """Report `rule` at `place`, with the message template `kind`."""
        engine = self._engine
        key = (rule.code, place[0].path, place[1])
        engine.interpreter.reports.add(key)
        raw = _Raw(rule, place, rule.messages[kind].format(**fields), related, fix)
        known = engine.raw.get(key)
        if known is None or raw.order() < known.order():
            engine.raw[key] = raw

    def text(self, place: Place) -> str:
        """The source of a node, on one line and shortened."""
        module, id = place
        text = " ".join(cst.Module([]).code_for_node(module.nodes[id]).split())
        return text if len(text) <= 60 else text[:57] + "…"

    def line(self, place: Place) -> int:
        """The row on which a node begins, for messages that name another place of the same file."""
        positions = self._engine._positions(place[0], {})
        return positions.span(place[1]).row if positions is not None else 0

    def chain(self, why: Why | None) -> list[tuple[Place, str]]:
        """The places that say why a value is traced, outermost first."""
        found: list[tuple[Place, str]] = []
        while why is not None and len(found) < 12:
            if why.place is not None:
                found.append((why.place, why.text))
            why = why.parent
        found.reverse()
        return found

    @property
    def target(self) -> Target:
        """The JAX versions that the code is judged against."""
        return self._engine.target

    def class_kind(self, name: str) -> str:
        """What the knowledge tables say a library's class is."""
        return self._engine.knowledge.classes.get(name, "")


class Engine:
    """Analyses files of one project.

    rules: the enabled rules. roots: folders that modules are imported from. target_jax: the JAX version
    judged against, or a range such as `0.4.30..0.12`. teaching: what the project says of its own functions. unsaved:
    sources that stand in for the files of their paths. lowered: compact forms that outlive this analysis. checkpoint:
    called between its steps; what it raises ends it.
    """

    def __init__(
        self,
        *,
        rules: Sequence[Rule],
        roots: Sequence[str | Path],
        target_jax: str = "",
        teaching: Teaching = NOTHING,
        unsaved: Mapping[str, Source] | None = None,
        lowered: Lowered | None = None,
        checkpoint: Callable[[], None] = lambda: None,
        **_: object,
    ) -> None:
        self.rules = list(rules)
        self.target_jax = target_jax
        self.target = Target.parse(target_jax)
        self.knowledge = taught(teaching)
        self.project = Project([str(root) for root in roots], self._read, lowered)
        self._checkpoint = checkpoint
        self.context = Context(self)
        self.raw: dict[Any, _Raw] = {}
        self.unparsable: list[Finding] = []
        self._sources: dict[str, Source] = {}
        self._unsaved = unsaved or {}
        self._reports: dict[str, set[Any]] = {}
        self._handlers: dict[type[Event], list[Any]] = {}
        self._editors: dict[str, Editor] = {}
        self._visitors: dict[str, list[Any]] = {}
        for rule in self.rules:
            for name in dir(rule):
                if name.startswith("visit_"):
                    self._visitors.setdefault(name.removeprefix("visit_"), []).append(getattr(rule, name))
        self.interpreter = Interpreter(self.project, self.knowledge, self._emit)

    @property
    def counters(self) -> Counter[str]:
        """Where the analysis gave up, by reason."""
        return self.interpreter.counters

    def _read(self, path: str) -> str | None:
        source = self._sources.get(path)
        if source is None:
            self._checkpoint()
            source = self._sources[path] = self._unsaved.get(path) or read_source(Path(path))
        return None if source.error is not None else source.text

    def _emit(self, event: Event) -> None:
        handlers = self._handlers.get(type(event))
        if handlers is None:
            handlers = self._listeners(type(event))
        for handler in handlers:
            handler(event, self.context)

    def _listeners(self, kind: type[Event]) -> list[Any]:
        handlers = self._handlers.get(kind)
        if handlers is None:
            name = handler_name(kind)
            handlers = self._handlers[kind] = [getattr(rule, name) for rule in self.rules if hasattr(rule, name)]
        return handlers

    def analyse(self, source: Source) -> None:
        """Analyse one file: its module body, its transformed functions and each of its functions on its own."""
        self._sources[source.path] = source
        if source.error is not None:
            self._unparsable(source, source.error.message, source.error.span)
            return
        if sys.getrecursionlimit() < RECURSION_LIMIT:
            sys.setrecursionlimit(RECURSION_LIMIT)
        env = self._load(source)
        if env is not None:
            self._run(env)
            self._reports[source.path] = set(self.interpreter.reports)
            if self.interpreter.heavy:
                self.interpreter.forget()
                self.project.drop_nodes()
                gc.collect()

    def _load(self, source: Source) -> ModuleEnv | None:
        found = self.project.by_path.get(source.path) or self.project.recall(source.path, source.text)
        if found is not None:
            return found
        deep = too_deep(source.text)
        if deep is not None:
            message, row, column = deep
            self._unparsable(source, message, Span(row, column, row, column))
            return None
        try:
            tree = parse(source.text)
        except cst.ParserSyntaxError as error:
            self._unparsable(source, *_syntax_error(source, error))
            return None
        except RecursionError:
            self._unparsable(source, "the file is nested too deeply to be parsed", Span(1, 1, 1, 1))
            return None
        env = self.project.add(source.path, tree, source.text)
        if env is None:
            self._unparsable(source, "the file is nested too deeply to be analysed", Span(1, 1, 1, 1))
        return env

    def _run(self, env: ModuleEnv) -> None:
        it = self.interpreter
        it.new_entry()
        it.follows_captures = bool(self._listeners(ArrayCaptured))
        it.follows_rows = bool(self._listeners(RowsStacked))
        it.run_module(env)
        if self._listeners(ChangeMet) or self._listeners(PrivateImported):
            tell(it, env, self.target)
        it.reports = set(env.reports)
        self._visit(env)
        for wrapped in list(env.wrappers):
            self._checkpoint()
            it.isolated(lambda wrapped=wrapped: run_scheduled(it, wrapped, env))  # type: ignore[misc]
        for func in list(env.functions):
            if id(func.fn) in it.decorated_away:
                continue
            self._checkpoint()
            it.isolated(lambda func=func: run_host(it, func))  # type: ignore[misc]
        receivers.finish(it)

    def _visit(self, env: ModuleEnv) -> None:
        """Show the nodes of the tree to the rules that visit nodes of their kind, in one pass."""
        if not self._visitors:
            return
        seen: set[int] = set()
        for index, node in enumerate(env.ir.nodes):
            handlers = self._visitors.get(type(node).__name__)
            if handlers is not None and id(node) not in seen:
                seen.add(id(node))
                for handler in handlers:
                    handler(node, (env.ir, index), self.context)

    def _unparsable(self, source: Source, message: str, span: Span) -> None:
        event = UnparsableFile(source.path, span, message)
        for rule in self.rules:
            handler = getattr(rule, "on_unparsable_file", None)
            if handler is None:
                continue
            kind, fields = handler(event, self.context)
            self.unparsable.append(
                Finding(
                    rule.code,
                    rule.name,
                    rule.severity,
                    rule.messages[kind].format(**fields),
                    source.path,
                    span,
                    rule.reference,
                    rule.help,
                    noqa_rows=(span.row,),
                )
            )

    # ---- findings ----

    def results(self) -> list[FileResult]:
        """What each analysed file led to, in any file, with the files that it depends on."""
        self.interpreter.finish()
        positions: dict[str, Positions | None] = {}
        made: dict[Any, Finding | None] = {}
        told: set[Any] = set()
        for keys in self._reports.values():
            told |= keys
        results: list[FileResult] = []
        for path in self._sources:
            if path not in self._reports and not any(finding.path == path for finding in self.unparsable):
                continue
            keys = self._reports.get(path, set())
            if self._reports and path == next(iter(self._reports)):
                keys = keys | (set(self.raw) - told)  # what only the project as a whole shows
            found = [finding for finding in self.unparsable if finding.path == path]
            for key in sorted(keys, key=str):
                if key not in made:
                    made[key] = self._finding(self.raw[key], positions)
                finding = made[key]
                if finding is not None:
                    found.append(finding)
            results.append(FileResult(path, found, sorted(self.project.closure(path))))
        return results

    def findings(self) -> dict[str, list[Finding]]:
        """What was found, by absolute path."""
        self.interpreter.finish()
        found: dict[str, list[Finding]] = {}
        for finding in self.unparsable:
            found.setdefault(finding.path, []).append(finding)
        positions: dict[str, Positions | None] = {}
        for raw in self.raw.values():
            finding_or_none = self._finding(raw, positions)
            if finding_or_none is not None:
                found.setdefault(finding_or_none.path, []).append(finding_or_none)
        return found

    def _positions(self, module: Any, known: dict[str, Positions | None]) -> Positions | None:
        if module.path not in known:
            text = self._read(module.path)
            known[module.path] = Positions(module, text) if text is not None else None
        return known[module.path]

    def _finding(self, raw: _Raw, known: dict[str, Positions | None]) -> Finding | None:
        module, id = raw.place
        positions = self._positions(module, known)
        if positions is None:
            return None
        span = positions.span(id)
        related: list[Related] = []
        for (other, other_id), message in raw.related:
            other_positions = self._positions(other, known)
            if other_positions is not None:
                place = Related(other.path, other_positions.span(other_id), message)
                if place not in related:
                    related.append(place)
        rule = raw.rule
        return Finding(
            rule.code,
            rule.name,
            rule.severity,
            raw.message,
            module.path,
            span,
            rule.reference,
            rule.help,
            tuple(related),
            self._fix(raw, positions),
            tuple(sorted({span.row, positions.header_end(id)})),
        )

    def _fix(self, raw: _Raw, positions: Positions) -> Fix | None:
        if raw.fix is None:
            return None
        module = raw.place[0]
        editor = self._editors.get(module.path)
        if editor is None or editor.nodes is not module.nodes:
            editor = self._editors[module.path] = Editor(module, positions, self.target)
        try:
            return raw.fix(editor)
        except Exception:  # a finding without its fix is better than none
            self.counters[f"the fix of {raw.rule.code} failed"] += 1
            return None


def _syntax_error(source: Source, error: cst.ParserSyntaxError) -> tuple[str, Span]:
    """The message and place of a syntax error; Python's own where it agrees that there is one."""
    try:
        python_tree(source.text)
    except SyntaxError as python:
        row, column = python.lineno or 1, python.offset or 1
        return (python.msg or "invalid syntax"), Span(row, max(column, 1), row, max(column, 1))
    except (ValueError, RecursionError, MemoryError) as python_error:
        return str(python_error), Span(1, 1, 1, 1)
    row, column = error.raw_line, error.raw_column + 1
    return "this syntax is valid Python but not known to the parser yet", Span(row, column, row, column)
