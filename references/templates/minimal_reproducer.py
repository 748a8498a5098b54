"""A program that shows one problem, and nothing else: for a bug report, or to understand.

How to shrink: fix the seed; replace data by `jnp.ones` or `arange`; replace the model by one operation; take away
transformations from the outside in, as long as the problem stays; then go back one step.
"""

import sys

import jax
import jax.numpy as jnp

EXPECTED = "the two forms agree"


def problem(x: jax.Array) -> jax.Array:
    """The smallest function that misbehaves; here it does not."""
    return jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)


way_that_works = jax.vmap(jax.grad(problem))
way_that_fails = jax.jit(way_that_works)


def observe() -> str:
    """Run it in the way that fails, and in the nearest way that works."""
    x = jnp.array([-1.0, 0.0, 4.0])
    right, wrong = way_that_works(x), way_that_fails(x)
    return EXPECTED if jnp.array_equal(right, wrong) else f"{wrong} differs from {right}"


def main() -> int:
    """Print the environment, then what is expected and what is observed; fail if they differ."""
    jax.print_environment_info()
    observed = observe()
    print("expected:", EXPECTED)
    print("observed:", observed)
    return int(observed != EXPECTED)


if __name__ == "__main__":
    sys.exit(main())
