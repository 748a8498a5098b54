"""What is found does not depend on the order of files, the jobs, the cache, what is named, or the hash seed."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jaxlint import workers
from jaxlint.engine import Engine
from jaxlint.findings import Related, Span
from jaxlint.registry import rule_classes
from jaxlint.source import read_source
from tests.engine.programs import PROJECT, Found, check, write
from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = ROOT / "examples"

CROSSING = {("model.py", "JAX301"), ("train.py", "JAX201"), ("package/first.py", "JAX201"), ("script.py", "JAX303")}
"""Findings that need more than one file, or the use of a decorator."""


@pytest.fixture(params=["written", "examples"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A small project of each kind, in a folder of its own."""
    folder = (tmp_path / "project").resolve()
    if request.param == "written":
        return write(folder, PROJECT)
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    (folder / "pyproject.toml").touch()
    return folder


def python_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def by_engine(folder: Path, files: Sequence[Path]) -> list[Found]:
    engine = Engine(rules=[rule() for rule in rule_classes()], roots=[folder])
    for path in files:
        engine.analyse(read_source(path))
    found = {
        (str(Path(f.path).relative_to(folder)), f.span.row, f.span.column, f.code, f.message)
        for result in engine.results()
        for f in result.findings
    }
    return sorted(found)


def test_the_written_project_holds_findings_that_cross_files(tmp_path: Path) -> None:
    found = check(write(tmp_path.resolve(), PROJECT)).findings
    assert {(file, code) for file, _, _, code, _ in found} >= CROSSING


def test_the_order_of_files_does_not_matter(project: Path) -> None:
    files = python_files(project)
    expected = by_engine(project, files)
    orders = [list(order) for order in itertools.permutations(files)] if len(files) <= 3 else [files[::-1]]
    chooser = random.Random(4)
    orders += [chooser.sample(files, len(files)) for _ in range(12)]
    for order in orders:
        assert by_engine(project, order) == expected, [path.name for path in order]


def test_two_processes_find_what_one_finds(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = check(project, "--jobs", "1")
    monkeypatch.setattr(workers, "SMALL", 0)
    for jobs in ("2", "3"):
        shared = check(project, "--jobs", jobs)
        assert shared.findings == expected.findings
        assert shared.status == expected.status


def test_how_files_are_dealt_out_does_not_matter(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = check(project, "--jobs", "1").findings
    monkeypatch.setattr(workers, "SMALL", 0)
    monkeypatch.setattr(workers, "deal", lambda sizes, jobs: [[path] for path in sizes])
    assert check(project, "--jobs", "2").findings == expected


def test_a_warm_cache_finds_what_a_cold_one_finds(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = check(project).findings
    assert check(project, cache=cache).findings == expected
    assert check(project, cache=cache).findings == expected


def test_a_partly_warm_cache_finds_the_same(project: Path, tmp_path: Path) -> None:
    whole = check(project)
    for path in python_files(project):
        cache = tmp_path / f"cache-{path.stem}-{path.parent.name}"
        check(project, paths=[path], cache=cache)
        assert check(project, cache=cache).findings == whole.findings, path


def test_each_file_alone_has_the_findings_it_has_in_the_whole(project: Path) -> None:
    whole = check(project)
    for path in python_files(project):
        name = str(path.relative_to(project))
        assert list(check(project, paths=[path]).findings) == whole.of(name)


def test_parts_of_the_project_have_the_findings_of_the_whole(project: Path) -> None:
    whole = check(project)
    files = python_files(project)
    chooser = random.Random(7)
    for _ in range(6):
        part = chooser.sample(files, min(2, len(files)))
        expected = sorted(found for path in part for found in whole.of(str(path.relative_to(project))))
        assert list(check(project, paths=part).findings) == expected


def test_the_hash_seed_does_not_matter(project: Path, tmp_path: Path) -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        report = tmp_path / f"report-{seed}.json"
        command = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--no-cache", "--format", "json"]
        done = subprocess.run(
            [*command, "--output-file", str(report), str(project)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in {0, 1}, done.stderr
        outputs.add(report.read_text(encoding="utf-8"))
    assert len(outputs) == 1
    assert isinstance(json.loads(outputs.pop()), list)


def test_explanations_are_ordered() -> None:
    """Of two reports of one place that tell it differently, the same one is shown whichever came first."""
    span = Span(1, 1, 1, 2)
    near, far = Related("a.py", span, "first consumed here"), Related("b.py", span, "first consumed here")
    assert sorted([far, near]) == [near, far]
