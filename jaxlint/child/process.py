"""Starting a child, hearing what it tells, and ending it and all that it started."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.child.memory import resident

BOOT = Path(__file__).with_name("boot.py")
_MARK = "JAXLINT_CHILD"
_TICK = 0.05
_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 20
_GRACE = 2.0


@dataclass(frozen=True, slots=True)
class Limits:
    """seconds: the longest silence between two messages. memory: resident bytes of the child and its descendants.

    output: bytes of what the program prints that are kept; the rest is read and dropped.
    """

    seconds: float = 30.0
    memory: int = 4 * 2**30
    output: int = 16 * 1024


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and how a child runs. `devices` forces that many CPU devices.

    platform: JAX's platform; None is the CPU unless the environment names another, "" leaves the choice to JAX.
    """

    python: str = sys.executable
    cwd: Path | None = None
    platform: str | None = None
    devices: int | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The environment of the child: the user's own, on the CPU unless it says otherwise."""
        variables = {**os.environ, **self.variables}
        if self.platform != "":
            variables["JAX_PLATFORMS"] = self.platform or variables.get("JAX_PLATFORMS") or "cpu"
        variables.setdefault("PYTHONUNBUFFERED", "1")
        if self.devices:
            flag = "--xla_force_host_platform_device_count"
            flags = variables.get("XLA_FLAGS", "")
            if flag not in flags:
                variables["XLA_FLAGS"] = f"{flags} {flag}={self.devices}".strip()
        return variables


class ChildEndedError(Exception):
    """The child ended before it had told everything; the message says how, for people.

    kind: `time`, `memory`, `exit`, `signal` or `start`. output: the end of what the program printed.
    """

    def __init__(self, kind: str, message: str, output: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.output = output


class Child:
    """One child process. `messages` runs it; leaving the `with` block ends it, whatever state it is in."""

    def __init__(self, task: str, request: Mapping[str, Any], setting: Setting, limits: Limits) -> None:
        self._task = task
        self._request = {**request, "limits": {"memory": limits.memory}}
        self._setting = setting
        self._limits = limits
        self._mark = uuid.uuid4().hex
        self._process: subprocess.Popen[bytes] | None = None
        self._selector = selectors.DefaultSelector()
        self._printed = bytearray()
        self._pending = bytearray()

    @property
    def output(self) -> str:
        """The end of what the program printed on standard output and standard error."""
        return self._printed.decode("utf-8", "replace")

    def __enter__(self) -> Child:  # noqa: PYI034 (`Self` is younger than Python 3.10)
        request_read, request_write = os.pipe()
        tell_read, tell_write = os.pipe()
        environment = {**self._setting.environment(), _MARK: self._mark}
        command = [self._setting.python, str(BOOT), self._task, str(request_read), str(tell_write)]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=self._setting.cwd,
                env=environment,
                pass_fds=(request_read, tell_write),
                start_new_session=True,
            )
        except OSError as error:
            os.close(tell_read)
            os.close(request_write)
            raise ChildEndedError(
                "start", f"`{self._setting.python}` cannot be run: {error.strerror or error}"
            ) from None
        finally:
            os.close(request_read)
            os.close(tell_write)
        assert self._process.stdout is not None
        self._tell = os.fdopen(tell_read, "rb", buffering=0)
        os.set_blocking(tell_read, False)
        os.set_blocking(self._process.stdout.fileno(), False)
        self._selector.register(self._tell, selectors.EVENT_READ, self._hear)
        self._selector.register(self._process.stdout, selectors.EVENT_READ, self._keep)
        self._send(request_write)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._selector.close()
        self._tell.close()
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the child tells, until it says that it is done. Raises ChildEndedError when it ends before that."""
        process = self._process
        assert process is not None
        heard = time.monotonic()
        while True:
            ended = process.poll() is not None
            while ready := self._selector.select(0 if ended else _TICK):
                for key, _ in ready:
                    key.data()
                if not ended:
                    break
            for message in self._lines():
                heard = time.monotonic()
                if message.get("kind") == "end":
                    return
                yield message
                # The caller's own work is not the child's.
                heard = time.monotonic()
            if ended:
                raise self._ending(process.returncode)
            if time.monotonic() - heard > self._limits.seconds:
                raise ChildEndedError("time", f"not done within {self._limits.seconds:g} s", self.output)
            if resident(process.pid) > self._limits.memory:
                size = self._limits.memory / 2**30
                raise ChildEndedError("memory", f"more than {size:g} GiB of memory", self.output)

    def _send(self, descriptor: int) -> None:
        data = json.dumps(self._request).encode()
        # A child that dies early does not read; that shows when its messages are asked for.
        with contextlib.suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as stream:
            stream.write(data)

    def _hear(self) -> None:
        data = self._tell.read(_CHUNK)
        if data:
            self._pending += data
        elif data == b"":
            self._selector.unregister(self._tell)

    def _keep(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        data = self._process.stdout.read(_CHUNK)
        if data:
            self._printed += data
            del self._printed[: -self._limits.output]
        elif data == b"":
            self._selector.unregister(self._process.stdout)

    def _lines(self) -> Iterator[dict[str, Any]]:
        while (end := self._pending.find(b"\n")) >= 0:
            line = bytes(self._pending[:end])
            del self._pending[: end + 1]
            # The program may have found the descriptor: what is not ours is dropped.
            with contextlib.suppress(ValueError, RecursionError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message
        if len(self._pending) > _LONGEST_LINE:
            self._pending.clear()

    def _ending(self, code: int) -> ChildEndedError:
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return ChildEndedError("signal", f"the program was ended by {name}", self.output)
        return ChildEndedError("exit", f"the program ended its process with status {code}", self.output)

    def _end(self) -> None:
        """End the process group, and descendants that left it."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        for pid in _marked(f"{_MARK}={self._mark}".encode()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _marked(mark: bytes) -> Iterator[int]:
    """Processes that carry the child's mark in their environment."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found = mark in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if found:
            yield int(entry.name)
