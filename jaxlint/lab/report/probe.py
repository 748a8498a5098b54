"""The text of `jaxlint probe`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.lab.command import error_line
from jaxlint.lab.report import machine
from jaxlint.lab.report.tables import count, plural, seconds, size, table

_MOST_LEAVES = 24
_MOST_CONSTANTS = 8
_MOST_PRIMITIVES = 16
_TIMED = ("trace", "lowering", "compilation")


def text(report: dict[str, Any]) -> str:
    """One program, or two and their difference."""
    lines: list[str] = []
    for program in report["programs"]:
        lines += [*_program(program), ""]
    if "difference" in report:
        lines += [*_difference(report["difference"], report["programs"]), ""]
    lines.append(machine.line(report["machine"]))
    return "\n".join(lines) + "\n"


def _program(program: dict[str, Any]) -> Iterator[str]:
    how = {
        "program": "jitted",
        "jaxlint": "not jitted; probed under `jit`",
        "both": "jitted by a library; probed under `jit`",
    }[program["jitted_by"]]
    static = f", static: {', '.join(program['static'])}" if program["static"] else ""
    yield f"{program['label']}  ({how}{static}; inputs from {program['factory']})"
    rows: list[list[str]] = []
    rows += _leaves("in", program.get("inputs"))
    rows += _leaves("out", program.get("outputs"))
    if program.get("jaxpr"):
        rows += _jaxpr(program["jaxpr"])
    if program.get("stablehlo"):
        lowered = program["stablehlo"]
        rows.append(["StableHLO", f"{plural(lowered['operations'], 'operation')}, {size(lowered['bytes'])} of text"])
        rows += _collectives(lowered["collectives"], "asked for by the program")
    if program.get("hlo"):
        lowered = program["hlo"]
        rows.append(["HLO", f"{plural(lowered['instructions'], 'instruction')}{_cost(lowered)}"])
    if program.get("compiled"):
        rows += _compiled(program["compiled"])
    rows += _donation(program)
    rows.append(["times", ", ".join(_times(program["stages"])) or "-"])
    yield from table(rows, indent="  ")
    for warning in program.get("warnings", ()):
        yield f"  warning: {warning.strip().splitlines()[0]}"
    for stage in program["stages"]:
        if stage["status"] == "failed":
            yield f"  {stage['name']} FAILED: {error_line(stage['error'])}"
        elif stage["status"] == "skipped":
            yield f"  {stage['name']} skipped: {stage['reason']}"


def _leaves(title: str, leaves: list[dict[str, Any]] | None) -> list[list[str]]:
    rows = [
        [
            title if index == 0 else "",
            f"{leaf['name'] or '(the result)'}  {leaf['type']}{' weak' if leaf['weak_type'] else ''}",
        ]
        for index, leaf in enumerate((leaves or [])[:_MOST_LEAVES])
    ]
    if leaves and len(leaves) > _MOST_LEAVES:
        rows.append(["", f"and {len(leaves) - _MOST_LEAVES} more"])
    return rows


def _jaxpr(jaxpr: dict[str, Any]) -> Iterator[list[str]]:
    nested = jaxpr["equations_nested"]
    inside = f" ({nested} with those inside, {jaxpr['depth']} deep)" if nested != jaxpr["equations"] else ""
    yield ["jaxpr", f"{plural(jaxpr['equations'], 'equation')}{inside}"]
    primitives = list(jaxpr["primitives"].items())
    shown = ", ".join(f"{name} {times}" for name, times in primitives[:_MOST_PRIMITIVES])
    more = f", and {len(primitives) - _MOST_PRIMITIVES} others" if len(primitives) > _MOST_PRIMITIVES else ""
    yield ["primitives", (shown + more) or "none"]
    constants = jaxpr["constants"]
    listed = ", ".join(f"{entry['type']} {size(entry['bytes'])}" for entry in constants[:_MOST_CONSTANTS])
    total = f"{plural(len(constants), 'array')}, {size(jaxpr['constant_bytes'])}: {listed}" if constants else "none"
    yield ["constants", total + (", ..." if len(constants) > _MOST_CONSTANTS else "")]
    yield ["effects", ", ".join(jaxpr["effects"]) or "none"]


def _collectives(found: dict[str, int], remark: str) -> list[list[str]]:
    return [["", f"{', '.join(f'{name} {times}' for name, times in found.items())} ({remark})"]] if found else []


def _cost(stage: dict[str, Any]) -> str:
    parts = []
    if "flops" in stage:
        parts.append(f"{count(stage['flops'])} flops")
    if "bytes_accessed" in stage:
        parts.append(f"{size(stage['bytes_accessed'])} accessed")
    if stage.get("bytes_accessed") and "flops" in stage:
        parts.append(f"{stage['flops'] / stage['bytes_accessed']:.2g} flops a byte")
    return f"; {', '.join(parts)}" if parts else ""


def _compiled(compiled: dict[str, Any]) -> Iterator[list[str]]:
    fusions = plural(compiled["fusions"], "fusion")
    yield ["compiled", f"{plural(compiled['instructions'], 'instruction')}, {fusions}{_cost(compiled)}"]
    yield from _collectives(compiled["collectives"], "in the compiled program")
    memory = compiled.get("memory")
    if memory:
        names = {"argument": "arguments", "output": "outputs", "temp": "temporaries", "alias": "shared by donation"}
        yield ["memory", ", ".join(f"{names[name]} {size(memory[name])}" for name in names)]


def _donation(program: dict[str, Any]) -> Iterator[list[str]]:
    words = {True: "used", False: "NOT used", None: "offered; --compile shows whether it is used"}
    donated = [leaf for leaf in program.get("inputs") or () if leaf["donated"]]
    for index, leaf in enumerate(donated):
        yield ["donation" if index == 0 else "", f"{leaf['name']}: {words[leaf.get('donation_used')]}"]


def _times(stages: list[dict[str, Any]]) -> Iterator[str]:
    for stage in stages:
        if stage["name"] in _TIMED and "seconds" in stage:
            yield f"{stage['name']} {seconds(stage['seconds'])}"


def _difference(difference: dict[str, Any], programs: list[dict[str, Any]]) -> Iterator[str]:
    yield f"from {programs[0]['label']} to {programs[1]['label']}"
    if not difference["figures"]:
        yield "  all figures are equal"
    rows = [[entry["name"], _cell(entry["first"]), "->", _cell(entry["second"])] for entry in difference["figures"]]
    yield from table(rows, indent="  ", right=(1,))
    if difference["same_equations"]:
        yield "  the jaxprs have the same equations"
    else:
        yield from (f"  {line}" for line in difference["equations"])
        if difference["equations_left_out"]:
            yield f"  ... and {difference['equations_left_out']} more lines"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return count(value) if isinstance(value, (int, float)) else str(value)
