"""The server's end of the pipe to the analysis process, which it starts, and replaces when it dies or hangs."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from collections.abc import Callable, Iterable

from jaxlint.server.messages import HEADER, Abandon, Configure, Ended, Job, Opened, Ready, Request, Result, packed

_BOOT = "import sys; sys.path[:] = {path!r}; from jaxlint.server.worker import main; main()"

_DIED = "the analysis process ended early and is replaced"

GRACE = 15.0
"""Seconds that an abandoned job may take to end."""

PATIENCE = 120.0
"""Seconds that any job may take."""


class Link:
    """One analysis process at a time. `told` gives what a new one has to know before its first job."""

    def __init__(self, told: Callable[[], Iterable[Configure | Opened]], log: Callable[[str], None]) -> None:
        self._told = told
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: dict[int, asyncio.Future[Result]] = {}
        self._served_by: dict[int, asyncio.subprocess.Process] = {}
        self._ready: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._readers: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the process if none is there."""
        async with self._starting:
            if self._process is not None:
                return
            # The program under review lies in the current folder: nothing may be imported from there.
            command = [sys.executable, "-I", "-c", _BOOT.format(path=sys.path)]
            pipe = asyncio.subprocess.PIPE
            try:
                self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
            except OSError as error:
                self._log(f"the analysis process cannot be started: {error}")
                return
            reader = asyncio.ensure_future(self._read(self._process))
            self._readers.add(reader)
            reader.add_done_callback(self._readers.discard)
            for message in self._told():
                self._send(message)

    def tell(self, message: Configure | Opened) -> None:
        """Say something that needs no answer; a process that is yet to be started is told of it then."""
        if self._process is not None:
            self._send(message)

    async def ask(self, job: Job) -> Result:
        """The result of a job; whatever goes wrong is an end with a message."""
        await self.start()
        if self._process is None:
            return Ended(job.ticket, _DIED)
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting[job.ticket], self._served_by[job.ticket] = future, self._process
        self._send(job)
        try:
            return await asyncio.wait_for(future, PATIENCE)
        except asyncio.TimeoutError:
            self._kill()
            return Ended(job.ticket, f"the analysis took more than {PATIENCE:.0f} seconds and was ended")
        finally:
            del self._waiting[job.ticket], self._served_by[job.ticket]

    def abandon(self, ticket: int) -> None:
        """Nobody waits for the job any more: it ends soon, one way or the other."""
        if ticket in self._waiting:
            self._send(Abandon(ticket))
            asyncio.get_running_loop().call_later(GRACE, self._insist, ticket)

    async def close(self) -> None:
        """End the process."""
        process = self._process
        self._kill()
        if process is not None:
            await process.wait()

    def _insist(self, ticket: int) -> None:
        if self._served_by.get(ticket) is None:
            return
        if self._served_by[ticket] is not self._ready:  # still loading
            asyncio.get_running_loop().call_later(GRACE, self._insist, ticket)
        else:
            self._log("an analysis that nobody waits for did not end, so its process is replaced")
            self._kill()

    def _send(self, message: Request) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):  # `_read` sees the end of the process, too
                self._process.stdin.write(packed(message))

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._process = None

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                (size,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
                result: Result | Ready = pickle.loads(await process.stdout.readexactly(size))
                if isinstance(result, Ready):
                    self._ready = process
                    continue
                future = self._waiting.get(result.ticket)
                if future is not None and not future.done():
                    future.set_result(result)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        if self._process is process:
            self._process = None
        for ticket, future in self._waiting.items():
            if self._served_by[ticket] is process and not future.done():
                future.set_result(Ended(ticket, _DIED))
