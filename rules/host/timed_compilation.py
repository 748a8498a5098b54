"""JAX405: the timed region holds a compilation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.semantics.naming import called_at

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import CompilationTimed


class TimedCompilationRule(Rule):
    """Tells of first calls of jitted functions inside of timed regions."""

    code = "JAX405"
    name = "timed-compilation"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "this is the first call of `{function}`: the time since line {line} holds its tracing and compilation"
        ),
    }
    help = "call the function once, and wait for it, before the clock starts"
    reference = "benchmark-honesty"
    explanation = Explanation(
        what="A timed region holds the first call of a jitted function.",
        why=(
            "The first call traces and compiles, which takes far longer than a run. The reading says next "
            "to nothing about the computation."
        ),
        wrong="""\
import time

import jax
import jax.numpy as jnp


@jax.jit
def invert(matrix):
    return jnp.linalg.inv(matrix)


def main():
    matrix = jnp.eye(64)
    start = time.perf_counter()
    invert(matrix).block_until_ready()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
""",
        right="""\
import time

import jax
import jax.numpy as jnp


@jax.jit
def invert(matrix):
    return jnp.linalg.inv(matrix)


def main():
    matrix = jnp.eye(64)
    invert(matrix).block_until_ready()
    start = time.perf_counter()
    invert(matrix).block_until_ready()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()
""",
        mend=(
            "Call the function once with arguments of the same shapes before the clock starts, or compile "
            "ahead with `.lower(...).compile()` and time the compiled function."
        ),
    )

    def on_compilation_timed(self, event: CompilationTimed, ctx: RuleContext) -> None:
        """A function is called for the first time between two readings of a clock."""
        ctx.report(
            self,
            event.place,
            related=[(event.first, "the clock is read first here")],
            function=called_at(event.place),
            line=ctx.line(event.first),
        )
