"""Results of earlier runs: when they count, what is done with bad ones, and where they are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint import cache as cache_module
from jaxlint import runner, workers
from jaxlint.cli.main import main
from tests.engine.programs import PROJECT, check, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write((tmp_path / "project").resolve(), PROJECT)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are analysed rather than remembered, as they are."""
    names: list[str] = []
    analyse = workers.analyse

    def noted(paths: list[str], *rest: Any, **options: Any) -> object:
        names.extend(Path(path).name for path in paths)
        return analyse(paths, *rest, **options)

    monkeypatch.setattr(runner, "analyse", noted)
    return names


def cache_file(cache: Path) -> Path:
    (found,) = cache.rglob("*.json")
    return found


def test_nothing_is_analysed_twice(project: Path, tmp_path: Path, analysed: list[str]) -> None:
    first = check(project, cache=tmp_path / "cache")
    assert len(analysed) == 6
    analysed.clear()
    assert check(project, cache=tmp_path / "cache") == first
    assert analysed == []


def test_a_touched_file_is_analysed_again_with_what_depends_on_it(
    project: Path, tmp_path: Path, analysed: list[str]
) -> None:
    cache = tmp_path / "cache"
    before = check(project, cache=cache)
    analysed.clear()
    model = project / "model.py"
    model.write_text(model.read_text(encoding="utf-8").replace("jax.random.normal(key, (3,))", "key"), encoding="utf-8")
    after = check(project, cache=cache)
    assert sorted(analysed) == ["model.py", "train.py"]
    assert after.findings == check(project).findings
    assert after.findings != before.findings


def test_the_date_of_a_file_does_not_matter(project: Path, tmp_path: Path, analysed: list[str]) -> None:
    check(project, cache=tmp_path / "cache")
    analysed.clear()
    os.utime(project / "model.py", (1, 1))
    check(project, cache=tmp_path / "cache")
    assert analysed == []


def test_a_file_that_is_gone_is_not_remembered(project: Path, tmp_path: Path) -> None:
    check(project, cache=tmp_path / "cache")
    (project / "model.py").unlink()
    assert check(project, cache=tmp_path / "cache").findings == check(project).findings


@pytest.mark.parametrize("arguments", [["--ignore", "JAX201"], ["--target-jax", "0.4.30"]])
def test_other_settings_have_results_of_their_own(
    project: Path, tmp_path: Path, analysed: list[str], arguments: list[str]
) -> None:
    cache = tmp_path / "cache"
    check(project, cache=cache)
    analysed.clear()
    assert check(project, *arguments, cache=cache).findings == check(project, *arguments).findings
    assert "train.py" in analysed


def test_another_version_has_results_of_its_own(
    project: Path, tmp_path: Path, analysed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(project, cache=tmp_path / "cache")
    analysed.clear()
    monkeypatch.setattr(cache_module, "__version__", "99.0")
    check(project, cache=tmp_path / "cache")
    assert len(analysed) == 6


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\x00\xff\xfe",
        b"[]",
        b"null",
        b'{"format": 1}',
        b'{"format": 999, "results": {}}',
        b'{"format": 1, "results": []}',
        b"[" * 100_000,
    ],
)
def test_a_bad_cache_file_is_made_anew_with_a_note(project: Path, tmp_path: Path, content: bytes) -> None:
    cache = tmp_path / "cache"
    expected = check(project, cache=cache)
    file = cache_file(cache)
    file.write_bytes(content)
    again = check(project, cache=cache)
    assert again.findings == expected.findings
    assert again.status == expected.status
    assert again.complaints.count("made anew") == 1
    assert "made anew" not in check(project, cache=cache).complaints


def test_a_half_written_cache_file_is_made_anew(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = check(project, cache=cache).findings
    file = cache_file(cache)
    data = file.read_bytes()
    for size in (1, len(data) // 2, len(data) - 1):
        file.write_bytes(data[:size])
        again = check(project, cache=cache)
        assert again.findings == expected
        assert "made anew" in again.complaints


def test_bad_entries_are_as_if_they_were_not_there(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = check(project, cache=cache).findings
    file = cache_file(cache)
    good = json.loads(file.read_bytes())
    wrong: tuple[object, ...] = (None, [], "x", {}, {"depends": 3}, {"depends": {}}, {"depends": {}, "findings": [{}]})
    for bad in wrong:
        document = {**good, "results": {**good["results"], str(project / "train.py"): bad}}
        file.write_text(json.dumps(document), encoding="utf-8")
        assert check(project, cache=cache).findings == expected, bad


def test_an_entry_without_the_file_itself_does_not_count(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = check(project, cache=cache).findings
    file = cache_file(cache)
    document = json.loads(file.read_bytes())
    document["results"][str(project / "train.py")] = {"depends": {}, "findings": []}
    file.write_text(json.dumps(document), encoding="utf-8")
    assert check(project, cache=cache).findings == expected


def test_a_folder_that_cannot_be_written_costs_one_warning(project: Path, tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("a file", encoding="utf-8")
    for cache in (occupied, occupied / "below"):
        run = check(project, cache=cache)
        assert run.findings == check(project).findings
        assert run.complaints.count("cannot be") == 1
        assert "warning: " in run.complaints
    assert occupied.read_text(encoding="utf-8") == "a file"


def test_only_the_cache_folder_is_written(tmp_path: Path) -> None:
    project = write((tmp_path / "project").resolve(), PROJECT)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    environment = {name: value for name, value in os.environ.items() if name != "JAXLINT_CACHE_DIR"}
    for arguments in ([], ["--cache-dir", str(tmp_path / "elsewhere")]):
        command = [sys.executable, "-B", "-m", "jaxlint", "check", "--isolated", "-q", *arguments, "."]
        subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    own, elsewhere = project / ".jaxlint_cache", tmp_path / "elsewhere"
    assert made
    assert all(path.is_relative_to(own) or path.is_relative_to(elsewhere) for path in made)
    for folder in (own, elsewhere):
        assert "*" in (folder / ".gitignore").read_text(encoding="utf-8").splitlines()
        assert not list(folder.rglob("*.tmp"))


def test_two_runs_at_once_do_not_harm_each_other(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [
        sys.executable,
        "-m",
        "jaxlint",
        "check",
        "--isolated",
        "--format",
        "json",
        "--cache-dir",
        str(cache),
        ".",
    ]
    running = [subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    outputs = [process.communicate() for process in running]
    assert len({out for out, _ in outputs}) == 1
    assert not any(b"Traceback" in err or b"warning" in err for _, err in outputs)
    again = check(project, cache=cache)
    assert again.findings == check(project).findings
    assert "made anew" not in again.complaints


def test_clean_removes_the_cache_and_nothing_else(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    check(project, cache=cache)
    monkeypatch.chdir(project)
    assert main(["clean", "--cache-dir", str(cache)]) == 0
    assert not cache.exists()
    assert main(["clean", "--cache-dir", str(cache)]) == 0
    assert main(["clean", "--cache-dir", str(project)]) == 2
    assert (project / "model.py").exists()
    assert "left alone" in capsys.readouterr().err
