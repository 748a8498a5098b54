"""A Pallas kernel: blocks, a grid that accumulates, a derivative, and the reference that it is tested against.

`interpret=True` runs it as plain JAX on any backend. Set `INTERPRET = False` on the device that it is written for, and
choose blocks that fit its memory and tiles.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

INTERPRET = True
ROWS, COLUMNS, DEPTH = 8, 128, 128


def matmul_kernel(x_ref: jax.Ref, y_ref: jax.Ref, out_ref: jax.Ref) -> None:
    """One block of the result; the last grid axis runs over the contracted dimension, in order."""

    @pl.when(pl.program_id(2) == 0)
    def _() -> None:
        out_ref[...] = jnp.zeros_like(out_ref)  # output blocks start uninitialised

    out_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def _matmul(x: jax.Array, y: jax.Array) -> jax.Array:
    rows, depth = x.shape
    columns = y.shape[1]
    if rows % ROWS or columns % COLUMNS or depth % DEPTH:
        raise ValueError(f"{x.shape} @ {y.shape} does not divide into blocks of {ROWS}, {COLUMNS} and {DEPTH}")
    return pl.pallas_call(
        matmul_kernel,
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
        grid=(rows // ROWS, columns // COLUMNS, depth // DEPTH),
        in_specs=[
            pl.BlockSpec((ROWS, DEPTH), lambda i, j, k: (i, k)),
            pl.BlockSpec((DEPTH, COLUMNS), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((ROWS, COLUMNS), lambda i, j, k: (i, j)),
        interpret=INTERPRET,
    )(x, y)


@jax.custom_vjp
def matmul(x: jax.Array, y: jax.Array) -> jax.Array:
    """The kernel as a function; kernels have no derivative of their own."""
    return _matmul(x, y)


def matmul_fwd(x: jax.Array, y: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    """Both operands are needed backward."""
    return _matmul(x, y), (x, y)


def matmul_bwd(residuals: tuple[jax.Array, jax.Array], cotangent: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Plain products; replace them by kernels if they matter."""
    x, y = residuals
    return cotangent @ y.T, x.T @ cotangent


matmul.defvjp(matmul_fwd, matmul_bwd)


def main() -> None:
    """Compare value and gradient with the plain product."""
    x_key, y_key = jax.random.split(jax.random.key(0))
    x = jax.random.normal(x_key, (2 * ROWS, 2 * DEPTH))
    y = jax.random.normal(y_key, (2 * DEPTH, COLUMNS))
    assert jnp.allclose(jax.jit(matmul)(x, y), x @ y, atol=1e-3)
    ours = jax.grad(lambda v: jnp.sum(jnp.sin(matmul(v, y))))(x)
    plain = jax.grad(lambda v: jnp.sum(jnp.sin(v @ y)))(x)
    assert jnp.allclose(ours, plain, atol=1e-2)
    print("agrees with the plain product")


if __name__ == "__main__":
    main()
