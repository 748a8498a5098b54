"""An excerpt of source with a span marked in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jaxlint.findings import Span
from jaxlint.report.style import Style, visible, width

_CONTEXT = 2
_LONGEST_SPAN = 8
_LONGEST_LINE = 160
_SHORTEST_LINE = 30
_BESIDE = 11
"""What stands in a row besides the line number and the source: bars, and dots for what is cut off at both ends."""

Paint = Callable[[str], str]


def excerpt(
    lines: Sequence[str],
    span: Span,
    style: Style,
    paint: Paint,
    *,
    mark: str = "^",
    context: int = _CONTEXT,
    columns: int = 0,
) -> tuple[int, list[str]]:
    """Rows around a span with line numbers. The span is underlined; one of several rows is bracketed at the left.

    No row exceeds the width of the terminal, `columns`, so that the marks stay below what they mark; 0 is no terminal.
    The number is the width of the line numbers; without source it is 0 and there are no rows.
    """
    if not 1 <= span.row <= len(lines):
        return 0, []
    last = min(max(span.end_row, span.row), len(lines))
    first_shown, last_shown = max(1, span.row - context), min(len(lines), last + context)
    # Blank rows at the edge of an excerpt say nothing.
    while first_shown < span.row and not lines[first_shown - 1].strip():
        first_shown += 1
    while last_shown > last and not lines[last_shown - 1].strip():
        last_shown -= 1
    gutter = len(str(last_shown))
    room = max(_SHORTEST_LINE, min(_LONGEST_LINE, columns - gutter - _BESIDE)) if columns else _LONGEST_LINE
    body: list[str] = []

    def row(number: int | str, text: str) -> None:
        shown = style.frame(f"{number:>{gutter}} |") if number != "..." else style.frame("...".ljust(gutter + 1))
        body.append(f"{shown} {text}".rstrip() if text else shown)

    row("", "")
    if last == span.row:
        _single(lines, span, (first_shown, last_shown), room, row, paint, mark)
    else:
        _multiple(lines, span, (first_shown, last, last_shown), room, row, paint, mark)
    row("", "")
    return gutter, body


def _single(
    lines: Sequence[str],
    span: Span,
    shown: tuple[int, int],
    room: int,
    row: Callable[[int | str, str], None],
    paint: Paint,
    mark: str,
) -> None:
    line = lines[span.row - 1]
    start, end = span.column - 1, span.end_column - 1 if span.end_row == span.row else len(line)
    cut = 0
    if len(line) > room:
        cut = max(0, min(start - room // 3, len(line) - room))
        end = min(end, cut + room)
    for number in range(shown[0], shown[1] + 1):
        row(number, _cut(lines[number - 1], cut, room))
        if number == span.row:
            lead = width(line[cut:start]) + (3 if cut else 0)
            row("", " " * lead + paint(mark * max(1, width(line[start:end]))))


def _multiple(
    lines: Sequence[str],
    span: Span,
    shown: tuple[int, int, int],
    room: int,
    row: Callable[[int | str, str], None],
    paint: Paint,
    mark: str,
) -> None:
    first_shown, last, last_shown = shown
    skip_from, skip_to = span.row + _LONGEST_SPAN // 2, last - _LONGEST_SPAN // 2 + 1
    at_start = not lines[span.row - 1][: span.column - 1].strip()
    for number in range(first_shown, last_shown + 1):
        if last - span.row >= _LONGEST_SPAN and skip_from <= number < skip_to:
            if number == skip_from:
                row("...", paint("|"))
            continue
        text = _cut(lines[number - 1], 0, room)
        if number < span.row or number > last:
            row(number, f"  {text}")
        elif number == span.row:
            row(number, f"{paint('/') if at_start else ' '} {text}")
            if not at_start:
                row("", paint(f" {'_' * (width(lines[number - 1][: span.column - 1]) + 1)}{mark}"))
        else:
            row(number, f"{paint('|')} {text}")
            if number == last:
                end = span.end_column - 2 if span.end_row == last else len(lines[last - 1]) - 1
                row("", paint(f"|{'_' * (width(lines[last - 1][: max(0, end)]) + 1)}{mark}"))


def _cut(line: str, start: int, room: int) -> str:
    """At most so much of a line, from a column; what is left out shows as dots."""
    if not line.strip():
        return ""
    if len(line) <= room:
        return visible(line[start:] if start == 0 else ("..." + line[start:] if len(line) > start else "..."))
    head = "..." if start else ""
    tail = "..." if start + room < len(line) else ""
    return head + visible(line[start : start + room]) + tail
