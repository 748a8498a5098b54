"""Lower a LibCST module to the compact form in one walk over its meaningful fields.

Whitespace nodes are never visited. Statements are numbered in the order of their first line, which is also the order
in which `ast` meets them; `jaxlint.syntax.positions` relies on it.
"""

from __future__ import annotations

import libcst as cst

from jaxlint.syntax import ir
from jaxlint.syntax.lower_expressions import EXPRESSIONS
from jaxlint.syntax.lower_statements import COMPOUND, SMALL
from jaxlint.syntax.lowering import Lowering, Tables

_TABLES = Tables(EXPRESSIONS, SMALL, COMPOUND)


def lower(tree: cst.Module, path: str, name: str, is_package: bool) -> ir.ModuleIR:
    """Return the compact form of `tree`, the module `name` at `path`."""
    module = ir.ModuleIR(path, name, is_package)
    lowering = Lowering(module, tree.default_indent, _TABLES)
    top = ir.FunctionIR(lowering.new(tree), module, "<module>", "", None)
    module.top = top
    lowering.fn = top
    top.body = module.body = lowering.block(tree.body, "")
    top.size = len(lowering.nodes)
    return module
