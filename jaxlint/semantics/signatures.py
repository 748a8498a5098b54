"""Signatures of callables, and whether the options of a transformation fit them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxlint.semantics.events import OptionMisfit
from jaxlint.semantics.values import Func, Partial, Place, Ref, TupleV, Value, Wrapped

if TYPE_CHECKING:
    from jaxlint.knowledge import TransformInfo
    from jaxlint.semantics.interpreter import Interpreter

POSITIONS = ("static_argnums", "static_broadcasted_argnums", "donate_argnums", "argnums", "nondiff_argnums")
NAMES = ("static_argnames", "donate_argnames", "nondiff_argnames")


class Signature:
    """What a callable takes: names by position, how many of them must be given, names by keyword.

    variadic, open: it takes any further positions or keywords.
    """

    __slots__ = ("keywords", "open", "positional", "required", "variadic")

    def __init__(
        self, positional: list[str], required: int, keywords: set[str], *, variadic: bool, open_ended: bool
    ) -> None:
        self.positional = positional
        self.required = required
        self.keywords = keywords
        self.variadic = variadic
        self.open = open_ended


def signature_of(value: Value) -> Signature | None:
    """The signature of a callable of the project; None where it cannot be told."""
    if isinstance(value, Func):
        return _of_function(value)
    if isinstance(value, Partial):
        return _of_partial(value)
    if isinstance(value, Wrapped) and value.transform.name.startswith("jax."):
        return signature_of(value.inner)
    return None


def _of_function(func: Func) -> Signature:
    params = func.fn.params
    positional = [param for param in params if param.kind in ("pos", "any")]
    if func.receiver is not None:
        positional = positional[1:]
    required = sum(1 for param in positional if param.default is None)
    keywords = {param.name for param in params if param.kind == "kw"}
    keywords |= {param.name for param in positional if param.kind == "any"}
    kinds = {param.kind for param in params}
    names = [param.name for param in positional]
    return Signature(names, required, keywords, variadic="star" in kinds, open_ended="starstar" in kinds)


def _of_partial(value: Partial) -> Signature | None:
    inner = signature_of(value.func)
    if inner is None:
        return None
    count = len(value.args)
    positional = inner.positional[count:]
    # From the first parameter that is bound by name on, the rest can be given by name alone.
    bound = [index for index, name in enumerate(positional) if name in value.kwargs]
    variadic = inner.variadic and not bound
    if bound:
        positional = positional[: bound[0]]
    keywords = inner.keywords - set(inner.positional[:count])
    required = min(max(inner.required - count, 0), len(positional))
    return Signature(positional, required, keywords, variadic=variadic, open_ended=inner.open)


# ---- options --------------------------------------------------------------------------------------------------------


def check_options(it: Interpreter, info: TransformInfo, inner: Value, options: dict[str, Value], place: Place) -> None:
    """Tell of positions, names and axes that do not fit the function that is transformed."""
    given = [name for name in (*POSITIONS, *NAMES, "in_axes") if name in options and name in info.options]
    if not given or "linen" in info.options:
        return
    signature = signature_of(inner)
    if signature is None:
        return
    chosen: dict[str, set[str]] = {}
    for name in given:
        value = options[name]
        if name in POSITIONS:
            chosen[name] = _positions(it, info, name, value, inner, signature, place)
        elif name in NAMES:
            chosen[name] = _names(it, info, name, value, inner, signature, place)
        else:
            _axes(it, info, value, inner, signature, place)
    static = chosen.get("static_argnums", set()) | chosen.get("static_argnames", set())
    donated = chosen.get("donate_argnums", set()) | chosen.get("donate_argnames", set())
    for parameter in sorted(static & donated):
        it.emit(OptionMisfit(place, info.name, inner, "overlap", "", parameter, 0, 0))


def _positions(
    it: Interpreter, info: TransformInfo, option: str, value: Value, inner: Value, signature: Signature, place: Place
) -> set[str]:
    """The parameters that an option picks by position."""
    from jaxlint.semantics.wrappers import constants

    count = len(signature.positional)
    found: set[str] = set()
    for position in constants(it, value) or ():
        if not isinstance(position, int) or isinstance(position, bool):
            continue
        if -count <= position < count:
            found.add(signature.positional[position])
        elif not signature.variadic:
            it.emit(OptionMisfit(place, info.name, inner, "position", option, str(position), 0, count))
            break
    return found


def _names(
    it: Interpreter, info: TransformInfo, option: str, value: Value, inner: Value, signature: Signature, place: Place
) -> set[str]:
    """The parameters that an option picks by name."""
    from jaxlint.semantics.wrappers import constants

    found: set[str] = set()
    for name in constants(it, value) or ():
        if not isinstance(name, str):
            continue
        if name in signature.keywords:
            found.add(name)
        elif not signature.open:
            it.emit(OptionMisfit(place, info.name, inner, "name", option, name, 0, len(signature.positional)))
            break
    return found


def _axes(it: Interpreter, info: TransformInfo, value: Value, inner: Value, signature: Signature, place: Place) -> None:
    """`in_axes` has an entry for each positional argument of a call."""
    entries: int | None = None
    if isinstance(value, TupleV) and value.cls is None:
        entries = len(value.items)
    elif isinstance(value, Ref) and value.kind == "list":
        content = it.st.content(value)
        entries = None if content.open or content.rest is not None else len(content.items)
    if entries is None or signature.variadic:
        return
    most, least = len(signature.positional), signature.required
    if entries > most or entries < least:
        it.emit(OptionMisfit(place, info.name, inner, "entries", "in_axes", "", entries, most))
