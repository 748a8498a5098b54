"""Plain gradient descent with momentum and clipping."""

import jax
import jax.numpy as jnp

from digits.model import Params

CLIP = 1.0


def global_norm(tree: Params) -> jax.Array:
    return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree)))


def clip(grads: Params) -> Params:
    norm = global_norm(grads)
    if norm > CLIP:
        return jax.tree.map(lambda g: g * CLIP / norm, grads)
    return grads


def update(params: Params, momentum: Params, grads: Params, rate: float) -> tuple[Params, Params]:
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, clip(grads))
    params = jax.tree.map(lambda p, m: p - rate * m, params, momentum)
    return params, momentum
