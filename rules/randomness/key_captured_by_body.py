"""JAX207: the body of a loop or map consumes a captured key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.predicates import innermost, key_argument, named_key

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import KeyCaptured


class KeyCapturedByBodyRule(Rule):
    """Tells of loop and map bodies that consume a key which they captured."""

    code = "JAX207"
    name = "key-captured-by-body"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "{key} is captured by the body of `{transformation}`: each step draws the same numbers",
        "mapped": "{key} is captured by the function that `{transformation}` maps: each row gets the same numbers",
        "leaves": (
            "{key} is captured by the function that `{transformation}` maps over leaves: leaves of one shape get "
            "the same numbers"
        ),
    }
    help = "hand the body one key a step: scan or map over `jax.random.split(key, n)`, or fold in the index"
    reference = "randomness"
    confirm = "captured_key"
    explanation = Explanation(
        what=(
            "The body given to `scan`, `fori_loop`, `while_loop`, `lax.map`, `vmap` or `jax.tree.map` consumes a "
            "key that it captured from the enclosing function instead of receiving one for each step, row or "
            "leaf."
        ),
        why="The captured key is the same in each step, so each step, row or leaf gets the same numbers.",
        wrong="""\
import jax
import jax.numpy as jnp
from jax import lax


def brownian_path(key, steps):
    def step(position, _):
        position = position + 0.1 * jax.random.normal(key)
        return position, position

    return lax.scan(step, jnp.zeros(()), None, length=steps)[1]
""",
        right="""\
import jax
import jax.numpy as jnp
from jax import lax


def brownian_path(key, steps):
    def step(position, step_key):
        position = position + 0.1 * jax.random.normal(step_key)
        return position, position

    return lax.scan(step, jnp.zeros(()), jax.random.split(key, steps))[1]
""",
        mend=(
            "Split the key into one row a step and scan or map over the rows; or carry the key and split it in "
            "the body; or fold in the step's own index. Where one draw for all rows is meant, draw it outside "
            "the body."
        ),
    )

    def on_key_captured(self, event: KeyCaptured, ctx: RuleContext) -> None:
        """A body consumes a key from outside."""
        related = []
        if event.body_place is not None:
            related.append((event.body_place, f"the body is given to `{event.body}` here"))
        inside = innermost(event.use).place
        if inside != event.place:
            related.append((inside, f"consumed inside here by `{ctx.text(inside)}`"))
        ctx.report(
            self,
            event.place,
            _kind(event.body),
            related=related,
            key=named_key(key_argument(event.use, event.place)),
            transformation=event.body,
        )


def _kind(body: str) -> str:
    if body.endswith(("tree.map", "tree_map", "tree.map_with_path", "tree_map_with_path")):
        return "leaves"
    return "mapped" if body.rpartition(".")[2] in ("map", "vmap", "pmap", "vectorize") else "default"
