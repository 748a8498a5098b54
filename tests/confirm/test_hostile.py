"""Programs that do harm leave the linter standing, with an inconclusive verdict that says why."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from jaxlint.child.process import Limits
from jaxlint.confirm.session import Conditions, confirm
from jaxlint.findings import Confirmation, Finding, Severity, Span

pytest.importorskip("jax")

FUNCTION = """

import jax
import jax.numpy as jnp


@jax.jit
def clipped(x, limit):
    if jnp.sum(x) > limit:
        return limit
    return x
"""


def verdict(tmp_path: Path, before: str, *, limits: Limits | None = None, main: str = "") -> Confirmation:
    path = tmp_path / "program.py"
    path.write_text(before + FUNCTION + main)
    row = next(number for number, line in enumerate(path.read_text().splitlines(), 1) if "if jnp.sum" in line)
    finding = Finding("X", "x", Severity.ERROR, "m", str(path), Span(row, 5, row, 26), "")
    conditions = Conditions(sys.executable, tmp_path, limits=limits or Limits(seconds=20))
    (found,) = confirm([finding], {"X": "tracer_error"}, conditions)
    assert found.confirmation is not None
    return found.confirmation


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("import os\nos._exit(3)", "status 3"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
        ("import sys\nsys.exit('no')", "calls `sys.exit('no')`"),
        ("import ctypes\nctypes.string_at(0)", "ended by SIGSEGV"),
        ("raise KeyboardInterrupt", "cannot be imported: KeyboardInterrupt"),
    ],
)
def test_the_reason_is_told(tmp_path: Path, before: str, reason: str) -> None:
    found = verdict(tmp_path, before)
    assert found.verdict == "inconclusive"
    assert reason in found.evidence


def test_an_endless_import_is_cut_short(tmp_path: Path) -> None:
    found = verdict(tmp_path, "while True:\n    pass", limits=Limits(seconds=3))
    assert (found.verdict, "not done within 3 s" in found.evidence) == ("inconclusive", True)


def test_training_at_import_is_cut_short(tmp_path: Path) -> None:
    before = (
        "import jax\n\n\n@jax.jit\ndef step(x):\n    return x @ x / 100\n\n\n"
        "state = jax.numpy.ones((100, 100))\nfor epoch in range(10**9):\n    state = step(state)"
    )
    found = verdict(tmp_path, before, limits=Limits(seconds=4))
    assert (found.verdict, found.evidence) == ("inconclusive", "importing the module was not done within 4 s")


def test_an_endless_import_that_catches_everything_is_ended(tmp_path: Path) -> None:
    before = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
    found = verdict(tmp_path, before, limits=Limits(seconds=2))
    assert (found.verdict, "not done within" in found.evidence) == ("inconclusive", True)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_gigabytes_are_bounded(tmp_path: Path) -> None:
    before = "held = []\nwhile True:\n    held.append(bytearray(b'x' * (64 << 20)))"
    found = verdict(tmp_path, before, limits=Limits(seconds=20, memory=1 << 30))
    assert (found.verdict, "of memory" in found.evidence) == ("inconclusive", True)


@pytest.mark.parametrize(
    "before",
    [
        "import os\nos.chdir('/')",
        "import json\njson.dumps = json.loads = json.JSONEncoder = None",
        "import os\nos.write = None",
        "import sys\nprint('x' * (4 << 20))\nprint('y' * (4 << 20), file=sys.stderr)",
        "import os\nfor descriptor in (0, 1, 2):\n    os.close(descriptor)",
        'import os\nfor descriptor in (1, 2):\n    os.write(descriptor, b\'{"kind": "verdict", "index": 0}\\n\')',
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
        "import os\nos.unlink(__file__)",
        "import sys\nsys.settrace(None)\nsys.stdout = sys.stderr = None",
        "import atexit, time\natexit.register(time.sleep, 600)",
        "import signal\nfor number in (15, 2, 1):\n    signal.signal(number, signal.SIG_IGN)",
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
        "import os\nif os.fork() == 0:\n    import time\n    time.sleep(600)",
    ],
)
def test_what_does_no_harm_to_the_answer(tmp_path: Path, before: str) -> None:
    started = time.monotonic()
    found = verdict(tmp_path, before)
    assert found.verdict in ("confirmed", "inconclusive"), found
    assert found.evidence
    assert time.monotonic() - started < 60


def test_broken_builtins(tmp_path: Path) -> None:
    found = verdict(tmp_path, "import builtins\nbuiltins.isinstance = builtins.len = builtins.getattr = None")
    assert found.verdict == "inconclusive"
    assert found.evidence


def test_a_hang_costs_one_finding_only(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(FUNCTION + "\n\n@jax.jit\ndef endless(x):\n    while True:\n        pass\n    if x > 0: return x\n")
    rows = [number for number, line in enumerate(path.read_text().splitlines(), 1) if line.strip().startswith("if ")]
    findings = [Finding("X", "x", Severity.ERROR, "m", str(path), Span(row, 5, row, 26), "") for row in rows[::-1]]
    conditions = Conditions(sys.executable, tmp_path, limits=Limits(seconds=4))
    first, second = confirm(findings, {"X": "tracer_error"}, conditions)
    assert first.confirmation is not None and first.confirmation.verdict == "inconclusive"
    assert second.confirmation is not None and second.confirmation.verdict == "confirmed"


def test_a_module_that_lacks_a_dependency(tmp_path: Path) -> None:
    found = verdict(tmp_path, "import no_such_module\nno_such_module.x")
    assert found.verdict == "confirmed"
    path = tmp_path / "program.py"
    path.write_text("import no_such_module\n\n\ndef f(x):\n    return no_such_module.g(x)\n")
    finding = Finding("X", "x", Severity.ERROR, "m", str(path), Span(5, 5, 5, 30), "")
    (other,) = confirm([finding], {"X": "tracer_error"}, Conditions(sys.executable, tmp_path))
    assert other.confirmation is not None and other.confirmation.verdict == "inconclusive"
    assert "No module named 'no_such_module'" in other.confirmation.evidence
