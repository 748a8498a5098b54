"""What is recorded while a program runs: draws of random numbers, effects, reads of the outside world, compilations.

The functions that tell are put in place before the program is imported, so that `from jax.random import normal` gets
them, too. They do what the originals do.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import logging
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.watch import Watcher

SAMPLERS = (
    "ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy", "chisquare", "choice", "dirichlet",
    "double_sided_maxwell", "exponential", "f", "gamma", "generalized_normal", "geometric", "gumbel", "laplace",
    "loggamma", "logistic", "lognormal", "maxwell", "multinomial", "multivariate_normal", "normal", "orthogonal",
    "pareto", "permutation", "poisson", "rademacher", "randint", "rayleigh", "t", "triangular", "truncated_normal",
    "uniform", "wald", "weibull_min",
)  # fmt: skip
_CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time")
_CHANCE = (
    "random", "randint", "randrange", "uniform", "choice", "choices", "sample", "shuffle", "gauss", "normalvariate",
    "getrandbits", "betavariate", "expovariate",
)  # fmt: skip
_NUMPY_CHANCE = (
    "rand", "randn", "randint", "random", "random_sample", "normal", "uniform", "choice", "permutation", "shuffle",
    "standard_normal", "binomial", "poisson", "exponential", "beta", "gamma",
)  # fmt: skip


@dataclass(slots=True)
class Event:
    """Something that happened, with the rows of the file on the stack, innermost first, and the frames they are of."""

    kind: str
    name: str
    rows: tuple[int, ...]
    frames: tuple[FrameType, ...]
    staged: bool
    traced: bool
    data: dict[str, Any] = field(default_factory=dict)

    def at(self, first: int, last: int) -> FrameType | None:
        """The innermost frame that is on one of these rows."""
        for row, frame in zip(self.rows, self.frames, strict=True):
            if first <= row <= last:
                return frame
        return None


class Recorder:
    """Holds what was recorded since `events` was last emptied."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.events: list[Event] = []
        self.enabled = False
        self._clones: list[Any] = []
        self.fill: float | None = None
        self.process: int | None = None
        self.stop = False
        self.typed = False
        self.rows = range(0)

    def tell(self, kind: str, name: str, **data: Any) -> None:
        """Record an event when the file is on the stack."""
        if not self.enabled:
            return
        frames = tuple(self._watcher.user_frames())
        if frames:
            rows = tuple(frame.f_lineno for frame in frames)
            kinds = traces.kinds()
            self.events.append(Event(kind, name, rows, frames, "DynamicJaxprTrace" in kinds, bool(kinds), data))

    def install(self) -> None:
        """Put everything in place."""
        self._random()
        self._effects()
        self._outside_world()
        self._empty()
        self._choices()
        self._compilations()
        self._processes()

    def _replace(self, owner: Any, name: str, before: Callable[..., None]) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def told(*args: Any, **kwargs: Any) -> Any:
            before(*args, **kwargs)
            return original(*args, **kwargs)

        # What cannot be replaced is not recorded.
        with contextlib.suppress(AttributeError, TypeError):
            setattr(owner, name, told)

    def _random(self) -> None:
        import jax
        from jax._src import random as source

        for name in SAMPLERS:
            original = getattr(jax.random, name, None)
            if original is not None:
                self._random_function(original, name, self._draw, (jax.random, source))
        clone = getattr(jax.random, "clone", None)
        if clone is not None:
            self._random_function(clone, "clone", self._clone, (jax.random, source))
        for name, tell in (("split", self._split), ("fold_in", self._fold)):
            self._random_function(getattr(jax.random, name), name, tell, (jax.random, source))
        typed = jax.random.key
        for name in ("key", "PRNGKey"):
            original = getattr(jax.random, name)
            self._random_function(self._typed(original, typed), name, self._seed, (jax.random, source), original)

    def _typed(self, original: Any, typed: Any) -> Any:
        """Legacy keys are typed ones while JAX checks the use of keys: it cannot tell legacy keys from numbers."""

        @functools.wraps(original)
        def made(*args: Any, **kwargs: Any) -> Any:
            return (typed if self.typed else original)(*args, **kwargs)

        return made

    def _random_function(
        self, original: Any, name: str, tell: Any, owners: tuple[Any, ...], replaced: Any = None
    ) -> None:
        depth = self
        replaced = replaced or original

        @functools.wraps(original)
        def told(*args: Any, **kwargs: Any) -> Any:
            # Samplers are made of samplers: only the outermost counts.
            outer, depth.enabled = depth.enabled, False
            try:
                result = original(*args, **kwargs)
            finally:
                depth.enabled = outer
            if outer:
                key = args[0] if args else kwargs.get("key", kwargs.get("seed"))
                tell(name, key, args, kwargs, result)
            return result

        for owner in owners:
            if getattr(owner, name, None) is replaced:
                setattr(owner, name, told)

    def _clone(self, name: str, key: Any, args: Any, kwargs: Any, result: Any) -> None:
        """A clone says that the same numbers are wanted."""
        self._clones.append(result)

    def _draw(self, name: str, key: Any, args: Any, kwargs: Any, result: Any) -> None:
        if any(key is clone for clone in self._clones):
            return
        tokens = key_tokens(key, "draw")
        self.tell("draw", name, tokens=tokens, mapped=is_mapped(key), kinds=traces.kinds())

    def _split(self, name: str, key: Any, args: Any, kwargs: Any, result: Any) -> None:
        tokens = key_tokens(key, "draw") | key_tokens(result, "key")
        self.tell("draw", name, tokens=tokens, mapped=is_mapped(key), kinds=traces.kinds())

    def _fold(self, name: str, key: Any, args: Any, kwargs: Any, result: Any) -> None:
        self.tell("draw", name, tokens=key_tokens(result, "key"), mapped=is_mapped(result), kinds=traces.kinds())

    def _seed(self, name: str, seed: Any, args: Any, kwargs: Any, result: Any) -> None:
        constant = not traces.is_tracer(seed)
        abstract = is_below("eval_shape")
        self.tell("seed", name, seed=repr(seed) if constant else None, constant=constant, abstract=abstract)

    def _effects(self) -> None:
        def told(kind: str, name: str) -> Callable[..., None]:
            def before(*args: Any, **kwargs: Any) -> None:
                if self.enabled:
                    texts = [arg for arg in args if isinstance(arg, str)]
                    traced = traces.holds_tracer((args, kwargs), 5) or any(_shows_tracer(text) for text in texts)
                    self.tell(kind, name, traced=traced, shown=_shown(args))

            return before

        self._replace(builtins, "print", told("shown", "print"))
        self._replace(warnings, "warn", told("shown", "warnings.warn"))
        for level in ("debug", "info", "warning", "error", "critical", "exception", "log"):
            self._replace(logging.Logger, level, told("shown", f"logging {level}"))
            self._replace(logging, level, told("shown", f"logging.{level}"))
        self._replace(builtins, "open", told("file", "open"))
        with contextlib.suppress(ImportError):
            tqdm: Any = importlib.import_module("tqdm")

            self._replace(tqdm.tqdm, "__init__", told("file", "tqdm"))
        show = warnings.showwarning

        def warned(message: Any, category: Any, *args: Any, **kwargs: Any) -> None:
            self.tell("warning", category.__name__, text=str(message))
            show(message, category, *args, **kwargs)

        warnings.showwarning = warned
        warnings.simplefilter("always")

    def _outside_world(self) -> None:
        import random
        import time
        import uuid

        import numpy as np

        def told(name: str) -> Callable[..., None]:
            return lambda *args, **kwargs: self.tell("outside", name)

        listed = [(time, _CLOCKS), (random, _CHANCE), (np.random, _NUMPY_CHANCE), (uuid, ("uuid1", "uuid4"))]
        for module, names in listed:
            for name in names:
                self._replace(module, name, told(f"{module.__name__}.{name}"))
        self._replace(builtins, "input", told("input"))
        self._replace(type(os.environ), "__getitem__", told("os.environ"))
        self._replace(os, "urandom", told("os.urandom"))

    def _empty(self) -> None:
        import jax
        import jax.numpy as jnp

        for owner, name in ((jnp, "empty"), (jnp, "empty_like"), (jax.lax, "empty")):
            original = getattr(owner, name, None)
            if original is not None:
                setattr(owner, name, self._filled(original, name))

    def _filled(self, original: Any, name: str) -> Any:
        @functools.wraps(original)
        def filled(*args: Any, **kwargs: Any) -> Any:
            import jax.numpy as jnp

            result = original(*args, **kwargs)
            self.tell("empty", name)
            if self.fill is None or not self._is_flagged():
                return result
            fill: Any = self.fill
            if result.dtype == bool:
                fill = bool(fill)
            elif not jnp.issubdtype(result.dtype, jnp.inexact):
                fill = 0 if fill == 0 else 77
            return jnp.full_like(result, fill)

        return filled

    def _choices(self) -> None:
        import jax
        import jax.numpy as jnp

        original = jnp.where

        @functools.wraps(original)
        def where(*args: Any, **kwargs: Any) -> Any:
            if self.stop and self._is_flagged():
                args = tuple(jax.lax.stop_gradient(arg) if hasattr(arg, "dtype") else arg for arg in args)
            return original(*args, **kwargs)

        jnp.where = where

    def _is_flagged(self) -> bool:
        """Whether the innermost frame of the file is on a flagged row."""
        frame = next(self._watcher.user_frames(), None)
        return frame is not None and frame.f_lineno in self.rows

    def _compilations(self) -> None:
        import jax.monitoring

        def timed(name: str, *_: Any, **kwargs: Any) -> None:
            if name == "/jax/core/compile/backend_compile_duration":
                self.tell("compiled", str(kwargs.get("fun_name", "")))

        jax.monitoring.register_event_duration_secs_listener(timed)

    def _processes(self) -> None:
        import jax

        def instead(original: Any, value: Callable[[], int]) -> Any:
            @functools.wraps(original)
            def told(*args: Any, **kwargs: Any) -> Any:
                return original(*args, **kwargs) if self.process is None else value()

            return told

        jax.process_index = instead(jax.process_index, lambda: self.process or 0)
        jax.process_count = instead(jax.process_count, lambda: 2)
        with contextlib.suppress(ImportError):
            from jax.experimental import multihost_utils

            for name in ("sync_global_devices", "process_allgather", "broadcast_one_to_all", "assert_equal"):
                self._stand_in(multihost_utils, name)

    def _stand_in(self, owner: Any, name: str) -> None:
        """A function that waits for other processes only when we do not play one of several."""
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def told(*args: Any, **kwargs: Any) -> Any:
            self.tell("joined", name)
            if self.process is None:
                return original(*args, **kwargs)
            return args[0] if args else None

        setattr(owner, name, told)


def key_tokens(key: Any, kind: str) -> set[tuple[str, bytes]]:
    """What identifies the numbers that a key, or each of an array of keys, stands for. Nothing where it is traced."""
    import jax
    import numpy as np

    value = key
    while traces.is_tracer(value) and hasattr(value, "batch_dim"):
        value = value.val
    if traces.is_tracer(value) or value is None:
        return set()
    try:
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
            value = jax.random.key_data(value)
        rows = np.asarray(value)
        if rows.dtype != np.uint32 or not rows.ndim:
            return set()
        return {(kind, row.tobytes()) for row in rows.reshape(-1, rows.shape[-1])}
    except Exception:
        return set()


def is_mapped(key: Any) -> bool:
    """Whether a key differs between the rows of a `vmap`."""
    return traces.is_tracer(key) and getattr(key, "batch_dim", None) is not None


def is_below(name: str) -> bool:
    """Whether a function of this name is on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == name:
            return True
        frame = frame.f_back
    return False


def _shown(args: tuple[Any, ...]) -> str:
    try:
        return " ".join(str(arg) for arg in args)[:200]
    except Exception:
        return ""


def _shows_tracer(text: str) -> bool:
    return "Traced<" in text or "Tracer" in text
