"""What a child may not exceed on its own; time and resident memory are watched by the parent."""

from __future__ import annotations

import sys
from typing import Any

RESERVE = 48 * 2**30
"""Address space on top of the memory limit: XLA, its threads and its caches reserve far more than they touch."""


def restrict(limits: dict[str, Any]) -> None:
    """Take away core dumps, and address space without bound, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    memory = limits.get("memory")
    if memory and sys.platform == "linux":
        _lower(resource.RLIMIT_AS, memory + RESERVE)


def _lower(kind: int, value: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (wanted, wanted))
