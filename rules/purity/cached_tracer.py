"""JAX109: a cached function meets a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import CacheTraced


class CachedTracerRule(Rule):
    """Tells of caches that are asked for a traced value, or that keep an array of a trace."""

    code = "JAX109"
    name = "cached-tracer"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "`{function}` is cached, and a call gives it a traced `{value}`: a tracer cannot be hashed",
        "builds": "`{function}` is cached and builds arrays, and a trace calls it: the cache keeps a dead tracer",
    }
    help = "build the cached value with NumPy, or drop the cache"
    reference = "purity-and-state"
    explanation = Explanation(
        what=(
            "`functools.lru_cache`, `cache` or `cached_property` on a function that is called with traced values, "
            "or that builds `jax.numpy` arrays and is first called under a trace."
        ),
        why=(
            "A traced value has no hash, so it cannot be the key of a cache: `TypeError`. And under a trace every "
            "new array is a tracer, which the cache keeps and hands to the next trace, where it is dead: "
            "`UnexpectedTracerError`."
        ),
        wrong="""\
import functools

import jax
import jax.numpy as jnp


@functools.cache
def hann(size):
    return 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(size) / size)


@jax.jit
def windowed(frame):
    return jnp.fft.rfft(frame * hann(frame.shape[-1]))
""",
        right="""\
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.cache
def hann(size):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)


@jax.jit
def windowed(frame):
    return jnp.fft.rfft(frame * hann(frame.shape[-1]))
""",
        mend=(
            "Build the cached table with NumPy, or under `jax.ensure_compile_time_eval()`. A cache around a "
            "function of arrays is not needed inside `jit`: the compiled program is the cache."
        ),
    )

    def on_cache_traced(self, event: CacheTraced, ctx: RuleContext) -> None:
        """A cached function is called with a traced value, or builds arrays under a trace."""
        ctx.report(
            self,
            event.place,
            "builds" if event.argument is None else "default",
            related=[(event.call, "called under a trace here")],
            function=event.function,
            value=event.argument,
        )
