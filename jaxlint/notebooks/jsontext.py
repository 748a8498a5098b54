"""Where the values of a JSON text stand, so that single ones can be replaced and the rest stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED = re.compile(r"(?:\\\\)*\\u([0-9a-fA-F]{4})|\\[^u]")
_DECODER = json.JSONDecoder()


class BadJsonError(ValueError):
    """The text is no JSON. `offset`: where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Value:
    """A value and the region of the text that spells it."""

    start: int
    end: int
    value: Any


def read(text: str) -> Value:
    """The value that is the whole of a text."""
    found = _value(text, 0)
    rest = _skip(text, found.end)
    if rest < len(text):
        raise BadJsonError("extra data", rest)
    return found


def members(text: str, value: Value) -> dict[str, Value]:
    """The members of an object; of two with one name, the last counts."""
    return dict(_members(text, value.start)) if isinstance(value.value, dict) else {}


def elements(text: str, value: Value) -> list[Value]:
    """The elements of an array."""
    return list(_elements(text, value.start)) if isinstance(value.value, list) else []


def _members(text: str, start: int) -> Iterator[tuple[str, Value]]:
    at = _skip(text, start + 1)
    while text[at] != "}":
        name = _value(text, at)
        found = _value(text, _skip(text, name.end) + 1)
        yield name.value, found
        at = _skip(text, found.end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _elements(text: str, start: int) -> Iterator[Value]:
    at = _skip(text, start + 1)
    while text[at] != "]":
        found = _value(text, at)
        yield found
        at = _skip(text, found.end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _value(text: str, start: int) -> Value:
    at = _skip(text, start)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise BadJsonError(error.msg[:1].lower() + error.msg[1:], error.pos) from None
    except RecursionError:
        raise BadJsonError("nested too deeply", at) from None
    except ValueError as error:  # a number with too many digits
        raise BadJsonError(str(error), at) from None
    return Value(at, end, value)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at


# ---- writing --------------------------------------------------------------------------------------------------------


def string_like(text: str, spelled: str) -> str:
    """A string as JSON, with the escapes that `spelled`, another string of the document, has."""
    escaped = {chr(int(code, 16)): code for code in _ESCAPED.findall(spelled) if code}
    found = json.dumps(text, ensure_ascii=any(ord(character) > 127 for character in escaped))
    for character, code in escaped.items():
        if character in "<>&'=/":
            found = found.replace(character, f"\\u{code}")
    return found


def lines_like(text: str, document: str, array: Value) -> str:
    """A text as an array with a string for each line, laid out as the one that stands in the document.

    Lines that were there before keep their spelling.
    """
    old = elements(document, array)
    spelled = document[array.start : array.end]
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    if not lines or not old:
        return f"[{', '.join(string_like(line, spelled) for line in lines)}]"
    known = {value.value: document[value.start : value.end] for value in old}
    opening = document[array.start : old[0].start]
    between = document[old[0].end : old[1].start] if len(old) > 1 else "," + opening[1:]
    items = [known.get(line) or string_like(line, spelled) for line in lines]
    return opening + between.join(items) + document[old[-1].end : array.end]
