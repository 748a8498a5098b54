"""A picture of the samples: how they scatter, and how they drift. Plain SVG, so that no library is needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from jaxlint.lab.report.tables import seconds

_WIDTH, _LEFT, _RIGHT = 880, 40, 840
_ROW = 64
_TOP = 56
_DRIFT = 200
_COLOURS = ("#1f6feb", "#d1570b", "#2d8a4e", "#8250df", "#b42b51", "#5c6670")
_FULL = 0.98


def svg(report: dict[str, Any]) -> str:
    """The picture: above, each function's samples with median, interval and quartiles; below, in order of time."""
    functions = [function for function in report["functions"] if function.get("steady")]
    scale = _Scale([sample for function in functions for sample in function["samples"]])
    height = _TOP + _ROW * len(functions) + 60 + _DRIFT + 40
    what = "seconds a step" if report["mode"] == "state" else "seconds a call"
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    title = f"{what}: samples, quartiles, and the median with its interval"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15">{escape(title)}</text>',
        *_axis(scale, _TOP - 14, _TOP + _ROW * len(functions)),
    ]
    for number, function in enumerate(functions):
        parts += _strip(function, scale, _TOP + _ROW * number, _COLOURS[number % len(_COLOURS)])
    parts += _drift(functions, scale, _TOP + _ROW * len(functions) + 60)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Scale:
    """Maps seconds to the width; the slowest fiftieth is drawn at the edge, so that it does not flatten the rest."""

    def __init__(self, samples: Sequence[float]) -> None:
        ordered = sorted(samples)
        high = ordered[min(len(ordered) - 1, math.floor(_FULL * len(ordered)))]
        self.low, self.high = ordered[0], max(high, ordered[0] * 1.001)

    def share(self, value: float) -> float:
        """0 for the least, 1 for the edge and all beyond."""
        return min(1.0, (value - self.low) / (self.high - self.low))

    def x(self, value: float) -> float:
        """The place on the width."""
        return _LEFT + self.share(value) * (_RIGHT - _LEFT)

    def ticks(self) -> Iterator[float]:
        """Round numbers inside the range."""
        raw = (self.high - self.low) / 8
        magnitude = 10 ** math.floor(math.log10(raw))
        step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= raw)
        value = math.ceil(self.low / step) * step
        while value <= self.high:
            yield value
            value += step


def _axis(scale: _Scale, top: float, bottom: float) -> Iterator[str]:
    for tick in scale.ticks():
        x = scale.x(tick)
        yield f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>'
        yield f'<text x="{x:.1f}" y="{top - 4}" text-anchor="middle" fill="#555555">{seconds(tick)}</text>'


def _strip(function: dict[str, Any], scale: _Scale, top: float, colour: str) -> Iterator[str]:
    steady = function["steady"]
    middle = top + 38
    yield f'<text x="{_LEFT}" y="{top + 12}" fill="{colour}">{escape(function["name"])}</text>'
    left, right = scale.x(steady["lower_quartile"]), scale.x(steady["upper_quartile"])
    box = f'x="{left:.1f}" y="{middle - 14}" width="{max(right - left, 1):.1f}" height="28"'
    yield f'<rect {box} fill="{colour}" fill-opacity="0.15"/>'
    for number, sample in enumerate(function["samples"]):
        y = middle - 12 + 24 * (number * 0.618 % 1)  # spread out, the same each time
        yield f'<circle cx="{scale.x(sample):.1f}" cy="{y:.1f}" r="2" fill="{colour}" fill-opacity="0.5"/>'
    low, high, median = (scale.x(value) for value in (*steady["interval"].values(), steady["median"]))
    for x1, y1, x2, y2, width in ((low, middle, high, middle, 4), (median, middle - 16, median, middle + 16, 2)):
        ends = f'x1="{x1:.1f}" y1="{y1}" x2="{x2:.1f}" y2="{y2}"'
        yield f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _drift(functions: Sequence[dict[str, Any]], scale: _Scale, top: float) -> Iterator[str]:
    yield f'<text x="{_LEFT}" y="{top - 12}" font-size="15">in the order in which they were taken</text>'
    yield f'<line x1="{_LEFT}" y1="{top + _DRIFT}" x2="{_RIGHT}" y2="{top + _DRIFT}" stroke="#999999"/>'
    for tick in scale.ticks():
        y = top + _DRIFT * (1 - scale.share(tick))
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}" stroke="#eeeeee"/>'
    for number, function in enumerate(functions):
        last = max(1, len(function["samples"]) - 1)
        points = " ".join(
            f"{_LEFT + index / last * (_RIGHT - _LEFT):.1f},{top + _DRIFT * (1 - scale.share(sample)):.1f}"
            for index, sample in enumerate(function["samples"])
        )
        colour = _COLOURS[number % len(_COLOURS)]
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-opacity="0.8"/>'
