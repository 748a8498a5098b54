"""The smallest task: which Python and which JAX a child would run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.child.channel import Channel


def hello(_: dict[str, Any], channel: Channel) -> None:
    """Tell the versions, without importing JAX; `jax` is null where it is not installed."""
    version: str | None = None
    if importlib.util.find_spec("jax") is not None:
        try:
            version = importlib.metadata.version("jax")
        except importlib.metadata.PackageNotFoundError:
            version = "unknown"
    channel.tell({"kind": "hello", "python": sys.version.split()[0], "jax": version})
