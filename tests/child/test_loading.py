"""The file under review is imported once, under its own name."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jaxlint.child.factory import call_factory, factory, named_in_comment
from jaxlint.child.loading import Loaded, LoadError, find, module_name, parse
from tests.child.test_process import run


def loaded(tmp_path: Path, text: str) -> Loaded:
    path = tmp_path / "m.py"
    path.write_text(text)
    module = ModuleType("m")
    exec(text, module.__dict__)
    return Loaded(module, parse(path), str(path))


def test_a_module_of_a_package_has_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").write_text("")
    assert module_name(folder / "leaf.py") == ("outer.inner.leaf", tmp_path)
    assert module_name(folder / "__init__.py") == ("outer.inner", tmp_path)
    (folder / "leaf.py").write_text("from ..other import VALUE\nNAME = __name__\n")
    (folder.parent / "other.py").write_text("VALUE = 3\n")
    message = run("load", path=str(folder / "leaf.py"))[0][0]
    assert message["values"] == {"VALUE": "3", "NAME": "'outer.inner.leaf'"}


def test_a_statement_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "some script.py"
    path.write_text("from __future__ import annotations\nA = 1\nB = 1 / 0\nC: undefined = 3\n")
    message = run("load", path=str(path))[0][0]
    assert message["values"] == {"A": "1", "C": "3"}
    assert message["failures"] == [[3, "division by zero"]]


def test_a_name_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"has no `miss` \(it has f\)"):
        find(loaded(tmp_path, "def f(): pass\n"), "miss")


def test_a_file_that_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def (:\n")
    with pytest.raises(LoadError, match="not valid for Python"):
        parse(tmp_path / "bad.py")
    with pytest.raises(LoadError, match="no such file"):
        parse(tmp_path / "none.py")


def test_the_main_block_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text('A = 1\nif __name__ == "__main__":\n    B = 2\n')
    assert run("load", path=str(path))[0][0]["values"] == {"A": "1"}


def test_factories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = loaded(tmp_path, "# jaxlint: inputs=make\ndef f(x): pass\ndef make(): return (1,), {'k': 2}\n")
    assert named_in_comment(module, 2, 2) == "make"
    assert named_in_comment(module, 4, 4) is None
    assert call_factory(factory(module, "make"), "make") == ((1,), {"k": 2})
    (tmp_path / "elsewhere.py").write_text("def make(): return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    make: Any = factory(module, "elsewhere:make")
    with pytest.raises(LoadError, match=r"must return `\(args, kwargs\)`, not int"):
        call_factory(make, "elsewhere:make")
    with pytest.raises(LoadError, match="cannot be imported"):
        factory(module, "nowhere:make")
    sys.modules.pop("elsewhere")
