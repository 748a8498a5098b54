"""Tasks that children of the tests run: what they do to a linter is what programs do."""

from __future__ import annotations

import builtins
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any


def echo(request: dict[str, Any], channel: Any) -> None:
    channel.tell({"kind": "echo", "value": request["value"]})


def load(request: dict[str, Any], channel: Any) -> None:
    from jaxlint.child.loading import load as load_file

    loaded = load_file(Path(request["path"]), tolerant=True)
    values = {name: repr(value) for name, value in vars(loaded.module).items() if name.isupper()}
    failures = [[row, str(error)] for row, error in loaded.failures]
    channel.tell({"kind": "loaded", "name": loaded.module.__name__, "values": values, "failures": failures})


def silent(request: dict[str, Any], channel: Any) -> None:
    channel.tell({"kind": "started", "pid": os.getpid()})
    while True:
        time.sleep(0.01)


def exits(request: dict[str, Any], channel: Any) -> None:
    os._exit(7)


def ends_by_signal(request: dict[str, Any], channel: Any) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def segfaults(request: dict[str, Any], channel: Any) -> None:
    ctypes.string_at(0)


def allocates(request: dict[str, Any], channel: Any) -> None:
    held = []
    while True:
        held.append(bytearray(b"x" * (32 << 20)))


def prints(request: dict[str, Any], channel: Any) -> None:
    line = "y" * 1023 + "\n"
    for _ in range(8 << 10):
        sys.stdout.write(line)
    os.write(2, b"last words\n")
    channel.tell({"kind": "printed"})


def leaves_children(request: dict[str, Any], channel: Any) -> None:
    """One child stays in the process group, one leaves it."""
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    pids = [subprocess.Popen(command).pid, subprocess.Popen(command, start_new_session=True).pid]
    channel.tell({"kind": "children", "pids": pids})


def replaces_builtins(request: dict[str, Any], channel: Any) -> None:
    broken: Any = None
    for name in ("dumps", "loads", "JSONEncoder"):
        setattr(json, name, broken)
    builtins.print = broken
    os.write = broken
    channel.tell({"kind": "told"})


def speaks_out_of_turn(request: dict[str, Any], channel: Any) -> None:
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, b"not json\n[1]\n" + b"z" * (3 << 20) + b"\n")
        except OSError:
            continue
    channel.tell({"kind": "told"})


def leaves_threads(request: dict[str, Any], channel: Any) -> None:
    threading.Thread(target=time.sleep, args=(600,)).start()
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def reads_input(request: dict[str, Any], channel: Any) -> None:
    channel.tell({"kind": "input", "text": sys.stdin.read()})


def forks_and_tells(request: dict[str, Any], channel: Any) -> None:
    if os.fork() == 0:
        channel.tell({"kind": "child speaks"})
        os._exit(0)
    os.wait()
    channel.tell({"kind": "parent speaks"})


def tells_too_much(request: dict[str, Any], channel: Any) -> None:
    channel.tell({"kind": "long", "text": "w" * (10 << 20), "list": [1]})
