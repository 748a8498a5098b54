"""Known findings of old code: a file that lists them by code, path and source, so that only new ones are shown.

An entry holds no line number. Several findings that are the same in these three are one entry with their count.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.config.errors import UsageError
from jaxlint.findings import Finding
from jaxlint.report.identity import text_of

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """What a finding is known by; `path` is relative to the folder of the baseline."""

    path: str
    code: str
    text: str


class Baseline:
    """The entries of one file. It hides as many findings as it knows, and remembers which entries it had no use for."""

    def __init__(self, file: Path, counts: Counter[Entry]) -> None:
        self.file = file
        self.hidden = 0
        self._folder = Path(os.path.realpath(file)).parent
        self._counts: dict[str, Counter[Entry]] = {}
        for entry, count in counts.items():
            self._counts.setdefault(entry.path, Counter())[entry] = count
        self._left: dict[str, Counter[Entry]] = {}
        self._seen: dict[str, int] = {}

    def remaining(
        self, path: Path, findings: Sequence[Finding], rows: Sequence[str], on: frozenset[str]
    ) -> list[Finding]:
        """The findings of a file that are new. `on` are the rules that ran: only of these can entries be stale."""
        name = _name(str(path), self._folder)
        left = Counter(self._counts.get(name, ()))
        new: list[Finding] = []
        for finding in findings:
            entry = Entry(name, finding.code, text_of(finding.span, rows))
            if left[entry] > 0:
                left[entry] -= 1
            else:
                new.append(finding)
        self._left[name] = Counter({entry: count for entry, count in left.items() if count > 0 and entry.code in on})
        self._seen[name] = len(findings) - len(new)
        self.hidden = sum(self._seen.values())
        return new

    def stale(self) -> list[Entry]:
        """Entries that nothing matches any more, of files that were checked and of files that are gone."""
        found = [entry for left in self._left.values() for entry in left]
        for name, counts in self._counts.items():
            if name not in self._left and not os.path.lexists(self._folder / name):
                found += counts
        return sorted(found)


def read_baseline(file: Path, shown: str) -> Baseline:
    """Read a baseline, whose name in messages is `shown`; what is wrong with it is the user's mistake."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{shown}: there is no such baseline; `--write-baseline {shown}` makes one") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{shown}: the baseline cannot be read: {reason.lower()}") from None
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"{shown}{line}: the baseline is not valid JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise UsageError(f"{shown}: not a baseline: it must be an object with `version` and `findings`")
    if data.get("version") != VERSION:
        raise UsageError(f"{shown}: the baseline has version {data.get('version')!r}, and this jaxlint reads {VERSION}")
    counts: Counter[Entry] = Counter()
    for number, item in enumerate(data["findings"], 1):
        entry, count = _entry(item, f"{shown}: finding {number} of the baseline")
        counts[entry] += count
    return Baseline(file, counts)


def baseline_text(file: Path, findings: Iterable[Finding], rows: Callable[[str], Sequence[str]]) -> str:
    """A baseline that knows these findings, one line an entry. `rows` gives the source of a file by its path."""
    folder = Path(os.path.realpath(file)).parent
    counts = Counter(
        Entry(_name(finding.path, folder), finding.code, text_of(finding.span, rows(finding.path)))
        for finding in findings
    )
    return "".join(_lines(counts))


def _lines(counts: Counter[Entry]) -> Iterator[str]:
    yield f'{{\n  "version": {VERSION},\n  "findings": ['
    for number, (entry, count) in enumerate(sorted(counts.items())):
        item = {"path": entry.path, "code": entry.code, "text": entry.text, "count": count}
        yield f"{',' if number else ''}\n    {json.dumps(item, ensure_ascii=False)}"
    yield "\n  ]\n}\n" if counts else "]\n}\n"


def _entry(item: Any, place: str) -> tuple[Entry, int]:
    if not isinstance(item, dict):
        raise UsageError(f"{place} must be an object")
    for key in ("path", "code", "text"):
        if not isinstance(item.get(key), str):
            raise UsageError(f"{place}: `{key}` must be a string")
    count = item.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise UsageError(f"{place}: `count` must be a positive number")
    return Entry(item["path"], item["code"], item["text"]), count


def _name(path: str, folder: Path) -> str:
    """The path from the baseline's folder on, the same on every machine, in text that UTF-8 can hold."""
    real = os.path.realpath(path)
    try:
        relative = os.path.relpath(real, folder)
    except ValueError:  # another drive
        relative = real
    return os.fsencode(relative.replace(os.sep, "/")).decode("utf-8", "backslashreplace")
