"""Medians with their uncertainty, from few and skewed samples."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

RESAMPLES = 2000
CONFIDENCE = 0.95
_SEED = 0

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval by the percentile bootstrap."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a series of timings comes to. Times are skewed to the right, so the median speaks, not the mean."""

    count: int
    median: float
    interval: Interval
    lower_quartile: float
    upper_quartile: float
    minimum: float
    maximum: float

    def as_json(self) -> dict[str, object]:
        """Plain data."""
        return asdict(self)


def summarize(samples: Sequence[float]) -> Summary:
    """Median, its confidence interval, and the spread."""
    if not samples:
        raise ValueError("no samples")
    lower, upper = _quartiles(samples)
    middle = statistics.median(samples)
    return Summary(
        count=len(samples),
        median=middle,
        interval=_interval([statistics.median(drawn) for drawn in _resamples(samples)]),
        lower_quartile=lower,
        upper_quartile=upper,
        minimum=min(samples),
        maximum=max(samples),
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long one function takes as another."""

    value: float
    interval: Interval

    @property
    def decided(self) -> bool:
        """Whether the interval leaves out "equally fast"."""
        return not self.interval.low <= 1.0 <= self.interval.high

    def as_json(self) -> dict[str, object]:
        """Plain data."""
        return {**asdict(self), "decided": self.decided}


def ratio(samples: Sequence[float], baseline: Sequence[float]) -> Ratio:
    """The ratio of two medians whose samples were taken in turn.

    Rounds are resampled as pairs, so what slows a whole round down does not widen the interval.
    """
    rounds = list(zip(samples, baseline, strict=True))
    drawn = [_ratio_of_medians(pairs) for pairs in _resamples(rounds)]
    return Ratio(_ratio_of_medians(rounds), _interval(drawn))


def _ratio_of_medians(rounds: Sequence[tuple[float, float]]) -> float:
    return statistics.median(pair[0] for pair in rounds) / statistics.median(pair[1] for pair in rounds)


def _quartiles(samples: Sequence[float]) -> tuple[float, float]:
    if len(samples) == 1:
        return samples[0], samples[0]
    lower, _, upper = statistics.quantiles(samples, n=4, method="inclusive")
    return lower, upper


def _interval(values: list[float]) -> Interval:
    values.sort()
    tail = (1 - CONFIDENCE) / 2
    last = len(values) - 1
    return Interval(values[round(tail * last)], values[round((1 - tail) * last)])


def _resamples(samples: Sequence[_T]) -> Iterator[list[_T]]:
    generator = random.Random(_SEED)
    for _ in range(RESAMPLES):
        yield generator.choices(samples, k=len(samples))
