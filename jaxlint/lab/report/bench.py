"""The figures and the text of `jaxlint bench`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.lab.command import error_line
from jaxlint.lab.report import machine
from jaxlint.lab.report.tables import plural, seconds, table
from jaxlint.lab.statistics import CONFIDENCE, RESAMPLES, ratio, summarize

_UNSTEADY = 0.3


def with_figures(report: dict[str, Any]) -> dict[str, Any]:
    """The measurements with what they come to."""
    functions = report.get("functions", [])
    for function in functions:
        if function["samples"]:
            function["steady"] = summarize(function["samples"]).as_json()
        if function["dispatch"]:
            function["dispatch_median"] = summarize(function["dispatch"]).median
    if len(functions) > 1 and all(function["samples"] for function in functions):
        first = functions[0]["samples"]
        report["ratios"] = [
            {"function": function["name"], "to": functions[0]["name"], **ratio(function["samples"], first).as_json()}
            for function in functions[1:]
        ]
    report["method"] = {"interval": f"{CONFIDENCE:.0%} percentile bootstrap of the median", "resamples": RESAMPLES}
    return report


def text(report: dict[str, Any]) -> str:
    """Tables of first calls and of the steady state, ratios, and what to know about them."""
    lines: list[str] = []
    if "functions" in report:
        lines += [*_first_calls(report), "", *_steady(report), ""]
        lines += list(_ratios(report))
        lines += [f"note: {note}" for note in _notes(report)]
    if "error" in report:
        lines.append(f"FAILED: {error_line(report['error'])}")
    lines.append(machine.line(report["machine"]))
    return "\n".join(lines) + "\n"


def _first_calls(report: dict[str, Any]) -> Iterator[str]:
    rows = [["first call", "total", "trace", "lowering", "compilation", "programs"]]
    for function in report["functions"]:
        first = function["first_call"]
        times = [seconds(first[stage]) for stage in ("seconds", "trace", "lowering", "compilation")]
        rows.append([function["name"], *times, str(first["programs"])])
    yield from table(rows, right=(1, 2, 3, 4, 5))


def _steady(report: dict[str, Any]) -> Iterator[str]:
    state = report["mode"] == "state"
    title = f"steady state, a step ({report['steps']} in a row)" if state else "steady state, a call"
    rows = [[title, "median", "interval", "quartiles", "least", "times", "steps a second" if state else "dispatch"]]
    for function in report["functions"]:
        steady = function.get("steady")
        if steady is None:
            continue
        interval, low, high = steady["interval"], steady["lower_quartile"], steady["upper_quartile"]
        last = f"{1 / steady['median']:,.0f}" if state else seconds(function["dispatch_median"])
        rows.append(
            [
                function["name"],
                seconds(steady["median"]),
                f"{seconds(interval['low'])} .. {seconds(interval['high'])}",
                f"{seconds(low)} .. {seconds(high)}",
                seconds(steady["minimum"]),
                str(steady["count"]),
                last,
            ]
        )
    yield from table(rows, right=(1, 2, 3, 4, 5, 6))


def _ratios(report: dict[str, Any]) -> Iterator[str]:
    for entry in report.get("ratios", ()):
        low, high = entry["interval"]["low"], entry["interval"]["high"]
        verdict = ("slower" if entry["value"] > 1 else "faster") if entry["decided"] else "no difference seen"
        times = f"{entry['value']:.3f} times [{low:.3f} .. {high:.3f}] as long"
        yield f"{entry['function']} takes {times} as {entry['to']}: {verdict}"
    for function, agreement in zip(report["functions"][1:], report.get("agreement", ()), strict=False):
        yield f"{function['name']} {_agreement(agreement)} {report['functions'][0]['name']}"


def _agreement(agreement: dict[str, Any]) -> str:
    if not agreement["same_structure"]:
        return "returns ANOTHER STRUCTURE than"
    if not agreement["same_types"]:
        return "returns OTHER SHAPES OR DTYPES than"
    if agreement["largest_difference"] == 0:
        return "returns the same as"
    return f"differs in its result by at most {agreement['largest_difference']:.3g} from"


def _notes(report: dict[str, Any]) -> Iterator[str]:
    if report["mode"] == "state":
        yield (
            "state mode is another workload: each step works on the result of the last, and only the end of "
            f"{plural(report['steps'], 'step')} is awaited; do not compare it with times of single calls"
        )
    for function in report["functions"]:
        name = function["name"]
        if function["jitted_by"] is None:
            yield f"`{name}` is not jitted: its operations are dispatched one by one; --jit compiles it as a whole"
        if report["mode"] == "calls" and not function["fresh_inputs"]:
            yield f"the factory gives `{name}` the same arrays again (none of them donated); caches may be warm"
        if function["compiled_when_steady"]:
            programs = plural(function["compiled_when_steady"], "program")
            yield f"`{name}` compiled {programs} in its steady state: see `jaxlint recompiles`"
        steady = function.get("steady")
        if steady and steady["upper_quartile"] - steady["lower_quartile"] > _UNSTEADY * steady["median"]:
            yield f"the times of `{name}` scatter widely; close other programs, or take larger inputs"
    busy = machine.load_warning(report["machine"])
    if busy:
        yield busy
