"""The options that fix: what is written, what is shown, what the exit code says."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest

from jaxlint.cli.main import main

SAFE = "import jax.numpy as jnp\n\n\ndef f(n):\n    x = jnp.zeros(n)\n    x[0] = 1.0\n    return x\n"
UNSAFE = "import jax.numpy as jnp\n\n\ndef g(n):\n    x = jnp.zeros(n)\n    x.at[0].set(1.0)\n    return x\n"
NONE = "import jax\n\n\n@jax.jit\ndef h(x):\n    if x > 0:\n        return x\n    return -x\n"
FIXED = SAFE.replace("x[0] = 1.0", "x = x.at[0].set(1.0)")


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str


def _run(folder: Path, *arguments: str, stdin: bytes = b"", with_settings: bool = False) -> Ran:
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline=""), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        ):
            isolated = [] if with_settings else ["--isolated"]
            code = main(["check", *isolated, "--no-cache", "-j", "1", *arguments])
    finally:
        os.chdir(before)
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return Ran(code, out.buffer.getvalue(), err.getvalue())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("safe", SAFE), ("unsafe", UNSAFE), ("none", NONE)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def _texts(folder: Path) -> tuple[str, ...]:
    return tuple((folder / f"{name}.py").read_text(encoding="utf-8") for name in ("safe", "unsafe", "none"))


def test_marks_and_counts(folder: Path) -> None:
    out = _run(folder, "--format", "concise").out.decode()
    marks = [line.partition(": ")[2][:10] for line in out.splitlines()[:3]]
    assert marks == ["JAX301 `x ", "JAX105 [*]", "JAX108 `x."]
    assert out.endswith(
        "Found 3 errors.\n[*] 1 fixable with the `--fix` option "
        "(1 hidden fix can be enabled with the `--unsafe-fixes` option).\n"
    )
    out = _run(folder, "--format", "concise", "--unsafe-fixes").out.decode()
    assert out.endswith("[*] 2 fixable with the `--fix` option.\n")
    out = _run(folder, "unsafe.py", "--format", "concise").out.decode()
    assert out.endswith("No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n")
    assert "fix: bind the result to `x` (unsafe)" in _run(folder, "unsafe.py").out.decode()


def test_fix_writes_and_reports_what_is_left(folder: Path) -> None:
    ran = _run(folder, "--fix", "--format", "concise")
    assert _texts(folder) == (FIXED, UNSAFE, NONE)
    assert ran.code == 1
    assert ran.out.decode().splitlines()[-2] == "Fixed 1 finding; 2 errors left."
    ran = _run(folder, "--fix", "--unsafe-fixes", "safe.py", "unsafe.py")
    assert (ran.code, ran.out.decode()) == (0, "Fixed 1 finding; nothing is left.\n")
    assert "x = x.at[0].set(1.0)" in _texts(folder)[1]


def test_fix_only_and_exit_codes(folder: Path) -> None:
    assert _run(folder, "none.py", "--fix-only").code == 0
    ran = _run(folder, "--fix-only", "--show-fixes")
    assert (ran.code, ran.out) == (0, b"")
    assert ran.err == "Fixed 1 finding:\n- safe.py:\n    1 x JAX105 (array-item-assignment)\n"
    (folder / "safe.py").write_text(SAFE, encoding="utf-8")
    assert _run(folder, "safe.py", "--fix", "--exit-non-zero-on-fix").code == 1
    assert _run(folder, "safe.py", "--fix", "--exit-non-zero-on-fix").code == 0


def test_diff_writes_nothing(folder: Path) -> None:
    ran = _run(folder, "--diff")
    assert _texts(folder) == (SAFE, UNSAFE, NONE)
    assert ran.code == 1
    assert ran.out.decode().splitlines()[:2] == ["--- safe.py", "+++ safe.py"]
    assert "-    x[0] = 1.0\n+    x = x.at[0].set(1.0)\n" in ran.out.decode()
    assert ran.err == "Would fix 1 finding.\n"
    assert _run(folder, "none.py", "--diff").code == 0
    assert _run(folder, "--diff", "--exit-zero").code == 0


def test_standard_input_is_printed_whole(folder: Path) -> None:
    for text, expected in ((SAFE, FIXED), (NONE, NONE), ("def broken(\n", "def broken(\n"), ("", "")):
        assert _run(folder, "-", "--fix", stdin=text.encode()).out == expected.encode()
    data = b"\xef\xbb\xbf" + SAFE.replace("\n", "\r\n").encode()
    assert _run(folder, "-", "--fix", stdin=data).out == b"\xef\xbb\xbf" + FIXED.replace("\n", "\r\n").encode()
    ran = _run(folder, "-", "--fix", "--stdin-filename", "venv/a.py", "--force-exclude", stdin=SAFE.encode())
    assert ran.out == SAFE.encode()
    ran = _run(folder, "-", "--fix", "--stdin-filename", "new.py", stdin=NONE.encode())
    assert "JAX301" in ran.err
    assert ran.code == 1
    assert b"+    x = x.at[0].set(1.0)" in _run(folder, "-", "--diff", stdin=SAFE.encode()).out


def test_json_carries_all_fixes(folder: Path) -> None:
    for arguments in ([], ["--unsafe-fixes"]):
        found = {item["code"]: item["fix"] for item in json.loads(_run(folder, "--format", "json", *arguments).out)}
        assert found["JAX301"] is None
        assert found["JAX108"]["applicability"] == "unsafe"
        assert found["JAX105"] == {
            "applicability": "safe",
            "edits": [
                {
                    "content": "x = x.at[0].set(1.0)",
                    "end_location": {"column": 15, "row": 6},
                    "location": {"column": 5, "row": 6},
                }
            ],
            "imports": [],
            "message": "use `x = x.at[…].set(…)`",
        }


def test_silenced_findings_are_not_fixed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = SAFE.replace("= 1.0", "= 1.0  # noqa: JAX105")
    path.write_text(text, encoding="utf-8")
    assert _run(tmp_path, "--fix").code == 0
    assert path.read_text(encoding="utf-8") == text


def test_fixable_and_unfixable(folder: Path) -> None:
    for arguments in (["--unfixable", "JAX105"], ["--fixable", "JAX108"], ["--unfixable", "ALL", "--unsafe-fixes"]):
        ran = _run(folder, "safe.py", "--fix", "--format", "concise", *arguments)
        assert _texts(folder)[0] == SAFE
        assert ran.code == 1
        assert "[*]" not in ran.out.decode()
    ran = _run(folder, "safe.py", "--diff", "--unfixable", "JAX1", "--fixable", "array-item-assignment")
    assert ran.code == 1, "the more specific word counts"
    ran = _run(folder, "safe.py", "--format", "json", "--unfixable", "JAX105")
    assert json.loads(ran.out)[0]["fix"] is None


def test_fixes_by_settings(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "unsafe.py").write_text(UNSAFE, encoding="utf-8")
    (folder / "sub" / "jaxlint.toml").write_text("unfixable = ['JAX108']\n", encoding="utf-8")
    (folder / "jaxlint.toml").write_text("unsafe-fixes = true\n", encoding="utf-8")
    assert "2 fixable with the `--fix` option.\n" in _run(folder, with_settings=True).out.decode()
    assert "1 fixable with the" in _run(folder, "--no-unsafe-fixes", with_settings=True).out.decode()
    _run(folder, "--fix", with_settings=True)
    assert "x = x.at[0].set(1.0)" in _texts(folder)[1]
    assert (folder / "sub" / "unsafe.py").read_text(encoding="utf-8") == UNSAFE


def test_the_cache_keeps_fixes(folder: Path) -> None:
    arguments = [
        "check",
        "--isolated",
        "--cache-dir",
        str(folder / "cache"),
        "--format",
        "json",
        str(folder / "safe.py"),
    ]
    found = []
    for _ in range(2):
        out = io.StringIO()
        with redirect_stdout(out):
            main(arguments)
        found.append(json.loads(out.getvalue()))
    assert found[0] == found[1]
    assert found[0][0]["fix"]
    assert main([*arguments, "--fix", "--silent"]) == 0
    assert (folder / "safe.py").read_text(encoding="utf-8") == FIXED
