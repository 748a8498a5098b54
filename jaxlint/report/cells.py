"""Where findings of notebooks stand for formats that know files and rows only."""

from __future__ import annotations

from jaxlint.findings import Finding, Span

_TOP = Span(1, 1, 1, 1)


def file_span(span: Span, cell: int | None) -> Span:
    """The span itself; for a place in a cell, whose rows are counted from the top of the cell, the top of the file."""
    return span if cell is None else _TOP


def in_cell(cell: int | None) -> str:
    """The cell of a place as it stands between path and row; nothing in an ordinary file."""
    return "" if cell is None else f"cell {cell}:"


def with_cell(finding: Finding) -> str:
    """What is told of a finding; of one in a cell with the cell and row, which such formats have no other place for."""
    return finding.told if finding.cell is None else f"{finding.told} (cell {finding.cell}, row {finding.span.row})"
