"""Reading files as the interpreter reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxlint.findings import Span
from jaxlint.source import Source, decode_source, read_source

PATH = Path("/project/module.py")


def decode(data: bytes) -> Source:
    return decode_source(PATH, data)


def test_plain_text() -> None:
    source = decode("x = 'é'\n".encode())
    assert (source.text, source.encoding, source.newline, source.bom, source.error) == (
        "x = 'é'\n", "utf-8", "\n", False, None,
    )  # fmt: skip
    assert source.path == str(PATH)


def test_byte_order_mark_is_no_part_of_the_text() -> None:
    source = decode(b"\xef\xbb\xbfx = 1\r\n")
    assert source.bom
    assert source.text == "x = 1\r\n"
    assert source.newline == "\r\n"


@pytest.mark.parametrize("first", [b"", b"#!/usr/bin/python\n", b"\n", b"  \n"])
def test_declared_encoding(first: bytes) -> None:
    source = decode(first + b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    assert source.error is None
    assert source.encoding == "iso-8859-1"
    assert "é" in source.text


def test_declaration_after_code_does_not_count() -> None:
    assert decode(b"x = 1\n# coding: nothing\n").error is None
    assert decode(b"\n\n# coding: nothing\n").error is None


@pytest.mark.parametrize("name", ["nothing", "hex", "utf-16", "rot13"])
def test_unknown_encoding_has_its_row(name: str) -> None:
    error = decode(f"#!python\n# coding: {name}\n".encode()).error
    assert error is not None
    assert error.message == f"unknown encoding `{name}`"
    assert error.span.row == 2


def test_mark_and_declaration_must_agree() -> None:
    error = decode(b"\xef\xbb\xbf# coding: latin-1\n").error
    assert error is not None
    assert "byte order mark" in error.message
    assert decode(b"\xef\xbb\xbf# coding: utf8\n").error is not None, "Python refuses it, too"
    assert decode(b"\xef\xbb\xbf# coding: UTF_8\n").error is None


def test_undecodable_byte_has_its_place() -> None:
    error = decode("x = 1\r\ny = 'é".encode() + b"\xff'\n").error
    assert error is not None
    assert error.message == "byte 0xff is not valid utf-8"
    assert error.span == Span(2, 7, 2, 8)


def test_null_byte_has_its_place() -> None:
    error = decode(b"x = 1\n\ty\0\n").error
    assert error is not None
    assert error.span == Span(2, 3, 2, 4)


def test_rows_are_those_of_python() -> None:
    assert decode("a\x0cb\u2028c\r\nd\re\n".encode()).lines == ["a\x0cb\u2028c", "d", "e", ""]


def test_unreadable_file_is_an_error_and_no_exception(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.py", tmp_path):
        source = read_source(path)
        assert source.error is not None
        assert source.error.message.startswith("the file cannot be read: ")
        assert source.text == ""


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xef\xbb\xbf", b"# coding: cp1252\n", b"# coding: "]))
def test_any_bytes_give_a_source(data: bytes, start: bytes) -> None:
    source = decode(start + data)
    assert source.data == start + data
    if source.error is not None:
        assert source.text == ""
        assert source.error.span.row >= 1
        assert source.error.span.column >= 1
