"""Ask an installed JAX what it has: run as a script by the interpreter of some environment, never imported.

Standard input is a JSON list of [kind, owner, argument, limit]: the limit is the number of arguments that may be given
by position, or a word where nothing can be asked. Standard output is the versions of JAX and Python and one answer
each: "present", "deprecated" (looking it up warns), "gone" or "unknown" (nothing can be asked, or a package that the
module needs is not installed).
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import warnings
from typing import Any

_OPTION = "jax.config."
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_WARNS = (DeprecationWarning, FutureWarning)


def look_up(name: str) -> Any:
    """The object of a dotted name; an AttributeError or ImportError when there is none."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise  # a package that the module needs
            continue
        break
    else:
        builtins = importlib.import_module("builtins")
        return getattr(builtins, name)
    for part in parts[end:]:
        if inspect.isclass(found) and part in getattr(found, "__annotations__", {}):
            return part  # a field without a default
        found = getattr(found, part)
    return found


def ask(jax: Any, options: frozenset[str], kind: str, owner: str, argument: str, limit: str) -> str:
    """The state of one name, module or argument."""
    if kind in ("module", "import"):
        importlib.import_module(owner)
        return "present"
    if owner.startswith(_OPTION) and owner != "jax.config.config":
        return "present" if owner[len(_OPTION) :] in options else "gone"
    if owner.startswith("jax.Array."):
        getattr(jax.numpy.zeros(2), owner.rpartition(".")[2])
        return "present"
    found = look_up(owner)
    if limit:
        parameters = inspect.signature(found).parameters.values()
        if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
            return "unknown"  # the function looks at them itself
        positional = sum(parameter.kind in _BY_POSITION for parameter in parameters)
        return "present" if positional > int(limit) else "gone"
    if not argument:
        return "present"
    parameter = inspect.signature(found).parameters.get(argument)
    keyword = parameter is not None and parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
    return "present" if keyword else "gone"


def state(jax: Any, options: frozenset[str], question: list[str]) -> str:
    """The state, with what looking it up tells."""
    kind, owner, argument, limit = question
    if (limit and not limit.isdigit()) or kind in ("default", "tuning", "behaviour"):
        return "unknown"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = ask(jax, options, kind, owner, argument, limit)
        except (TypeError, ValueError):
            return "unknown"
        except ModuleNotFoundError as error:
            own = error.name is not None and error.name.partition(".")[0] in ("jax", "jaxlib")
            return "gone" if own else "unknown"
        except Exception:  # also modules that refuse to be imported
            return "gone"
    warned = any(issubclass(item.category, _WARNS) for item in caught)
    return "deprecated" if warned and found == "present" else found


def main() -> None:
    """Answer the questions on standard input."""
    jax = importlib.import_module("jax")
    options = frozenset(jax.config.values)  # before `import jax.config` can hide it, as it does in old versions
    questions = json.load(sys.stdin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("jax.numpy")
    answers = [state(jax, options, question) for question in questions]
    python = ".".join(map(str, sys.version_info[:2]))
    json.dump({"version": jax.__version__, "python": python, "answers": answers}, sys.stdout)


if __name__ == "__main__":
    main()
