"""Reports from the child to the parent, in as many messages as they need."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

_PART = 16_000


def parts(report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages that carry a report."""
    text = json.dumps(_strict(report), default=repr, allow_nan=False)
    for start in range(0, len(text), _PART):
        yield {"kind": "part", "text": text[start : start + _PART]}


def joined(texts: list[str]) -> dict[str, Any]:
    """The report out of the texts of its messages."""
    report: dict[str, Any] = json.loads("".join(texts))
    return report


def _strict(value: Any) -> Any:
    """The value without what JSON has no word for: infinities and not-a-number become texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    return value
