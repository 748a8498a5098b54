"""Runs of the program: what one is, how it may differ from an ordinary one, and the time that it may take."""

from __future__ import annotations

import contextlib
import inspect
import signal
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.entries import Entry
from jaxlint.confirm.inside.recorders import Event
from jaxlint.confirm.inside.target import Finding, Target
from jaxlint.confirm.inside.verdict import Verdict
from jaxlint.confirm.inside.watch import Watched

_MOST_ITEMS = 6


class TooLongError(BaseException):
    """A run was cut short. Not an Exception, so that the program's own handlers let it pass."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How a run differs from an ordinary one.

    jit: whether transformations compile (without, loops and jitted functions run in Python). fill: what uninitialised
    memory holds where it is made at the flagged rows. process: which process of two the program believes to be. stop:
    no gradient passes `jnp.where` at the flagged rows. checked: JAX's own check of keys. fresh: forget earlier traces.
    """

    jit: bool = True
    fill: float | None = None
    process: int | None = None
    stop: bool = False
    checked: bool = False
    fresh: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the program does what it does anyway."""
        return replace(self, jit=True, fresh=False) == Mode()


@dataclass(slots=True)
class Run:
    """One run: what ran with which inputs, how it ended, what was seen.

    trusted: the inputs are the program's own or the user's, not ours. again: runs it once more with fresh inputs.
    """

    what: str
    inputs: str
    trusted: bool
    error: BaseException | None
    result: Any
    watched: Watched
    events: list[Event]
    mode: Mode
    arguments: tuple[Any, ...] = ()
    again: Callable[..., Run] | None = None
    entry: Entry | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing around it, and nothing that we made up can be what fails.

        So with inputs of the program or the user, and for functions that need none.
        """
        return self.trusted or (self.entry is not None and not self.entry.parameters and not self.entry.receivers)

    def frames(self) -> list[tuple[str, int, str]]:
        """File, row and function of each frame of the exception, innermost first."""
        found: list[tuple[str, int, str]] = []
        trace = self.error.__traceback__ if self.error is not None else None
        while trace is not None:
            code = trace.tb_frame.f_code
            found.append((code.co_filename, trace.tb_lineno, code.co_name))
            trace = trace.tb_next
        return found[::-1]


Examine = Callable[[Run], Verdict | None]


@dataclass(slots=True)
class Question:
    """A finding with its surroundings."""

    finding: Finding
    target: Target
    deadline: float
    rows: range = field(default_factory=lambda: range(0))


def describe(error: BaseException) -> str:
    """An exception on one line."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300].rstrip(": ")


def finished(result: Any) -> Any:
    """The result, when what it stands for has been computed. Generators are run for a few items."""
    import jax

    if inspect.isgenerator(result):
        items = []
        for item in result:
            items.append(item)
            if len(items) >= _MOST_ITEMS:
                break
        result = items
    with contextlib.suppress(TypeError, AttributeError):
        for leaf in jax.tree.leaves(result):
            if isinstance(leaf, jax.Array) and not traces.is_tracer(leaf) and not leaf.is_deleted():
                leaf.block_until_ready()
    return result


def copied(value: Any) -> Any:
    """A value whose arrays can be donated without loss."""
    import jax
    import jax.numpy as jnp

    if isinstance(value, types.FunctionType):
        return value
    return jax.tree.map(
        lambda leaf: jnp.copy(leaf) if isinstance(leaf, jax.Array) and not traces.is_tracer(leaf) else leaf, value
    )


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Cut a run short by a signal; what does not return to Python is ended by the parent. Limits may be nested."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_: int, frame: FrameType | None) -> None:
        raise TooLongError(f"cut short after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    started = time.monotonic()
    left = signal.setitimer(signal.ITIMER_REAL, seconds)[0]
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), 0.01))
