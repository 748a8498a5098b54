"""The first thing that runs in a child: `python boot.py TASK READ_FD WRITE_FD`.

TASK is `package.module:function` inside jaxlint; the function gets the request and the channel to tell things on.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path


def _lend_package() -> None:
    """Make `jaxlint` importable from its own folder, without showing that folder's neighbours to the program."""
    folder = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        "jaxlint", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(str(folder))
    package = importlib.util.module_from_spec(spec)
    sys.modules["jaxlint"] = package
    spec.loader.exec_module(package)


def main(arguments: list[str]) -> None:
    """Read the request, run the task, and leave without running what the program left behind."""
    task, read_fd, write_fd = arguments[0], int(arguments[1]), int(arguments[2])
    _lend_package()
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]
    channel = importlib.import_module("jaxlint.child.channel").Channel(write_fd)
    request = importlib.import_module("jaxlint.child.channel").read_request(read_fd)
    importlib.import_module("jaxlint.child.limits").restrict(request.pop("limits", {}))
    module, _, function = task.partition(":")
    # A program may look at its own command line, and must not find ours.
    sys.argv[:] = [request.get("path", "")]
    getattr(importlib.import_module(module), function)(request, channel)
    channel.tell({"kind": "end"})
    # Threads and exit handlers of the program must not keep the child alive.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
