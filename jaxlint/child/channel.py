"""What a child tells its parent: one JSON object a line, on a descriptor of its own.

Standard output belongs to the program. What is needed later is bound here, before the program can replace it.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any

_LONGEST = 64 * 1024


class Channel:
    """The way to the parent."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._encode = json.JSONEncoder(default=repr).encode
        self._write = os.write
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._process = os.getpid

    def tell(self, message: dict[str, Any]) -> None:
        """Send one message. A process that the program forked says nothing."""
        if self._process() != self._owner:
            return
        data = self._encode(message).encode("ascii", "backslashreplace") + b"\n"
        if len(data) > _LONGEST:
            data = self._encode({**_outline(message), "cut": True}).encode("ascii", "backslashreplace") + b"\n"
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[self._write(self._descriptor, view) :]


def read_request(descriptor: int) -> dict[str, Any]:
    """Everything that the parent sends, until it closes its end."""
    with os.fdopen(descriptor, "rb") as stream:
        request: dict[str, Any] = json.loads(stream.read())
    return request


def _outline(message: dict[str, Any]) -> dict[str, Any]:
    """A message too long to send, with its texts shortened and its lists emptied."""
    return {
        key: value[:1000] if isinstance(value, str) else value
        for key, value in message.items()
        if isinstance(value, str | int | float | bool | None)
    }
