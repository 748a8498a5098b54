"""How much memory a process and its descendants use."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections import defaultdict
from pathlib import Path


def resident(pid: int) -> int:
    """Resident bytes of a process group's leader and all below it; 0 where the system does not say."""
    if Path("/proc/self/statm").exists():
        return _from_proc(pid)
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        text = subprocess.run(
            ["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=5
        ).stdout
        return int(text or 0) * 1024
    return 0


def _from_proc(pid: int) -> int:
    page = os.sysconf("SC_PAGE_SIZE")
    total, todo, children = 0, [pid], None
    while todo:
        current = todo.pop()
        try:
            total += int(Path(f"/proc/{current}/statm").read_bytes().split()[1]) * page
            listed = Path(f"/proc/{current}/task/{current}/children").read_bytes().split()
        except (OSError, IndexError, ValueError):
            # A kernel without the list of children: look at every process once.
            children = _children_of_all() if children is None else children
            todo += children.pop(current, [])
            continue
        todo += map(int, listed)
    return total


def _children_of_all() -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            # The name may hold blanks and parentheses; the fields after it do not.
            parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            found[parent].append(int(entry.name))
    return found
