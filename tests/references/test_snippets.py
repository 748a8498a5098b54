"""Every program in the references runs as it says, on four CPU devices, and lints as it says."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.references.documents import DOCUMENTS, PLAYBOOKS, Snippet, environment, fences, preamble, snippets
from tests.support import ROOT, catalogue, lint_text, opt_in, rules

if TYPE_CHECKING:
    from pathlib import Path

document_by_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
snippet_by_snippet = pytest.mark.parametrize(
    "snippet", [snippet for path in PLAYBOOKS for snippet in snippets(path)], ids=lambda snippet: snippet.place
)


def _outcomes(programs: list[Snippet]) -> list[dict[str, str | list[str] | None]]:
    request = [{"place": snippet.place, "text": preamble() + snippet.text} for snippet in programs]
    child = subprocess.run(
        [sys.executable, "-m", "tests.references.child"],
        cwd=ROOT,
        env=environment(),
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    outcomes: list[dict[str, str | list[str] | None]] = json.loads(child.stdout)
    return outcomes


def _runnable(snippet: Snippet) -> bool:
    return snippet.needs is None or importlib.util.find_spec(snippet.needs) is not None


@document_by_document
def test_snippets_run_as_they_say(path: Path) -> None:
    pytest.importorskip("jax")
    programs = [snippet for snippet in snippets(path) if _runnable(snippet)]
    problems = []
    for snippet, outcome in zip(programs, _outcomes(programs), strict=True):
        expected = (snippet.raises, [snippet.warns] if snippet.warns else [])
        if (outcome["raised"], outcome["warned"]) != expected:
            problems.append(f"{snippet.place}: {outcome['raised']} {outcome['warned']} {outcome['detail']}")
    assert not problems, "\n".join(problems)


@snippet_by_snippet
def test_snippet_lints_as_it_says(snippet: Snippet, tmp_path: Path) -> None:
    pytest.importorskip("jaxlint.engine")
    code = snippet.wrong
    if code is not None:
        assert code in catalogue()
        if code not in rules():
            pytest.skip(f"{code} has no rule yet")
    reports = lint_text(preamble() + "\n\n" + snippet.text, tmp_path, extend_select=opt_in(code or ""))
    assert {report.code for report in reports} == ({code} if code else set()), reports


@document_by_document
def test_every_program_is_executed(path: Path) -> None:
    languages = {language for language, _, _ in fences(path)}
    assert languages <= {"python", "console", "text"}, "a Python block is marked `python` and nothing else"
