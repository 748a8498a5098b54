"""Two programs side by side: which figures differ, and which equations."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

_MOST_LINES = 4000
_MOST_SHOWN = 200
_LONGEST_PARAMETER = 48
# What names a thing of the run, or says nothing of what is computed.
# Defaults, and values that print their address or more than one line.
_SAYS_NOTHING = re.compile(r"^[(),\s]*((UnspecifiedValue|None)[(),\s]*)*$|0x[0-9a-f]{6}|\n")
_QUIET = {"name", "debug_info", "source_info", "ctx_mesh", "keep_unused", "inline", "donated_invars", "ft_in", "ft_out"}


def outline(closed: Any) -> list[str]:
    """The equations, a line each, with types in place of variables, so that one more does not rename the rest."""
    return [line for line, _ in zip(_lines(closed, 0), range(_MOST_LINES), strict=False)]


def difference(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """What changes from the first report to the second."""
    figures = []
    left, right = dict(_figures(first)), dict(_figures(second))
    for name in [*left, *(name for name in right if name not in left)]:
        if left.get(name) != right.get(name):
            figures.append({"name": name, "first": left.get(name), "second": right.get(name)})
    lines = list(_changes(first.get("outline") or [], second.get("outline") or []))
    return {
        "figures": figures,
        "equations": lines[:_MOST_SHOWN],
        "equations_left_out": max(0, len(lines) - _MOST_SHOWN),
        "same_equations": bool(first.get("outline")) and first.get("outline") == second.get("outline"),
    }


def _changes(first: list[str], second: list[str]) -> Iterator[str]:
    """The lines that differ, with those around them. How deep a line is nested makes no difference."""
    left, right = [line.strip() for line in first], [line.strip() for line in second]
    for number, group in enumerate(difflib.SequenceMatcher(None, left, right, autojunk=False).get_grouped_opcodes(2)):
        if number:
            yield "..."
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                yield from (f"  {line}" for line in second[other_start:other_end])
                continue
            yield from (f"- {line}" for line in first[start:end])
            yield from (f"+ {line}" for line in second[other_start:other_end])


def _lines(closed: Any, depth: int) -> Iterator[str]:
    body: Any = getattr(closed, "jaxpr", closed)
    body = body if hasattr(body, "eqns") else closed
    for equation in body.eqns:
        inputs = " ".join(_type(atom) for atom in equation.invars)
        outputs = " ".join(_type(atom) for atom in equation.outvars)
        parameters, programs = [], []
        for name, value in sorted(equation.params.items()):
            items = value if isinstance(value, (tuple, list)) else (value,)
            found = [item for item in items if hasattr(item, "eqns") or hasattr(getattr(item, "jaxpr", None), "eqns")]
            programs += [(name, item) for item in found]
            text = str(value)
            says = len(text) <= _LONGEST_PARAMETER and not _SAYS_NOTHING.search(text)
            if says and not found and name not in _QUIET:
                parameters.append(f"{name}={text}")
        title = f" {equation.params['name']}" if isinstance(equation.params.get("name"), str) else ""
        shown = f"[{' '.join(parameters)}]" if parameters else ""
        yield f"{'  ' * depth}{equation.primitive}{title}{shown} {inputs} -> {outputs}".rstrip()
        for name, item in programs:
            if len(programs) > 1:
                yield f"{'  ' * depth}  {name}:"
            yield from _lines(item, depth + 1)


def _type(atom: Any) -> str:
    return str(getattr(atom, "aval", atom)).removeprefix("ShapedArray(").removesuffix(")").replace(" ", "")


def _figures(report: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The comparable numbers of a report, by a readable name. Times are no property of the program."""
    for kind in ("inputs", "outputs"):
        for leaf in report.get(kind) or ():
            yield (
                f"{kind[:-1]} {leaf['name'] or '(whole)'}",
                leaf["type"] + (" (weak)" if leaf.get("weak_type") else ""),
            )
    jaxpr = report.get("jaxpr") or {}
    for name in ("equations", "equations_nested", "depth", "constant_bytes"):
        yield name.replace("_", " "), jaxpr.get(name)
    yield "effects", ", ".join(jaxpr.get("effects", ())) or None
    for primitive, times in (jaxpr.get("primitives") or {}).items():
        yield f"primitive {primitive}", times
    for stage in ("stablehlo", "hlo", "compiled"):
        for name, value in (report.get(stage) or {}).items():
            if isinstance(value, dict):
                for part, amount in value.items():
                    yield f"{stage} {name} {part}", amount
            elif name != "bytes":
                yield f"{stage} {name.replace('_', ' ')}", value
