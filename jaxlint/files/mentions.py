"""Whether a program can have anything to do with JAX, from its text alone."""

from __future__ import annotations

import re

LIBRARIES = (
    "blackjax", "brax", "chex", "distrax", "equinox", "flax", "gymnax", "haiku", "haliax", "jax", "numpyro", "optax",
    "orbax", "penzai", "simple_pytree", "tree_math",
)  # fmt: skip
"""Names that a library of JAX is imported by; `jax` also stands for `jaxlib`, `jaxtyping` and their like."""

_MENTION = re.compile("|".join(LIBRARIES))


def mentions_jax(text: str) -> bool:
    """Whether the name of a library of JAX occurs anywhere in a text."""
    return _MENTION.search(text) is not None
