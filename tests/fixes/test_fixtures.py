"""What holds for every fix, over all fixtures and the examples of all explanations."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import libcst as cst
import pytest

from jaxlint.files.comments import comments
from jaxlint.source import Source, read_source
from tests.fixes.support import codes, fix, fixable
from tests.support import FIXTURES, catalogue, opt_in, rules

FOLDERS = sorted(path for path in FIXTURES.iterdir() if path.is_dir() and path.name.partition("_")[0] in rules())
UNPARSABLE = "JAX001"


def _check(files: list[Path], select: str, *, unsafe: bool) -> None:
    options = ["--unsafe-fixes"] if unsafe else []
    before = fix(files, *options, select=select)
    old = {path: read_source(path) for path in files}
    after = fix(files, "--fix", *options, select=select)
    new = {path: read_source(path) for path in files}
    todo = {finding["filename"] for finding in fixable(before, unsafe=unsafe)}
    for path in files:
        if new[path].text != old[path].text:
            assert str(path) in todo, f"{path.name} changed without a fix"
            _check_text(old[path], new[path], unsafe=unsafe)
    assert {str(path) for path in files if new[path].text != old[path].text} == todo, "each file with a fix is fixed"
    assert not fixable(after, unsafe=unsafe), "nothing is left to fix"
    more = codes(after) - codes(before)
    assert not more, f"new findings: {dict(more)}"
    mended = codes(before) - codes(after)
    for key, count in codes(fixable(before, unsafe=unsafe)).items():
        assert mended[key] >= count, f"{key} is reported again after the fix"
    data = {path: path.read_bytes() for path in files}
    assert codes(fix(files, "--fix", *options, select=select)) == codes(after)
    assert data == {path: path.read_bytes() for path in files}, "a second run changes nothing"


def _check_text(old: Source, new: Source, *, unsafe: bool) -> None:
    cst.parse_module(new.text)
    assert (new.encoding, new.bom, new.newline) == (old.encoding, old.bom, old.newline)
    assert new.text.endswith("\n") == old.text.endswith("\n")
    if not unsafe:
        kept = Counter(comment.text for comment in comments(new.text))
        removed = Counter(comment.text for comment in comments(old.text)) - kept
        assert not [text for text in removed if "noqa" not in text], f"comments were lost: {removed}"


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_fixtures(folder: Path, tmp_path: Path, unsafe: bool) -> None:
    code = folder.name.partition("_")[0]
    if code == UNPARSABLE:
        pytest.skip("nothing to fix in what is no program")
    files = [Path(shutil.copy(path, tmp_path)) for path in sorted(folder.glob("*.py"))]
    _check(files, ",".join(opt_in(code)), unsafe=unsafe)


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("code", sorted(rules()))
def test_examples_of_explanations(code: str, tmp_path: Path, unsafe: bool) -> None:
    path = tmp_path / "program.py"
    path.write_text(rules()[code].explanation.wrong, encoding="utf-8")
    if code == UNPARSABLE:
        return
    _check([path], ",".join(opt_in(code)), unsafe=unsafe)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_rules_offer_the_fixes_of_the_catalogue(folder: Path) -> None:
    code = folder.name.partition("_")[0]
    found = fix(sorted(folder.glob("*.py")), select=",".join(opt_in(code)))
    offered = {finding["fix"]["applicability"] for finding in found if finding["fix"] and finding["code"] == code}
    assert " or ".join(sorted(offered)) == catalogue()[code].fix.replace("none", "")
