"""The specs of `shard_map`: they are prefixes of the arguments and of the result, as pytrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics import axes
from jaxlint.semantics.events import ResultSpecMisfit, SpecCountMisfit
from jaxlint.semantics.signatures import signature_of
from jaxlint.semantics.values import Array, Const, ExtObj, Key, Place, Ref, TupleV, Value, Wrapped

if TYPE_CHECKING:
    from jaxlint.knowledge import TransformInfo
    from jaxlint.semantics.interpreter import Interpreter


def check_arguments(
    it: Interpreter, info: TransformInfo, inner: Value, options: dict[str, Value], place: Place
) -> None:
    """Tell of `in_specs` that fit no call of the function, and of specs with axes that the mesh lacks."""
    if "in_specs" not in info.options or "mesh" not in info.options:
        return
    specs = options.get("in_specs")
    for spec in (specs, options.get("out_specs")):
        axes.check_spec(it, place, options.get("mesh"), spec)
    given = _length(it, specs)
    signature = signature_of(inner)
    if given is None or signature is None:
        return
    most = len(signature.positional)
    if given < signature.required or (given > most and not signature.variadic):
        taken = signature.required if given < signature.required else most
        it.emit(SpecCountMisfit(place, inner, given, taken))


def _length(it: Interpreter, specs: Value | None) -> int | None:
    """How many arguments the specs speak of; None for a single spec and for what is not known."""
    if isinstance(specs, TupleV) and specs.cls is None:
        return len(specs.items)
    if isinstance(specs, Ref) and specs.kind == "list":
        content = it.st.content(specs)
        return None if content.open or content.rest is not None else len(content.items)
    return None


def check_result(it: Interpreter, wrapped: Wrapped, result: Value) -> None:
    """Tell of `out_specs` that are no prefix of what the function returns."""
    specs = wrapped.options.get("out_specs")
    if specs is None:
        return
    found = _misfit(it, specs, result, 0)
    if found is not None:
        it.emit(ResultSpecMisfit(wrapped.place, wrapped.inner, *found))


def _misfit(it: Interpreter, spec: Value, value: Value, depth: int) -> tuple[str, str, bool] | None:
    """What the spec and the value are, and whether they differ in number alone; None where they may fit."""
    kind, held = _shape(it, spec), _shape(it, value)
    if kind is None or held is None or kind[0] == "leaf" or depth > 4:
        return None
    if kind[0] != held[0]:
        return _word(kind), _word(held), False
    if kind[0] == "dict":
        return None if kind[1].keys() == held[1].keys() else (_word(kind), _word(held), False)
    if len(kind[1]) != len(held[1]):
        return str(len(kind[1])), str(len(held[1])), True
    for name, part in kind[1].items():
        inner = _misfit(it, part, held[1][name], depth + 1)
        if inner is not None:
            return inner
    return None


def _shape(it: Interpreter, value: Value) -> tuple[str, dict[object, Value]] | None:
    """A pytree node: its kind and its children. None where it is not known."""
    if isinstance(value, TupleV):
        return None if value.cls is not None else ("tuple", dict(enumerate(value.items)))
    if isinstance(value, Ref) and value.kind in ("list", "dict"):
        content = it.st.content(value)
        if content.open or content.rest is not None:
            return None
        items = content.items if isinstance(content.items, dict) else enumerate(content.items)
        return value.kind, dict(items)
    if isinstance(value, Array | Key):
        return ("leaf", {}) if not isinstance(value, Array) or value.also is None else None
    if isinstance(value, Const) and isinstance(value.value, bool | int | float | complex):
        return "leaf", {}
    if isinstance(value, ExtObj) and it.knowledge.classes.get(value.cls) == "partition_spec":
        return "leaf", {}
    return None


def _word(shape: tuple[str, dict[object, Value]]) -> str:
    kind, parts = shape
    if kind == "leaf":
        return "single array"
    if kind == "dict":
        return f"dict with {len(parts)} keys" if len(parts) != 1 else "dict with one key"
    return f"{kind} of {len(parts)}"
