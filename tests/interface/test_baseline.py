"""`--write-baseline` and `--baseline`: only new findings are shown."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.interface.fake import run, write

FAULT = "fault_JAX201()\n"


def _entries(file: Path) -> list[dict[str, object]]:
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["version"] == 1
    assert isinstance(data["findings"], list)
    return data["findings"]


def test_known_findings_are_not_shown(tmp_path: Path) -> None:
    write(tmp_path, {"old.py": FAULT + "x = 1\n" + FAULT, "clean.py": "x = 1\n"})
    wrote = run(tmp_path, "--write-baseline", "known.json")
    assert (wrote.code, wrote.out, wrote.err) == (0, "Wrote 2 findings to known.json.\n", "")
    assert _entries(tmp_path / "known.json") == [
        {"path": "old.py", "code": "JAX201", "text": "fault_JAX201(", "count": 2}
    ]
    ran = run(tmp_path, "--baseline", "known.json", "--format", "concise")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "All checks passed!\n2 known findings of the baseline not shown.\n"
    assert json.loads(run(tmp_path, "--baseline", "known.json", "--format", "json").out) == []


def test_moved_lines_are_known_and_new_findings_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"old.py": FAULT})
    run(tmp_path, "--write-baseline", "known.json")
    write(tmp_path, {"old.py": "\n\nif x:\n    fault_JAX201()\n"})
    assert run(tmp_path, "--baseline", "known.json").code == 0
    write(tmp_path, {"old.py": FAULT + "y = 1; fault_JAX201()\n"})
    ran = run(tmp_path, "--baseline", "known.json", "--format", "concise", "-q")
    assert (ran.code, ran.out) == (1, "old.py:2:8: JAX201 key-reuse in `y = 1; fault`\n")
    write(tmp_path, {"old.py": "fault_JAX301()\n" + FAULT})
    assert "JAX301" in run(tmp_path, "--baseline", "known.json").out
    write(tmp_path, {"old.py": "", "moved.py": FAULT})
    assert run(tmp_path, "--baseline", "known.json").code == 1


def test_stale_entries_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT + "fault_JAX301()\n", "gone.py": FAULT, "unchecked.py": FAULT})
    run(tmp_path, "--write-baseline", "known.json")
    write(tmp_path, {"a.py": "x = 1\n"})
    (tmp_path / "gone.py").unlink()
    ran = run(tmp_path, "--baseline", "known.json", "a.py", "--select", "JAX2")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "warning: known.json: nothing matches JAX201 in a.py any more: `fault_JAX201(`",
        "warning: known.json: nothing matches JAX201 in gone.py any more: `fault_JAX201(`",
    ]
    write(tmp_path, {"many.py": "".join(f"a{n} = fault_JAX201()\n" for n in range(3)) + "b(fault_JAX203())\n" * 20})
    run(tmp_path, "--write-baseline", "many.json", "many.py")
    assert [entry["count"] for entry in _entries(tmp_path / "many.json")] == [3, 20]


def test_from_another_folder_and_from_settings(tmp_path: Path) -> None:
    write(tmp_path, {"project/pyproject.toml": '[tool.jaxlint]\nbaseline = "lint/known.json"\n',
                     "project/lint/.keep": "", "project/src/old.py": FAULT})  # fmt: skip
    project = tmp_path / "project"
    assert run(tmp_path, "project", "--write-baseline", "project/lint/known.json").code == 0
    (entry,) = _entries(project / "lint" / "known.json")
    assert entry["path"] == "../src/old.py"
    assert run(tmp_path, "project", "--baseline", "project/lint/known.json").code == 0
    assert run(project / "src", "--baseline", "../lint/known.json", "old.py").code == 0
    assert run(project / "src").code == 0
    assert run(project, "--isolated").code == 1
    assert run(project, "--baseline", "").code == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "known.json: there is no such baseline; `--write-baseline known.json` makes one"),
        ("{\n,", "known.json, line 2: the baseline is not valid JSON"),
        ("[]", "known.json: not a baseline: it must be an object with `version` and `findings`"),
        ('{"version": 9, "findings": []}', "known.json: the baseline has version 9, and this jaxlint reads 1"),
        ('{"version": 1, "findings": [3]}', "known.json: finding 1 of the baseline must be an object"),
        (
            '{"version": 1, "findings": [{"path": "a", "code": "JAX201"}]}',
            "known.json: finding 1 of the baseline: `text` must be a string",
        ),
        (
            '{"version": 1, "findings": [{"path": "a", "code": "JAX201", "text": "", "count": 0}]}',
            "known.json: finding 1 of the baseline: `count` must be a positive number",
        ),
    ],
)
def test_broken_baselines(text: str | None, message: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, **({} if text is None else {"known.json": text})})
    assert run(tmp_path, "--baseline", "known.json") == (2, "", f"error: {message}\n")


def test_a_baseline_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "folder/x": ""})
    (tmp_path / "bytes.json").write_bytes(b"\xff")
    assert run(tmp_path, "--baseline", "folder").err == "error: folder: the baseline cannot be read: is a directory\n"
    assert "it is not utf-8" in run(tmp_path, "--baseline", "bytes.json").err
    ran = run(tmp_path, "--write-baseline", "none/known.json")
    assert ran.code == 2
    assert "none/known.json: the baseline cannot be written: no such file or directory" in ran.err


def test_files_that_fail_still_count(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "worse.py": "crash\n", "broken.py": "unclosed(\n"})
    ran = run(tmp_path, "--write-baseline", "known.json")
    assert ran.code == 2
    assert [entry["code"] for entry in _entries(tmp_path / "known.json")] == ["JAX201", "JAX001"]
    assert run(tmp_path, "--baseline", "known.json", "a.py", "broken.py").code == 0


def test_no_findings_and_odd_names(tmp_path: Path) -> None:
    write(tmp_path, {"clean.py": "x = 1\n"})
    assert run(tmp_path, "--write-baseline", "empty.json").out == "Wrote 0 findings to empty.json.\n"
    assert _entries(tmp_path / "empty.json") == []
    assert run(tmp_path, "--baseline", "empty.json").code == 0
    if os.name != "nt":
        odd = Path(os.fsdecode(bytes(tmp_path) + b"/\xff\n.py"))
        odd.write_text(FAULT, encoding="utf-8")
        run(tmp_path, "--write-baseline", "odd.json")
        assert [entry["path"] for entry in _entries(tmp_path / "odd.json")] == ["\\xff\n.py"]
        assert run(tmp_path, "--baseline", "odd.json").code == 0


def test_what_excludes_it(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT})
    ran = run(tmp_path, "--write-baseline", "x", "--fix")
    assert (ran.code, ran.err) == (2, "error: --write-baseline and --fix exclude each other\n")
    assert "for files" in run(tmp_path, "-", "--write-baseline", "x", stdin=FAULT).err
    over = run(tmp_path, "--write-baseline", "a.py")
    assert (over.code, over.err) == (2, "error: `a.py` is a program: nothing is written over it\n")
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == FAULT
