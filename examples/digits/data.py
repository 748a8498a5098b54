"""Synthetic digits: blurred blobs whose place depends on the label."""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp

IMAGE_SIZE = 16
CLASSES = 10


class Batch(NamedTuple):
    images: jax.Array
    labels: jax.Array


def make_images(key: jax.Array, labels: jax.Array) -> jax.Array:
    grid = jnp.arange(IMAGE_SIZE)
    centre = labels[:, None] * IMAGE_SIZE / CLASSES
    blob = jnp.exp(-0.5 * (grid - centre) ** 2)
    images = blob[:, :, None] * blob[:, None, :]
    return images + 0.1 * jax.random.normal(key, images.shape)


def sample_batch(key: jax.Array, size: int) -> Batch:
    label_key, image_key = jax.random.split(key)
    labels = jax.random.randint(label_key, (size,), 0, CLASSES)
    return Batch(make_images(image_key, labels), labels)


def batches(key: jax.Array, size: int, count: int) -> Iterator[Batch]:
    """Yield training batches, each with a random shift."""
    sample_key, shift_key = jax.random.split(key)
    for step in range(count):
        batch = sample_batch(jax.random.fold_in(sample_key, step), size)
        shift = jax.random.randint(shift_key, (), -2, 3)
        yield batch._replace(images=jnp.roll(batch.images, shift, axis=2))
