"""The text of `jaxlint recompiles`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from jaxlint.lab.command import error_line
from jaxlint.lab.report import machine
from jaxlint.lab.report.tables import plural, seconds, table

_HINTS = {
    "shape": "pad to a few sizes and mask the rest, or drop the last partial batch",
    "dtype": "convert inputs in one place, before the call",
    "weak type": "pass arrays with a dtype (`jnp.float32(x)`) at every call, or Python numbers at every call",
    "static value": "static arguments with many values compile as many programs: pass numbers as arrays",
    "sharding": "place inputs with one sharding before the loop (`jax.device_put`)",
    "pytree structure": "keep one structure: the same keys, the same container types, no `None` that comes and goes",
    "closure identity": "make the function once, outside of the loop; `jit` knows functions by identity",
    "arguments": "pass the same arguments, in the same way (by position or by keyword), at every call",
    "context": "settings such as `enable_x64` and context managers are part of the key: set them once",
}
_MOST_OPERATIONS = 6


def text(report: dict[str, Any]) -> str:
    """A table of the calls, the sums, and what to do."""
    calls = report["calls"]
    subject = report["target"].partition("::")[2]
    lines = [f"{report['target']}  ({_how(report)})"]
    rows = [["call", "case", "time", "compiled", "because"]]
    for call in calls:
        rows += _rows(call)
    lines += table(rows, indent="  ", right=(0, 2))
    lines += [f"  call {call['call']} FAILED: {error_line(call['error'])}" for call in calls if "error" in call]
    lines.append("")
    lines += _sums(report, subject)
    lines.append(machine.line(report["machine"]))
    return "\n".join(lines) + "\n"


def _how(report: dict[str, Any]) -> str:
    static = f"; static: {', '.join(report['static'])}" if report["static"] else ""
    words = {
        "program": "jitted",
        "jaxlint": "not jitted; called under `jit`",
        "both": "jitted by a library; called under `jit`",
        None: "not jitted: what it compiles inside is listed; --jit compiles it as a whole",
    }
    return words[report["jitted_by"]] + static


def _rows(call: dict[str, Any]) -> Iterator[list[str]]:
    head = [str(call["call"]), call["case"], seconds(call["seconds"])]
    listed = [compilation for compilation in call["compilations"] if not compilation["operation"]]
    operations = Counter(compilation["function"] for compilation in call["compilations"] if compilation["operation"])
    for compilation in listed:
        for number, cause in enumerate(compilation["causes"]):
            name = f"{compilation['function']} ({seconds(compilation['seconds'])})" if number == 0 else ""
            yield [*head, name, _because(cause, compilation["compared_with"])]
            head = ["", "", ""]
    if operations:
        named = [f"{name} {times}" if times > 1 else name for name, times in operations.most_common(_MOST_OPERATIONS)]
        more = ", ..." if len(operations) > _MOST_OPERATIONS else ""
        total = plural(sum(operations.values()), "operation")
        yield [*head, f"{total} of JAX", f"{', '.join(named)}{more}"]
    elif not listed:
        yield [*head, "-", ""]


def _because(cause: dict[str, str], compared: str | None) -> str:
    if cause["kind"] == "first call":
        return "first call"
    where = f" of `{cause['argument']}`" if cause["argument"] else ""
    change = f": {cause['before']} -> {cause['now']}" if cause["before"] or cause["now"] else ""
    since = f" (since {compared})" if compared else ""
    return f"{cause['kind']}{where}{change}{since}"


def _sums(report: dict[str, Any], subject: str) -> Iterator[str]:
    calls = report["calls"]
    shown = [compilation for call in calls for compilation in call["compilations"] if not compilation["operation"]]
    spent = sum(compilation["seconds"] or 0.0 for compilation in shown)
    operations = [compilation for call in calls for compilation in call["compilations"] if compilation["operation"]]
    yield f"{plural(len(calls), 'call')}, {plural(len(shown), 'compilation')}, {seconds(spent)} in XLA"
    if operations:
        more = sum(compilation["seconds"] or 0.0 for compilation in operations)
        yield f"  and {plural(len(operations), 'operation')} of JAX outside of `jit`, {seconds(more)} in XLA"
    by_function = Counter(compilation["function"] for compilation in shown)
    own = any(compilation["own"] for compilation in shown)
    if len(by_function) > 1 or not own:
        for name, number in by_function.most_common():
            yield f"  {name}: {number}"
    kinds = Counter(
        kind for compilation in shown for kind in {cause["kind"] for cause in compilation["causes"]} if kind in _HINTS
    )
    for kind, number in kinds.most_common():
        yield f"  {number} x {kind}: {_HINTS[kind]}"
    if not kinds and shown:
        yield f"  `{subject}` compiled nothing twice"
