"""HSE001: arrays are fetched from the device without being counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.rule import RuleContext
    from jaxlint.semantics.events import Called


class BareDeviceGetRule(Rule):
    """Tells of `jax.device_get`, under whatever name a file imports it."""

    code = "HSE001"
    name = "bare-device-get"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {"default": "`{call}` fetches an array without counting it"}
    help = "call `house.fetch`, which counts what it fetches"
    reference = "https://house.example/rules#HSE001"
    explanation = Explanation(
        what="A call of `jax.device_get`.",
        why="Each fetch waits for the device. `house.fetch` does the same and counts, so that we see where time goes.",
        wrong="import jax\n\n\ndef report(loss):\n    print(jax.device_get(loss))\n",
        right="import house\n\n\ndef report(loss):\n    print(house.fetch(loss))\n",
        mend="Call `house.fetch` in its place.",
    )

    def on_called(self, event: Called, ctx: RuleContext) -> None:
        """The engine has resolved the name: `get` after `from jax import device_get as get` is met as well."""
        if event.function == "jax.device_get":
            ctx.report(self, event.place, call=ctx.text(event.place))
