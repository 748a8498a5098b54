"""An editor for tests: a real client that talks to `jaxlint server` over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

if TYPE_CHECKING:
    from types import TracebackType

T = TypeVar("T")

PATIENCE = 60.0

COMMAND = [sys.executable, "-m", "jaxlint", "server"]


def capabilities(
    *,
    pull: bool = False,
    encodings: Sequence[types.PositionEncodingKind | str] | None = None,
    resolve: bool = False,
    related: bool | None = None,
    settings: bool = False,
    watch: bool = False,
    versioned: bool = False,
) -> types.ClientCapabilities:
    """What a client can do."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings)) if encodings is not None else None,
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=related),
            code_action=types.CodeActionClientCapabilities(
                resolve_support=types.ClientCodeActionResolveOptions(["edit"]) if resolve else None
            ),
        ),
        workspace=types.WorkspaceClientCapabilities(
            configuration=settings,
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if pull else None,
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watch),
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=watch),
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versioned),
        ),
    )


class Editor:
    """A session. Paths stand for documents; what the server sends is collected."""

    def __init__(
        self,
        *folders: Path,
        can: types.ClientCapabilities | None = None,
        options: object = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.settings: dict[str, object] = dict(settings or {})
        self.published: dict[str, list[types.PublishDiagnosticsParams]] = defaultdict(list)
        self.log: list[str] = []
        self.messages: list[str] = []
        self.registrations: list[types.Registration] = []
        self.refreshes = 0
        self._versions: dict[str, int] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = LanguageClient("test", "1")
        self._listen()
        self.run(self.client.start_io(*COMMAND))
        self.initialized: types.InitializeResult = self.run(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities=can or types.ClientCapabilities(),
                    initialization_options=options,
                    workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
                )
            )
        )
        self.do(lambda: self.client.initialized(types.InitializedParams()))

    def __enter__(self) -> Editor:  # noqa: PYI034 (`Self` came with Python 3.11)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.returncode is None:
            self.leave()
        self.run(self.client.stop())  # type: ignore[no-untyped-call]
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)

    # ---- plumbing ----

    def run(self, work: Coroutine[Any, Any, T] | Any) -> T:
        """Wait for something that the client does."""

        async def bounded() -> T:
            return await asyncio.wait_for(work, PATIENCE)

        return asyncio.run_coroutine_threadsafe(bounded(), self._loop).result(PATIENCE + 5)

    def do(self, action: Callable[[], T]) -> T:
        """Call the client in its own thread."""

        async def called() -> T:
            return action()

        return self.run(called())

    def until(self, holds: Callable[[], T | None]) -> T:
        """Wait until something holds, and return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = holds()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"waited in vain; the log says {self.log}, messages {self.messages}")

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server."""
        process = self.client._server
        assert process is not None
        return process

    def leave(self) -> int:
        """Say goodbye as the protocol has it; the server's exit code."""
        self.run(self.client.shutdown_async(None))
        self.do(lambda: self.client.exit(None))
        return self.exit_code()

    def exit_code(self) -> int:
        """The server's exit code, once it has gone."""
        return self.until(lambda: None if self.process.returncode is None else (self.process.returncode,))[0]

    def request(self, method: str, params: object) -> object:
        """Send a request whose parameters need not make sense; its result."""
        answer: Future[Any] = Future()
        self.client.protocol._request_futures["odd"] = answer
        self.send(framed({"jsonrpc": "2.0", "id": "odd", "method": method, "params": params}))
        return answer.result(PATIENCE)

    def send(self, data: bytes) -> None:
        """Write to the server as it is."""
        stdin = self.process.stdin
        assert stdin is not None
        self.do(lambda: stdin.write(data))

    def _listen(self) -> None:
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri].append(params)

        def logged(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        def configuration(params: types.ConfigurationParams) -> list[object]:
            return [self.settings.get(item.scope_uri or "", self.settings.get("")) for item in params.items]

        def registered(params: types.RegistrationParams) -> None:
            self.registrations += params.registrations

        def refreshed(params: None) -> None:  # noqa: ARG001
            self.refreshes += 1

        for method, handler in (
            (types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, published),
            (types.WINDOW_LOG_MESSAGE, logged),
            (types.WINDOW_SHOW_MESSAGE, shown),
            (types.WORKSPACE_CONFIGURATION, configuration),
            (types.CLIENT_REGISTER_CAPABILITY, registered),
            (types.WORKSPACE_DIAGNOSTIC_REFRESH, refreshed),
        ):
            self.client.feature(method)(handler)

    # ---- documents ----

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a file with its text on disk, or with another."""
        uri = path.as_uri()
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, path.read_text() if text is None else text)
        self.do(lambda: self.client.text_document_did_open(types.DidOpenTextDocumentParams(item)))

    def change(self, path: Path, *edits: tuple[int, int, int, int, str]) -> int:
        """Edit regions, given as zero-based positions, one after the other; the new version."""
        changes: list[types.TextDocumentContentChangeEvent] = [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(row, column), types.Position(end_row, end_column)), text
            )
            for row, column, end_row, end_column, text in edits
        ]
        return self._changed(path, changes)

    def replace(self, path: Path, text: str) -> int:
        """Replace the whole text; the new version."""
        return self._changed(path, [types.TextDocumentContentChangeWholeDocument(text)])

    def _changed(self, path: Path, changes: list[types.TextDocumentContentChangeEvent]) -> int:
        uri = path.as_uri()
        version = self._versions[uri] = self._versions[uri] + 1
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.do(lambda: self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes)))
        return version

    def save(self, path: Path) -> None:
        """Say that a file was saved."""
        document = types.TextDocumentIdentifier(path.as_uri())
        self.do(lambda: self.client.text_document_did_save(types.DidSaveTextDocumentParams(document)))

    def close(self, path: Path) -> None:
        """Close a file."""
        document = types.TextDocumentIdentifier(path.as_uri())
        self.do(lambda: self.client.text_document_did_close(types.DidCloseTextDocumentParams(document)))

    # ---- notebooks ----

    def open_notebook(self, path: Path, cells: Mapping[str, str]) -> None:
        """Open a notebook with cells of Python, by their URIs."""
        self._versions[path.as_uri()] = 1
        notebook = types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, [_cell(uri) for uri in cells])
        items = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in cells.items()]
        params = types.DidOpenNotebookDocumentParams(notebook, items)
        self.do(lambda: self.client.notebook_document_did_open(params))

    def change_notebook(self, path: Path, cells: types.NotebookDocumentCellChanges) -> None:
        """Tell of new cells or texts."""
        uri = path.as_uri()
        version = self._versions[uri] = self._versions[uri] + 1
        document = types.VersionedNotebookDocumentIdentifier(version, uri)
        params = types.DidChangeNotebookDocumentParams(document, types.NotebookDocumentChangeEvent(cells=cells))
        self.do(lambda: self.client.notebook_document_did_change(params))

    def type_in_cell(self, path: Path, cell: str, version: int, row: int, column: int, text: str) -> None:
        """Put a text into a cell."""
        place = types.Position(row, column)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), text)
        document = types.VersionedTextDocumentIdentifier(version, cell)
        edits = types.NotebookDocumentCellContentChanges(document, [change])
        self.change_notebook(path, types.NotebookDocumentCellChanges(text_content=[edits]))

    def insert_cell(self, path: Path, index: int, cell: str, text: str) -> None:
        """Put a cell in front of another."""
        array = types.NotebookCellArrayChange(index, 0, [_cell(cell)])
        item = types.TextDocumentItem(cell, "python", 1, text)
        structure = types.NotebookDocumentCellChangeStructure(array, [item], [])
        self.change_notebook(path, types.NotebookDocumentCellChanges(structure=structure))

    def delete_cell(self, path: Path, index: int, cell: str) -> None:
        """Take a cell away."""
        array = types.NotebookCellArrayChange(index, 1, [])
        structure = types.NotebookDocumentCellChangeStructure(array, [], [types.TextDocumentIdentifier(cell)])
        self.change_notebook(path, types.NotebookDocumentCellChanges(structure=structure))

    def close_notebook(self, path: Path, cells: Sequence[str]) -> None:
        """Close a notebook."""
        closed = [types.TextDocumentIdentifier(cell) for cell in cells]
        params = types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(path.as_uri()), closed)
        self.do(lambda: self.client.notebook_document_did_close(params))

    def expect_in(self, uri: str, *codes: str) -> list[types.Diagnostic]:
        """Wait until just these codes are shown in a cell."""

        def shown() -> list[types.PublishDiagnosticsParams]:
            return [found for found in self.published[uri][-1:] if codes_of(found.diagnostics) == list(codes)]

        return list(self.until(shown)[0].diagnostics)

    # ---- what comes back ----

    def latest(self, path: Path) -> types.PublishDiagnosticsParams | None:
        """What was published last."""
        found = self.published[path.as_uri()]
        return found[-1] if found else None

    def diagnostics(self, path: Path, version: int | None = None) -> list[types.Diagnostic]:
        """What is published for a version, by default the present one."""
        wanted = version or self._versions[path.as_uri()]

        def found() -> types.PublishDiagnosticsParams | None:
            latest = self.latest(path)
            return latest if latest is not None and latest.version == wanted else None

        return list(self.until(found).diagnostics)

    def expect(self, path: Path, *codes: str) -> list[types.Diagnostic]:
        """Wait until just these codes are shown."""

        def found() -> types.PublishDiagnosticsParams | None:
            latest = self.latest(path)
            current = latest is not None and latest.version == self._versions[path.as_uri()]
            return latest if latest is not None and current and codes_of(latest.diagnostics) == list(codes) else None

        try:
            return list(self.until(found).diagnostics)
        except AssertionError:
            latest = self.latest(path)
            shown = None if latest is None else (latest.version, codes_of(latest.diagnostics))
            raise AssertionError(f"{codes} were expected, {shown} are shown; the log says {self.log}") from None

    def pull(self, path: Path, previous: str | None = None) -> types.DocumentDiagnosticReport:
        """Ask for diagnostics."""
        document = types.TextDocumentIdentifier(path.as_uri())
        params = types.DocumentDiagnosticParams(document, previous_result_id=previous)
        return self.run(self.client.text_document_diagnostic_async(params))

    def actions(
        self,
        path: Path | str,
        row: int,
        *,
        only: Sequence[types.CodeActionKind | str] | None = None,
        diagnostics: Sequence[types.Diagnostic] = (),
    ) -> list[types.CodeAction]:
        """The actions that are offered on a zero-based row."""
        region = types.Range(types.Position(row, 0), types.Position(row, 1000))
        context = types.CodeActionContext(list(diagnostics), list(only) if only is not None else None)
        uri = path if isinstance(path, str) else path.as_uri()
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), region, context)
        found: Sequence[object] | None = self.run(self.client.text_document_code_action_async(params))
        return [action for action in found or [] if isinstance(action, types.CodeAction)]

    def hover(self, path: Path | str, row: int, column: int) -> types.Hover | None:
        """What is shown at a zero-based position."""
        uri = path if isinstance(path, str) else path.as_uri()
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(row, column))
        return self.run(self.client.text_document_hover_async(params))


def _cell(uri: str) -> types.NotebookCell:
    return types.NotebookCell(types.NotebookCellKind.Code, uri)


def framed(message: object) -> bytes:
    """A message as it goes over the pipe; bytes as they are."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def codes_of(diagnostics: Sequence[types.Diagnostic]) -> list[str]:
    """The codes of diagnostics, in order."""
    return sorted(str(diagnostic.code) for diagnostic in diagnostics)


def applied(text: str, edits: Sequence[object] | None) -> str:
    """A text of ASCII after text edits."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for edit in reversed(list(edits or ())):
        assert isinstance(edit, types.TextEdit)
        start = starts[edit.range.start.line] + edit.range.start.character
        end = starts[edit.range.end.line] + edit.range.end.character
        text = text[:start] + edit.new_text + text[end:]
    return text
