"""The interval covers what it should, and paired rounds cancel what slows both down."""

from __future__ import annotations

import random

import pytest

from jaxlint.lab.statistics import ratio, summarize


def test_one_sample_is_its_own_interval() -> None:
    summary = summarize([0.25])
    assert (summary.median, summary.interval.low, summary.interval.high) == (0.25, 0.25, 0.25)
    assert (summary.lower_quartile, summary.upper_quartile) == (0.25, 0.25)


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarize([])


def test_a_straggler_moves_the_maximum_and_not_the_median() -> None:
    summary = summarize([*[1.0, 1.1, 1.2] * 10, 50.0])
    assert summary.median == 1.1
    assert summary.interval.high < 2 and summary.maximum == 50


def test_the_same_samples_give_the_same_interval() -> None:
    samples = [random.Random(1).random() for _ in range(40)]
    assert summarize(samples) == summarize(samples)


def test_interval_covers_the_median_nineteen_times_in_twenty() -> None:
    generator = random.Random(2)
    true_median = 2**0.5  # of a distribution with density proportional to x on (0, 2)
    draws = 100
    covered = 0
    for _ in range(draws):
        interval = summarize([2 * generator.random() ** 0.5 for _ in range(25)]).interval
        covered += interval.low <= true_median <= interval.high
    assert covered >= 0.88 * draws


def test_pairs_cancel_what_slows_a_round_down() -> None:
    generator = random.Random(3)
    load = [generator.uniform(1, 4) for _ in range(40)]
    slow = [2.0 * factor * generator.uniform(0.99, 1.01) for factor in load]
    fast = [1.0 * factor * generator.uniform(0.99, 1.01) for factor in load]
    paired = ratio(slow, fast)
    assert paired.decided
    assert 1.8 < paired.interval.low <= paired.value <= paired.interval.high < 2.2


def test_equal_functions_are_not_told_apart() -> None:
    generator = random.Random(4)
    first, second = ([generator.gauss(1, 0.05) for _ in range(40)] for _ in range(2))
    assert not ratio(first, second).decided
