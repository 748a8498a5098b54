"""A recurrence as `lax.scan`: one compiled body, a key per step, little memory in the backward pass.

The carry keeps its types; what is wanted of each step is stacked by `scan`, not appended to a list.
"""

import jax
import jax.numpy as jnp


def cell(carry: jax.Array, inputs: tuple[jax.Array, jax.Array], weight: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One step: the next carry, and what is kept of this step."""
    x, key = inputs
    noise = 0.01 * jax.random.normal(key, carry.shape)
    carry = jnp.tanh(weight @ carry + x + noise)
    return carry, jnp.linalg.norm(carry)


@jax.jit
def run(weight: jax.Array, xs: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """All steps; residuals inside a step are computed again for the gradient."""

    @jax.checkpoint
    def body(carry: jax.Array, inputs: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return cell(carry, inputs, weight)

    keys = jax.random.split(key, xs.shape[0])
    return jax.lax.scan(body, jnp.zeros_like(xs[0]), (xs, keys))


def run_plainly(weight: jax.Array, xs: jax.Array, key: jax.Array) -> jax.Array:
    """The same in Python, for the test."""
    carry = jnp.zeros_like(xs[0])
    for x, step_key in zip(xs, jax.random.split(key, xs.shape[0]), strict=True):
        carry, _ = cell(carry, (x, step_key), weight)
    return carry


def main() -> None:
    """Compare the two forms, and differentiate through the loop."""
    data_key, run_key = jax.random.split(jax.random.key(0))
    xs = jax.random.normal(data_key, (50, 3))
    weight = 0.5 * jnp.eye(3)
    last, norms = run(weight, xs, run_key)
    assert norms.shape == (50,)
    assert jnp.allclose(last, run_plainly(weight, xs, run_key), atol=1e-5)  # noqa: JAX201 - the same draws, on purpose
    gradient = jax.grad(lambda w: run(w, xs, run_key)[0].sum())(weight)  # noqa: JAX201
    assert jnp.isfinite(gradient).all()
    print("last", last)


if __name__ == "__main__":
    main()
