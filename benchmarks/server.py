"""Measures how long `jaxlint server` takes from a keystroke to diagnostics, beside the parser alone.

    python benchmarks/server.py FILE... [--keystrokes 40]

Each file is opened in its own place and never written. A keystroke adds or takes away a character of a comment at the
end of the file, so that the whole text is new; the time runs until the client has the diagnostics of that version. The
pause between keystrokes lets the later look at the files around end. The parser is timed between the keystrokes, so
that both meet the same load.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import libcst
from lsprotocol import types
from pygls.lsp.client import LanguageClient


@dataclass(frozen=True)
class Latency:
    """Seconds from keystrokes to diagnostics, and those of the parser alone."""

    opened: float
    times: list[float]
    parses: list[float]

    def row(self, path: Path, lines: int) -> str:
        """A row of the table."""
        median, parse = statistics.median(self.times), statistics.median(self.parses)
        slow = sorted(self.times)[int(len(self.times) * 0.95)]
        return (
            f"| {path.name} | {lines:,} | {self.opened * 1000:,.0f} | {parse * 1000:.0f} | {median * 1000:.0f} | "
            f"{slow * 1000:.0f} | {median / parse:.1f} |"
        )


class Session:
    """A client that waits for the diagnostics of a version."""

    def __init__(self) -> None:
        self.client = LanguageClient("benchmark", "1")
        self._arrived: dict[int, asyncio.Event] = {}

        def published(params: types.PublishDiagnosticsParams) -> None:
            self._arrived.setdefault(params.version or 0, asyncio.Event()).set()

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)

    async def start(self, folder: Path) -> None:
        """Start the server for a folder."""
        await self.client.start_io(sys.executable, "-m", "jaxlint", "server")
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
        capabilities = types.ClientCapabilities()
        await self.client.initialize_async(types.InitializeParams(capabilities, workspace_folders=folders))
        self.client.initialized(types.InitializedParams())

    async def stop(self) -> None:
        """End the session."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def arrived(self, version: int) -> None:
        """Wait for the diagnostics of a version."""
        await asyncio.wait_for(self._arrived.setdefault(version, asyncio.Event()).wait(), 120)


async def measure(path: Path, keystrokes: int, pause: float) -> Latency:
    """The latency in one file."""
    session = Session()
    await session.start(path.parent)
    text = path.read_text(encoding="utf-8")
    uri = path.as_uri()
    started = time.perf_counter()
    session.client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text + "\n#"))
    )
    await session.arrived(0)
    opened = time.perf_counter() - started
    rows = text.count("\n") + 1
    times: list[float] = []
    parses: list[float] = []
    for version in range(1, keystrokes + 1):
        await asyncio.sleep(pause)
        start, end, typed = (1, 1, "x") if version % 2 else (1, 2, "")
        region = types.Range(types.Position(rows, start), types.Position(rows, end))
        began = time.perf_counter()
        session.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(region, typed)],
            )
        )
        await session.arrived(version)
        times.append(time.perf_counter() - began)
        await asyncio.sleep(pause)
        parses.append(_parse(text))
    await session.stop()
    return Latency(opened, times, parses)


def _parse(text: str) -> float:
    gc.disable()
    try:
        began = time.perf_counter()
        libcst.parse_module(text)
        return time.perf_counter() - began
    finally:
        gc.enable()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--keystrokes", type=int, default=40)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between keystrokes")
    options = parser.parse_args()
    print("| file | lines | opened ms | parse ms | keystroke ms, median | 95th of 100 | x parse |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for path in options.files:
        path = path.resolve()
        latency = asyncio.run(measure(path, options.keystrokes, options.pause))
        print(latency.row(path, path.read_bytes().count(b"\n")))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
