"""Notebooks as their user meets them: findings by cell, fixes that touch nothing else, mistakes with their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jaxlint.cli.main import main
from tests.notebooks.notebooks import notebook, run, save, sources

IMPORTS = "import jax\nimport jax.numpy as jnp"
KEY = "key = jax.random.key(0)"
DRAW = "x = jax.random.normal(key)"
OLD = "jax.tree_map(f, x)"
"""A name that JAX has removed, with a safe fix."""

NEW = "jax.tree.map(f, x)"


def json_of(folder: Path, *cells: str | tuple[str, str]) -> list[tuple[int | None, int, int, str]]:
    save(folder, *cells)
    return run(folder, "--format", "json").places()


# ---- what is found ---------------------------------------------------------------------------------------------------


def test_cells_share_one_scope_and_are_found_in_folders(tmp_path: Path) -> None:
    cells = (("markdown", "# A title"), IMPORTS, KEY, DRAW, "print(x)\ny = 1 + jax.random.normal(key)")
    assert json_of(tmp_path, *cells) == [(5, 2, 9, "JAX201")]


def test_related_places_name_their_cells(tmp_path: Path) -> None:
    save(tmp_path, IMPORTS, KEY, DRAW, DRAW)
    (related,) = run(tmp_path, "--format", "json").findings[0]["related"]
    assert (related["cell"], related["location"]["row"], related["location"]["column"]) == (3, 1, 5)


def test_text_formats(tmp_path: Path) -> None:
    save(tmp_path, IMPORTS, KEY, DRAW, "\n" + DRAW)
    assert "a.ipynb:cell 4:2:5: JAX201" in run(tmp_path, "--format", "concise").out
    full = run(tmp_path).out
    assert " --> a.ipynb:cell 4:2:5\n  |\n2 | x = jax.random.normal(key)\n  |     ^^^^" in full
    assert " --> a.ipynb:cell 3:1:5\n  |\n1 | x = jax.random.normal(key)\n  |     ----" in full


@pytest.mark.parametrize(
    "before",
    [
        "%matplotlib inline",
        "!pip install jax \\\n   flax",
        "files = !ls\nout, err = %magic x",
        "jnp.ones?\n?jnp\njnp??",
        "for i in range(2):\n    !echo {i}\n    %ls",
        "if True:\n    %timeit 1\nelse:\n    x?",
        "/print 1\n,print a b\n;print a b",
        "pip install flax\nls -la",
        "    x = 1\n    if x:\n        print(x)\n\n    !ls",
        "s = '''\n%text\n!text\n'''\nt = (1\n% 2)\nu = 'what?'  # why?",
        "plot(1);",
        "await other()",
        "async with other() as b:\n    pass",
        "%%time\n%%capture out\nx = 1",
        "%%timeit -n 3 setup()\ny = jax.random.normal(key)\nfor i in y:\n    print(y)",
        "%timeit -n 10 -r 3 jax.random.normal(key).block_until_ready()",
        "%%bash\nif [ x ]; then echo; fi",
        "%%html\n<b>a</b>",
        "%%unknown_magic\nnot python",
        "# a comment\n%%javascript\nvar x = 1;",
        "%%writefile a.py\nimport jax; jax.tree_map",
    ],
)
def test_what_only_ipython_understands_is_no_mistake(tmp_path: Path, before: str) -> None:
    assert json_of(tmp_path, IMPORTS, KEY, before, DRAW, DRAW) == [(5, 1, 5, "JAX201")]


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        (f"%time {OLD}", (1, 7)),
        (f"if x:\n    %time y = {OLD}", (2, 15)),
        (f"%timeit -n 10 {OLD};  # text", (1, 15)),
        (f"%%timeit\n\nfor i in range(3):\n    {OLD}", (4, 5)),
        (f"%%time\n{OLD}", (2, 1)),
        (f"  if x:\n    {OLD}", (2, 5)),
        (f"{OLD}", (1, 1)),
        (f"f(\n{OLD})", (2, 1)),
        (f"await f()\nif x:\n\t{OLD}", (3, 2)),
    ],
)
def test_code_that_magics_run_is_checked(tmp_path: Path, cell: str, place: tuple[int, int]) -> None:
    assert json_of(tmp_path, IMPORTS, cell) == [(2, *place, "JAX901")]


def test_a_value_that_is_shown_is_not_lost(tmp_path: Path) -> None:
    start = (IMPORTS, "x = jnp.ones(3)")
    assert json_of(tmp_path, *start, "x.at[0].set(1)", "x.at[0].set(\n    1\n)", "%time x.at[0].set(1)") == []
    assert json_of(tmp_path, *start, "x.at[0].set(1);", "x.at[0].set(1)\nprint(x)") == [
        (3, 1, 1, "JAX108"),
        (4, 1, 1, "JAX108"),
    ]


def test_kernels_and_cells_in_other_languages_are_left_out(tmp_path: Path) -> None:
    save(tmp_path, "x <- 1 +", kernelspec={"name": "ir", "display_name": "R", "language": "R"})
    assert run(tmp_path).code == 0
    save(tmp_path, "x <- 1 +", language_info={"name": "julia"})
    assert run(tmp_path).code == 0
    made = notebook(IMPORTS, "let x =", "jax.tree_map")
    made["cells"][1]["metadata"]["vscode"] = {"languageId": "javascript"}
    (tmp_path / "a.ipynb").write_text(json.dumps(made))
    assert run(tmp_path, "--format", "json").places() == [(3, 1, 1, "JAX901")]


def test_notebooks_of_the_third_format(tmp_path: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "heading", "level": 1, "source": "A title"},
        {"cell_type": "code", "language": "python", "input": [IMPORTS], "outputs": []},
        {"cell_type": "code", "language": "python", "input": ["\n", OLD], "outputs": []},
    ]
    document = {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]}
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps(document))
    assert run(tmp_path, "--format", "json").places() == [(3, 2, 1, "JAX901")]
    assert run(tmp_path, "--fix").code == 0
    cells[2]["input"] = ["\n", NEW]
    assert json.loads(path.read_text()) == document


def test_scripts_with_cells_are_python(tmp_path: Path) -> None:
    cells = [
        "# %% [markdown]\n# A title",
        f"# %%\n# %matplotlib inline\n{IMPORTS}",
        f"# %%\nawait f()\n{KEY}",
        DRAW,
        DRAW,
    ]
    (tmp_path / "a.py").write_text("\n\n".join(cells))
    assert run(tmp_path, "--format", "json").places() == [(None, 15, 5, "JAX201")]


def test_a_notebook_calls_modules_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "model.py").write_text("import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n")
    save(tmp_path, f"import jax\nfrom model import draw\n{KEY}", "draw(key)", "draw(key)")
    assert run(tmp_path, "--format", "json").places() == [(3, 1, 1, "JAX201")]


def test_a_module_linted_alone_hears_of_the_notebooks_that_trace_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "model.py").write_text("def step(x):\n    if x > 0:\n        return x\n    return -x\n")
    save(tmp_path, "import jax\nfrom model import step", "jax.jit(step)(1.0)")
    whole, alone = run(tmp_path, "--format", "json"), run(tmp_path, "--format", "json", "model.py")
    assert alone.places() == whole.places() == [(None, 2, 5, "JAX301")]


def test_formats_of_files_name_the_row_of_the_file_where_they_can(tmp_path: Path) -> None:
    path = save(tmp_path, IMPORTS, KEY, f"# text\n{DRAW}\n", f"\n\n{DRAW}")
    (result,) = json.loads(run(tmp_path, "--format", "sarif").out)["runs"][0]["results"]
    places = [
        place["physicalLocation"]["region"]["startLine"]
        for place in (*result["locations"], *result["relatedLocations"])
    ]
    rows = path.read_text().split("\n")
    assert [DRAW in rows[row - 1] for row in places] == [True, True]
    assert places[1] < places[0]
    for name in ("github", "gitlab", "junit", "pylint", "azure", "rdjson", "grouped", "json-lines"):
        assert "JAX201" in run(tmp_path, "--format", name).out


# ---- suppressions ----------------------------------------------------------------------------------------------------


def test_comments_silence_findings_of_their_cell(tmp_path: Path) -> None:
    cells = (IMPORTS, KEY, DRAW, DRAW + "  # noqa: JAX201", f"%time {DRAW}  # noqa: JAX201  # text", DRAW)
    assert json_of(tmp_path, *cells) == [(6, 1, 5, "JAX201")]
    assert json_of(tmp_path, IMPORTS, KEY, DRAW, DRAW, "# jaxlint: noqa: JAX201") == []


def test_unused_suppressions_are_found_and_removed(tmp_path: Path) -> None:
    path = save(
        tmp_path, IMPORTS, "x = 1  # noqa: JAX201", "%time y = 2  # noqa: JAX201  # why", "# noqa: JAX301\nz = 3"
    )
    found = run(tmp_path, "--format", "json").places()
    assert found == [(2, 1, 8, "JAX002"), (3, 1, 14, "JAX002"), (4, 1, 1, "JAX002")]
    assert run(tmp_path, "--fix").code == 0
    assert sources(path) == [IMPORTS, "x = 1", "%time y = 2  # why", "z = 3"]


def test_warnings_on_comments_have_their_cell(tmp_path: Path) -> None:
    save(tmp_path, IMPORTS, "\nx = 1  # noqa:")
    assert "a.ipynb:cell 2:2: `noqa:` is followed by no code" in run(tmp_path).err


# ---- fixes -----------------------------------------------------------------------------------------------------------


def test_fixes_leave_everything_else_as_it_was(tmp_path: Path) -> None:
    path = save(
        tmp_path, IMPORTS, f"s = 'é'\n{OLD}", ("markdown", OLD), f"%timeit {OLD}", f"%%timeit\n{OLD}", "%%bash\n" + OLD
    )
    before = path.read_bytes()
    assert run(tmp_path, "--fix").code == 0
    assert sources(path) == [IMPORTS, f"s = 'é'\n{NEW}", OLD, f"%timeit {NEW}", f"%%timeit\n{NEW}", "%%bash\n" + OLD]
    after = path.read_bytes()
    assert len(after) == len(before)
    changed = [index for index in range(len(before)) if before[index] != after[index]]
    assert [before[index : index + 1] for index in changed] == [b"_"] * 3


@pytest.mark.parametrize(
    "layout",
    [
        {"indent": 1},
        {"indent": 4},
        {"indent": "\t", "ensure_ascii": False},
        {"separators": (",", ":")},
        {"indent": 2, "sort_keys": True},
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
@pytest.mark.parametrize("lines", [True, False])
def test_the_layout_of_the_file_stays(tmp_path: Path, layout: dict[str, Any], end: str, lines: bool) -> None:
    def text(code: str) -> str:
        source = ["import jax\n", "s = 'é\\t'\n", "\n", code]
        cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        cells = [{**cell, "source": source if lines else "".join(source)}, {**cell, "source": []}]
        document = {"cells": cells, "metadata": {"é": [1.50, 1e400]}, "nbformat": 4, "nbformat_minor": 2}
        return json.dumps(document, **layout) + end

    path = tmp_path / "a.ipynb"
    path.write_bytes(text(OLD).encode())
    assert run(tmp_path, "--fix").code == 0
    assert path.read_bytes().decode() == text(NEW)


def test_escapes_stay_as_they_are_spelled(tmp_path: Path) -> None:
    text = '{"cells": [{"cell_type": "code", "source": "import jax\\nx \\u003c 1; s = \'\\u00e9\'; %s(f, x)"}]}\r\n'
    path = tmp_path / "a.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + (text % "jax.tree_map").encode())
    assert run(tmp_path, "--fix").code == 0
    assert path.read_bytes() == b"\xef\xbb\xbf" + (text % "jax.tree.map").encode()


def test_a_diff_shows_cells(tmp_path: Path) -> None:
    path = save(tmp_path, IMPORTS, f"%time {OLD}")
    before = path.read_bytes()
    ran = run(tmp_path, "--diff")
    assert ran.out == f"--- a.ipynb:cell 2\n+++ a.ipynb:cell 2\n@@ -1 +1 @@\n-%time {OLD}\n+%time {NEW}\n"
    assert ran.code == 1
    assert path.read_bytes() == before


def test_standard_input(tmp_path: Path) -> None:
    before = save(tmp_path, IMPORTS, OLD, name="b.ipynb").read_bytes()
    ran = run(tmp_path, "--format", "json", "--stdin-filename", "x/a.ipynb", "-", stdin=before)
    assert ran.places() == [(2, 1, 1, "JAX901")]
    ran = run(tmp_path, "--fix", "--stdin-filename", "a.ipynb", stdin=before)
    assert ran.out == before.decode().replace("tree_map(f", "tree.map(f")
    assert run(tmp_path, "--fix", "--stdin-filename", "a.ipynb", stdin=b"{").out == "{"


def test_results_are_kept_by_content(tmp_path: Path) -> None:
    save(tmp_path, IMPORTS, KEY, DRAW, DRAW)
    arguments = ("--format", "json", "--cache-dir", str(tmp_path / "kept"))
    cold = _cached(tmp_path, *arguments)
    assert cold == _cached(tmp_path, *arguments)
    assert cold[0]["cell"] == 4
    save(tmp_path, IMPORTS, KEY, DRAW, "\n" + DRAW)
    assert _cached(tmp_path, *arguments)[0]["location"]["row"] == 2


def _cached(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    target = folder / "found.json"
    main(["check", "--isolated", "--jobs", "1", *arguments, "-o", str(target), str(folder)])
    found: list[dict[str, Any]] = json.loads(target.read_text())
    return found


# ---- broken notebooks ------------------------------------------------------------------------------------------------

BROKEN: dict[str, tuple[bytes, str, tuple[int, int]]] = {
    "empty": (b"", "the notebook is empty", (1, 1)),
    "blank": (b" \n", "the notebook is empty", (1, 1)),
    "text": (b"import jax\n", "the notebook is not valid JSON: expecting value", (1, 1)),
    "open": (b'{"cells": [\n', "the notebook is not valid JSON: expecting value", (2, 1)),
    "conflict": (b'{\n<<<<<<< HEAD\n"cells": []}', "expecting property name", (2, 1)),
    "more": (b'{"cells": []} {}', "extra data", (1, 15)),
    "deep": (b"[" * 200_000, "nested too deeply", (1, 1)),
    "digits": (b'{"cells": [' + b"1" * 5_000 + b"]}", "", (1, 1)),
    "list": (b"[]", "the notebook is no JSON object", (1, 1)),
    "no cells": (b'\n{"metadata": {}}', "the notebook has no cells", (2, 1)),
    "cells": (b'{"cells": {}}', "`cells` of the notebook is no list", (1, 11)),
    "sheets": (b'{"worksheets": 1}', "`worksheets` of the notebook is no list", (1, 16)),
    "sheet": (b'{"worksheets": [{}]}', "a worksheet of the notebook has no cells", (1, 17)),
    "cell": (b'{"cells": [\n1]}', "cell 1 is no JSON object", (2, 1)),
    "type": (b'{"cells": [{"cell_type": 3}]}', "cell 1 has no `cell_type`", (1, 26)),
    "no type": (b'{"cells": [{}]}', "cell 1 has no `cell_type`", (1, 12)),
    "no source": (b'{"cells": [{"cell_type": "code"}]}', "cell 1 has no `source`", (1, 12)),
    "source": (b'{"cells": [{"cell_type": "code", "source": [1]}]}', "`source` of cell 1 is neither", (1, 44)),
    "null": (b'{"cells": [{"cell_type": "code", "source": "\\u0000"}]}', "cell 1: source code cannot", (1, 44)),
    "surrogate": (b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', "half a surrogate pair", (1, 44)),
    "latin": (b'{"cells": "\xe9"}', "byte 0xe9 is not valid utf-8", (1, 12)),
    "wide": ('{"cells": []}'.encode("utf-16"), "byte 0xff is not valid utf-8", (1, 1)),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_notebooks_are_told_with_their_place(tmp_path: Path, kind: str) -> None:
    data, message, place = BROKEN[kind]
    (tmp_path / "a.ipynb").write_bytes(data)
    for arguments in ((), ("--fix",), ("--format", "concise")):
        ran = run(tmp_path, *arguments)
        assert (ran.code, ran.err.count("bug in jaxlint")) == (1, 0)
    ran = run(tmp_path, "--format", "json")
    (finding,) = ran.findings
    assert finding["code"] == "JAX001"
    assert message in finding["message"]
    if message:
        assert (finding["location"]["row"], finding["location"]["column"]) == place
    assert (tmp_path / "a.ipynb").read_bytes() == data


def test_a_mistake_in_the_syntax_has_its_cell(tmp_path: Path) -> None:
    save(tmp_path, IMPORTS, "x = (\n\ny = 1", DRAW)
    (finding,) = run(tmp_path, "--format", "json").findings
    assert (finding["code"], finding["cell"]) == ("JAX001", 2)


def test_notebooks_without_code_are_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text('{"cells": []}')
    save(tmp_path, ("markdown", "x = ("), name="b.ipynb")
    save(tmp_path, "", "\n", name="c.ipynb")
    ran = run(tmp_path)
    assert (ran.code, ran.err) == (0, "")


def test_huge_outputs_are_skipped(tmp_path: Path) -> None:
    made = notebook(IMPORTS, OLD)
    made["cells"][0]["outputs"][0]["text"] = 'x\\"\n' * 2_000_000
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(made))
    size = path.stat().st_size
    assert run(tmp_path, "--fix").code == 0
    assert path.stat().st_size == size


def test_comments_are_added_where_rows_can_take_them(tmp_path: Path) -> None:
    path = save(tmp_path, IMPORTS, KEY, DRAW, DRAW, f"%time {DRAW}")
    run(tmp_path, "--add-noqa")
    assert sources(path)[3:] == [DRAW + "  # noqa: JAX201", f"%time {DRAW}  # noqa: JAX201"]
    assert run(tmp_path).code == 0
