"""Times functions fairly: in turn, on fresh inputs, with the preparation outside of the timer and the result inside."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from jaxlint.lab.inside.callables import Subject
from jaxlint.lab.inside.durations import Durations
from jaxlint.lab.inside.inputs import Arguments, InputError, Source, donated_leaves, dynamic_leaves
from jaxlint.lab.inside.program import short_type

_WARM_UP = 2
_FEWEST_ROUNDS = 5
_SEED = 0

Factory = Callable[[], Arguments]
Tell = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """rounds: how many timings of each function. seconds: when to stop early. steps: of a window, with `--state`."""

    rounds: int = 50
    seconds: float = 20.0
    steps: int = 20


@dataclass(slots=True)
class Runner:
    """One function and what was measured of it."""

    subject: Subject
    source: Source
    durations: Durations
    donated: list[bool] = field(default_factory=list)
    samples: list[float] = field(default_factory=list)
    dispatch: list[float] = field(default_factory=list)
    compiled: int = 0
    first: dict[str, Any] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)

    def timed(self, arguments: Arguments) -> tuple[Any, float, float]:
        """A call, the time until it returned, and the time until its result was there."""
        args, kwargs = arguments
        call = self.subject.call
        with self.durations.watching():
            start = time.perf_counter()
            result = call(*args, **kwargs)
            returned = time.perf_counter()
            jax.block_until_ready(result)
            end = time.perf_counter()
        return result, returned - start, end - start

    def first_call(self) -> Any:
        """The call that traces and compiles; its result."""
        arguments = self.source.draw()
        self.inputs = [short_type(leaf) for leaf in dynamic_leaves(self.subject, arguments)]
        result, _, seconds = self.timed(arguments)
        self.first = {"seconds": seconds, **self.durations.seconds(), "programs": self.durations.compilations()}
        self.donated = donated_leaves(self.subject, arguments)
        self.source.give(arguments, self.donated)
        return result

    def once(self, *, keep: bool) -> None:
        """One more call on fresh inputs."""
        arguments = self.source.draw()
        _, returned, seconds = self.timed(arguments)
        self.source.give(arguments, self.donated)
        if keep:
            self.dispatch.append(returned)
            self.samples.append(seconds)
            self.compiled += self.durations.compilations()

    def report(self) -> dict[str, Any]:
        """What was measured, in plain data."""
        return {
            "name": self.subject.name,
            "jitted_by": self.subject.jitted_by,
            "inputs": self.inputs,
            "fresh_inputs": self.source.fresh,
            "donated_arrays": sum(self.donated),
            "first_call": self.first,
            "samples": self.samples,
            "dispatch": self.dispatch,
            "compiled_when_steady": self.compiled,
        }


def bench(subjects: Sequence[Subject], factories: Sequence[Factory], plan: Plan, tell: Tell) -> dict[str, Any]:
    """Time calls of each function, the functions in turn."""
    durations = Durations()
    runners = [
        Runner(subject, Source(subject, factory), durations)
        for subject, factory in zip(subjects, factories, strict=True)
    ]
    results = []
    for runner in runners:
        jax.clear_caches()  # what the last function compiled must not be a gift to this one
        results.append(runner.first_call())
    agreement = [_agreement(results[0], result) for result in results[1:]]
    del results
    for _ in range(_WARM_UP):
        for runner in runners:
            runner.once(keep=False)
    for turn in _rounds(runners, plan, tell):
        for runner in turn:
            runner.once(keep=True)
    return {"mode": "calls", "functions": [runner.report() for runner in runners], "agreement": agreement}


def _rounds(items: Sequence[Any], plan: Plan, tell: Tell) -> Iterator[list[Any]]:
    """The items in a new order each round, until the plan is fulfilled. No garbage is collected meanwhile."""
    order = random.Random(_SEED)
    end = time.perf_counter() + plan.seconds
    with _no_collection():
        for number in range(plan.rounds):
            if number >= _FEWEST_ROUNDS and time.perf_counter() > end:
                return
            turn = list(items)
            order.shuffle(turn)
            yield turn
            tell({"round": number + 1, "rounds": plan.rounds})


@contextmanager
def _no_collection() -> Iterator[None]:
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _agreement(first: Any, second: Any) -> dict[str, Any]:
    """Whether two results are the same, and by how much they differ."""
    left, right = (jax.tree_util.tree_flatten(result) for result in (first, second))
    if left[1] != right[1]:
        return {"same_structure": False}
    largest, same_types = 0.0, True
    for one, other in zip(left[0], right[0], strict=True):
        if short_type(one) != short_type(other):
            same_types = False
        elif hasattr(one, "dtype"):
            largest = max(largest, _largest_difference(one, other))
    return {"same_structure": True, "same_types": same_types, "largest_difference": largest}


def _largest_difference(one: Any, other: Any) -> float:
    if jax.dtypes.issubdtype(one.dtype, jax.dtypes.extended):
        one, other = jax.random.key_data(one), jax.random.key_data(other)
    left, right = np.asarray(one), np.asarray(other)
    if left.size == 0:
        return 0.0
    if left.dtype.kind not in "biufc":  # bfloat16 and its like
        left, right = left.astype(np.float32), right.astype(np.float32)
    wide = np.complex128 if left.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore"):
        gap = np.abs(left.astype(wide) - right.astype(wide))
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    return float(np.max(np.where(equal, 0.0, gap)))


@dataclass(slots=True)
class Training:
    """A step that carries its state, and the windows of steps that were timed."""

    runner: Runner
    state: Any = None
    rest: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    packed: bool = False

    def first_step(self) -> None:
        """The step that compiles. It shows where in the result the next state is."""
        args, kwargs = self.runner.source.draw()
        if not args:
            raise InputError("with --state, the first positional argument is the state; the factory gives none")
        self.state, self.rest, self.kwargs = args[0], args[1:], kwargs
        before = _types(self.state)
        self.runner.inputs = [short_type(leaf) for leaf in dynamic_leaves(self.runner.subject, (args, kwargs))]
        result, _, seconds = self.runner.timed((args, kwargs))
        self.runner.first = {
            "seconds": seconds, **self.runner.durations.seconds(), "programs": self.runner.durations.compilations()
        }  # fmt: skip
        self.runner.donated = donated_leaves(self.runner.subject, (args, kwargs))
        carried = len(jax.tree_util.tree_leaves(self.state))
        if any(self.runner.donated[carried:]):
            raise InputError(
                "an argument beside the state is donated, but --state passes it to every step; donate the state alone"
            )
        if _types(result) == before:
            self.packed = False
        elif isinstance(result, (tuple, list)) and result and _types(result[0]) == before:
            self.packed = True
        else:
            raise InputError("with --state, the function returns the next state, or a tuple that starts with it")
        self.state = result[0] if self.packed else result

    def window(self, steps: int, *, keep: bool) -> None:
        """Some steps in a row; only the end of the last one is awaited, as in training."""
        call, rest, kwargs, state, packed = self.runner.subject.call, self.rest, self.kwargs, self.state, self.packed
        with self.runner.durations.watching():
            start = time.perf_counter()
            for _ in range(steps):
                result = call(state, *rest, **kwargs)
                state = result[0] if packed else result
            jax.block_until_ready(result)
            seconds = time.perf_counter() - start
        self.state = state
        if keep:
            self.runner.samples.append(seconds / steps)
            self.runner.compiled += self.runner.durations.compilations()


def train(subjects: Sequence[Subject], factories: Sequence[Factory], plan: Plan, tell: Tell) -> dict[str, Any]:
    """Time windows of steps that carry state forward."""
    durations = Durations()
    trainings = [
        Training(Runner(subject, Source(subject, factory), durations))
        for subject, factory in zip(subjects, factories, strict=True)
    ]
    for training in trainings:
        jax.clear_caches()
        training.first_step()
    for training in trainings:
        training.window(_WARM_UP, keep=False)
    for turn in _rounds(trainings, plan, tell):
        for training in turn:
            training.window(plan.steps, keep=True)
    functions = [training.runner.report() for training in trainings]
    return {"mode": "state", "steps": plan.steps, "functions": functions, "agreement": []}


def _types(tree: Any) -> tuple[Any, list[str]]:
    leaves, structure = jax.tree_util.tree_flatten(tree)
    return structure, [short_type(leaf) for leaf in leaves]
