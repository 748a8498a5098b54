"""What is analysed when: quick looks at the file that is edited first, then at what hangs together with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from itertools import count

from jaxlint.server.diagnostics import Report
from jaxlint.server.documents import Document, Documents, Text
from jaxlint.server.link import Link
from jaxlint.server.messages import Check, Checked, Ended, Job, Mend, Mended, Opened, Result

QUIET = (0.15, 10.0)
"""Seconds without an edit before the files around are looked at: the least, and the most where that takes long."""


class Schedule:
    """Runs one job at a time. A newer version of a file abandons the jobs that its older version began.

    `changed` hears of documents whose report is another; its second argument says whether an edit of that very
    document was the reason. `debounce` gives the seconds to wait after an edit.
    """

    def __init__(
        self,
        link: Link,
        documents: Documents,
        *,
        changed: Callable[[Document, bool], None],
        debounce: Callable[[Document], float],
        log: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self._link = link
        self._documents = documents
        self._changed = changed
        self._debounce = debounce
        self._log = log
        self._warn = warn
        self._reports: dict[str, Report] = {}
        self._alone: dict[str, float] = {}
        self._around: set[str] = set()
        self._around_due = 0.0
        self._around_took = 0.0
        self._mends: list[tuple[Document, asyncio.Future[str | None]]] = []
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._tickets = count()
        self._running: Job | None = None
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # ---- what the session tells and asks ----

    def start(self) -> None:
        """Begin to work."""
        self._task = asyncio.ensure_future(self._work())

    def stop(self) -> None:
        """Work no more."""
        if self._task is not None:
            self._task.cancel()

    def edited(self, document: Document, *, at_once: bool = False) -> None:
        """The text of a document is new."""
        path, now = document.path, _now()
        self._link.tell(Opened(path, document.source()))
        self._reports.setdefault(path, Report(Text(-1, "")))
        self._alone[path] = now if at_once else now + self._debounce(document)
        self._look_around([path])
        running = self._running
        if isinstance(running, Check) and (running.wide or path in running.files):
            self._link.abandon(running.ticket)
        self._wake.set()

    def held(self, document: Document) -> None:
        """The text of a document is new, but is to be checked when it is saved."""
        self._link.tell(Opened(document.path, document.source()))
        self._reports.setdefault(document.path, Report(Text(-1, "")))

    def closed(self, document: Document) -> None:
        """A document is no longer open."""
        path = document.path
        self._link.tell(Opened(path, None))
        self._reports.pop(path, None)
        self._alone.pop(path, None)
        self._around.discard(path)
        self._release(path)

    def everything(self) -> None:
        """Settings or files are other than they were: look at all that is open."""
        for document in self._documents:
            self._alone[document.path] = _now()
        self._look_around(document.path for document in self._documents)
        if isinstance(self._running, Check):
            self._link.abandon(self._running.ticket)
        self._wake.set()

    def report(self, document: Document) -> Report | None:
        """What is known of a document, perhaps of an older version."""
        return self._reports.get(document.path)

    async def settled(self, document: Document) -> None:
        """Wait until the present version of a document was looked at."""
        while document.path in self._alone:
            future = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(document.path, []).append(future)
            await future

    async def mended(self, document: Document) -> str | None:
        """The text of a document with its safe fixes; None when that could not be found out."""
        future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._mends.append((document, future))
        if isinstance(self._running, Check) and self._running.wide:
            self._link.abandon(self._running.ticket)
        self._wake.set()
        return await future

    # ---- the work ----

    async def _work(self) -> None:
        while True:
            self._wake.clear()
            try:
                wait = await self._step()
            except Exception as error:  # one document's trouble must not end the session
                self._log(f"jaxlint failed, which is a bug in jaxlint: {type(error).__name__}: {error}")
                wait = None
            if wait != 0:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), wait)

    async def _step(self) -> float | None:
        """Do the most urgent job; the seconds until there is one when there is none yet, None for never."""
        if self._mends:
            await self._mend(*self._mends.pop(0))
            return 0
        now = _now()
        path = min(self._alone, key=self._alone.__getitem__, default=None)
        if path is not None:
            wait = self._alone[path] - now
            if wait <= 0:
                await self._look_alone(path)
            return max(wait, 0)
        if self._around:
            wait = self._around_due - now
            if wait <= 0:
                await self._look_around_now()
            return max(wait, 0)
        return None

    async def _run(self, job: Job) -> Result:
        self._running = job
        try:
            return await self._link.ask(job)
        finally:
            self._running = None

    async def _look_alone(self, path: str) -> None:
        document = self._documents.at(path)
        due = self._alone[path]
        if document is None:
            self._alone.pop(path, None)
            return
        text = document.now
        result = await self._run(Check(next(self._tickets), (path,), wide=False))
        if document.now is not text or self._alone.get(path) != due:
            return  # edited or closed meanwhile
        del self._alone[path]
        report = self._reports[path]
        if isinstance(result, Checked):
            self._tell(result)
            found = result.findings.get(path, [])
            look = report.broke if path in result.broken else report.looked_alone
            self._reports[path] = look(text, found)
        else:
            self._failed(result)
        self._changed(document, True)
        self._release(path)

    async def _look_around_now(self) -> None:
        wanted = [path for path in sorted(self._around) if path in self._reports]
        self._around.clear()
        broken = [path for path in wanted if self._reports[path].broken]
        for path in broken:  # the pause has come in which a syntax error is worth showing
            self._show_broken(path)
        files = tuple(path for path in wanted if path not in broken)
        if not files:
            return
        texts = {document.path: document.now for document in self._documents}
        started = _now()
        result = await self._run(Check(next(self._tickets), files, wide=True))
        took = _now() - started
        if not isinstance(result, Checked):
            self._around_took = max(took, self._around_took)
            if isinstance(result, Ended) and not result.message:
                self._look_around(files)
            self._failed(result)
            return
        self._around_took = took
        self._tell(result)
        for path, found in result.findings.items():
            document = self._documents.at(path)
            if document is None or document.now is not texts.get(path) or path in self._alone:
                continue
            report = self._reports[path]
            look = report.broke if path in result.broken else report.looked_around
            self._reports[path] = look(document.now, found)
            self._show_broken(path)
            if self._reports[path].findings != report.findings:
                self._changed(document, False)

    def _show_broken(self, path: str) -> None:
        report, document = self._reports[path], self._documents.at(path)
        if document is not None and report.show_broken():
            self._changed(document, False)

    async def _mend(self, document: Document, future: asyncio.Future[str | None]) -> None:
        result = await self._run(Mend(next(self._tickets), document.path))
        if not future.done():
            future.set_result(result.text if isinstance(result, Mended) else None)
        self._failed(result)

    def _look_around(self, paths: Iterable[str]) -> None:
        self._around.update(paths)
        self._around_due = _now() + min(max(2 * self._around_took, QUIET[0]), QUIET[1])

    def _release(self, path: str) -> None:
        for future in self._waiting.pop(path, ()):
            if not future.done():
                future.set_result(None)

    def _tell(self, result: Checked) -> None:
        for problem in result.problems:
            self._warn(problem)
        for error in result.errors:
            self._log(error)

    def _failed(self, result: Result) -> None:
        if isinstance(result, Ended) and result.message:
            self._log(result.message)


def _now() -> float:
    return asyncio.get_running_loop().time()
