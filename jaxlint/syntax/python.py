"""Python's own parser, without the warnings that it prints on a checked file's invalid escapes and literals."""

from __future__ import annotations

import ast
import warnings
from typing import Any


def python_tree(text: str) -> ast.Module:
    """The tree of a program; raises as `ast.parse` does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def literal(text: str) -> Any:
    """The value of a literal; raises as `ast.literal_eval` does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)
