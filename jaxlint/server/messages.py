"""What the server and its analysis process say to each other: pickled, each after its length."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass, field
from typing import Any

from jaxlint.findings import Finding
from jaxlint.source import Source

HEADER = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the workspace with the settings that the client has for it; files in no folder have a path of ''.

    `configuration` names a settings file that stands in for those beside the code.
    """

    path: str
    settings: dict[str, Any] = field(default_factory=dict)
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class Configure:
    """The folders of the workspace. What was read of settings files is read again."""

    folders: tuple[Folder, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """What an editor holds for a file; None once it is closed."""

    path: str
    source: Source | None


@dataclass(frozen=True, slots=True)
class Check:
    """Check files that are open. wide: with the files that import them, and with the open ones among those."""

    ticket: int
    files: tuple[str, ...]
    wide: bool


@dataclass(frozen=True, slots=True)
class Mend:
    """Apply every safe fix to a file that is open."""

    ticket: int
    file: str


@dataclass(frozen=True, slots=True)
class Abandon:
    """Nobody waits for this job any more."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The analysis process has loaded what it needs."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Findings by file; a file that does not parse is among the `broken` ones, too.

    `problems` are mistakes in settings, which the user should see; `errors` are faults of the linter.
    """

    ticket: int
    findings: dict[str, list[Finding]]
    broken: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mended:
    """The text of a file with its safe fixes applied."""

    ticket: int
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that has no result: it was abandoned, or failed with a `message`."""

    ticket: int
    message: str = ""


Job = Check | Mend
Result = Checked | Mended | Ended
Request = Configure | Opened | Check | Mend | Abandon


def packed(message: Request | Result | Ready) -> bytes:
    """A message as it goes over the pipe."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(data)) + data
