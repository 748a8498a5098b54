"""Code per shard with `jax.shard_map`: local work, one collective, a replicated result.

Runs on any number of devices; four on a laptop: `XLA_FLAGS=--xla_force_host_platform_device_count=4`.
"""

import functools

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

AXIS = "data"


@functools.partial(jax.jit, static_argnames="mesh")
def moments(mesh: Mesh, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Mean and variance over all rows, in one pass and one round of communication."""

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P(AXIS), out_specs=(P(), P()))
    def reduce(shard: jax.Array) -> tuple[jax.Array, jax.Array]:
        total, squares = jax.lax.psum((shard.sum(axis=0), (shard**2).sum(axis=0)), AXIS)
        rows = shard.shape[0] * jax.lax.axis_size(AXIS)  # shapes are local here
        mean = total / rows
        return mean, squares / rows - mean**2

    return reduce(x)


@functools.partial(jax.jit, static_argnames=("mesh", "rows_per_device"))
def noise(mesh: Mesh, key: jax.Array, rows_per_device: int) -> jax.Array:
    """Different numbers on each device, from one key."""

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P(), out_specs=P(AXIS))
    def draw(key: jax.Array) -> jax.Array:
        return jax.random.normal(jax.random.fold_in(key, jax.lax.axis_index(AXIS)), (rows_per_device,))

    return draw(key)


def main() -> None:
    """Compare with NumPy."""
    mesh = jax.make_mesh((jax.device_count(),), (AXIS,))
    host = np.random.default_rng(0).normal(size=(8 * jax.device_count(), 3)).astype(np.float32)
    x = jax.device_put(host, NamedSharding(mesh, P(AXIS)))
    mean, variance = moments(mesh, x)
    np.testing.assert_allclose(mean, host.mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(variance, host.var(axis=0), atol=1e-4)
    drawn = jax.device_get(noise(mesh, jax.random.key(0), rows_per_device=2))
    assert np.unique(drawn).size == 2 * jax.device_count()
    print("mean", mean)


if __name__ == "__main__":
    main()
