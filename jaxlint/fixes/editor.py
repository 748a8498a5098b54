"""What a rule makes a fix with: the syntax, the exact text, the places and the names of the file that it reported in.

A rule hands `report` a function from an `Editor` to a `Fix` or None. It is called once for each report that is kept, so
a rule may be told of an event many times at no cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.files.comments import comments
from jaxlint.findings import Applicability, Edit, Fix, Span
from jaxlint.fixes import tree
from jaxlint.fixes.names import Names
from jaxlint.fixes.text import Rows

if TYPE_CHECKING:
    from jaxlint.semantics.values import Place
    from jaxlint.syntax import ir
    from jaxlint.syntax.positions import Positions
    from jaxlint.target import Target


class Editor:
    """The file of one report."""

    def __init__(self, module: ir.ModuleIR, positions: Positions, target: Target) -> None:
        self.module = module
        self.nodes = module.nodes
        self.target = target
        self._positions = positions
        self._rows = Rows(positions.text)
        self._ids: dict[int, int] | None = None
        self._parents: dict[int, cst.CSTNode] | None = None
        self._comments: list[tuple[int, str]] | None = None
        self._names = Names(module)

    # ---- nodes ----

    def node(self, place: Place) -> cst.CSTNode:
        """The syntax node at a place of this file."""
        return self.module.nodes[place[1]]

    def here(self, place: Place) -> bool:
        """Whether a place lies in this file."""
        return place[0] is self.module

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node."""
        if self._parents is None:
            self._parents = tree.parents(self.module.nodes[0])
        return self._parents.get(id(node))

    def statement(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The statement around a node: a small one, or the header of a compound one."""
        found: cst.CSTNode | None = node
        while found is not None and not isinstance(found, cst.BaseSmallStatement | cst.BaseCompoundStatement):
            found = self.parent(found)
        return found

    def line(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The logical line around a node that stands in a block: a line of small statements or a compound one."""
        found: cst.CSTNode | None = node
        while found is not None and not isinstance(found, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            if isinstance(found, cst.SimpleStatementSuite):
                return None
            found = self.parent(found)
        return found

    def scope(self, node: cst.CSTNode) -> ir.FunctionIR | None:
        """The function (the module's body for none) whose statements hold a node."""
        held = self._holder(node)
        found = self.module.top
        for fn in self.module.functions:
            if fn.id < held < fn.id + fn.size:
                found = fn if found is None or found.id <= fn.id else found
        return found

    def is_local(self, name: str, node: cst.CSTNode) -> bool:
        """Whether an assignment to a name at a node binds the variable that is read there."""
        scope = self.scope(node)
        return scope is not None and (name in scope.locals or (name in scope.globals or name in scope.nonlocals))

    def fresh(self, name: str) -> str:
        """A name like the given one that the file does not use."""
        taken = self._names.all_names()
        number, found = 1, name
        while found in taken:
            number += 1
            found = f"{name}{number}"
        return found

    # ---- text ----

    def span(self, node: cst.CSTNode) -> Span:
        """The region of a node without the parentheses around it; of a compound statement, its header."""
        known = self._known()
        found = known.get(id(node))
        if found is not None:
            return self._positions.span(found)
        return self._positions.span_of(node, self._holder(node))

    def text(self, node: cst.CSTNode) -> str:
        """The exact text of a node, without the parentheses around it."""
        return self._rows.slice(self.span(node))

    def between(self, first: cst.CSTNode, last: cst.CSTNode) -> Span:
        """From the start of a node to the end of another."""
        start, end = self.span(first), self.span(last)
        return Span(start.row, start.column, end.end_row, end.end_column)

    def slice(self, span: Span) -> str:
        """The text of a region."""
        return self._rows.slice(span)

    def operand(self, node: cst.BaseExpression) -> str:
        """The text of an expression as an operand of a tightly binding operator."""
        simple = cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.BaseNumber | cst.SimpleString
        text = self.text(node)
        return text if isinstance(node, simple) else f"({text})"

    def argument(self, node: cst.BaseExpression) -> str:
        """The text of an expression as an argument of a call."""
        text = self.text(node)
        if isinstance(node, cst.Tuple):
            text = text.strip()
            return text if node.lpar and text.startswith("(") and text.endswith(")") else f"({text})"
        if isinstance(node, cst.Yield | cst.NamedExpr | cst.GeneratorExp):
            return text if text.startswith("(") and text.endswith(")") else f"({text})"
        return text

    # ---- names ----

    def name(self, qualified: str, node: cst.CSTNode) -> tuple[str, tuple[str, ...]] | None:
        """How a node of this file spells a qualified name, and the imports that it takes; None where no way is free."""
        return self._names.spell(qualified, self._holder(node))

    def origin(self, name: str) -> str:
        """The qualified name that a name of the file was imported as; nothing where it was not imported at the top."""
        return self._names.origin(name)

    # ---- edits ----

    def replace(self, node: cst.CSTNode, code: str) -> Edit:
        """Put code in the place of a node."""
        return Edit(self.span(node), code)

    def replace_whole(self, node: cst.BaseExpression, code: str) -> Edit:
        """Put a call or a name in the place of an expression and of the parentheses around it."""
        span = self.span(node)
        for _ in getattr(node, "lpar", ()):
            outer = Span(span.row, span.column - 1, span.end_row, span.end_column + 1)
            text = self._rows.slice(outer) if span.column > 1 else ""
            if not (text.startswith("(") and text.endswith(")")):
                break
            span = outer
        return Edit(span, code)

    def before(self, node: cst.CSTNode, code: str) -> Edit:
        """Put code in front of a node."""
        span = self.span(node)
        return Edit(Span(span.row, span.column, span.row, span.column), code)

    def after(self, node: cst.CSTNode, code: str) -> Edit:
        """Put code behind a node."""
        span = self.span(node)
        return Edit(Span(span.end_row, span.end_column, span.end_row, span.end_column), code)

    def line_before(self, node: cst.CSTNode, code: str) -> Edit | None:
        """Put a line of code above the line that holds a node; None where it has none to itself."""
        line = self.line(node)
        if line is None:
            return None
        first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
        if isinstance(first, cst.FunctionDef | cst.ClassDef) and first.decorators:
            return None
        span = self.span(first)
        row = self._rows.slice(Span(span.row, 1, span.row, span.column))
        if row.strip():
            return None
        return Edit(Span(span.row, 1, span.row, 1), f"{row}{code}\n")

    def fix(self, message: str, *edits: Edit, safe: bool = True, imports: tuple[str, ...] = ()) -> Fix:
        """A fix; one that would lose a comment is unsafe whatever is said."""
        safe = safe and not any(self._loses_comment(edit) for edit in edits)
        return Fix(message, Applicability.SAFE if safe else Applicability.UNSAFE, edits, imports)

    def _loses_comment(self, edit: Edit) -> bool:
        if self._comments is None:
            found = comments(self._rows.text)
            self._comments = [(self._rows.offset(comment.row, comment.column), comment.text) for comment in found]
        start, end = self._rows.region(edit.span)
        return any(start <= offset < end and text not in edit.content for offset, text in self._comments)

    def _known(self) -> dict[int, int]:
        if self._ids is None:
            self._ids = {id(node): number for number, node in enumerate(self.module.nodes)}
        return self._ids

    def _holder(self, node: cst.CSTNode) -> int:
        """The number of the innermost numbered node around a node."""
        known = self._known()
        found: cst.CSTNode | None = node
        while found is not None and id(found) not in known:
            found = self.parent(found)
        return known[id(found)] if found is not None else 0
