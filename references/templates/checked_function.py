"""Errors that depend on data, under `jit`: `checkify` turns them into a value that the caller may raise.

`check` states a promise of this function; the `errors` argument adds automatic checks (NaN, indices, division).
"""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import checkify

ERRORS = checkify.user_checks | checkify.float_checks | checkify.index_checks


@jax.jit
@functools.partial(checkify.checkify, errors=ERRORS)
def weighted_mean(values: jax.Array, weights: jax.Array) -> jax.Array:
    """Mean of `values`; weights must not be negative, nor all zero."""
    checkify.check(jnp.all(weights >= 0), "negative weight: {least}", least=weights.min())
    return jnp.sum(values * weights) / jnp.sum(weights)


def main() -> None:
    """One good call and two bad ones."""
    values = jnp.arange(3.0)
    error, mean = weighted_mean(values, jnp.array([1.0, 0.0, 1.0]))
    error.throw()  # nothing to throw
    assert mean == 1

    error, _ = weighted_mean(values, jnp.array([1.0, -1.0, 1.0]))
    message = error.get()
    assert message is not None and "negative weight: -1.0" in message

    error, _ = weighted_mean(values, jnp.zeros(3))
    message = error.get()
    assert message is not None and "division by zero" in message
    print("caught:", message)


if __name__ == "__main__":
    main()
