"""Markdown pages as their user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.notebooks import run

PAGE = """\
# A title

```python
import jax
import jax.numpy as jnp
key = jax.random.key(0)
```

1. A list:

   ~~~py title="a.py"
   x = jax.random.normal(key)

   jax.tree_map(f, x)
   ~~~

```{code-cell} ipython3
---
tags: [hide-input]
---
%time jax.tree_map(f, x)
!ls
```

````{note}
```{code-block} python
:linenos:

if x:
    jax.tree_map(f, x)
```
````

````markdown
```python
jax.tree_map(f, x)
```
````

```python
>>> jax.tree_map(f, x)
```

```python
for ... in
```

```console
$ jax.tree_map
```

```python
y = jax.random.normal(key)
"""


def places(folder: Path, text: str, *arguments: str, name: str = "a.md") -> list[tuple[int, int, str]]:
    (folder / name).write_bytes(text.encode())
    found = run(folder, "--format", "json", *arguments).places()
    assert all(cell is None for cell, *_ in found)
    return [(row, column, code) for _, row, column, code in found]


def test_pages_are_checked_when_they_are_asked_for(tmp_path: Path) -> None:
    expected = [(14, 4, "JAX901"), (21, 7, "JAX901"), (30, 5, "JAX901"), (53, 5, "JAX201")]
    assert places(tmp_path, PAGE) == []
    assert places(tmp_path, PAGE, "--markdown") == expected
    assert places(tmp_path, PAGE, "a.md") == expected
    assert places(tmp_path, PAGE, "--config", "markdown = true") == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_fixes_are_written_into_the_fences(tmp_path: Path, newline: str) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbf" + PAGE.replace("\n", newline).encode())
    run(tmp_path, "--fix", "--markdown")
    rows = PAGE.split("\n")
    for row in (13, 20, 29):
        rows[row] = rows[row].replace("tree_map", "tree.map")
    assert path.read_bytes() == b"\xef\xbb\xbf" + newline.join(rows).encode()


def test_a_diff_and_an_excerpt_show_the_page(tmp_path: Path) -> None:
    places(tmp_path, PAGE)
    ran = run(tmp_path, "--diff", "a.md")
    assert "--- a.md\n+++ a.md\n" in ran.out
    assert "-   jax.tree_map(f, x)\n+   jax.tree.map(f, x)\n" in ran.out
    assert "  --> a.md:14:4\n" in run(tmp_path, "a.md").out
    assert "14 |    jax.tree_map(f, x)\n   |    ^^^^^^^^^^^^\n" in run(tmp_path, "a.md").out


def test_fences_may_be_programs_of_their_own(tmp_path: Path) -> None:
    fence = "```python\nimport jax\nkey = jax.random.key(0)\n{}x = jax.random.normal(key)\njax.tree_map(f, x)\n```\n"
    once, twice = fence.format(""), fence.format("y = jax.random.normal(key)\n")
    mark = "<!-- jaxlint: separate -->\n"
    text = mark + once + "```python\nz = jax.random.normal(key)\n```\n" + twice + "```python\n# nothing\n```\n"
    expected = [(6, 1, "JAX901"), (15, 5, "JAX201"), (16, 1, "JAX901")]
    assert places(tmp_path, text, "a.md") == expected
    ran = run(tmp_path, "a.md", "--fix")
    assert (ran.code, ran.err, "[*]" in ran.out) == (1, "", False)
    assert (tmp_path / "a.md").read_text() == text
    together = text.removeprefix(mark)
    assert [place for place in places(tmp_path, together, "a.md") if place[2] == "JAX201"] == [
        (8, 5, "JAX201"), (14, 5, "JAX201"),
    ]  # fmt: skip


def test_only_what_a_page_runs_must_be_python(tmp_path: Path) -> None:
    assert places(tmp_path, "```python\nx = (\n```\n", "a.md") == []
    assert places(tmp_path, "\n```{code-cell}\n:tags: a\nx = (\n```\n", "a.md") == [(4, 5, "JAX001")]
    assert places(tmp_path, "```{code-cell} julia\nx = (\n```\n", "a.md") == []


def test_pages_without_code_and_broken_ones(tmp_path: Path) -> None:
    for text in ("", "# A title\n", "```python\n```\n", "```\n", "````", "```python"):
        assert places(tmp_path, text, "a.md") == []
    (tmp_path / "a.md").write_bytes(b"# A title\n\xff")
    (finding,) = run(tmp_path, "a.md", "--format", "json").findings
    assert (finding["code"], finding["location"]) == ("JAX001", {"row": 2, "column": 1})


def test_comments_silence(tmp_path: Path) -> None:
    assert places(tmp_path, PAGE.replace("tree_map(f, x)", "tree_map(f, x)  # noqa: JAX901"), "a.md") == [
        (53, 5, "JAX201")
    ]
