"""What the engine hands back for a file, apart from the engine so that a warm run need not load it."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.findings import Finding


@dataclass(slots=True)
class FileResult:
    """What the analysis of one file found, there and in files it calls into; `depends` are the files it rests on."""

    path: str
    findings: list[Finding]
    depends: list[str]
