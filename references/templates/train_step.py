"""A training step: state is donated and rebound, keys are derived by step, and it compiles once.

Replace `init`, `loss_fn` and the optimizer; keep the shape of `train_step` and of the loop.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    """All that one step hands to the next; donated as a whole."""

    params: dict[str, jax.Array]
    momentum: dict[str, jax.Array]
    step: jax.Array


def init(key: jax.Array, width: int) -> State:
    """Parameters from a key of their own."""
    in_key, out_key = jax.random.split(key)
    params = {
        "in": jax.random.normal(in_key, (2, width)) / 2**0.5,
        "out": jax.random.normal(out_key, (width, 1)) / width**0.5,
    }
    return State(params, jax.tree.map(jnp.zeros_like, params), jnp.zeros((), jnp.int32))


def loss_fn(params: dict[str, jax.Array], x: jax.Array, y: jax.Array, key: jax.Array) -> jax.Array:
    """Mean squared error of a network with dropout."""
    hidden = jnp.tanh(x @ params["in"])
    keep = jax.random.bernoulli(key, 0.9, hidden.shape)
    hidden = jnp.where(keep, hidden / 0.9, 0.0)
    return jnp.mean((hidden @ params["out"] - y) ** 2)


@functools.partial(jax.jit, donate_argnames="state")
def train_step(state: State, x: jax.Array, y: jax.Array, key: jax.Array) -> tuple[State, jax.Array]:
    """One update; `key` is the same for the whole run, the step makes it unique."""
    loss, grads = jax.value_and_grad(loss_fn)(state.params, x, y, jax.random.fold_in(key, state.step))
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state.momentum, grads)
    params = jax.tree.map(lambda p, m: p - 0.05 * m, state.params, momentum)
    return State(params, momentum, state.step + 1), loss


def make_inputs() -> tuple[tuple[State, jax.Array, jax.Array, jax.Array], dict[str, object]]:
    """Fresh arguments for `jaxlint bench --state`: the step donates its state, so none is given twice."""
    init_key, dropout_key = jax.random.split(jax.random.key(0))
    return (init(init_key, width=32), jnp.ones((64, 2)), jnp.ones((64, 1)), dropout_key), {}


def main(steps: int = 200) -> None:
    """Train on data that fits in memory; fetch the losses once, at the end."""
    init_key, dropout_key = jax.random.split(jax.random.key(0))
    state = init(init_key, width=32)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 2)).astype(np.float32)
    y = x[:, :1] * x[:, 1:]
    losses = []
    for _ in range(steps):
        state, loss = train_step(state, x, y, dropout_key)
        losses.append(loss)
    history = np.array(jax.device_get(losses))
    print(f"loss {history[0]:.3f} -> {history[-1]:.3f}")
    assert history[-10:].mean() < history[:10].mean()
    assert train_step._cache_size() == 1, "the step was compiled more than once"


if __name__ == "__main__":
    main()
