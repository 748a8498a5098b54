"""Factories for `jaxlint probe`, `recompiles` and `bench`: each call makes new arrays, and always of the same types.

Replace the shapes by those of your program; values matter where the program branches on them.
"""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


def classification(examples: int = 256, classes: int = 1000) -> Inputs:
    """Logits and one-hot labels, from the host as a data loader would give them."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(examples, classes)).astype(np.float32)
    labels = np.eye(classes, dtype=np.float32)[rng.integers(classes, size=examples)]
    return (jnp.asarray(logits), jnp.asarray(labels)), {}


def attention(dtype: str = "float32", batch: int = 4, length: int = 128) -> Inputs:
    """Queries, keys and values: batch, length, heads, features."""
    rng = np.random.default_rng(0)
    return tuple(jnp.asarray(rng.normal(size=(batch, length, 8, 32)), dtype) for _ in range(3)), {}


def narrow_attention() -> Inputs:
    """The same in half the memory."""
    return attention("bfloat16")


def attention_batches() -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls as an evaluation loop makes them: a short last batch, then one from another pipeline."""
    yield "full batch", *attention(length=16)
    yield "full batch", *attention(length=16)
    yield "last batch", *attention(batch=3, length=16)
    yield "half precision", *attention("bfloat16", length=16)


def particles(count: int = 4096) -> Inputs:
    """A key, normalized weights, and how many to draw."""
    weights = np.random.default_rng(1).uniform(size=count).astype(np.float32)
    return (jax.random.key(0), jnp.asarray(weights / weights.sum()), count), {}


def growing_particles() -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls of an adaptive sampler that changes its number of particles."""
    for count in (512, 512, 768, 1024):
        (key, weights, _), _ = particles(512)
        yield f"draw {count}", (key, weights, count), {}


def main() -> None:
    """Two sets of inputs are equal, and share no buffer."""
    first, second = classification(8, 10), classification(8, 10)
    for one, other in zip(first[0], second[0], strict=True):
        assert one is not other and (one == other).all()
    print("equal and apart:", [f"{array.dtype}{list(array.shape)}" for array in first[0]])


if __name__ == "__main__":
    main()
