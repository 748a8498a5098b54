"""Data parallelism: the batch is split over all devices, the parameters live on each."""

import jax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from digits.data import Batch
from digits.model import Params, apply


def data_mesh() -> Mesh:
    return jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))


def shard_batch(mesh: Mesh, batch: Batch) -> Batch:
    return jax.device_put(batch, NamedSharding(mesh, P("data")))


def predict(mesh: Mesh, params: Params, images: jax.Array) -> jax.Array:
    with mesh:
        return jax.jit(apply)(params, images).argmax(axis=-1)
