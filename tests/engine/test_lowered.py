"""Compact forms that outlive an analysis, and analyses that end early."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
import pytest

from jaxlint.engine import Engine
from jaxlint.source import Source
from jaxlint.syntax import ir, parse
from jaxlint.syntax.lower import lower
from jaxlint.syntax.lowered import Lowered
from jaxlint.workers import Abandoned, analyse_here
from tests.support import rules

if TYPE_CHECKING:
    from jaxlint.findings import Finding

MODEL = "import jax\n\n\ndef init(key):\n    return jax.random.normal(key, (3,))\n"
TRAIN = (
    "import jax\nfrom model import init\n\n\ndef start(key):\n    params = init(key)\n"
    "    return params + jax.random.normal(key, (3,))\n"
)


def check(folder: Path, texts: dict[str, str], lowered: Lowered) -> list[Finding]:
    unsaved = {str(folder / name): Source(str(folder / name), text) for name, text in texts.items()}
    for path, source in unsaved.items():
        Path(path).write_text(source.text)
    train = str(folder / "train.py")
    options = {"rules": list(rules().values()), "roots": [str(folder)]}
    found = analyse_here([train], partial(Engine, lowered=lowered), options, unsaved)
    assert not found.failures
    return [finding for result in found.results for finding in result.findings]


def test_a_second_analysis_parses_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = Lowered()
    first = check(tmp_path, {"model.py": MODEL, "train.py": TRAIN}, lowered)
    assert [finding.code for finding in first] == ["JAX201"]
    parsed: list[str] = []
    parsing = parse.parse

    def noted(text: str) -> cst.Module:
        parsed.append(text)
        return parsing(text)

    for module in ("jaxlint.engine.parse", "jaxlint.semantics.project.parse"):
        monkeypatch.setattr(module, noted)
    assert check(tmp_path, {"model.py": MODEL, "train.py": TRAIN}, lowered) == first
    assert not parsed
    calmer = MODEL.replace("jax.random.normal(key, (3,))", "key.shape")
    assert check(tmp_path, {"model.py": calmer, "train.py": TRAIN}, lowered) == []
    assert parsed == [calmer]
    assert check(tmp_path, {"model.py": MODEL, "train.py": "# moved\n" + TRAIN}, lowered)[0].span.row == 8


def test_the_oldest_go_first() -> None:
    lowered = Lowered(most=10)
    project = [parse_module(name, "x = 1\n") for name in ("a", "b", "c")]
    for module in project:
        lowered.put("x = 1\n", module)
    assert lowered.get("c", "x = 1\n", "c") is project[2]
    assert lowered.get("a", "x = 1\n", "a") is None
    assert lowered.get("c", "x = 2\n", "c") is None
    assert lowered.get("c", "x = 1\n", "package.c") is None


def parse_module(name: str, text: str) -> ir.ModuleIR:
    return lower(parse.parse(text), name, name, False)


def test_a_checkpoint_ends_an_analysis(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    steps: list[int] = []

    def checkpoint() -> None:
        steps.append(1)
        raise Abandoned

    options = {"rules": list(rules().values()), "roots": [str(tmp_path)], "checkpoint": checkpoint}
    with pytest.raises(Abandoned):
        analyse_here([str(tmp_path / "model.py")], Engine, options)
    assert steps == [1]
