"""The text of `jaxlint env`."""

from __future__ import annotations

import textwrap
from typing import Any

from jaxlint.lab.report.tables import plural, seconds, size, table

_WIDTH = 100


def text(report: dict[str, Any]) -> str:
    """What a bug report or a benchmark should say about where it ran."""
    rows = []
    if "python" in report:
        python, system = report["python"], report["system"]
        rows = [
            ["python", f"{python['version']} ({python['implementation']}), {python['executable']}"],
            [
                "system",
                f"{system['name']} {system['release']}, {system['machine']}, {plural(system['cpus'] or 0, 'cpu')}",
            ],
            ["versions", ", ".join(f"{name} {version}" for name, version in report["versions"].items())],
        ]
    if "jax" in report:
        rows.append(["jax", f"{report['jax']['version']}, imported from {report['jax']['location']}"])
    rows += _backend_rows(report.get("backend"))
    rows += _setting_rows(report.get("settings"))
    rows += _cache_rows(report.get("compilation_cache"))
    names = report["environment_variables"]
    rows.append(["environment", f"{', '.join(names)} (names only)" if names else "no relevant variable is set"])
    smoke = [
        f"{test['name']} {seconds(test['seconds']) if test['ok'] else 'FAILED'}" for test in report.get("smoke", ())
    ]
    rows.append(["smoke test", ", ".join(smoke) if smoke else "not run"])
    lines = table([part for label, value in rows for part in _wrapped(label, value)])
    for failure in report["failures"]:
        message = failure["message"].strip().replace("\n", "\n    ")
        lines.append(f"{failure['stage']} failed: {failure['error']}: {message}")
    lines.append("JAX works here." if report["ok"] else "JAX does not work here.")
    return "\n".join(lines) + "\n"


def _wrapped(label: str, value: str) -> list[list[str]]:
    parts = textwrap.wrap(value, _WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    return [[label if index == 0 else "", part] for index, part in enumerate(parts)]


def _backend_rows(backend: dict[str, Any] | None) -> list[list[str]]:
    if backend is None:
        return []
    devices = ", ".join(f"{entry['count']} x {entry['kind']}" for entry in backend["devices"])
    version = f" ({backend['platform_version']})" if backend["platform_version"] else ""
    local = f", {backend['local_devices']} of them local" if backend["processes"] > 1 else ""
    return [
        ["backend", backend["platform"] + version],
        ["devices", devices + local],
        ["processes", f"{backend['processes']}, this is number {backend['process']}"],
    ]


def _setting_rows(settings: dict[str, Any] | None) -> list[list[str]]:
    if settings is None:
        return []
    return [
        ["x64", "on" if settings["x64"] else "off"],
        ["matmul", f"{settings['matmul_precision']} precision"],
        ["keys", settings["prng"] or "unknown"],
        ["flags", f"{', '.join(settings['flags_of_environment']) or 'none'} set by the environment"],
    ]


def _cache_rows(cache: dict[str, Any] | None) -> list[list[str]]:
    if cache is None:
        return []
    if not cache["enabled"]:
        return [["cache", "no persistent compilation cache"]]
    if "entries" in cache:
        kept = f"{plural(cache['entries'], 'entry', 'entries')}, {size(cache['bytes'])}"
    else:
        kept = "its folder does not exist yet" if cache.get("exists") is False else "on a remote system"
    return [["cache", f"persistent, {kept}{'' if cache.get('writable', True) else ', NOT WRITABLE'}"]]
