"""What JAX makes of a function: its jaxpr, its lowered and its compiled program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax

from jaxlint.lab import hlo
from jaxlint.lab.difference import outline
from jaxlint.lab.inside import program
from jaxlint.lab.inside.callables import Subject, static_names
from jaxlint.lab.inside.stages import Stages

_MEMORY = ("argument", "output", "alias", "temp", "generated_code")


def prepare() -> None:
    """Let JAX start its backend, and forget earlier work, so that stages are timed and not their neighbours."""
    jax.config.update("jax_enable_compilation_cache", False)
    jax.block_until_ready(jax.jit(lambda x: x + 1)(0.0))
    jax.clear_caches()


def probe(
    subject: Subject, args: Sequence[Any], kwargs: dict[str, Any], *, optimised: bool, folder: Path | None = None
) -> dict[str, Any]:
    """The report on one function with one set of inputs; `outline` holds its equations for a comparison."""
    stages = Stages()
    report: dict[str, Any] = {
        "function": subject.name,
        "jitted_by": subject.jitted_by,
        "static": sorted(name for name in static_names(subject, args) if not name.startswith("#")),
        "stages": stages.report,
    }
    texts: dict[str, str] = {}
    traced = stages.run("trace", lambda: subject.call.trace(*args, **kwargs))  # type: ignore[attr-defined]
    if traced is None:
        for name in ("jaxpr", "lowering", *(["compilation"] if optimised else [])):
            stages.skip(name, "the function could not be traced")
        return report
    inputs = list(_inputs(subject, traced, args))
    report["inputs"] = inputs
    report["outputs"] = stages.run("outputs", lambda: list(_leaves(traced.out_info)))
    report["jaxpr"] = stages.run("jaxpr", lambda: program.describe(traced.jaxpr))
    report["outline"] = stages.run("outline", lambda: outline(traced.jaxpr))
    texts["jaxpr.txt"] = stages.run("print the jaxpr", lambda: f"{traced.jaxpr}\n") or ""
    unused = program.unused_inputs(traced.jaxpr)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lowered = stages.run("lowering", traced.lower)
    report["warnings"] = [str(warning.message) for warning in caught]
    if lowered is not None:
        report["stablehlo"] = stages.run("StableHLO", lambda: _stablehlo(lowered, texts))
        report["hlo"] = stages.run("HLO", lambda: _hlo(lowered, texts))
    _compile(report, stages, lowered, optimised=optimised, texts=texts)
    if lowered is not None:
        _note_donation(inputs, unused, texts)
    if folder is not None:
        stages.run("write", lambda: _write(folder, texts))
    return report


def _inputs(subject: Subject, traced: Any, args: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The traced leaves of the arguments, in the order of the program's inputs."""
    static = static_names(subject, args)
    positional = [name for name, _ in subject.named(args, {}) if name not in static]
    infos = traced.args_info
    dynamic, named = infos if isinstance(infos, tuple) and len(infos) == 2 else (infos, {})
    for position, info in enumerate(dynamic):
        name = positional[position] if position < len(positional) else f"args[{position}]"
        yield from _leaves(info, name)
    for name in sorted(named):
        yield from _leaves(named[name], name)


def _leaves(tree: Any, name: str = "") -> Iterator[dict[str, Any]]:
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        aval = getattr(leaf, "_aval", leaf)  # what tells of weak types, in all releases
        yield {
            "name": name + jax.tree_util.keystr(path),
            "type": program.short_type(aval),
            "weak_type": bool(getattr(aval, "weak_type", False)),
            "donated": bool(getattr(leaf, "donated", False)),
        }


def _stablehlo(lowered: Any, texts: dict[str, str]) -> dict[str, Any]:
    text = texts["stablehlo.mlir"] = lowered.as_text()
    operations = hlo.stable_operations(text)
    return {
        "operations": sum(operations.values()),
        "bytes": len(text.encode()),
        "collectives": hlo.stable_collectives(text),
    }


def _hlo(lowered: Any, texts: dict[str, str]) -> dict[str, Any]:
    text = texts["hlo.txt"] = lowered.as_text(dialect="hlo")
    cost = _cost(lowered)
    return {"instructions": sum(hlo.instructions(text).values()), "bytes": len(text.encode()), **cost}


def _compile(report: dict[str, Any], stages: Stages, lowered: Any, *, optimised: bool, texts: dict[str, str]) -> None:
    if not optimised:
        return
    if lowered is None:
        stages.skip("compilation", "the function could not be lowered")
        return
    compiled = stages.run("compilation", lowered.compile)
    if compiled is None:
        return
    text = stages.run("optimised HLO", compiled.as_text) or ""
    texts["optimised_hlo.txt"] = text
    found = hlo.instructions(text)
    report["compiled"] = {
        "instructions": sum(found.values()),
        "fusions": found["fusion"],
        "collectives": hlo.collectives(text),
        "bytes": len(text.encode()),
        **(stages.run("cost analysis", lambda: _cost(compiled)) or {}),
        "memory": stages.run("memory analysis", lambda: _memory(compiled)),
        "aliased": len(hlo.aliased_parameters(text)),
    }


def _cost(stage: Any) -> dict[str, float]:
    """XLA's own estimate. Before JAX 0.4.38 a compiled program gave a list with one entry."""
    found = stage.cost_analysis() or {}
    if isinstance(found, (list, tuple)):
        found = found[0] if found else {}
    names = {"flops": "flops", "bytes accessed": "bytes_accessed", "transcendentals": "transcendentals"}
    return {key: float(found[name]) for name, key in names.items() if name in found}


def _memory(compiled: Any) -> dict[str, int] | None:
    stats = compiled.memory_analysis()
    if stats is None:
        return None
    return {name: int(getattr(stats, f"{name}_size_in_bytes")) for name in _MEMORY}


def _note_donation(inputs: list[dict[str, Any]], unused: list[bool], texts: dict[str, str]) -> None:
    """Say of each donated input whether an output takes over its memory; None where that is not known."""
    states = hlo.main_arguments(texts.get("stablehlo.mlir", ""))
    kept = [leaf for leaf, dropped in zip(inputs, unused, strict=False) if not dropped]
    if not any(leaf["donated"] for leaf in inputs):
        return
    known = len(kept) == len(states) and len(unused) == len(inputs)
    for leaf in inputs:
        # What the program never reads has left it, and cannot be reused.
        leaf["donation_used"] = False if known else None
    if not known:
        return
    compiled = texts.get("optimised_hlo.txt")
    aliased = hlo.aliased_parameters(compiled) if compiled else set()
    for position, (leaf, state) in enumerate(zip(kept, states, strict=True)):
        if compiled:
            leaf["donation_used"] = leaf["donated"] and position in aliased
        else:
            leaf["donation_used"] = {"aliased": True, "donor": None}.get(state, False)


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
