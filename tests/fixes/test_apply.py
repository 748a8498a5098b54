"""Edits, imports, encodings, newlines: what applying a fix does to a file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from jaxlint.findings import Applicability, Edit, Finding, Fix, Severity, Span
from jaxlint.fixes.apply import apply_fixes
from jaxlint.fixes.imports import add_imports, remove_unused
from jaxlint.fixes.write import encoded, write_source
from jaxlint.source import Source, decode_source, read_source
from tests.fixes.support import fix, fixed


def _finding(fix: Fix | None, row: int = 1) -> Finding:
    return Finding("JAX105", "n", Severity.ERROR, "m", "/p.py", Span(row, 1, row, 2), "r", fix=fix)


def _fix(*edits: tuple[int, int, int, str], safe: bool = True, imports: tuple[str, ...] = ()) -> Finding:
    """Edits on single rows: (row, column, end column, content)."""
    spans = tuple(Edit(Span(row, start, row, end), content) for row, start, end, content in edits)
    applicability = Applicability.SAFE if safe else Applicability.UNSAFE
    return _finding(Fix("mend", applicability, spans, imports), edits[0][0])


def _applied(text: str, *findings: Finding, unsafe: bool = False) -> str:
    return apply_fixes(Source("/p.py", text), findings, unsafe=unsafe).text


def test_edits_apply_together_and_overlaps_wait() -> None:
    one, two, three = _fix((1, 1, 2, "b")), _fix((1, 5, 6, "22")), _fix((1, 1, 6, "c = 3"))
    assert _applied("a = 1\n", two, one) == "b = 22\n"
    assert _applied("a = 1\n", three, one) in {"c = 3\n", "b = 1\n"}
    assert len(apply_fixes(Source("/p.py", "a = 1\n"), [three, one], unsafe=False).fixed) == 1


def test_two_insertions_at_one_place_wait_for_each_other() -> None:
    result = apply_fixes(Source("/p.py", "a\n"), [_fix((1, 1, 1, "b = 1\n")), _fix((1, 1, 1, "c = 1\n"))], unsafe=False)
    assert len(result.fixed) == 1


def test_all_edits_of_a_fix_or_none() -> None:
    wide, pair = _fix((1, 1, 2, "b")), _fix((1, 1, 2, "c"), (2, 1, 2, "d"))
    assert _applied("a\na\n", wide, pair) == "b\na\n"


def test_unsafe_ones_are_asked_for() -> None:
    unsafe = _fix((1, 1, 2, "b"), safe=False)
    assert _applied("a\n", unsafe) == "a\n"
    assert _applied("a\n", unsafe, unsafe=True) == "b\n"
    shown = _finding(Fix("m", Applicability.DISPLAY, (Edit(Span(1, 1, 1, 2), "b"),)))
    assert _applied("a\n", shown, unsafe=True) == "a\n"


def test_what_does_not_parse_is_dropped_and_told() -> None:
    result = apply_fixes(Source("/p.py", "a = 1\n"), [_fix((1, 5, 6, "("))], unsafe=False)
    assert result.text == "a = 1\n"
    assert "does not parse" in result.broken
    assert not result.fixed


def test_columns_count_characters() -> None:
    assert _applied("é = '\U0001f600'; a\n", _fix((1, 10, 11, "b"))) == "é = '\U0001f600'; b\n"
    assert _applied("x = '\f\u2028'\na\n", _fix((2, 1, 2, "b"))) == "x = '\f\u2028'\nb\n"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("x = 1\n", "import jax", "import jax\n\nx = 1\n"),
        ('"""Doc."""\n\nx = 1\n', "import jax", '"""Doc."""\n\nimport jax\n\nx = 1\n'),
        ("# note\nx = 1\n", "import jax", "# note\nimport jax\n\nx = 1\n"),
        ("import os\n\nx = 1\n", "import jax", "import os\nimport jax\n\nx = 1\n"),
        ("import os\nimport jax.numpy as jnp\n", "import jax", "import os\nimport jax\nimport jax.numpy as jnp\n"),
        ("from jax import lax\n", "from jax import nn", "from jax import lax\nfrom jax import nn\n"),
        ("import os; x = 1\n", "import jax", "import os; x = 1\nimport jax\n"),
        ("from a import (\n    b,\n)\n", "import jax", "from a import (\n    b,\n)\nimport jax\n"),
        ("import os", "import jax", "import os\nimport jax"),
        ("import jax\n", "import jax", "import jax\n"),
        ("from __future__ import annotations\n", "import jax", "from __future__ import annotations\nimport jax\n"),
        ("import a\ntry:\n    import b\nexcept ImportError:\n    b = None\nimport c\n\nx = 1\n", "import jax",
         "import a\ntry:\n    import b\nexcept ImportError:\n    b = None\nimport c\nimport jax\n\nx = 1\n"),
    ],
)  # fmt: skip
def test_imports_are_added(text: str, line: str, expected: str) -> None:
    assert add_imports(text, [line], "\n") == expected
    assert add_imports(expected, [line], "\n") == expected


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ("import a\n", ""),
        ("from m import a, b\n", "from m import b\n"),
        ("from m import b, a\n", "from m import b\n"),
        ("from m import (\n    a,\n    b,\n)\n", "from m import (\n    b,\n)\n"),
        ("import a  # keep\n", "import a  # keep\n"),
        ("from m import a as a\n", "from m import a as a\n"),
        ("import a; import b\n", "import a; import b\n"),
        ('__all__ = ["a"]\nimport a\n', '__all__ = ["a"]\nimport a\n'),
        ("if x:\n    import a\n", "if x:\n    import a\n"),
        ("import never\n", "import never\n"),
        ("from m import c, a, d\n", "from m import c, d\n"),
    ],
)
def test_imports_without_use_go(imports: str, expected: str) -> None:
    assert remove_unused(f"{imports}a(b, c, d)\n", f"{imports}z(b, c, d)\n") == f"{expected}z(b, c, d)\n"


PROGRAM = "import jax.numpy as jnp\n\n\ndef f(n):\n    x = jnp.zeros(n)\n    x[0] = 1.0  # caf\u00e9\n    return x\n"
RESULT = PROGRAM.replace("x[0] = 1.0", "x = x.at[0].set(1.0)")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "head", [b"", b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n", b"\xef\xbb\xbf# coding: utf-8\n"]
)
def test_encoding_mark_and_newlines_stay(tmp_path: Path, head: bytes, newline: str) -> None:
    encoding = "latin-1" if b"latin" in head else "utf-8"
    path = tmp_path / "program.py"

    def data(text: str) -> bytes:
        return (
            (head.decode("latin-1") + "\0" + text).replace("\n", newline).replace("\0", "").encode("latin-1")
            if (encoding == "latin-1")
            else head.replace(b"\n", newline.encode()) + text.replace("\n", newline).encode()
        )

    path.write_bytes(data(PROGRAM))
    fix([path], "--fix")
    assert path.read_bytes() == data(RESULT)


def test_inserted_lines_have_the_newlines_of_the_file(tmp_path: Path) -> None:
    text = "from jax.numpy import empty\n\n\ndef f(n):\n    return empty(n)\n"
    after = fixed(text.replace("\n", "\r\n"), tmp_path)
    assert "jax.numpy.zeros(n)" in after
    assert after.startswith("import jax\r\n")
    assert after.count("\n") == after.count("\r\n")


def test_files_keep_mode_and_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_text("a = 1\n", encoding="utf-8")
    real.chmod(0o755)
    link.symlink_to(real)
    source = read_source(link)
    changed = Source(str(link), "a = 2\n")
    assert write_source(changed, source.data) == ""
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "a = 2\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o755
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]  # noqa: PTH208


def test_files_that_changed_meanwhile_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 3\n", encoding="utf-8")
    assert "changed" in write_source(Source(str(path), "a = 2\n"), b"a = 1\n")
    assert path.read_text(encoding="utf-8") == "a = 3\n"


def test_bytes_come_back_as_they_were() -> None:
    for data in (b"\xef\xbb\xbfa = 1\r\n", b"# coding: latin-1\n# \xe9\n", b"a = 1", b"\xff\xfe"):
        assert encoded(decode_source(Path("a.py"), data)) == data
