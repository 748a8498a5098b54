"""A two-layer perceptron with dropout, and its loss."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from digits.data import CLASSES, IMAGE_SIZE, Batch


class Dense(NamedTuple):
    kernel: jax.Array
    bias: jax.Array


class Params(NamedTuple):
    hidden: Dense
    output: Dense


def init_dense(key: jax.Array, inputs: int, outputs: int) -> Dense:
    scale = 1.0 / jnp.sqrt(inputs)
    return Dense(scale * jax.random.normal(key, (inputs, outputs)), jnp.zeros(outputs))


def init_params(key: jax.Array, width: int = 64) -> Params:
    hidden = init_dense(key, IMAGE_SIZE**2, width)
    output = init_dense(key, width, CLASSES)
    return Params(hidden, output)


def dropout(key: jax.Array, x: jax.Array, rate: float) -> jax.Array:
    keep = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return jnp.where(keep, x / (1.0 - rate), 0.0)


def apply(params: Params, images: jax.Array, key: jax.Array | None = None) -> jax.Array:
    x = images.reshape(images.shape[0], -1)
    x = jax.nn.relu(x @ params.hidden.kernel + params.hidden.bias)
    if key is not None:
        x = dropout(key, x, rate=0.1)
    return x @ params.output.kernel + params.output.bias


def loss_fn(params: Params, batch: Batch, key: jax.Array | None = None) -> jax.Array:
    log_probs = jax.nn.log_softmax(apply(params, batch.images, key))
    picked = jnp.take_along_axis(log_probs, batch.labels[:, None], axis=1)
    return -jnp.mean(picked)
