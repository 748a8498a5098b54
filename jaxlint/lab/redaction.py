"""Takes people, machines and the values of environment variables out of a report."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

# What steers JAX, its compiler and the libraries below. Names are reported, values never.
_RELEVANT = re.compile(
    r"^_*(JAX|JAXLIB|XLA|LIBTPU|TPU|PJRT|TF|CUDA|CUDNN|CUBLAS|NVIDIA|NCCL|NVSHMEM|ROCM|ROCR|HIP|HSA|RCCL|MIOPEN"
    r"|ONEAPI|SYCL|OMP|KMP|GOMP|MKL|OPENBLAS|BLIS|MALLOC|LD|DYLD|SLURM|OMPI|PMI|ENABLE_PJRT)(_|$)|^(PYTHON[A-Z]*|NPROC)$"
)
_SHORTEST_VALUE = 3
_SEPARATORS = re.compile(r"[\s,;:=]+")
_HOMES = re.compile(r"(?P<before>(?:/home/|/Users/|[A-Za-z]:\\Users\\))(?P<user>[^/\\\s'\":]+)")


def relevant_names(environ: Mapping[str, str]) -> list[str]:
    """The variables that change what JAX does, by name."""
    return sorted(name for name in environ if _RELEVANT.match(name))


def scrub(text: str, environ: Mapping[str, str]) -> str:
    """A message from outside without the value of any environment variable, whole or in part."""
    parts: dict[str, str] = {}
    for name in relevant_names(environ):
        for part in _SEPARATORS.split(environ[name]):
            parts.setdefault(part, name)
            parts.setdefault(part.lstrip("-"), name)
    for name, value in environ.items():
        if name not in {"HOME", "USERPROFILE"}:
            parts.setdefault(value, name)
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _SHORTEST_VALUE and not part.isspace():
            text = _replace_word(text, part, f"<{parts[part]}>")
    return text


def _replace_word(text: str, part: str, replacement: str) -> str:
    """Replace a value where it stands by itself: the value `cpu` is no part of `cpuinfo`."""
    before = r"(?<!\w)" if part[0].isalnum() else ""
    after = r"(?!\w)" if part[-1].isalnum() else ""
    return re.sub(before + re.escape(part) + after, lambda _: replacement, text)


def without_people(environ: Mapping[str, str]) -> Callable[[str], str]:
    """A function that writes `~` for the home folder and `<user>` for user names in paths."""
    homes = {environ.get("HOME", ""), environ.get("USERPROFILE", ""), os.path.expanduser("~")}  # noqa: PTH111
    homes = {home.rstrip("/\\") for home in homes} - {"", "~"}
    users = {environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")}
    users |= {re.split(r"[/\\]", home)[-1] for home in homes}
    users = {user for user in users if len(user) > 1}

    def redact(text: str) -> str:
        for home in sorted(homes, key=len, reverse=True):
            text = re.sub(re.escape(home) + r"(?![\w.-])", "~", text)
        text = _HOMES.sub(r"\g<before><user>", text)
        for user in users:
            text = re.sub(rf"(?<=[/\\]){re.escape(user)}(?=[/\\]|$)", "<user>", text)
        return text

    return redact


def everywhere(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data with each of its strings changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [everywhere(item, change) for item in value]
    if isinstance(value, dict):
        return {key: everywhere(item, change) for key, item in value.items()}
    return value
