"""Rows of text, and numbers with their units."""

from __future__ import annotations

from collections.abc import Sequence

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_STEP = 1024


def seconds(value: float | None) -> str:
    """`1.23 ms`."""
    if value is None:
        return "-"
    if value == 0:
        return "0 s"
    factor, unit = next(((factor, unit) for factor, unit in _TIMES if abs(value) >= factor), _TIMES[-1])
    return f"{_three_digits(value / factor)} {unit}"


def size(value: float | None) -> str:
    """`1.5 KiB`."""
    if value is None:
        return "-"
    amount = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(amount) < _STEP:
            return f"{int(amount)} B" if unit == "B" else f"{_three_digits(amount)} {unit}"
        amount /= _STEP
    return f"{_three_digits(amount)} TiB"


def count(value: float | None) -> str:
    """`12,345`, or `1.23e+09` where nobody would count the digits."""
    if value is None:
        return "-"
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    return f"{int(value):,}" if value == int(value) else f"{value:,.2f}"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


def _three_digits(value: float) -> str:
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}"


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Aligned columns; those in `right` end where they end."""
    if not rows:
        return []
    columns = max(len(row) for row in rows)
    filled = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(len(row[column]) for row in filled) for column in range(columns)]
    lines = []
    for row in filled:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines
