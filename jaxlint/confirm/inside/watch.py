"""Watching which lines of one file run, and what is being traced while they do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from jaxlint.confirm.inside import traces

Hook = Callable[[FrameType], Callable[[FrameType], None] | None]
"""Called before a watched row runs; what it returns is called when the row has run in that frame."""


@dataclass(slots=True)
class Row:
    """How often a row ran, and how often so while anything, or everything, was traced."""

    ran: int = 0
    traced: int = 0
    staged: int = 0
    kinds: tuple[str, ...] = ()


@dataclass(slots=True)
class Call:
    """A call of a function of the file: its code and the arguments it had."""

    code: CodeType
    arguments: dict[str, Any]
    traced: bool


@dataclass(slots=True)
class Watched:
    """What one run did in the file."""

    rows: dict[int, Row] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    opened: dict[int, Any] = field(default_factory=dict)
    counts: dict[CodeType, int] = field(default_factory=dict)
    frames: list[FrameType] = field(default_factory=list)
    returned: dict[int, Any] = field(default_factory=dict)
    """What frames returned in which a hook was called, by identity."""

    def row(self, first: int, last: int) -> Row:
        """The rows from `first` to `last` as one: the most that any of them ran."""
        rows = [self.rows[number] for number in range(first, last + 1) if number in self.rows]
        if not rows:
            return Row()
        kinds = next((row.kinds for row in rows if row.kinds), ())
        return Row(
            max(row.ran for row in rows), max(row.traced for row in rows), max(row.staged for row in rows), kinds
        )


_MOST_CALLS = 12
"""Of one function."""
_MOST_FRAMES = 4000


class Watcher:
    """Watches one file by its name in code objects."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._now = Watched()
        self._hooks: dict[int, list[Hook]] = {}

    @contextmanager
    def watching(self, hooks: dict[int, list[Hook]] | None = None) -> Iterator[Watched]:
        """Watch until the block ends. `hooks` are called at their rows."""
        before, self._now = self._now, Watched()
        hooks_before, self._hooks = self._hooks, hooks or {}
        previous = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield self._now
        finally:
            sys.settrace(previous)
            self._now, self._hooks = before, hooks_before

    def user_frames(self) -> Iterator[FrameType]:
        """The frames of the file that are on the stack, innermost first."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._path:
                yield frame
            frame = frame.f_back

    def opened_under(self, frame: FrameType) -> Any:
        """What was being traced when a frame was entered."""
        return self._now.opened.get(id(frame))

    def _enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != self._path:
            return None
        now = self._now
        now.opened[id(frame)] = traces.current()
        if len(now.frames) < _MOST_FRAMES:
            # Keeps the identity of the frame from being given to another one.
            now.frames.append(frame)
        counted = now.counts[frame.f_code] = now.counts.get(frame.f_code, 0) + 1
        if counted <= _MOST_CALLS and frame.f_code.co_name != "<module>":
            count = frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount
            names = frame.f_code.co_varnames[:count]
            arguments = {name: frame.f_locals[name] for name in names if name in frame.f_locals}
            now.calls.append(Call(frame.f_code, arguments, traces.holds_tracer(arguments, 3)))
        return self._follower()

    def _follower(self) -> Callable[..., Any]:
        pending: list[Callable[[FrameType], None]] = []

        def follow(frame: FrameType, event: str, value: Any) -> Callable[..., Any]:
            if event == "return" and self._hooks:
                self._now.returned[id(frame)] = value
            if event in ("line", "return") and pending:
                done, pending[:] = pending[:], []
                for after in done:
                    after(frame)
            if event == "line":
                self._line(frame, pending)
            return follow

        return follow

    def _line(self, frame: FrameType, pending: list[Callable[[FrameType], None]]) -> None:
        row = self._now.rows.setdefault(frame.f_lineno, Row())
        row.ran += 1
        kinds = traces.kinds()
        if kinds:
            row.traced += 1
            row.kinds = kinds
            row.staged += "DynamicJaxprTrace" in kinds
        for hook in self._hooks.get(frame.f_lineno, ()):
            after = hook(frame)
            if after is not None:
                pending.append(after)
