"""The kinds of values that settings have: how each is read from TOML and from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from jaxlint.config.catalogue import Catalogue, Selector
from jaxlint.config.errors import UsageError, did_you_mean, one_of
from jaxlint.config.patterns import Patterns
from jaxlint.target import Target

T = TypeVar("T")

Schema = dict[str, object]
"""A JSON schema, or a part of one."""

STRINGS: Schema = {"type": "array", "items": {"type": "string"}}
SELECTORS: Schema = {"type": "array", "items": {"$ref": "#/definitions/selector"}}


@dataclass(frozen=True, slots=True)
class Context:
    """Where a value was written: `place` for messages, `base` for relative paths."""

    place: str
    base: Path
    catalogue: Catalogue


@dataclass(frozen=True, slots=True)
class _ForFiles:
    """What holds in the files that match; with `negated`, in all others."""

    patterns: Patterns
    negated: bool

    def applies(self, path: Path) -> bool:
        """Whether it holds in a file."""
        return self.patterns.match(path) != self.negated

    @property
    def pattern(self) -> str:
        """The pattern as it is written."""
        return ("!" if self.negated else "") + self.patterns.texts[0]


@dataclass(frozen=True, slots=True)
class PerFile(_ForFiles):
    """Rules that are off in some files."""

    codes: frozenset[str]


@dataclass(frozen=True, slots=True)
class PerFileText(_ForFiles):
    """A value that counts for some files."""

    text: str


class Kind(Generic[T]):
    """A kind of value. `expected` completes "must be …"."""

    expected: str
    metavar: str | None = "VALUE"

    def read(self, value: object, context: Context) -> T:
        """The typed value of what TOML holds."""
        raise NotImplementedError

    def plain(self, value: T) -> object:
        """What TOML would hold for a value."""
        return value

    def schema(self) -> Schema:
        """What a JSON schema says of the values that TOML may hold."""
        raise NotImplementedError

    def from_texts(self, texts: Sequence[str], place: str) -> object:
        """What TOML would hold, from the texts given to a command-line option; the last one counts."""
        return texts[-1]

    def wrong(self, value: object, context: Context) -> UsageError:
        """The error for a value of another kind."""
        return UsageError(f"{context.place} must be {self.expected}, not {_described(value)}")


class Flag(Kind[bool]):
    """True or false; on the command line `--x` and `--no-x`."""

    expected = "true or false"
    metavar = None

    def read(self, value: object, context: Context) -> bool:
        """The value itself."""
        if not isinstance(value, bool):
            raise self.wrong(value, context)
        return value

    def schema(self) -> Schema:
        """A boolean."""
        return {"type": "boolean"}


class Text(Kind[str]):
    """A string, of a form if `pattern` says so."""

    def __init__(self, expected: str = "a string", pattern: str = "", metavar: str = "TEXT") -> None:
        self.expected = expected
        self.metavar = metavar
        self._pattern = re.compile(pattern)

    def read(self, value: object, context: Context) -> str:
        """The value itself."""
        if not isinstance(value, str):
            raise self.wrong(value, context)
        if not self._pattern.search(value):
            raise UsageError(f"{context.place} must be {self.expected}, not `{value}`")
        return value

    def schema(self) -> Schema:
        """A string of the form."""
        return {"type": "string", "pattern": self._pattern.pattern} if self._pattern.pattern else {"type": "string"}


class Versions(Text):
    """A JAX version, or a range of them."""

    def __init__(self) -> None:
        super().__init__(
            "a JAX version such as `0.6` or `0.6.2`, or a range such as `0.4.30..0.6`",
            r"^\d+\.\d+(\.\d+)*(\.\.\d+\.\d+(\.\d+)*)?$",
            "VERSION",
        )

    def read(self, value: object, context: Context) -> str:
        """The value itself."""
        text = super().read(value, context)
        target = Target.parse(text)
        if target.highest < target.lowest[: len(target.highest)]:
            raise UsageError(f"{context.place}: the range `{text}` ends before it begins")
        return text


class Choice(Kind[str]):
    """One of some words."""

    def __init__(self, words: Iterable[str], metavar: str) -> None:
        self.words = tuple(words)
        self.metavar = metavar
        self.expected = one_of(self.words)

    def read(self, value: object, context: Context) -> str:
        """The value itself."""
        if not isinstance(value, str):
            raise self.wrong(value, context)
        if value not in self.words:
            near = did_you_mean(value, self.words)
            raise UsageError(f"{context.place} must be {self.expected}, not `{value}`{near}")
        return value

    def schema(self) -> Schema:
        """The words."""
        return {"enum": list(self.words)}


class OutputFormat(Choice):
    """A format; on the command line also `NAME:FILE`, which leaves the setting alone."""

    def from_texts(self, texts: Sequence[str], place: str) -> object:
        """The format of standard output: the last one without a file, else the last one."""
        plain = [text for text in texts if ":" not in text]
        return (plain or [text.partition(":")[0] for text in texts])[-1]


class Folder(Kind[str]):
    """A folder, relative to where it is written."""

    expected = "the path of a folder"
    metavar = "FOLDER"

    def read(self, value: object, context: Context) -> str:
        """An absolute path."""
        if not isinstance(value, str):
            raise self.wrong(value, context)
        return str(context.base / Path(value).expanduser())

    def schema(self) -> Schema:
        """A string."""
        return {"type": "string"}


class File(Folder):
    """A file, relative to where it is written; an empty text stands for none."""

    expected = "the path of a file"
    metavar = "FILE"

    def read(self, value: object, context: Context) -> str:
        """An absolute path."""
        return "" if value == "" else super().read(value, context)


class Selectors(Kind[tuple[Selector, ...]]):
    """Codes, prefixes, names and `ALL`."""

    expected = "a list of rule selectors"
    metavar = "RULES"

    def read(self, value: object, context: Context) -> tuple[Selector, ...]:
        """What each word selects."""
        return tuple(context.catalogue.select(word, context.place) for word in strings(self, value, context))

    def plain(self, value: tuple[Selector, ...]) -> object:
        """The words."""
        return [selector.word for selector in value]

    def schema(self) -> Schema:
        """A list of selectors."""
        return SELECTORS

    def from_texts(self, texts: Sequence[str], place: str) -> object:
        """Every occurrence of the option adds to the list."""
        return split_commas(texts)


class PatternList(Kind[tuple[Patterns, ...]]):
    """File patterns."""

    expected = "a list of file patterns"
    metavar = "PATTERNS"

    def read(self, value: object, context: Context) -> tuple[Patterns, ...]:
        """The patterns with their folder."""
        return (Patterns(context.base, strings(self, value, context)),)

    def plain(self, value: tuple[Patterns, ...]) -> object:
        """The patterns."""
        return [text for patterns in value for text in patterns.texts]

    def schema(self) -> Schema:
        """A list of strings."""
        return STRINGS

    def from_texts(self, texts: Sequence[str], place: str) -> object:
        """Every occurrence of the option adds to the list."""
        return split_commas(texts)


class PerFileTable(Kind[tuple[PerFile, ...]]):
    """File pattern to rule selectors."""

    expected = "a table of file patterns to lists of rule selectors"
    metavar = "PATTERN:RULES"

    def read(self, value: object, context: Context) -> tuple[PerFile, ...]:
        """One entry a pattern."""
        if not isinstance(value, dict):
            raise self.wrong(value, context)
        entries = []
        for pattern, words in value.items():
            inner = Context(f"{context.place}, `{pattern}`,", context.base, context.catalogue)
            codes = [context.catalogue.select(word, inner.place).codes for word in strings(Selectors(), words, inner)]
            entries.append(PerFile(*_files(pattern, context), frozenset().union(*codes)))
        return tuple(entries)

    def plain(self, value: tuple[PerFile, ...]) -> object:
        """Pattern to codes."""
        return {entry.pattern: sorted(entry.codes) for entry in value}

    def schema(self) -> Schema:
        """A list of selectors for each pattern."""
        return {"type": "object", "additionalProperties": SELECTORS}

    def from_texts(self, texts: Sequence[str], place: str) -> object:
        """`tests/*:JAX2,JAX3,docs/*:ALL`: a word with a colon starts the next pattern."""
        table: dict[str, list[str]] = {}
        codes: list[str] | None = None
        for word in re.split(r"[,\s]+", ",".join(texts)):
            pattern, colon, code = word.rpartition(":")
            if colon:
                codes = table.setdefault(pattern, [])
            elif codes is None and word:
                raise UsageError(f"{place} must be `PATTERN:RULES`, not `{word}`")
            if code and codes is not None:
                codes.append(code)
        return table


class PerFileTexts(Kind[tuple[PerFileText, ...]]):
    """File pattern to a text of another kind."""

    def __init__(self, inner: Text) -> None:
        self.inner = inner
        self.expected = "a table of file patterns to texts"

    def read(self, value: object, context: Context) -> tuple[PerFileText, ...]:
        """One entry a pattern."""
        if not isinstance(value, dict):
            raise self.wrong(value, context)
        entries = []
        for pattern, text in value.items():
            inner = Context(f"{context.place}, `{pattern}`,", context.base, context.catalogue)
            entries.append(PerFileText(*_files(pattern, context), self.inner.read(text, inner)))
        return tuple(entries)

    def plain(self, value: tuple[PerFileText, ...]) -> object:
        """Pattern to text."""
        return {entry.pattern: entry.text for entry in value}

    def schema(self) -> Schema:
        """A text for each pattern."""
        return {"type": "object", "additionalProperties": self.inner.schema()}


def _files(pattern: str, context: Context) -> tuple[Patterns, bool]:
    return Patterns(context.base, (pattern.removeprefix("!"),)), pattern.startswith("!")


def strings(kind: Kind[T], value: object, context: Context) -> tuple[str, ...]:
    """A list of strings, or the error of the kind."""
    if not isinstance(value, list):
        raise kind.wrong(value, context)
    for item in value:
        if not isinstance(item, str):
            raise kind.wrong(item, context)
    return tuple(value)


def split_commas(texts: Sequence[str]) -> list[str]:
    """The words of an option that may be repeated and may hold commas."""
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def _described(value: object) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), f"a {type(value).__name__}")
