"""The inventory for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

_SECTIONS = (
    ("custom_derivatives", "custom rules"),
    ("control_flow", "control flow"),
    ("key_sources", "key sources"),
    ("meshes", "meshes"),
    ("shardings", "shardings"),
    ("collectives", "collectives"),
    ("donations", "donation"),
    ("callbacks", "callbacks"),
    ("settings", "settings"),
)
_MOST = 5


def text(report: dict[str, Any]) -> str:
    """A page: totals first, then each section with its first places."""
    return (
        "\n".join(
            [*_head(report), *_transformations(report), *_sections(report), *_currency(report), *_findings(report)]
        )
        + "\n"
    )


def _head(report: dict[str, Any]) -> Iterator[str]:
    files, jax = report["files"], report["jax"]
    yield f"{files['count']} files, {files['rows']:,} lines"
    if files["libraries"]:
        counted = ", ".join(f"{name} ({count})" for name, count in files["libraries"].items())
        yield f"libraries, by the files that import them: {counted}"
    yield f"JAX {jax['target']} ({jax['origin']})"


def _transformations(report: dict[str, Any]) -> Iterator[str]:
    entries = report["transformations"]
    yield f"\ntransformed functions: {len(entries)}"
    names = Counter(entry["name"] for entry in entries)
    for name, number in names.most_common():
        shown = [_function(entry) for entry in entries if entry["name"] == name]
        yield f"  {name} {number}"
        yield from _listed(shown)


def _function(entry: dict[str, Any]) -> str:
    options = ", ".join(f"{name}={value}" for name, value in sorted(entry["options"].items()))
    where = f"{entry['path']}:{entry['row']}"
    return f"{entry['function'] or '?'} at {where}{f' ({options})' if options else ''}"


def _listed(shown: list[str]) -> Iterator[str]:
    yield from (f"    {line}" for line in shown[:_MOST])
    if len(shown) > _MOST:
        yield f"    and {len(shown) - _MOST} more"


def _sections(report: dict[str, Any]) -> Iterator[str]:
    for key, title in _SECTIONS:
        entries = report[key]
        if not entries:
            continue
        names = Counter(entry["name"] for entry in entries)
        yield f"\n{title}: {len(entries)} ({', '.join(f'{name} {number}' for name, number in names.most_common())})"
        yield from _listed([f"{entry['name']} at {entry['path']}:{entry['row']}" for entry in entries])
    absent = [title for key, title in _SECTIONS if not report[key]]
    if absent:
        yield f"\nnone: {', '.join(absent)}"


def _currency(report: dict[str, Any]) -> Iterator[str]:
    currency = report["currency"]
    changes = currency["changes"]
    yield f"\nAPI currency, against JAX {currency['judged_against']}: {len(changes)} changed names and arguments in use"
    if currency["runs_before"]:
        yield f"  something that is used here without a test for it is gone since JAX {currency['runs_before']}"
    for change in changes:
        when = []
        if change["deprecated_in"]:
            when.append(f"deprecated in {change['deprecated_in']}")
        if change["removed_in"]:
            verb = "changed" if change["kind"] in ("default", "behaviour", "tuning") else "removed"
            when.append(f"{verb} in {change['removed_in']}")
        instead = f"; now {change['replacement']}" if change["replacement"] else ""
        guarded = ", guarded" if change["guarded"] else ""
        first = change["places"][0]
        more = f" and {len(change['places']) - 1} more" if len(change["places"]) > 1 else ""
        yield f"  {change['name']}: {', '.join(when)}{instead}{guarded} ({first['path']}:{first['row']}{more})"


def _findings(report: dict[str, Any]) -> Iterator[str]:
    findings = report["findings"]
    yield f"\nfindings: {findings['count']}"
    for family, codes in findings["families"].items():
        yield f"  {family}: {', '.join(f'{name} {number}' for name, number in codes.items())}"
