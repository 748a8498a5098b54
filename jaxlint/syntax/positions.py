"""Places in the file, computed only for the statements that hold findings.

`ast` knows the line and column (in UTF-8 bytes) of each statement cheaply; inside one statement LibCST's own code
generation places the node. Where the running Python cannot parse the file, LibCST places the whole module.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst._nodes.internal import CodegenState
from libcst.metadata import PositionProvider

from jaxlint.findings import Span
from jaxlint.source import split_rows
from jaxlint.syntax.python import python_tree

if TYPE_CHECKING:
    from jaxlint.syntax import ir


class _Recorder(CodegenState):
    """Generates code while counting lines and columns, and notes where the wanted nodes begin and end."""

    def __init__(self, indent: list[str], default_indent: str, newline: str, wanted: set[int]) -> None:
        super().__init__(default_indent=default_indent, default_newline=newline)
        self.indent_tokens = list(indent)
        self.line = 1
        self.column = 0
        self.wanted = wanted
        self.found: dict[int, tuple[int, int, int, int]] = {}
        self.begun: dict[int, tuple[int, int]] = {}

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        for token in self.indent_tokens:
            self._advance(token)

    def add_token(self, value: str) -> None:
        super().add_token(value)
        self._advance(value)

    def _advance(self, value: str) -> None:
        lines = value.count("\n")
        if lines == 0 and "\r" in value:
            lines = value.count("\r")
            self.line += lines
            self.column = len(value) - value.rfind("\r") - 1
        elif lines:
            self.line += lines
            self.column = len(value) - value.rfind("\n") - 1
        else:
            self.column += len(value)

    def before_codegen(self, node: Any) -> None:
        if id(node) in self.wanted:
            self.begun.setdefault(id(node), (self.line, self.column))
            self.found.setdefault(id(node), (self.line, self.column, self.line, self.column))

    def after_codegen(self, node: Any) -> None:
        key = id(node)
        if key in self.wanted:
            start = self.found[key]
            if start[2:] == start[:2]:
                self.found[key] = (*start[:2], self.line, self.column)

    def record_syntactic_position(self, node: Any, *, start_node: Any = None, end_node: Any = None) -> Any:
        return _Syntactic(self, node)


class _Syntactic:
    """The region of a node without its surrounding whitespace and parentheses."""

    def __init__(self, state: _Recorder, node: Any) -> None:
        self.state = state
        self.node = node

    def __enter__(self) -> None:
        state = self.state
        self.start = (state.line, state.column)

    def __exit__(self, *exc: object) -> None:
        state = self.state
        if id(self.node) in state.wanted:
            state.found[id(self.node)] = (*self.start, state.line, state.column)


class Positions:
    """Places of the nodes of one module."""

    def __init__(self, module: ir.ModuleIR, text: str) -> None:
        self.module = module
        self.text = text
        self.lines = split_rows(text)
        self._cache: dict[int, Span] = {}
        self._whole: dict[Any, Span] | None = None
        self._starts: list[tuple[int, int]] | None = None
        try:
            self._starts = _statement_starts(python_tree(text), self.lines)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._starts = None
        if self._starts is not None and len(self._starts) != len(module.statements or ()):
            self._starts = None

    def span(self, id: int) -> Span:
        """The region of node `id`."""
        found = self._cache.get(id)
        if found is None:
            found = self._cache[id] = self._compute(id)
        return found

    def span_of(self, node: cst.CSTNode, holder: int) -> Span:
        """The region of a node without a number inside the statement of the node `holder`."""
        if self._starts is None or not self.module.statements:
            return self._from_whole(node)
        return self._place(self.module.statement_of[holder], node)

    def header_end(self, id: int) -> int:
        """The last row of the header of the statement that holds node `id`."""
        statements = self.module.statements
        index = self.module.statement_of[id]
        if index >= len(statements):
            return self.span(id).end_row
        node = statements[index][0]
        body = getattr(node, "body", None)
        if isinstance(body, cst.BaseSuite):
            header = self._relative(index, {_KEY: body}, node)
            if header is not None:
                first = header[0]
                row = self._starts[index][0] if self._starts is not None else 1
                return row + first - header[1]
            return self.span(id).end_row
        return self._statement_span(index).end_row

    def _statement_span(self, index: int) -> Span:
        statements = self.module.statements
        node = statements[index][0]
        if self._starts is None:
            return self._from_whole(node)
        return self._place(index, node)

    def _compute(self, id: int) -> Span:
        nodes, statements = self.module.nodes, self.module.statements
        node = nodes[id]
        index = self.module.statement_of[id]
        if isinstance(node, cst.Module) or not statements:
            return Span(1, 1, 1, 1)
        if self._starts is None:
            return self._from_whole(node)
        return self._place(index, node)

    def _record(self, index: int, wanted: set[int]) -> _Recorder:
        statements = self.module.statements
        _, line, indent = statements[index]
        recorder = _Recorder([indent], "    ", "\n", wanted)
        line._codegen(recorder)
        return recorder

    def _relative(self, index: int, want: dict[int, Any], node: cst.CSTNode) -> tuple[int, int] | None:
        """(row of the end of the header, row of the statement), both counted from the same line."""
        body = want[_KEY]
        record = self._record(index, {id(body), id(node)})
        if id(body) not in record.begun or id(node) not in record.found:
            return None
        return record.begun[id(body)][0], record.found[id(node)][0]

    def _place(self, index: int, node: cst.CSTNode) -> Span:
        statements = self.module.statements
        assert self._starts is not None
        statement = statements[index][0]
        body = getattr(node, "body", None) if node is statement else None
        record = self._record(index, {id(node), id(statement), id(body)})
        found = record.found
        row, column = self._starts[index]
        if id(node) not in found or id(statement) not in found:
            return Span(row, column + 1, row, column + 1)
        base = found[id(statement)]
        start_row, start_column, end_row, end_column = found[id(node)]
        if isinstance(body, cst.BaseSuite) and id(body) in record.begun:
            # Of a compound statement, only the header, without its colon. The body itself may begin rows below.
            end_row, end_column = record.begun[id(body)]
            end_column = max(end_column - 1, 0)
        shift = row - base[0]
        # On the statement's own first line the generated columns are right up to a constant.
        offset = column - base[1]
        end_offset = offset
        if self.lines[row - 1].startswith("elif", column):  # generated alone, it reads `if`
            end_offset += 2
            if node is not statement:
                offset += 2
        return Span(
            start_row + shift,
            start_column + 1 + (offset if start_row == base[0] else 0),
            end_row + shift,
            end_column + 1 + (end_offset if end_row == base[0] else 0),
        )

    def _from_whole(self, node: cst.CSTNode) -> Span:
        if self._whole is None:
            wrapper = cst.MetadataWrapper(self._tree(), unsafe_skip_copy=True)
            self._whole = {
                found: Span(p.start.line, p.start.column + 1, p.end.line, p.end.column + 1)
                for found, p in wrapper.resolve(PositionProvider).items()
            }
        return self._whole.get(node, Span(1, 1, 1, 1))

    def _tree(self) -> cst.Module:
        nodes = self.module.nodes
        assert isinstance(nodes[0], cst.Module)
        return nodes[0]


_KEY = 0


def _statement_starts(tree: ast.Module, lines: list[str]) -> list[tuple[int, int]]:
    """(row, column in code points) of every statement, in the order in which lowering numbers them."""
    starts: list[tuple[int, int]] = []
    stack: list[Any] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            line = lines[node.lineno - 1] if node.lineno <= len(lines) else ""
            column = node.col_offset
            if not line.isascii():
                column = len(line.encode("utf-8")[:column].decode("utf-8", "replace"))
            starts.append((node.lineno, column))
        inner: list[Any] = []
        for field in ("body", "handlers", "cases", "orelse", "finalbody"):
            value = getattr(node, field, None)
            if isinstance(value, list):
                inner.extend(value)
        stack.extend(reversed(inner))
    return starts
