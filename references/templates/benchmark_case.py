"""A benchmark that can be believed: trace, compile and run apart, warm, blocked on, repeated, with its environment.

Replace `work` and `make_inputs`. If `work` donates, make new inputs for each repeat, outside of the timed region.
"""

import json
import statistics
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def work(x: jax.Array, weight: jax.Array) -> jax.Array:
    """What is measured: all of it, in one program."""
    return jnp.tanh(x @ weight).sum(axis=-1)


def make_inputs(size: int) -> tuple[jax.Array, jax.Array]:
    """Inputs on the device, from data that the compiler cannot fold."""
    rng = np.random.default_rng(0)
    host = [rng.normal(size=(size, size)).astype(np.float32) for _ in range(2)]
    x, weight = jax.device_put(host)
    return jax.block_until_ready((x, weight))


def seconds(call: Callable[[], object]) -> float:
    """Time of one call, to the end of its work."""
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start


def measure(size: int, repeats: int = 20) -> dict[str, float]:
    """Times in milliseconds; the median and the spread of the runs."""
    x, weight = make_inputs(size)
    start = time.perf_counter()
    traced = work.trace(x, weight)
    traced_at = time.perf_counter()
    traced.lower().compile()
    compiled_at = time.perf_counter()
    jax.block_until_ready(work(x, weight))  # the call has a cache of its own: warm it
    runs = sorted(1e3 * seconds(lambda: work(x, weight)) for _ in range(repeats))
    return {
        "size": size,
        "trace": 1e3 * (traced_at - start),
        "compile": 1e3 * (compiled_at - traced_at),
        "median": statistics.median(runs),
        "least": runs[0],
        "most": runs[-1],
    }


def main() -> None:
    """Two sizes: an honest time grows with the work."""
    report = {
        "jax": jax.__version__,
        "device": jax.devices()[0].device_kind,
        "x64": jax.config.read("jax_enable_x64"),
        "cases": [measure(size) for size in (128, 512)],
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
