"""The edits of a fix with the imports that it needs, for documents whose readers only replace text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from jaxlint.findings import Edit, Fix, Span


def whole_edits(fix: Fix, rows: Sequence[str]) -> list[Edit]:
    """All edits in the order of their places; none where the imports cannot be placed, or a place is edited twice."""
    edits = list(fix.edits)
    if fix.imports:
        from jaxlint.fixes.imports import import_regions  # noqa: PLC0415 (most fixes need no import)

        text = "\n".join(rows)
        starts = [0]
        for line in rows:
            starts.append(starts[-1] + len(line) + 1)
        try:
            regions = import_regions(text, fix.imports, "\n")
        except (SyntaxError, ValueError, RecursionError):
            return []
        for offset, _, content in regions:
            row = bisect_right(starts, offset)
            column = offset - starts[row - 1] + 1
            edits.append(Edit(Span(row, column, row, column), content))
    edits.sort(key=lambda edit: edit.span)
    for one, other in pairwise(edits):
        if (other.span.row, other.span.column) < (one.span.end_row, one.span.end_column):
            return []
    return edits
