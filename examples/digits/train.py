"""The training loop. Run it with `python -m digits.train` in the folder above."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from digits.data import CLASSES, Batch, batches, sample_batch
from digits.model import Params, init_params, loss_fn
from digits.optim import update
from digits.sharding import data_mesh, predict, shard_batch

STEPS = 200
RATE = 0.1

counts = {"steps": 0}


class State(NamedTuple):
    params: Params
    momentum: Params


@functools.partial(jax.jit, donate_argnums=0)
def train_step(state: State, batch: Batch, key: jax.Array) -> tuple[State, jax.Array]:
    counts["steps"] += 1
    loss, grads = jax.value_and_grad(loss_fn)(state.params, batch, key)
    params, momentum = update(state.params, state.momentum, grads, RATE)
    return State(params, momentum), loss


def confusion_matrix(labels: jax.Array, predictions: jax.Array) -> jax.Array:
    counts = jnp.empty((CLASSES, CLASSES), dtype=jnp.int32)
    return counts.at[labels, predictions].add(1)


def main() -> None:
    key = jax.random.key(0)
    params = init_params(key)
    state = State(params, jax.tree.map(jnp.zeros_like, params))
    mesh = data_mesh()

    data_key, dropout_key, test_key = jax.random.split(key, 3)
    for step, batch in enumerate(batches(data_key, size=128, count=STEPS)):
        step_key = jax.random.fold_in(dropout_key, step)
        new_state, loss = train_step(state, shard_batch(mesh, batch), step_key)
        if step % 50 == 0:
            change = jax.tree.map(lambda new, old: jnp.abs(new - old).max(), new_state.params, state.params)
            print(f"step {step}: loss {loss:.3f}, largest change {max(jax.tree.leaves(change)):.4f}")
        state = new_state

    test = sample_batch(test_key, 512)
    predictions = predict(mesh, state.params, test.images)
    print(f"{counts['steps']} steps")
    print(confusion_matrix(test.labels, predictions))


if __name__ == "__main__":
    main()
