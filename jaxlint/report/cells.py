"""Where findings of notebooks stand for formats that know files and rows only."""

from __future__ import annotations

from jaxlint.findings import Span

_TOP = Span(1, 1, 1, 1)


def file_span(span: Span, cell: int | None) -> Span:
    """The span itself; for a place in a cell, whose rows are counted from the top of the cell, the top of the file."""
    return span if cell is None else _TOP
