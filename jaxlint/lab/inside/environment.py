"""What JAX runs on here: versions, backend, devices, settings, and whether it works."""

from __future__ import annotations

import functools
import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from jaxlint.lab.redaction import everywhere, scrub, without_people

_FRIENDS = (
    "numpy", "scipy", "ml_dtypes", "opt_einsum", "flax", "optax", "equinox", "dm-haiku", "chex", "jaxtyping",
    "orbax-checkpoint", "distrax", "numpyro", "blackjax", "diffrax", "jaxopt", "penzai", "tensorflow", "torch",
)  # fmt: skip
_PLUGIN = re.compile(r"^(jax[-_].*plugin|jax[-_](cuda|rocm|metal|tpu)|jax-metal|libtpu|jax_plugins)")
_WORD = re.compile(r"^[a-z0-9_]{2,24}$")


def collect(variables: Sequence[str], *, redacted: bool = True) -> dict[str, Any]:
    """The whole report. Nothing in it is the value of an environment variable; `variables` are names to mention."""
    report: dict[str, Any] = {
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "executable": sys.executable,
        },
        "system": {
            "name": platform.system(),
            "release": platform.release(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
        },
        "environment_variables": list(variables),
        "versions": _versions(),
        "failures": [],
    }
    jax = _attempt(report, "import", _import_jax)
    if jax is not None:
        report["jax"] = {"version": jax.__version__, "location": str(Path(jax.__file__).parent)}
        report["settings"] = _attempt(report, "settings", lambda: _settings(jax))
        report["compilation_cache"] = _attempt(report, "compilation cache", lambda: _cache(jax))
        report["backend"] = _attempt(report, "backend", lambda: _backend(jax))
        report["smoke"] = _smoke(report, jax) if report["backend"] else []
    report["ok"] = not report["failures"]
    return everywhere(report, without_people(os.environ)) if redacted else report


def _import_jax() -> Any:
    import jax  # noqa: PLC0415 (a failure is part of the report)

    return jax


def _attempt(report: dict[str, Any], stage: str, step: Callable[[], Any]) -> Any:
    """The result of a step; what it raises is noted, without values of the environment."""
    try:
        return step()
    except Exception as error:
        message = str(error) or f"at `{traceback.extract_tb(error.__traceback__)[-1].line}`"
        report["failures"].append(
            {"stage": stage, "error": type(error).__name__, "message": scrub(message, os.environ)}
        )
        return None


def _versions() -> dict[str, str]:
    """Of JAX, its plugins and its friends, as far as they are installed."""
    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        name = str(distribution.metadata["Name"] or "")
        if name in {"jax", "jaxlib", *_FRIENDS} or _PLUGIN.match(name.lower()):
            found.setdefault(name, distribution.version)
    first = ("jax", "jaxlib")
    return {name: found[name] for name in sorted(found, key=lambda name: (name not in first, name.lower()))}


def _backend(jax: Any) -> dict[str, Any]:
    devices = jax.devices()
    kinds: dict[str, int] = {}
    for device in devices:
        kinds[device.device_kind] = kinds.get(device.device_kind, 0) + 1
    return {
        "platform": jax.default_backend(),
        "platform_version": _first_line(getattr(devices[0].client, "platform_version", "")),
        "devices": [{"count": count, "kind": kind} for kind, count in kinds.items()],
        "local_devices": jax.local_device_count(),
        "processes": jax.process_count(),
        "process": jax.process_index(),
    }


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _settings(jax: Any) -> dict[str, Any]:
    return {
        "x64": bool(jax.config.jax_enable_x64),
        "matmul_precision": _word(jax.config.jax_default_matmul_precision) or "default",
        "prng": _word(jax.config.jax_default_prng_impl),
        "flags": _flags(jax),
        "flags_of_environment": sorted(name for name in jax.config.values if name.upper() in os.environ),
    }


def _word(value: Any) -> str | None:
    """A setting that is one word out of a list that JAX checks."""
    return str(value) if value is not None and _WORD.match(str(value)) else None


def _flags(jax: Any) -> dict[str, Any]:
    """The flags of `jax.config`. Of one that could hold the value of a variable, only whether it is set."""
    flags: dict[str, Any] = {}
    values = set(os.environ.values())
    for name in sorted(jax.config.values):
        value = getattr(jax.config, name, jax.config.values[name])
        ours = name.upper() not in os.environ and str(value) not in values
        plain = isinstance(value, (int, float)) or _word(value) is not None
        flags[name] = value if isinstance(value, bool) or value is None or (ours and plain) else "set"
    return flags


def _cache(jax: Any) -> dict[str, Any]:
    """The persistent cache of compiled programs. Its folder is often set by a variable, so it is not named."""
    folder = jax.config.jax_compilation_cache_dir
    enabled = bool(folder) and bool(getattr(jax.config, "jax_enable_compilation_cache", True))
    report: dict[str, Any] = {"enabled": enabled}
    if enabled and "://" not in str(folder):
        path = Path(folder)
        report["exists"] = path.is_dir()
        report["writable"] = os.access(path if path.is_dir() else path.parent, os.W_OK)
        if path.is_dir():
            sizes = [entry.stat().st_size for entry in path.iterdir() if entry.is_file()]
            report["entries"], report["bytes"] = len(sizes), sum(sizes)
    return report


def _smoke(report: dict[str, Any], jax: Any) -> list[dict[str, Any]]:
    """The least that must work, each by itself."""
    results = []
    for name, check in (("matmul", _matmul), ("jit", _jit), ("grad", _grad), ("key", _key)):
        failed = len(report["failures"])
        start = time.perf_counter()
        _attempt(report, f"smoke test {name}", functools.partial(check, jax))
        ok = len(report["failures"]) == failed
        results.append({"name": name, "ok": ok, "seconds": time.perf_counter() - start})
    return results


def _expect(condition: Any, claim: str) -> None:
    if not condition:
        raise ArithmeticError(f"{claim} does not hold")


def _matmul(jax: Any) -> None:
    ones = jax.numpy.ones((8, 8))
    _expect((ones @ ones == 8).all(), "ones(8, 8) @ ones(8, 8) == 8")


def _jit(jax: Any) -> None:
    _expect(jax.jit(lambda x: x * 2 + 1)(3.0) == 7, "jit(x * 2 + 1)(3) == 7")


def _grad(jax: Any) -> None:
    _expect(jax.grad(lambda x: x**3)(2.0) == 12, "grad(x ** 3)(2) == 12")


def _key(jax: Any) -> None:
    first, second = jax.random.split(jax.random.key(0))
    draws = jax.random.uniform(first, (8,)), jax.random.uniform(second, (8,))
    _expect(((draws[0] >= 0) & (draws[0] < 1)).all(), "0 <= uniform(key) < 1")
    _expect((draws[0] != draws[1]).any(), "split keys draw different numbers")
