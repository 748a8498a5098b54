"""A custom derivative: the gradient of a solution comes from the equation that it solves, not from the solver's steps.

The contract: `fwd` returns (output, residuals); `bwd` one cotangent per differentiable argument, and takes the
non-differentiable ones first. The test compares with finite differences.
"""

import functools

import jax
import jax.numpy as jnp
from jax.test_util import check_grads


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def fixed_point(weight: jax.Array, bias: jax.Array, tolerance: float) -> jax.Array:
    """The z with z = tanh(weight @ z + bias), by iteration."""

    def unfinished(state: tuple[jax.Array, jax.Array]) -> jax.Array:
        return jnp.max(jnp.abs(state[1] - state[0])) > tolerance

    def step(state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return state[1], jnp.tanh(weight @ state[1] + bias)

    return jax.lax.while_loop(unfinished, step, (jnp.ones_like(bias), jnp.zeros_like(bias)))[1]


def fixed_point_fwd(
    weight: jax.Array, bias: jax.Array, tolerance: float
) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    """The solution, and what the adjoint equation needs."""
    z = fixed_point(weight, bias, tolerance)
    return z, (weight, z)


def fixed_point_bwd(
    _: float, residuals: tuple[jax.Array, jax.Array], cotangent: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Solve (I - weight^T D) u = cotangent, where D is the slope of tanh."""
    weight, z = residuals
    slope = 1 - z * z
    adjoint = jnp.linalg.solve(jnp.eye(z.size) - weight.T * slope, cotangent) * slope
    return jnp.outer(adjoint, z), adjoint


fixed_point.defvjp(fixed_point_fwd, fixed_point_bwd)


def main() -> None:
    """Check the rule, alone and under `jit` and `vmap`."""
    with jax.enable_x64(True):
        weight = 0.3 * jax.random.normal(jax.random.key(0), (3, 3))
        bias = jnp.linspace(-1.0, 1.0, 3)
        solve = functools.partial(fixed_point, tolerance=1e-12)
        check_grads(lambda w, b: fixed_point(w, b, 1e-12), (weight, bias), order=1, modes=["rev"])
        biases = jnp.stack([bias, 2 * bias])
        gradients = jax.jit(jax.vmap(jax.grad(lambda b: solve(weight, b).sum())))(biases)
        assert gradients.shape == (2, 3)
    print("gradients", gradients)


if __name__ == "__main__":
    main()
