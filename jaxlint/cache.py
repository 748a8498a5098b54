"""Results of earlier runs, kept by content.

One file holds the results for one set of settings. A result counts as long as the file it is of, and every file of the
project that it rests on, have the content they had. Anything that cannot be read as such is thrown away with a note.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jaxlint import __version__
from jaxlint.findings import Applicability, Edit, Finding, Fix, Related, Severity, Span
from jaxlint.fixes.write import encoded
from jaxlint.results import FileResult
from jaxlint.source import Source

_FORMAT = 1


class Cache:
    """The results kept under `folder` for the settings `identity`. `notes` says what was wrong with it.

    `unsaved` holds, by path, what stands in for files: results count for that content.
    """

    def __init__(self, folder: Path, identity: dict[str, Any], unsaved: Mapping[str, Source] | None = None) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._file = folder / __version__ / f"{_digest(_identity(identity))}.json"
        self._unsaved = unsaved or {}
        self._hashes: dict[str, str] = {}
        self._entries: dict[str, Any] = self._read()
        self._fresh: dict[str, Any] = {}

    def get(self, path: str) -> FileResult | None:
        """The result for a file, when nothing that it rests on has changed."""
        entry = self._entries.get(path)
        try:
            if entry is None or path not in entry["depends"]:
                return None
            if any(self.hash(name) != value for name, value in entry["depends"].items()):
                return None
            found = [_finding(item) for item in entry["findings"]]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        self._fresh[path] = entry
        return FileResult(path, found, list(entry["depends"]))

    def put(self, result: FileResult) -> None:
        """Keep a result."""
        self._fresh[result.path] = {
            "depends": {name: self.hash(name) for name in {result.path, *result.depends}},
            "findings": [_plain(finding) for finding in result.findings],
        }

    def save(self) -> None:
        """Write what is worth keeping; a folder that cannot be written costs a note."""
        kept = {path: entry for path, entry in self._entries.items() if path not in self._fresh}
        document = {"format": _FORMAT, "results": {**kept, **self._fresh}}
        if document["results"] == self._entries:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            ignore = self.folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text("# made by jaxlint\n*\n", encoding="utf-8")
            handle, name = tempfile.mkstemp(dir=self._file.parent, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(document, file, separators=(",", ":"))
            Path(name).replace(self._file)
        except OSError as error:
            self.notes.append(f"the cache in {self.folder} cannot be written: {error.strerror or error}")

    def hash(self, path: str) -> str:
        """The hash of a file's content; of a file that cannot be read, one that no content has."""
        found = self._hashes.get(path)
        if found is None:
            source = self._unsaved.get(path)
            try:
                found = _digest(encoded(source) if source is not None else Path(path).read_bytes())
            except (OSError, UnicodeEncodeError):
                found = "unreadable"
            self._hashes[path] = found
        return found

    def _read(self) -> dict[str, Any]:
        try:
            data = self._file.read_bytes()
        except OSError:  # there is none, or `save` says what is wrong with the folder
            return {}
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            self.notes.append(f"the cache file {self._file} cannot be used and is made anew")
            return {}
        results = document.get("results") if isinstance(document, dict) and document.get("format") == _FORMAT else None
        if not isinstance(results, dict):
            self.notes.append(f"the cache file {self._file} is not one of ours and is made anew")
            return {}
        return results


def _identity(settings: dict[str, Any]) -> bytes:
    grammar = f"{sys.version_info.major}.{sys.version_info.minor}"
    return json.dumps([__version__, _FORMAT, grammar, settings], sort_keys=True, default=str).encode()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _plain(finding: Finding) -> dict[str, Any]:
    plain = asdict(finding)
    plain["severity"] = finding.severity.value
    if finding.fix is not None:
        plain["fix"]["applicability"] = finding.fix.applicability.value
    return plain


def _finding(plain: dict[str, Any]) -> Finding:
    fix = plain["fix"]
    values = dict(plain)
    values["severity"] = Severity(plain["severity"])
    values["span"] = Span(**plain["span"])
    values["confirmation"] = None  # a verdict is of one run of the program, and never kept
    values["related"] = tuple(Related(r["path"], Span(**r["span"]), r["message"]) for r in plain["related"])
    values["noqa_rows"] = tuple(plain["noqa_rows"])
    if fix is not None:
        edits = tuple(Edit(Span(**edit["span"]), edit["content"]) for edit in fix["edits"])
        values["fix"] = Fix(fix["message"], Applicability(fix["applicability"]), edits, tuple(fix["imports"]))
    return Finding(**values)
