"""JAX506: a traced function closes over a large array."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import ArrayCaptured


class CapturedConstantRule(Rule):
    """Tells of arrays that a program holds as constants because a traced function closes over them."""

    code = "JAX506"
    name = "captured-constant"
    severity = Severity.INFO
    default = False
    messages: ClassVar[dict[str, str]] = {
        "default": (
            "`{array}` is captured by `{function}`, which is traced: it is built into the program as a constant"
        ),
        "sized": (
            "`{array}`, of shape {shape}, is captured by `{function}`, which is traced: it is built into the program "
            "as a constant"
        ),
    }
    help = "pass the array as an argument"
    reference = "compilation-structure"
    explanation = Explanation(
        what=(
            "A traced function closes over a large array, or reads an array of the module, instead of receiving it. "
            "(Opt-in.)"
        ),
        why=(
            "The array becomes a constant of the compiled program: it is copied into it, is held a second time, slows "
            "the compiler down, and its later values are never seen."
        ),
        wrong="""\
import jax
import jax.numpy as jnp

TEMPLATES = jnp.ones((2048, 2048))


@jax.jit
def match(spectrum):
    return jnp.argmax(TEMPLATES @ spectrum)


def run(spectra):
    return [match(spectrum) for spectrum in spectra]
""",
        right="""\
import jax
import jax.numpy as jnp

TEMPLATES = jnp.ones((2048, 2048))


@jax.jit
def match(templates, spectrum):
    return jnp.argmax(templates @ spectrum)


def run(spectra):
    return [match(TEMPLATES, spectrum) for spectrum in spectra]
""",
        mend=(
            "Pass the array as an argument. To keep the short signature, bind it outside the compiled function: "
            "`functools.partial(match, templates)`; or make it a leaf of a module or another pytree that is passed."
        ),
    )

    def on_array_captured(self, event: ArrayCaptured, ctx: RuleContext) -> None:
        """A traced function reads an array of an outer scope."""
        ctx.report(
            self,
            event.place,
            "default" if event.shape is None else "sized",
            array=event.name,
            function=event.function,
            shape=event.shape,
        )
