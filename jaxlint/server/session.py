"""The language server: which message leads to what. Everything else stands in the modules beside this one."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

import jaxlint
from jaxlint.config.catalogue import Catalogue, load_catalogue
from jaxlint.files.suppressions import Suppressions
from jaxlint.findings import Finding
from jaxlint.server import actions
from jaxlint.server.actions import Action
from jaxlint.server.diagnostics import Writer
from jaxlint.server.documents import Document, Documents, is_saved, path_of
from jaxlint.server.link import Link
from jaxlint.server.messages import Configure, Folder, Opened
from jaxlint.server.notebooks import Notebook
from jaxlint.server.positions import Encoding
from jaxlint.server.schedule import Schedule
from jaxlint.server.settings import ON_SAVE, SECTION, ClientSettings, read_settings

# Settings, what they extend, the tables that they name, requirements, and the program.
_WATCHED = ("**/*.toml", "**/*.tsv", "**/setup.{py,cfg}", "**/requirements*.txt", "**/*.lock", "**/*.py")


class _Protocol(LanguageServerProtocol):
    """Answers requests whose parameters make no sense, instead of leaving the client to wait."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message in `data`."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise


class Server(LanguageServer):
    """One client's session."""

    def __init__(self) -> None:
        cells = types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")])
        super().__init__(
            "jaxlint",
            jaxlint.__version__,
            notebook_document_sync=types.NotebookDocumentSyncOptions([cells], save=True),
            protocol_cls=_Protocol,
            converter_factory=get_converter,
        )
        self.documents = Documents()
        self.encoding = Encoding()
        self.ended = False
        self.pulls = False
        self._folders: dict[str, ClientSettings] = {}
        self._elsewhere = ClientSettings()
        self._told: set[str] = set()
        self._catalogue: Catalogue | None = None
        self._results: dict[str, tuple[str, list[types.Diagnostic]]] = {}
        self.link = Link(self._state, self.log)
        self.schedule = Schedule(
            self.link,
            self.documents,
            changed=self._report_changed,
            debounce=lambda document: self.settings_of(document).debounce / 1000,
            log=self.log,
            warn=self.warn,
        )

    # ---- messages to the user ----

    def log(self, message: str) -> None:
        """A line in the client's log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def warn(self, message: str) -> None:
        """A message that the user should see, once."""
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"jaxlint: {message}"))

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """What goes wrong with a message goes to the log: it is nothing that the user could mend."""
        self.log(f"{source.__name__}: {error}")

    # ---- settings ----

    def settings_of(self, document: Document) -> ClientSettings:
        """The client's settings for a document: those of the innermost folder of the workspace that holds it."""
        inside = [folder for folder in self._folders if Path(document.path).is_relative_to(folder)]
        return self._folders[max(inside, key=len)] if inside else self._elsewhere

    async def configure(self, given: object = None) -> None:
        """Take settings: what the client is asked for, if it can be asked, else what it gave."""
        uris = [folder.uri for folder in self.workspace.folders.values()]
        values: list[object] = [given] * (len(uris) + 1)
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            items = [types.ConfigurationItem(scope_uri=uri, section=SECTION) for uri in uris]
            items.append(types.ConfigurationItem(section=SECTION))
            try:
                answer = await self.workspace_configuration_async(types.ConfigurationParams(items))
                # A client that has nothing to say of the section must not undo what it gave at the start.
                values = [found or before for found, before in zip(answer, values, strict=True)]
            except (JsonRpcException, ValueError) as error:
                self.log(f"the client did not tell its settings: {error}")
        self._told.clear()
        folders: dict[str, ClientSettings] = {}
        for uri, value in zip(uris, values, strict=False):
            folders[path_of(uri, "")] = self._read(value)
        self._folders, self._elsewhere = folders, self._read(values[-1])
        self.link.tell(self._configure())

    def _read(self, value: object) -> ClientSettings:
        settings, problems = read_settings(value)
        for problem in problems:
            self.warn(problem)
        return settings

    def _configure(self) -> Configure:
        found = {**self._folders, "": self._elsewhere}
        return Configure(tuple(Folder(path, s.linter, s.configuration) for path, s in found.items()))

    def _state(self) -> Iterable[Configure | Opened]:
        """What an analysis process has to know."""
        yield self._configure()
        for document in self.documents:
            yield Opened(document.path, document.source())

    # ---- diagnostics ----

    def shown_as(self, code: str) -> str:
        """How the places of a rule are shown."""
        rule = self.catalogue.by_code.get(code)
        return rule.shown_as if rule is not None else ""

    @property
    def catalogue(self) -> Catalogue:
        """The rules, loaded when they are first needed."""
        if self._catalogue is None:
            self._catalogue = load_catalogue()
        return self._catalogue

    def diagnostics(self, document: Document) -> dict[str, list[types.Diagnostic]]:
        """What is to be shown in each text of a document, by URI."""
        found: dict[str, list[types.Diagnostic]] = {uri: [] for uri in document.versions}
        report = self.schedule.report(document)
        if report is None or not self.settings_of(document).enable:
            return found
        capabilities = self.client_capabilities.text_document
        published = capabilities.publish_diagnostics if capabilities is not None else None
        related = published is None or published.related_information is not False
        writer = Writer(self.shown_as, lambda path, span: self.documents.location(path, span, self.encoding), related)
        for uri, diagnostic in map(writer.diagnostic, report.shown):
            found.setdefault(uri, []).append(diagnostic)
        return found

    def _report_changed(self, document: Document, by_edit: bool) -> None:
        if not self.pulls or isinstance(document, Notebook):  # clients do not ask for those of cells
            for uri, found in self.diagnostics(document).items():
                version = document.versions.get(uri)
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))
        elif not by_edit:  # after an edit the client asks of its own accord
            self.workspace_diagnostic_refresh(None)

    async def pulled(self, document: Document, previous: str | None) -> types.DocumentDiagnosticReport:
        """The answer to a client that asks: what is known of the present version."""
        await self.schedule.settled(document)
        found = self.diagnostics(document)[document.uri]
        identifier, known = self._results.get(document.uri, ("0", None))
        if known != found:
            identifier = str(int(identifier) + 1)
            self._results[document.uri] = (identifier, found)
        if identifier == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(identifier)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=identifier)

    def clear(self, uris: Iterable[str]) -> None:
        """Show nothing in texts that are closed."""
        for uri in uris:
            self._results.pop(uri, None)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    # ---- actions ----

    async def edit(self, document: Document, action: Action) -> types.WorkspaceEdit | None:
        """The edit of an action; None when it changes nothing, or the text has moved on."""
        before = document.now
        source = document.source()
        if action.what == "all":
            after = await self.schedule.mended(document)
        elif action.finding is None:
            after = None
        elif action.what == "fix":
            after = actions.fixed_text(source, action.finding)
        else:
            after = actions.silenced_text(source, action.finding, self.catalogue)
        if after is None or document.now is not before:
            return None
        edits = document.edits(after, self.encoding)
        if not edits:
            return None
        workspace = self.client_capabilities.workspace
        if workspace is None or workspace.workspace_edit is None or not workspace.workspace_edit.document_changes:
            return types.WorkspaceEdit(dict(edits))
        versions = document.versions
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=versions[uri]), [*found]
                )
                for uri, found in edits.items()
            ]
        )

    def resolves_edits(self) -> bool:
        """Whether the client asks for the edit of an action when it is chosen."""
        text = self.client_capabilities.text_document
        support = text.code_action.resolve_support if text is not None and text.code_action is not None else None
        return support is not None and "edit" in support.properties

    def findings(self, document: Document) -> list[Finding]:
        """What is known of the present text of a document."""
        report = self.schedule.report(document)
        if report is None or not self.settings_of(document).enable or report.text is not document.now:
            return []
        return report.shown


def make_server() -> Server:
    """A server with its handlers."""
    server = Server()
    _lifetime(server)
    _documents(server)
    _notebooks(server)
    _questions(server)
    return server


def _lifetime(server: Server) -> None:
    given: list[object] = [None]

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.encoding = Encoding(server.workspace.position_encoding)
        given[0] = params.initialization_options
        capabilities = params.capabilities
        text, workspace = capabilities.text_document, capabilities.workspace
        refreshes = (
            workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support
        )
        server.pulls = text is not None and text.diagnostic is not None and bool(refreshes)
        if not server.pulls:  # what a later look finds could never be shown to it
            server.protocol.fm.features.pop(types.TEXT_DOCUMENT_DIAGNOSTIC, None)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:  # noqa: ARG001
        await asyncio.gather(server.link.start(), server.configure(given[0]))
        server.schedule.start()
        await _register(server)
        await asyncio.to_thread(lambda: server.catalogue)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        given[0] = params.settings or given[0]
        await server.configure(given[0])
        server.schedule.everything()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:  # noqa: ARG001
        await server.configure(given[0])
        server.schedule.everything()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = {path_of(event.uri, "") for event in params.changes}
        if any(server.documents.at(path) is None for path in paths):
            await server.configure(given[0])
            server.schedule.everything()

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:  # noqa: ARG001
        server.ended = True
        server.schedule.stop()
        await server.link.close()


async def _register(server: Server) -> None:
    """Ask the client to tell of changed files and settings."""
    workspace = server.client_capabilities.workspace
    registrations: list[types.Registration] = []
    watching = workspace.did_change_watched_files if workspace is not None else None
    if watching is not None and watching.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        registrations.append(types.Registration("watched", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    configuring = workspace.did_change_configuration if workspace is not None else None
    if configuring is not None and configuring.dynamic_registration:
        section = types.DidChangeConfigurationRegistrationOptions(SECTION)
        registrations.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if registrations:
        try:
            await server.client_register_capability_async(types.RegistrationParams(registrations))
        except JsonRpcException as error:
            server.log(f"the client does not tell of changed files: {error}")


def _folder(server: Server) -> str:
    """Where documents without a file count as lying."""
    folder = next(iter(server.workspace.folders.values()), None)
    return path_of(folder.uri, "") if folder is not None else str(Path.cwd())


def _edited(server: Server, document: Document) -> None:
    if server.settings_of(document).run == ON_SAVE:
        server.schedule.held(document)
    else:
        server.schedule.edited(document)


def _saved(server: Server, uri: str) -> None:
    document = server.documents.get(uri)
    if document is not None and server.settings_of(document).run == ON_SAVE:
        server.schedule.edited(document, at_once=True)


def _documents(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = Document(item.uri, path_of(item.uri, _folder(server)), item.version, item.text)
        server.documents.add(document)
        server.schedule.edited(document, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.text_document.version, params.content_changes, server.encoding)
            _edited(server, document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        _saved(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        document = server.documents.remove(params.text_document.uri)
        if document is None:
            return
        server.schedule.closed(document)
        server.clear(document.versions)
        if not is_saved(document):  # others may have seen what is gone now
            server.schedule.everything()


def _notebooks(server: Server) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        item = params.notebook_document
        notebook = Notebook(item.uri, path_of(item.uri, _folder(server)), item.version)
        notebook.open(params.cell_text_documents)
        notebook.splice(0, 0, item.cells)
        notebook.compose(item.version)
        server.documents.add(notebook)
        server.schedule.edited(notebook, at_once=True)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook = server.documents.get(params.notebook_document.uri)
        cells = params.change.cells
        if not isinstance(notebook, Notebook) or cells is None:
            return
        if cells.structure is not None:
            array = cells.structure.array
            notebook.splice(array.start, array.delete_count, array.cells or ())
            server.clear(notebook.close(cells.structure.did_close or ()))
            notebook.open(cells.structure.did_open or ())
        for change in cells.text_content or ():
            notebook.edit(change, server.encoding)
        notebook.compose(params.notebook_document.version)
        server.documents.add(notebook)
        _edited(server, notebook)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        _saved(server, params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        notebook = server.documents.remove(params.notebook_document.uri)
        if notebook is not None:
            server.schedule.closed(notebook)
            server.clear(notebook.versions)


def _questions(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SECTION),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = server.documents.get(params.text_document.uri)
        if document is None or isinstance(document, Notebook):
            return types.RelatedFullDocumentDiagnosticReport([])
        return await server.pulled(document, params.previous_result_id)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, actions.FIX_ALL], resolve_provider=True),
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        await server.schedule.settled(document)
        span = document.span(params.text_document.uri, params.range, server.encoding)
        only = [str(getattr(kind, "value", kind)) for kind in params.context.only] if params.context.only else None
        rows = {(str(item.code), _row(server, document, params, item)): item for item in params.context.diagnostics}
        found: list[types.CodeAction] = []
        for action in actions.actions(server.findings(document), span, only, rows):
            finding = action.finding
            diagnostic = rows.get((finding.code, finding.span.row)) if finding is not None else None
            made = types.CodeAction(
                action.title,
                action.kind,
                diagnostics=[diagnostic] if diagnostic is not None else None,
                is_preferred=True if action.preferred else None,
            )
            if server.resolves_edits():
                made.data = {"uri": document.uri, "version": document.version, **actions.data_of(action)}
            elif action.what != "all" or only is not None:  # a fix of everything is costly: only for who asks for it
                made.edit = await server.edit(document, action)
            if made.data is not None or made.edit is not None:
                found.append(made)
        return found

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        data: Any = action.data
        document = server.documents.get(data["uri"])
        if document is not None and document.version == data["version"]:
            meant = actions.meant(data, server.findings(document))
            action.edit = await server.edit(document, meant) if meant is not None else None
        return action

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None or "noqa" not in document.now.text:
            return None
        uri, place = params.text_document.uri, types.Range(params.position, params.position)
        span = document.span(uri, place, server.encoding)
        found = Suppressions(document.source(), server.catalogue).words_at(span.row, span.column)
        text = actions.hover_text((word for word, _ in found), server.catalogue)
        if not text:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, document.location(found[0][1], server.encoding).range)


def _row(server: Server, document: Document, params: types.CodeActionParams, item: types.Diagnostic) -> int:
    """The row of the program that a diagnostic of the client begins in."""
    return document.span(params.text_document.uri, item.range, server.encoding).row


def serve() -> int:
    """Serve the client at standard input and output until it leaves; 0 when it said goodbye, else 1."""
    logging.basicConfig(stream=sys.stderr, level=logging.CRITICAL)
    output: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write between the messages
    server = make_server()
    server.start_io(sys.stdin.buffer, output)
    return 0 if server.ended else 1
