"""`--watch` with a real process: what makes it check again, and how it ends."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxlint.cli.watch import CLEAR, clear
from tests.interface.fake import run, write

REUSED = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key), jax.random.normal(key)\n"
MENDED = REUSED.replace("jax.random.normal(key)\n", "1.0\n")
PATIENCE = 120.0
HEARING = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from jaxlint.cli.main import main; sys.exit(main())"
)
"""The command, also where a shell that started the tests in the background has them ignore Ctrl-C."""


class Watcher:
    """A running `jaxlint check --watch` and what it has written."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-c", HEARING, "check", "-w", "--format", "concise", "-j", "1", *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        )
        self.text = ""
        self._read = threading.Thread(target=self._listen, daemon=True)
        self._read.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    @property
    def runs(self) -> list[str]:
        """What each finished check wrote."""
        *finished, _ = self.text.split("; Ctrl-C ends it\n")
        return finished

    def after(self, runs: int) -> str:
        """What the check wrote that follows `runs` others."""
        end = time.monotonic() + PATIENCE
        while len(self.runs) <= runs and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.02)
        assert len(self.runs) == runs + 1, self.text
        return self.runs[runs]

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        self._read.join(PATIENCE)
        return status


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, {"pyproject.toml": "", "a.py": MENDED, "venv/b.py": "", "lib/helper.py": "import jax\n"})
    return tmp_path


@pytest.fixture
def watcher(project: Path) -> Iterator[Watcher]:
    running = Watcher(project, "a.py")
    yield running
    running.process.kill()
    running.process.wait()


def test_checks_again_when_something_that_matters_is_saved(project: Path, watcher: Watcher) -> None:
    assert "All checks passed!" in watcher.after(0)
    write(project, {"a.py": REUSED})
    assert "a.py:5:36: JAX201" in watcher.after(1)
    write(project, {"venv/b.py": "x = 1\n", ".jaxlint_cache/x.json": "{}", "notes.txt": "x"})
    time.sleep(1.0)  # three looks: neither the cache nor excluded folders nor other files count
    assert len(watcher.runs) == 2
    write(project, {"pyproject.toml": "[tool.jaxlint]\nignore = ['JAX2']\n"})
    assert "All checks passed!" in watcher.after(2)
    write(project, {"pyproject.toml": "[tool.jaxlint]\nignor = ['JAX2']\n"})
    assert "error: pyproject.toml:2: unknown setting `ignor`; did you mean `ignore`?" in watcher.after(3)
    write(project, {"pyproject.toml": "[tool.jaxlint]\n"})
    assert "JAX201" in watcher.after(4)
    helper = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"
    write(project, {"lib/helper.py": helper})  # of the project, though not listed
    watcher.after(5)
    (project / "a.py").unlink()
    assert "a.py: no such file or folder" in watcher.after(6)
    write(project, {"a.py": MENDED})
    assert "All checks passed!" in watcher.after(7)
    assert watcher.interrupt() == 0
    assert "Traceback" not in watcher.text


def test_a_new_file_in_a_folder_is_seen(project: Path) -> None:
    watcher = Watcher(project, "--fix-only", ".")
    watcher.after(0)
    write(
        project,
        {"lib/new.py": "import jax.numpy as jnp\n\n\ndef f(n):\n    x = jnp.zeros(n)\n    x[0] = 1.0\n    return x\n"},
    )
    assert "Fixed 1 finding." in watcher.after(1)
    assert "x = x.at[0].set(1.0)" in (project / "lib" / "new.py").read_text(encoding="utf-8")
    assert "Fixed 0 findings." in watcher.after(2), "its own change is looked at once"
    assert watcher.interrupt() == 0
    assert "Traceback" not in watcher.text


def test_what_cannot_be_watched(tmp_path: Path) -> None:
    assert "cannot watch standard input" in run(tmp_path, "--watch", "-").err
    for taking in ("--add-noqa", "--write-baseline=known.json"):
        assert "leave out --add-noqa and --write-baseline" in run(tmp_path, "--watch", taking).err
    write(tmp_path, {"jaxlint.toml": "ignor = []\n"})
    assert run(tmp_path, "--watch").code == 2, "what is wrong from the start ends it"


def test_only_a_terminal_is_cleared() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, pipe = Terminal(), io.StringIO()
    clear(terminal)
    clear(pipe)
    assert terminal.getvalue() == CLEAR
    assert pipe.getvalue() == ""
