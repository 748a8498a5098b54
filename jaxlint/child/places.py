"""What the commands that run programs check before they start: the interpreter and its JAX."""

from __future__ import annotations

import os
import shutil
import sys

from jaxlint.child.process import Child, ChildEndedError, Limits, Setting
from jaxlint.config.errors import UsageError

INSTALL = "pip install 'jax-linter[confirm]'"


def interpreter(chosen: str | None) -> str:
    """The Python that runs the program: the one named, that of the active environment, or our own."""
    if chosen is not None:
        found = shutil.which(chosen)
        if found is None:
            raise UsageError(f"--python: no such interpreter: {chosen}")
        return found
    active = os.environ.get("VIRTUAL_ENV")
    candidate = os.path.join(active, "bin", "python") if active else None  # noqa: PTH118
    return candidate if candidate is not None and os.access(candidate, os.X_OK) else sys.executable


def require_jax(python: str) -> str:
    """The version of JAX under an interpreter; its absence is the user's to mend."""
    try:
        with Child("jaxlint.child.hello:hello", {}, Setting(python), Limits(seconds=30)) as child:
            told = next(child.messages(), {})
    except ChildEndedError as end:
        detail = f": {end.output.strip().splitlines()[-1]}" if end.output.strip() else ""
        raise UsageError(f"the interpreter {python} cannot run programs for jaxlint: {end}{detail}") from None
    version = told.get("jax")
    if not isinstance(version, str):
        raise UsageError(
            f"this command runs your program, and JAX is not installed for {python}: `{INSTALL}` there, "
            "or name your project's interpreter with --python"
        )
    return version
