"""Runs the cases and says for each call what was compiled, and why."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from jaxlint.lab.inside.callables import Subject
from jaxlint.lab.inside.compilations import Compilation, abstract_types, listening
from jaxlint.lab.inside.signatures import Cause, Signature, nearest, signature
from jaxlint.lab.inside.stages import describe

_JAX = str(Path(jax.__file__).parent) + os.sep


@dataclass(frozen=True, slots=True)
class Case:
    """One call."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Watch:
    """Runs calls of one function and remembers what they were."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._name = getattr(subject.call, "__name__", subject.name.rpartition(".")[2])
        self._signatures: list[Signature] = []
        self._labels: list[str] = []
        self._inner: dict[str, list[tuple[Compilation, str]]] = {}
        self._theirs: set[str] = set()

    def call(self, case: Case) -> dict[str, Any]:
        """Make one call; the report says what was compiled during it."""
        label = f"call {len(self._labels) + 1}"
        now = signature(self._subject, case.args, case.kwargs)
        report: dict[str, Any] = {"call": len(self._labels) + 1, "case": case.name}
        start = time.perf_counter()
        with listening() as heard:
            try:
                jax.block_until_ready(self._subject.call(*case.args, **case.kwargs))
            except Exception as error:
                report["error"] = describe(error)
        report["seconds"] = time.perf_counter() - start
        report["compilations"] = [self._explained(compilation, now, label) for compilation in heard.compilations]
        self._signatures.append(now)
        self._labels.append(label)
        return report

    def _explained(self, compilation: Compilation, now: Signature, label: str) -> dict[str, Any]:
        own = self._subject.staged and compilation.name == self._name
        report: dict[str, Any] = {
            "function": compilation.name,
            "own": own,
            "operation": not own and self._is_operation(compilation),
            "types": compilation.types,
            "seconds": compilation.seconds,
        }
        words = compilation.explanation
        if own:
            compared, causes = self._own_causes(now, compilation)
        else:
            compared, causes = self._inner_causes(compilation)
        kinds = words.kinds() if words else set()
        report["compared_with"] = compared
        report["causes"] = [
            {**cause.as_json(), "source": "jax" if cause.kind in kinds else "signatures"} for cause in causes
        ]
        report["jax"] = words.text if words else None
        self._inner.setdefault(compilation.name, []).append((compilation, label))
        return report

    def _own_causes(self, now: Signature, compilation: Compilation) -> tuple[str | None, list[Cause]]:
        if not self._signatures:
            return None, [Cause("first call", "", "", "")]
        number, causes = nearest(now, self._signatures)
        if not causes:
            kinds = compilation.explanation.kinds() if compilation.explanation else set()
            causes = [_CONTEXT if "context" in kinds else _IDENTITY]
        return self._labels[number], causes

    def _inner_causes(self, compilation: Compilation) -> tuple[str | None, list[Cause]]:
        """Why a function compiled that the program calls itself: its arguments are known by their types alone."""
        earlier = self._inner.get(compilation.name, [])
        words = compilation.explanation
        if words:
            earlier = [
                entry for entry in earlier if entry[0].explanation and entry[0].explanation.defined == words.defined
            ]
        if not earlier:
            return None, [Cause("first call", "", "", "")]
        before, label = min(
            reversed(earlier), key=lambda entry: len(list(_type_causes(entry[0].types, compilation.types)))
        )
        causes = list(_type_causes(before.types, compilation.types))
        kinds = words.kinds() if words else set()
        if "function" in kinds:
            causes.insert(0, _IDENTITY)
        for kind in ("pytree structure", "static value"):
            if kind in kinds and not causes:
                causes.append(Cause(kind, "", "", ""))
        if "context" in kinds:
            causes.append(_CONTEXT)
        return label, causes or [Cause("static value or closure identity", "", "", "")]

    def _is_operation(self, compilation: Compilation) -> bool:
        """Whether it is one of JAX's own functions, such as an operation outside of `jit`."""
        words = compilation.explanation
        if words is not None and not words.defined.startswith(_JAX):
            self._theirs.add(compilation.name)
        return compilation.name not in self._theirs


_IDENTITY = Cause("closure identity", "", "another function object", "a new function object")
_CONTEXT = Cause("context", "", "other settings of JAX", "settings or context managers changed")


def _type_causes(before: str, now: str) -> Iterator[Cause]:
    old, new = abstract_types(before), abstract_types(now)
    if len(old) != len(new):
        yield Cause("arguments", "", f"{len(old)} arrays", f"{len(new)} arrays")
        return
    for position, (left, right) in enumerate(zip(old, new, strict=True)):
        for kind, key in (("shape", "shape"), ("dtype", "dtype"), ("weak type", "weak_type")):
            if left[key] != right[key]:
                yield Cause(kind, f"array {position}", _type(left), _type(right))


def _type(entry: dict[str, Any]) -> str:
    return f"{entry['dtype']}[{entry['shape']}]{' weak' if entry['weak_type'] else ''}"


def run(
    subject: Subject, batches: Iterable[Callable[[], Sequence[Case]]], tell: Callable[[dict[str, Any]], None]
) -> list[dict[str, Any]]:
    """All cases of all batches in order. A batch is made when its turn comes, so that nothing donated comes again."""
    watch = Watch(subject)
    calls = []
    for batch in batches:
        for case in batch():
            jax.block_until_ready(jax.tree_util.tree_leaves((case.args, case.kwargs)))
            calls.append(watch.call(case))
            tell(calls[-1])
    return calls
