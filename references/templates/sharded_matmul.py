"""Global code over a mesh with explicit axes: shardings are types, and ambiguous results are stated.

The last check reads the compiled program: it is the test that keeps a layout from decaying.
"""

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


@jax.jit
def feed_forward(x: jax.Array, w_in: jax.Array, w_out: jax.Array) -> jax.Array:
    """Two products: the hidden axis is split over `model`, and the second product sums over it."""
    hidden = jax.nn.relu(x @ w_in)
    return jnp.dot(hidden, w_out, out_sharding=P("data", None))


def make_mesh() -> Mesh:
    """Half of the devices for the batch, if there are several."""
    model = 2 if jax.device_count() % 2 == 0 else 1
    return jax.make_mesh((jax.device_count() // model, model), ("data", "model"))


def main() -> None:
    """Place, compute, compare with the plain product, and look at the communication."""
    mesh = make_mesh()
    x_key, in_key, out_key = jax.random.split(jax.random.key(0), 3)
    x = jax.random.normal(x_key, (4 * jax.device_count(), 8))
    w_in = jax.random.normal(in_key, (8, 16))
    w_out = jax.random.normal(out_key, (16, 8))
    expected = jax.nn.relu(x @ w_in) @ w_out

    placed = (
        jax.device_put(x, NamedSharding(mesh, P("data", None))),
        jax.device_put(w_in, NamedSharding(mesh, P(None, "model"))),
        jax.device_put(w_out, NamedSharding(mesh, P("model", None))),
    )
    with jax.set_mesh(mesh):
        y = feed_forward(*placed)
        program = feed_forward.lower(*placed).compile().as_text()
    assert jax.typeof(y).sharding.spec == P("data", None)
    assert jnp.allclose(jax.device_get(y), jax.device_get(expected), atol=1e-4)
    assert "all-gather" not in program, "a weight or the batch is gathered"
    if mesh.shape["model"] > 1:
        assert "all-reduce" in program
    print("result", jax.typeof(y))


if __name__ == "__main__":
    main()
