"""The analysis process: takes jobs from its standard input and answers on its standard output."""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
import traceback
from typing import BinaryIO

from jaxlint.server.analyst import Analyst
from jaxlint.server.messages import (
    HEADER,
    Abandon,
    Check,
    Configure,
    Ended,
    Mend,
    Opened,
    Ready,
    Request,
    Result,
    packed,
)
from jaxlint.workers import Abandoned


class Inbox:
    """Reads requests in a thread, so that a job can be abandoned while it runs."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._abandoned = -1
        self.ticket = 0
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> Request:
        """The next request; waits for it."""
        return self._requests.get()

    def checkpoint(self) -> None:
        """End the running job if it was abandoned."""
        if self.ticket <= self._abandoned:
            raise Abandoned

    def _read(self) -> None:
        while header := self._stream.read(HEADER.size):
            request: Request = pickle.loads(self._stream.read(*HEADER.unpack(header)))
            if isinstance(request, Abandon):
                self._abandoned = max(self._abandoned, request.ticket)
            else:
                self._requests.put(request)
        os._exit(0)  # the server has gone, and so has whoever waits for the job that may be running


def main() -> None:
    """Serve until the server closes the pipe."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write between the answers
    inbox = Inbox(os.fdopen(os.dup(0), "rb"))
    gc.disable()
    analyst = Analyst(inbox.checkpoint)
    _tidy()
    answers.write(packed(Ready()))
    answers.flush()
    while True:
        request = inbox.next()
        if isinstance(request, Configure):
            analyst.configure(request)
        elif isinstance(request, Opened):
            analyst.opened(request)
        elif isinstance(request, Check | Mend):
            inbox.ticket = request.ticket
            answers.write(packed(_answer(analyst, request)))
            answers.flush()
            _tidy()


def _answer(analyst: Analyst, job: Check | Mend) -> Result:
    try:
        return analyst.check(job) if isinstance(job, Check) else analyst.mend(job)
    except Abandoned:
        return Ended(job.ticket)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return Ended(job.ticket, f"jaxlint failed, which is a bug in jaxlint: {type(error).__name__}: {error}")


def _tidy() -> None:
    """Collect what a job leaves behind, while nobody waits; what is kept for later jobs is not looked at again."""
    gc.collect()
    gc.freeze()
