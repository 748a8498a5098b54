"""One program of many pieces: every row keeps its place, and the pieces come back from a program that was fixed."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.findings import Span
from jaxlint.fixes.imports import add_imports
from jaxlint.notebooks.compose import Piece, compose
from jaxlint.notebooks.composed import NEWLINE, LostError
from jaxlint.notebooks.document import Cells
from jaxlint.notebooks.ipynb import Notebook, decode_notebook, source_of_cells
from jaxlint.notebooks.markdown import Page, decode_page
from jaxlint.source import split_rows

CELLS = [
    *("x = 1", "", "\n", "x = f(1)", "f(1)\n", "f(\n  1,\n)  # a", "%time f(1)", "%timeit -n 3 x = f(x)  # noqa: A1"),
    *("%%timeit\nx = f(x)\n\nif x:\n    f(x)", "%%time\nf(x)", "!ls \\\n  a\nx?", "if x:\n    !ls\n  # a\n    %time x"),
    *("x = !ls", "a.b, c[0] = %magic", "pip install a\nls", "s = '''\n%a\n'''", "x = (1\n% 2)", "f(1);"),
    *("%%timeit", "%%capture\n# a\n%%timeit\nf(x)", "\r\nx = 1\r\n%ls\r", "x = 1\\\n  + f(1)", "f('''\n'''\n)"),
    *("def f(x):\n    return x", "await f(1)", "# jaxlint-0:0", "_ = jaxlint_1", "'a' 'b'", "x = 'é'; f('é')"),
    *("_1 = 2\nf(1)", "  x = 1\n\n    \n  %time f(1)\n  f(1)", "x = (", "\tx", "\x0cf(1)"),
]  # fmt: skip
GOOD = CELLS[:-3]
cells = st.one_of(
    st.sampled_from(CELLS),
    st.lists(st.sampled_from(CELLS), max_size=3).map("\n".join),
    st.text("\n\r%!? fx=(1)'\"#;\\:é,", max_size=20),
)


@given(st.lists(cells, max_size=5))
@settings(deadline=None)
def test_rows_have_a_place_each_and_pieces_come_back(texts: list[str]) -> None:
    composed = compose([Piece(text, number) for number, text in enumerate(texts, 1)])
    assert len(composed.lines) == len(split_rows(composed.text))
    rows = [(line.cell, line.row) for line in composed.lines]
    code = {(number, row) for number, text in enumerate(texts, 1) for row in range(1, len(split_rows(text)) + 1)}
    inside = [place for place in rows if place in code]
    assert sorted(set(inside)) == sorted(code)
    assert inside == sorted(inside)
    assert composed.pieces(composed.text) == texts


@given(st.lists(cells, max_size=5))
@settings(deadline=None)
def test_what_is_python_stands_where_it_stood(texts: list[str]) -> None:
    composed = compose([Piece(text, number) for number, text in enumerate(texts, 1)])
    for number, row in enumerate(split_rows(composed.text), 1):
        for word in ("f(", "x)"):
            column = row.find(word)
            line = composed.lines[number - 1]
            if column < 0 or f"{composed.mark}:piece" in row or "jaxlint" in row[:column] or column + 1 < line.column:
                continue
            cell, span = composed.place(Span(number, column + 1, number, column + 1 + len(word)))
            assert cell is not None
            there = split_rows(texts[cell - 1])[span.row - 1]
            assert there[span.column - 1 : span.end_column - 1] == word or "get_ipython" in row


@given(st.lists(cells, min_size=1, max_size=4), st.data())
@settings(deadline=None)
def test_a_row_more_stands_in_its_cell_or_the_fix_is_dropped(texts: list[str], data: st.DataObject) -> None:
    composed = compose([Piece(text, number) for number, text in enumerate(texts, 1)])
    split = NEWLINE.split(composed.text)
    at = data.draw(st.integers(1, len(split[::2]) - 1))
    split.insert(2 * at, "added = 1\n")
    try:
        pieces = composed.pieces("".join(split))
    except LostError:
        return
    changed = [index for index, (old, new) in enumerate(zip(texts, pieces, strict=True)) if old != new]
    assert len(changed) == 1
    old, new = texts[changed[0]], pieces[changed[0]]
    assert new.count("added = 1") == 1
    blanks = re.compile(r"[\r\n\t ]")  # a row more may be indented, and its newline may stand behind it
    assert blanks.sub("", new.replace("added = 1", "")) == blanks.sub("", old)


@given(st.lists(st.sampled_from(GOOD), max_size=4))
def test_good_cells_are_one_good_program(texts: list[str]) -> None:
    ast.parse(compose([Piece(text, number) for number, text in enumerate(texts, 1)]).text)


def test_imports_stand_among_imports_and_never_above_a_magic() -> None:
    def added(*texts: str) -> list[str]:
        composed = compose([Piece(text, number) for number, text in enumerate(texts, 1)])
        return composed.pieces(add_imports(composed.text, ["import jax"], "\n"))

    assert added("!pip install jax", "%%capture\nimport os\nf(1)") == [
        "!pip install jax",
        "%%capture\nimport os\nimport jax\nf(1)",
    ]
    assert added("# a", "import os", "f(1)") == ["# a", "import os\nimport jax", "f(1)"]
    assert added("%%time\nf(1)") == ["%%time\nimport jax\n\nf(1)"]
    with pytest.raises(LostError):
        added("%%timeit\nf(1)")


def test_masks_that_a_fix_has_changed_are_missed() -> None:
    composed = compose([Piece("!ls\nif x:\n    !ls\n%time f(1)\nf(1)", 1)])
    for text in (
        composed.text.replace("pass", "return"),
        composed.text.replace(":0\n", ":1\n"),
        composed.text.replace(":2", ":9"),
        composed.text.replace("_1 = ", ""),
        "x\n" + composed.text,
        "",
    ):
        with pytest.raises(LostError):
            composed.pieces(text)


# ---- files -----------------------------------------------------------------------------------------------------------

_layouts = st.fixed_dictionaries(
    {"indent": st.sampled_from([None, 1, 4, "\t"]), "ensure_ascii": st.booleans(), "sort_keys": st.booleans()}
)
_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=6,
)


@given(
    st.lists(st.tuples(cells, st.booleans(), _values), max_size=4),
    _layouts,
    st.sampled_from(["", "\n", "\r\n "]),
    _values,
)
@settings(deadline=None)
def test_only_fixed_cells_of_a_file_change(
    made: list[tuple[str, bool, object]], layout: dict[str, Any], end: str, extra: object
) -> None:
    def file(change: str) -> bytes:
        found = []
        for text, lines, more in made:
            code = text.replace("f(1)", change)
            source = [line + "\n" for line in code.split("\n")[:-1]] + [code.split("\n")[-1]]
            cell: dict[str, object] = {
                "outputs": [more],
                "source": [line for line in source if line] if lines else code,
                "metadata": {},
            }
            found += [{"cell_type": "code", **cell}, {"cell_type": "markdown", "source": more}]
        return (json.dumps({"cells": found, "more": extra}, **layout) + end).encode("utf-8", "surrogatepass")

    data = file("f(1)")
    source = decode_notebook(Path("a.ipynb"), data)
    if source.error is not None:
        assert (
            b"\\u0000" in data
            or b"\\ud" in data.lower()
            or b"surrogate" in source.error.message.encode()
            or source.error.span.row
        )
        return
    document = source.document
    assert isinstance(document, Notebook)
    assert document.written(data, source.text) == data
    text = source.text.replace("f(1)", "g(1)")
    skipped = set(range(1, len(made) * 2, 2)) - {cell for cell in document.texts(data) if cell is not None}
    if not skipped and not any("f(1)" in mask.old for mask in document.composed.masks):
        assert document.written(data, text) == file("g(1)")


_FILE = json.dumps(
    {"cells": [{"cell_type": "code", "source": ["%time f(1)\n", "x = 1"]}, {"cell_type": "raw", "source": "a"}]},
    indent=1,
)


@given(
    st.integers(0, len(_FILE)),
    st.integers(0, 9),
    st.one_of(st.binary(max_size=6), st.sampled_from([b"[", b"{", b"1,"])),
)
def test_no_file_is_too_broken(start: int, length: int, piece: bytes) -> None:
    data = _FILE[:start].encode() + piece + _FILE[start + length :].encode()
    source = decode_notebook(Path("a.ipynb"), data)
    assert source.error is None or (source.error.message and not source.text)
    assert source.rows_shown()


_pages = st.lists(
    st.one_of(
        st.sampled_from(
            ["```python", "```", "````", "~~~py", "  ~~~", "```{code-cell}", "```{note}", "---", ":a: b", "text"]
        ),
        st.sampled_from(CELLS),
        st.text("`~ \n\r{}", max_size=8),
    ),
    max_size=12,
).map("\n".join)


@given(_pages, st.booleans())
@settings(deadline=None)
def test_only_fixed_fences_of_a_page_change(text: str, separate: bool) -> None:
    data = (text + ("\n<!-- jaxlint: separate -->" if separate else "")).encode()
    source = decode_page(Path("a.md"), data)
    document = source.document
    assert isinstance(document, Page)
    assert document.written(data, source.text) == data
    rows = split_rows(document.texts(data)[None])
    for number, row in enumerate(split_rows(source.text), 1):
        if row and "_" not in row and "jaxlint" not in row:  # what is masked is no row of the page
            assert row.strip(" ") in rows[document.row(number) - 1]
    fixed = document.written(data, source.text.replace("f(1)", "g(1)"))
    assert fixed.replace(b"g(1)", b"f(1)") == data


def test_cells_of_an_editor() -> None:
    source = source_of_cells(Path("a.ipynb"), [None, "f(1)", "%%bash\nls", "%ls\nf(1)"])
    document = source.document
    assert isinstance(document, Cells)
    assert document.numbers == (2, 4)
    assert document.place(Span(5, 6, 5, 8)) == (4, Span(2, 1, 2, 3))
    assert document.fixed(source.text.replace("f(1)", "g(1)")) == {2: "g(1)", 4: "%ls\ng(1)"}
