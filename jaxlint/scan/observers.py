"""Listeners that note what the analysis meets. They have the form of rules, so that they travel as rules do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.knowledge import load
from jaxlint.rule import Explanation, Rule, RuleContext
from jaxlint.semantics.values import Const, TupleV, Value

if TYPE_CHECKING:
    from jaxlint.semantics.events import Called, ChangeMet, Transformed

_NOTHING = Explanation("", "", "", "", "")


class Observer(Rule):
    """A note is a report whose message is JSON; its code says what kind of thing was met."""

    severity = Severity.INFO
    messages: ClassVar[dict[str, str]] = {"default": "{note}"}
    help = reference = ""
    explanation = _NOTHING


class Transformations(Observer):
    """Functions that are handed to a transformation."""

    code = name = "transformation"

    def on_transformed(self, event: Transformed, ctx: RuleContext) -> None:
        """Note the transformation, the function, and the options that can be read."""
        options = {name: text for name, value in event.options.items() if (text := _text(value)) is not None}
        function = event.function.fn.name if event.function is not None else ""
        ctx.report(self, event.place, note=_note(name=event.transform, function=function, options=options))


class Calls(Observer):
    """Calls that a reader of a project asks for: where keys, meshes and communication come from."""

    code = name = "call"

    def on_called(self, event: Called, ctx: RuleContext) -> None:
        """Note the call if it is of one of the kinds."""
        kind = _kind(event.function, ctx)
        if event.kwargs.keys() & {"donate", "donate_argnums", "donate_argnames"} and kind is None:
            kind = "donation" if event.function.startswith("jax.") and not _transforms(event.function) else None
        if kind is not None:
            ctx.report(self, event.place, note=_note(name=event.function, kind=kind))


class Currency(Observer):
    """Spellings that a release of JAX changed, removed or is about to remove."""

    code = name = "currency"

    def on_change_met(self, event: ChangeMet, ctx: RuleContext) -> None:
        """Note the change with its releases."""
        change = event.change
        ctx.report(
            self,
            event.place,
            note=_note(
                name=change.name,
                kind=change.kind,
                deprecated_in=change.deprecated_in,
                removed_in=change.removed_in,
                replacement=change.replacement,
                guarded=event.guarded,
            ),
        )


def observers() -> list[Rule]:
    """One of each."""
    return [Transformations(), Calls(), Currency()]


def _kind(function: str, ctx: RuleContext) -> str | None:
    """The section of the inventory that a call belongs to."""
    knowledge = load()
    info, transform = knowledge.function(function), knowledge.transforms.get(function)
    effects = {effect for effect, _ in info.effects} if info is not None else set()
    if "makekey" in effects:
        return "key source"
    if "collective" in effects:
        return "collective"
    if "alldevices" in effects or ctx.class_kind(function) == "mesh":
        return "mesh"
    if ctx.class_kind(function) in ("sharding", "partition_spec"):
        return "sharding"
    if transform is not None and transform.mode == "host":
        return "callback"
    if transform is not None and transform.result == "call" and function.startswith("jax.lax."):
        return "control flow"
    if function.startswith("jax.") and "setting" in {
        word for _, words in (info.effects if info else ()) for word in words
    }:
        return "setting"
    return None


def _transforms(function: str) -> bool:
    return function in load().transforms


def _note(**facts: object) -> str:
    return json.dumps(facts, sort_keys=True)


def _text(value: Value) -> str | None:
    """A constant, or a tuple of constants, as it was written."""
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, TupleV):
        parts = [_text(item) for item in value.items]
        return None if None in parts else f"({', '.join(filter(None, parts))})"
    return None
