"""Steps that may fail one by one, with their times."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")
_OWN = ("/jax/", "/jaxlib/", "/jaxlint/", "\\jax\\", "\\jaxlib\\", "\\jaxlint\\")


class Stages:
    """A list of steps: what ran, for how long, and what it raised."""

    def __init__(self) -> None:
        self.report: list[dict[str, Any]] = []

    @property
    def failed(self) -> bool:
        """Whether any step raised."""
        return any(stage["status"] == "failed" for stage in self.report)

    def run(self, name: str, step: Callable[[], _T]) -> _T | None:
        """The result of a step; None if it raises, which is noted."""
        start = time.perf_counter()
        try:
            result = step()
        except Exception as error:
            self.report.append({"name": name, "status": "failed", "error": describe(error)})
            return None
        self.report.append({"name": name, "status": "done", "seconds": time.perf_counter() - start})
        return result

    def skip(self, name: str, reason: str) -> None:
        """Note that a step could not be tried."""
        self.report.append({"name": name, "status": "skipped", "reason": reason})

    def seconds(self, name: str) -> float | None:
        """How long a step took that ended well."""
        return next((stage.get("seconds") for stage in self.report if stage["name"] == name), None)


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as data: its type, its message, and the innermost line of the user's program."""
    report: dict[str, Any] = {"type": type(error).__name__, "message": str(error)}
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not any(part in frame.filename for part in _OWN)]
    if theirs:
        report["place"] = {"path": theirs[-1].filename, "row": theirs[-1].lineno, "line": theirs[-1].line or ""}
    return report
