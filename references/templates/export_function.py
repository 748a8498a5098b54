"""Export a function for another process: a named batch dimension, several platforms, a round trip.

Serialization needs the package `flatbuffers`; without it the exported function is called in this process.
"""

import importlib.util

import jax
import jax.numpy as jnp
from jax import export

Params = dict[str, jax.Array]


@jax.jit
def predict(params: Params, x: jax.Array) -> jax.Array:
    """The function to ship; parameters are arguments, not constants of the program."""
    return jax.nn.log_softmax(x @ params["w"] + params["b"])


def export_predict(params: Params, features: int) -> export.Exported:
    """Trace for any batch size, lower for two platforms."""
    (batch,) = export.symbolic_shape("batch")
    shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), params)
    x = jax.ShapeDtypeStruct((batch, features), jnp.float32)
    return export.export(predict, platforms=("cpu", "cuda"))(shapes, x)


def main() -> None:
    """Export, reload where possible, and compare for two batch sizes."""
    params = {"w": jax.random.normal(jax.random.key(0), (4, 3)), "b": jnp.zeros(3)}
    exported = export_predict(params, features=4)
    if importlib.util.find_spec("flatbuffers") is not None:
        exported = export.deserialize(exported.serialize(vjp_order=1))
    for rows in (2, 5):
        x = jnp.linspace(-1.0, 1.0, rows * 4).reshape(rows, 4)
        assert jnp.allclose(exported.call(params, x), predict(params, x), atol=1e-5)
    print("takes", exported.in_avals[-1], "on", exported.platforms)


if __name__ == "__main__":
    main()
