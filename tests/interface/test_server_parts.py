"""The parts of the language server: what is run when, what becomes of an analysis process, places and settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pygls")

from lsprotocol import types

from jaxlint.findings import Finding, Severity, Span
from jaxlint.server import link as link_module
from jaxlint.server.diagnostics import Report, moved
from jaxlint.server.documents import Document, Documents, Text, path_of
from jaxlint.server.link import Link
from jaxlint.server.messages import Check, Checked, Configure, Ended, Folder, Mend, Opened
from jaxlint.server.positions import Encoding
from jaxlint.server.schedule import Schedule
from jaxlint.server.settings import read_settings
from jaxlint.source import Source

if TYPE_CHECKING:
    from jaxlint.server.messages import Job, Result

# ---- what is run when ----


class FakeLink(Link):
    """Holds jobs until the test ends them."""

    def __init__(self) -> None:
        super().__init__(tuple, print)
        self.jobs: list[Job] = []
        self.abandoned: list[int] = []
        self.ends: dict[int, asyncio.Future[Result]] = {}

    def tell(self, message: Configure | Opened) -> None:
        pass

    async def ask(self, job: Job) -> Result:
        self.jobs.append(job)
        self.ends[job.ticket] = asyncio.get_running_loop().create_future()
        return await self.ends[job.ticket]

    def abandon(self, ticket: int) -> None:
        self.abandoned.append(ticket)
        self.ends[ticket].set_result(Ended(ticket))

    async def running(self, count: int) -> Job:
        """The job that is the `count`th."""
        while len(self.jobs) < count:
            await asyncio.sleep(0.005)
        return self.jobs[count - 1]

    def end(self, job: Job, findings: dict[str, list[Finding]], broken: frozenset[str] = frozenset()) -> None:
        self.ends[job.ticket].set_result(Checked(job.ticket, findings, broken))


class Desk:
    """A schedule with one open document."""

    def __init__(self) -> None:
        self.link = FakeLink()
        self.documents = Documents()
        self.document = Document("file:///a.py", "/a.py", 1, "x = 1\n")
        self.documents.add(self.document)
        self.told: list[tuple[int, list[str], bool]] = []
        self.warnings: list[str] = []
        self.schedule = Schedule(
            self.link,
            self.documents,
            changed=self._changed,
            debounce=lambda _: 0.0,
            log=print,
            warn=self.warnings.append,
        )

    def _changed(self, document: Document, by_edit: bool) -> None:
        report = self.schedule.report(document)
        assert report is not None
        self.told.append((document.version, [finding.code for finding in report.shown], by_edit))

    def type(self, text: str) -> None:
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.document.change(self.document.version + 1, [change], Encoding())
        self.schedule.edited(self.document)


def at_desk(test: Callable[[Desk], Awaitable[None]]) -> None:
    async def run() -> None:
        desk = Desk()
        desk.schedule.start()
        await asyncio.wait_for(test(desk), 30)
        desk.schedule.stop()

    asyncio.run(run())


def finding(row: int, code: str = "JAX201", path: str = "/a.py") -> Finding:
    return Finding(code, "name", Severity.ERROR, "message", path, Span(row, 1, row, 2), "randomness", noqa_rows=(row,))


def test_a_newer_version_abandons_the_older_run() -> None:
    async def test(desk: Desk) -> None:
        desk.schedule.edited(desk.document, at_once=True)
        first = await desk.link.running(1)
        desk.type("x = 2\n")
        second = await desk.link.running(2)
        assert desk.link.abandoned == [first.ticket]
        desk.link.end(second, {"/a.py": [finding(1)]})
        await desk.schedule.settled(desk.document)
        assert desk.told == [(2, ["JAX201"], True)]

    at_desk(test)


def test_the_look_around_gives_way_to_typing_and_comes_back() -> None:
    async def test(desk: Desk) -> None:
        desk.schedule.edited(desk.document, at_once=True)
        desk.link.end(await desk.link.running(1), {"/a.py": []})
        wide = await desk.link.running(2)
        assert isinstance(wide, Check) and wide.wide
        desk.type("x = 2\n")
        alone = await desk.link.running(3)
        assert desk.link.abandoned == [wide.ticket]
        assert isinstance(alone, Check) and not alone.wide
        desk.link.end(alone, {"/a.py": []})
        again = await desk.link.running(4)
        assert isinstance(again, Check) and again.wide
        desk.link.end(again, {"/a.py": [finding(1)]})
        while desk.told[-1][1] != ["JAX201"]:
            await asyncio.sleep(0.005)
        assert not desk.told[-1][2]

    at_desk(test)


def test_fixing_goes_before_looking() -> None:
    async def test(desk: Desk) -> None:
        desk.schedule.edited(desk.document, at_once=True)
        desk.link.end(await desk.link.running(1), {"/a.py": []})
        await desk.link.running(2)
        mended = asyncio.ensure_future(desk.schedule.mended(desk.document))
        job = await desk.link.running(3)
        assert isinstance(job, Mend)
        desk.link.ends[job.ticket].set_result(Ended(job.ticket, "no"))
        assert await mended is None

    at_desk(test)


def test_a_failed_look_answers_who_waits() -> None:
    async def test(desk: Desk) -> None:
        desk.schedule.edited(desk.document, at_once=True)
        job = await desk.link.running(1)
        desk.link.ends[job.ticket].set_result(Ended(job.ticket, "it broke"))
        await desk.schedule.settled(desk.document)
        assert desk.told == [(1, [], True)]

    at_desk(test)


def test_closing_answers_who_waits() -> None:
    async def test(desk: Desk) -> None:
        desk.schedule.edited(desk.document, at_once=True)
        await desk.link.running(1)
        waiting = asyncio.ensure_future(desk.schedule.settled(desk.document))
        await asyncio.sleep(0)
        desk.documents.remove(desk.document.uri)
        desk.schedule.closed(desk.document)
        await waiting
        assert desk.schedule.report(desk.document) is None

    at_desk(test)


# ---- the analysis process ----

LONG = "import jax\n" + "".join(
    f"\n\ndef f{n}(key, x):\n    for _ in range(3):\n        x = x + jax.random.normal(key, x.shape)\n    return x\n"
    for n in range(300)
)


def test_an_abandoned_job_ends_and_the_process_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = str(tmp_path / "long.py")
    monkeypatch.setattr(link_module, "GRACE", 100)

    async def test() -> None:
        told: list[Configure | Opened] = [Configure((Folder(""),)), Opened(path, Source(path, LONG))]
        link = Link(lambda: told, print)
        waiting = asyncio.ensure_future(link.ask(Check(1, (path,), wide=False)))
        await link.start()
        process = link._process
        while 1 not in link._waiting:
            await asyncio.sleep(0.005)
        link.abandon(1)
        assert await waiting == Ended(1)
        result = await link.ask(Check(2, (path,), wide=False))
        assert isinstance(result, Checked)
        assert len(result.findings[path]) == 300
        assert link._process is process
        await link.close()

    asyncio.run(asyncio.wait_for(test(), 120))


HANGING = """import sys; sys.path[:] = {path!r}
import time
from jaxlint.server.messages import Ready, packed
sys.stdout.buffer.write(packed(Ready()))
sys.stdout.buffer.flush()
time.sleep(600)
"""


def test_a_process_that_hangs_or_dies_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = str(tmp_path / "a.py")
    boot = link_module._BOOT

    async def test() -> None:
        log: list[str] = []
        told: list[Configure | Opened] = [Configure((Folder(""),)), Opened(path, Source(path, "x = 1\n"))]
        link = Link(lambda: told, log.append)
        monkeypatch.setattr(link_module, "_BOOT", HANGING)
        monkeypatch.setattr(link_module, "GRACE", 0.05)
        waiting = asyncio.ensure_future(link.ask(Check(1, (path,), wide=False)))
        while 1 not in link._waiting:
            await asyncio.sleep(0.005)
        link.abandon(1)
        result = await waiting
        assert isinstance(result, Ended) and "is replaced" in result.message
        assert "did not end" in log[0]
        monkeypatch.setattr(link_module, "PATIENCE", 0.05)
        result = await link.ask(Check(2, (path,), wide=False))
        assert isinstance(result, Ended) and "was ended" in result.message
        monkeypatch.setattr(link_module, "PATIENCE", 60)
        monkeypatch.setattr(link_module, "_BOOT", "raise SystemExit  # {path}")
        result = await link.ask(Check(3, (path,), wide=False))
        assert isinstance(result, Ended) and "ended early" in result.message
        monkeypatch.setattr(link_module, "_BOOT", boot)
        assert await link.ask(Check(4, (path,), wide=False)) == Checked(4, {path: []})
        await link.close()

    asyncio.run(asyncio.wait_for(test(), 120))


# ---- places ----


@pytest.mark.parametrize("kind", list(types.PositionEncodingKind))
def test_places_there_and_back(kind: types.PositionEncodingKind) -> None:
    encoding = Encoding(kind)
    rows = ["plain", "漢字 = '🎉'  # é", "", "\ud83d half"]
    for row, text in enumerate(rows, 1):
        for column in range(1, len(text) + 2):
            assert encoding.place(rows, encoding.position(rows, row, column)) == (row, column)
    assert encoding.place(rows, types.Position(1, 10_000)) == (2, len(rows[1]) + 1)
    assert encoding.place(rows, types.Position(99, 3)) == (4, len(rows[3]) + 1)
    assert encoding.position(rows, 99, 1).line == 3


def test_half_a_character_counts_as_its_start() -> None:
    assert Encoding(types.PositionEncodingKind.Utf16).place(["🎉x"], types.Position(0, 1)) == (1, 1)
    assert Encoding(types.PositionEncodingKind.Utf8).place(["🎉x"], types.Position(0, 3)) == (1, 1)


def test_rows_end_where_the_protocol_says() -> None:
    document = Document("file:///a.py", "/a.py", 1, "a\fb\u2028c\rd\r\ne\n")
    edit = types.TextDocumentContentChangePartial(types.Range(types.Position(2, 0), types.Position(2, 1)), "E")
    document.change(2, [edit], Encoding())
    assert document.now.text == "a\fb\u2028c\rd\r\nE\n"


def test_paths_of_documents() -> None:
    assert path_of("file:///with%20space/%C3%A9.py", "/w") == "/with space/é.py"
    assert path_of("untitled:Untitled-1", "/w") == "/w/untitled_Untitled-1.py"
    assert path_of("vscode-vfs://github/a/b.py", "/w") == "/w/vscode-vfs_github_a_b.py.py"


# ---- findings while the text moves ----


def test_findings_move_with_the_text_and_go_where_it_was_edited() -> None:
    before = Text(1, "a\nb\nc\nd\n")
    found = [finding(row) for row in (1, 2, 3, 4)]
    after = moved(found, before, Text(2, "a\nnew\nmore\nc\nd\n"))
    assert [(item.span.row, item.noqa_rows) for item in after] == [(1, (1,)), (4, (4,)), (5, (5,))]
    assert moved(found, before, Text(2, "")) == []
    assert moved(found, before, before) == found


def test_what_the_look_around_said_outlives_keystrokes() -> None:
    empty = Report(Text(-1, ""))
    first = Text(1, "a\nb\nc\n")
    alone = empty.looked_alone(first, [finding(1), finding(2)])
    around = alone.looked_around(first, [finding(1), finding(3)])
    assert [item.span.row for item in around.findings] == [1, 3]
    typed = around.looked_alone(Text(2, "new\na\nb\nc\n"), [finding(2), finding(3)])
    assert [item.span.row for item in typed.findings] == [2, 4]
    mended = typed.looked_alone(Text(3, "new\na\nb\n"), [finding(2), finding(3)])
    assert [item.span.row for item in mended.findings] == [2]


def test_a_syntax_error_waits_for_a_pause() -> None:
    first = Text(1, "a\n")
    good = Report(Text(-1, "")).looked_alone(first, [finding(1)])
    broken = good.broke(Text(2, "a\n(\n"), [finding(2, "JAX001")])
    assert [item.code for item in broken.shown] == ["JAX201"]
    assert broken.show_broken() and not broken.show_broken()
    assert [item.code for item in broken.shown] == ["JAX001", "JAX201"]
    still = broken.broke(Text(3, "a\n((\n"), [finding(2, "JAX001")])
    assert [item.code for item in still.shown] == ["JAX001", "JAX201"]
    at_once = Report(Text(-1, "")).broke(first, [finding(1, "JAX001")])
    assert [item.code for item in at_once.shown] == ["JAX001"]


# ---- settings ----


def test_settings_in_all_their_wrappings() -> None:
    for value in (
        {"ignore": ["JAX201"], "perFileIgnores": {"tests/*": ["ALL"]}, "run": "onSave", "debounce": None},
        {"jaxlint": {"ignore": ["JAX201"], "per-file-ignores": {"tests/*": ["ALL"]}, "run": "onSave"}},
        {"settings": {"ignore": ["JAX201"], "per_file_ignores": {"tests/*": ["ALL"]}, "run": "onSave"}},
    ):
        settings, problems = read_settings(value)
        assert not problems
        assert settings.run == "onSave"
        assert settings.linter == {"ignore": ["JAX201"], "per-file-ignores": {"tests/*": ["ALL"]}}
    assert read_settings(None)[1] == []
    assert read_settings([1])[1] == ["the editor's settings for jaxlint must be an object, not [1]"]
    assert "unknown setting `confirm`" in read_settings({"confirm": True})[1][0]
    assert "unknown setting `outputFormat`" in read_settings({"outputFormat": "json"})[1][0]
