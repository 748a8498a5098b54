"""Arguments from a factory that the user names: a function that returns `(args, kwargs)`."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from jaxlint.child.loading import Loaded, LoadError, find

_COMMENT = re.compile(r"#\s*jaxlint:\s*inputs\s*=\s*([\w.]+(?::[\w.]+)?)")

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


def named_in_comment(loaded: Loaded, first_row: int, last_row: int) -> str | None:
    """The factory that a `# jaxlint: inputs=make_inputs` comment names, on the rows given or the one above them."""
    lines = Path(loaded.path).read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines[max(first_row - 2, 0) : last_row]:
        match = _COMMENT.search(line)
        if match:
            return match.group(1)
    return None


def factory(loaded: Loaded, name: str) -> Any:
    """The factory called `pkg.mod:name`, or `name` in the module itself."""
    module, colon, function = name.partition(":")
    if not colon:
        return find(loaded, name)
    try:
        target = importlib.import_module(module)
    except ImportError as error:
        raise LoadError(f"the factory `{name}` cannot be imported: {error}") from None
    return find(Loaded(target, loaded.tree, target.__file__ or module), function)


def call_factory(make: Any, name: str) -> Inputs:
    """One fresh set of arguments."""
    result = make()
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
        positional = result[0]
        if isinstance(positional, tuple | list):
            return tuple(positional), dict(result[1])
    raise LoadError(f"the factory `{name}` must return `(args, kwargs)`, not {type(result).__name__}")
