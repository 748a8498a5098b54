"""The engine: analyses files and turns what rules report into findings. It names no rule."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import libcst as cst

from jaxlint import knowledge
from jaxlint.findings import Finding, Fix, Related, Span
from jaxlint.rule import Rule
from jaxlint.semantics.entries import run_host, run_scheduled
from jaxlint.semantics.events import Event
from jaxlint.semantics.interpreter import Interpreter
from jaxlint.semantics.project import ModuleEnv, Project
from jaxlint.semantics.values import Place, Why
from jaxlint.source import Source, UnparsableFile, read_source
from jaxlint.syntax.positions import Positions

RECURSION_LIMIT = 20_000
_SNAKE = re.compile(r"(?<!^)(?=[A-Z])")


def handler_name(event: type[Any]) -> str:
    """The method of a rule that receives an event: `on_key_reused` for `KeyReused`."""
    return "on_" + _SNAKE.sub("_", event.__name__).lower()


class _Raw:
    """A report before its place in the file is known."""

    __slots__ = ("fix", "message", "place", "related", "rule")

    def __init__(
        self, rule: Rule, place: Place, message: str, related: Sequence[tuple[Place, str]], fix: Fix | None
    ) -> None:
        self.rule = rule
        self.place = place
        self.message = message
        self.related = tuple(related)
        self.fix = fix


class Context:
    """What rules may ask, and where they report."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def report(
        self,
        rule: Rule,
        place: Place,
        kind: str = "default",
        *,
        related: Sequence[tuple[Place, str]] = (),
        fix: Fix | None = None,
        **fields: object,
    ) -> None:
        """Report `rule` at `place`, with the message template `kind`."""
        engine = self._engine
        key = (rule.code, place[0].path, place[1])
        if key in engine.raw:
            return
        engine.raw[key] = _Raw(rule, place, rule.messages[kind].format(**fields), related, fix)

    def text(self, place: Place) -> str:
        """The source of a node, on one line and shortened."""
        module, id = place
        if not self._engine.project.restore(module) or module.nodes is None:
            return "…"
        text = " ".join(cst.Module([]).code_for_node(module.nodes[id]).split())
        return text if len(text) <= 60 else text[:57] + "…"

    def chain(self, why: Why | None) -> list[tuple[Place, str]]:
        """The places that say why a value is traced, outermost first."""
        found: list[tuple[Place, str]] = []
        while why is not None and len(found) < 12:
            if why.place is not None:
                found.append((why.place, why.text))
            why = why.parent
        found.reverse()
        return found

    def class_kind(self, name: str) -> str:
        """What the knowledge tables say a library's class is."""
        return self._engine.knowledge.classes.get(name, "")


class Engine:
    """Analyses files of one project.

    rules: the enabled rules. roots: folders that modules are imported from. target_jax: the JAX version judged against.
    """

    def __init__(
        self, *, rules: Sequence[Rule], roots: Sequence[str | Path], target_jax: str = "", **_: object
    ) -> None:
        self.rules = list(rules)
        self.target_jax = target_jax
        self.knowledge = knowledge.load()
        self.project = Project([str(root) for root in roots], self._read)
        self.context = Context(self)
        self.raw: dict[Any, _Raw] = {}
        self.unparsable: list[Finding] = []
        self._sources: dict[str, Source] = {}
        self._handlers: dict[type[Event], list[Any]] = {}
        self.interpreter = Interpreter(self.project, self.knowledge, self._emit)

    @property
    def counters(self) -> Counter[str]:
        """Where the analysis gave up, by reason."""
        return self.interpreter.counters

    def _read(self, path: str) -> str | None:
        source = self._sources.get(path)
        if source is None:
            source = self._sources[path] = read_source(Path(path))
        return None if source.error is not None else source.text

    def _emit(self, event: Event) -> None:
        kind = type(event)
        handlers = self._handlers.get(kind)
        if handlers is None:
            name = handler_name(kind)
            handlers = self._handlers[kind] = [getattr(rule, name) for rule in self.rules if hasattr(rule, name)]
        for handler in handlers:
            handler(event, self.context)

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

    def _load(self, source: Source) -> ModuleEnv | None:
        found = self.project.by_path.get(source.path)
        if found is not None:
            return found
        try:
            tree = cst.parse_module(source.text)
        except cst.ParserSyntaxError as error:
            self._unparsable(source, *_syntax_error(source, error))
            return None
        except RecursionError:
            self._unparsable(source, "the file is nested too deeply to be parsed", Span(1, 1, 1, 1))
            return None
        env = self.project.add(source.path, tree)
        if env is None:
            self._unparsable(source, "the file is nested too deeply to be analysed", Span(1, 1, 1, 1))
        return env

    def _run(self, env: ModuleEnv) -> None:
        it = self.interpreter
        it.new_entry()
        it.run_module(env)
        for wrapped in [w for w in it.pending_wrappers if w.place[0] is env.ir]:
            if wrapped.uid not in it.entered_wrappers:
                it.isolated(lambda wrapped=wrapped: run_scheduled(it, wrapped, env))  # type: ignore[misc]
        for func in [func for func in it.module_functions if func.fn.module is env.ir]:
            if id(func.fn) in it.decorated_away or (func.fn.is_lambda and id(func.fn) in it.entered):
                continue
            it.isolated(lambda func=func: run_host(it, func))  # type: ignore[misc]

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

    def findings(self) -> dict[str, list[Finding]]:
        """What was found, by absolute path."""
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
            usable = text is not None and self.project.restore(module)
            known[module.path] = Positions(module, text) if usable and text is not None else None
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
            raw.fix,
            tuple(sorted({span.row, positions.header_end(id)})),
        )


def _syntax_error(source: Source, error: cst.ParserSyntaxError) -> tuple[str, Span]:
    """The message and place of a syntax error; Python's own where it agrees that there is one."""
    try:
        ast.parse(source.text)
    except SyntaxError as python:
        row, column = python.lineno or 1, python.offset or 1
        return (python.msg or "invalid syntax"), Span(row, max(column, 1), row, max(column, 1))
    except (ValueError, RecursionError, MemoryError) as python_error:
        return str(python_error), Span(1, 1, 1, 1)
    row, column = error.raw_line, error.raw_column + 1
    return "this syntax is valid Python but not known to the parser yet", Span(row, column, row, column)
