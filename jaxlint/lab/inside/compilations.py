"""Hears from JAX what it compiles and why: its log of compilations and its explanation of cache misses."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import jax

_COMPILING = re.compile(
    r"Compiling (?P<name>.+?) with global shapes and types (?P<types>.*?)\. Argument mapping", re.DOTALL
)
_COMPILED = re.compile(r"Finished XLA compilation of (?P<name>.+?) in (?P<seconds>[\d.e+-]+) sec")
_MISS = re.compile(r"TRACING CACHE MISS at (?P<place>.*?)(?: because)?:\n(?P<text>.*)", re.DOTALL)
_DEFINED = re.compile(r"^\s*(?:for )?(?P<name>\S+)(?: id=(?P<identity>\d+))? defined at (?P<place>\S+)", re.MULTILINE)
_CHANGED = re.compile(
    r"\* at (?P<argument>.+?), (?:now (?P<now>.+?) and before (?P<before>.+)"
    r"|seen (?P<seen>.+?), but now given (?P<given>.+))"
)


@dataclass(slots=True)
class Explanation:
    """JAX's words on why a function was traced again."""

    name: str
    place: str
    defined: str
    identity: str
    text: str

    def kinds(self) -> set[str]:
        """The causes that the words speak of, in our terms."""
        text = self.text
        found: set[str] = set()
        if "never seen function" in text:
            found.add("function")
        if "input pytree" in text or "never seen passing" in text:
            found.add("static value" if "Static(" in text else "pytree structure")
        if "static" in text and "value" in text:
            found.add("static value")
        if "racing context" in text:
            found.add("context")
        if "weak_type" in text:
            found.add("weak type")
        for change in _CHANGED.finditer(text):
            before, now = change["before"] or change["seen"] or "", change["now"] or change["given"] or ""
            if before.partition("[")[0] != now.partition("[")[0]:
                found.add("dtype")
            if _shape(before) != _shape(now):
                found.add("shape")
        return found


@dataclass(slots=True)
class Compilation:
    """One program that was compiled."""

    name: str
    types: str
    seconds: float | None = None
    explanation: Explanation | None = None


@dataclass(slots=True)
class Heard:
    """What was compiled while JAX was listened to."""

    compilations: list[Compilation] = field(default_factory=list)


class _Listener(logging.Handler):
    def __init__(self, heard: Heard) -> None:
        super().__init__()
        self._heard = heard
        self._waiting: dict[str, Explanation] = {}

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if miss := _MISS.match(message):
            defined = _DEFINED.search(miss["text"])
            if defined:
                name = defined["name"].rpartition(".")[2]
                self._waiting[name] = Explanation(
                    name, miss["place"], defined["place"], defined["identity"] or "", message.strip()
                )
        elif compiling := _COMPILING.match(message):
            name = _function(compiling["name"])
            self._heard.compilations.append(
                Compilation(name, compiling["types"], explanation=self._waiting.pop(name, None))
            )
        elif compiled := _COMPILED.match(message):
            name = _function(compiled["name"])
            for compilation in reversed(self._heard.compilations):
                if compilation.name == name and compilation.seconds is None:
                    compilation.seconds = float(compiled["seconds"])
                    break


@contextlib.contextmanager
def listening() -> Iterator[Heard]:
    """Hear what is compiled inside; nothing of it is printed."""
    heard = Heard()
    logger = logging.getLogger("jax")
    before: tuple[list[logging.Handler], bool, int] = (logger.handlers, logger.propagate, logger.level)
    flags = {name: getattr(jax.config, name) for name in _flags()}
    logger.handlers, logger.propagate = [_Listener(heard)], False
    logger.setLevel(logging.DEBUG)
    try:
        for name in flags:
            jax.config.update(name, True)
        yield heard
    finally:
        for name, value in flags.items():
            jax.config.update(name, value)
        logger.handlers, logger.propagate = before[:2]
        logger.setLevel(before[2])


def explains() -> bool:
    """Whether this release of JAX explains its cache misses."""
    return hasattr(jax.config, "jax_explain_cache_misses")


def _flags() -> list[str]:
    return [name for name in ("jax_log_compiles", "jax_explain_cache_misses") if hasattr(jax.config, name)]


def _function(name: str) -> str:
    """`step` of `jit(step)`."""
    match = re.fullmatch(r"(?:jit|pjit|pmap)\((.*)\)", name)
    return match[1] if match else name


def _shape(text: str) -> str:
    return text.partition("[")[2].partition("]")[0]


def abstract_types(types: str) -> list[dict[str, Any]]:
    """The inputs of a compiled program as its log lists them: dtype, shape, weak type."""
    found = []
    for match in re.finditer(r"ShapedArray\((?P<type>[^()]*?\])(?P<rest>[^()]*)\)", types):
        dtype, _, shape = match["type"].partition("[")
        found.append({"dtype": dtype, "shape": shape.rstrip("]"), "weak_type": "weak_type=True" in match["rest"]})
    return found
