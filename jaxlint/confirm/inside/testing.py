"""The tests of a program: which of them may call what a finding is about, and running one of them with pytest."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxlint.child.loading import module_name

_MOST_FILES = 4
_MOST_LISTED = 4000
_MOST_TESTS = 8
_MOST_OF_ONE = 2
_LARGEST = 1 << 20
_SETTINGS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", ".git")
_QUIET = (
    "-q", "--capture=no", "--assert=plain", "--override-ini=addopts=", "-p", "no:cacheprovider", "-p", "no:warnings",
    "-p", "no:faulthandler", "-p", "no:xdist", "-p", "no:randomly",
)  # fmt: skip

Body = Callable[[], Any]


def test_files(path: Path, words: Sequence[str]) -> list[Path]:
    """Files of tests that import the module or its package and name one of `words`, those that name most first."""
    name, root = module_name(path)
    package = name.partition(".")[0]
    imported = re.compile(rf"^\s*(?:from|import)\s+(?:{re.escape(package)}\b|\.)", re.MULTILINE)
    mentioned = [re.compile(rf"\b{re.escape(word)}\b") for word in words]
    ranked: list[tuple[bool, int, str, Path]] = []
    for file in _listed(path, root / package if "." in name else root):
        if file == path:
            ranked.append((False, 0, "", file))
            continue
        try:
            text = file.read_text(encoding="utf-8") if file.stat().st_size < _LARGEST else ""
        except (OSError, UnicodeDecodeError):
            continue
        count = sum(pattern.search(text) is not None for pattern in mentioned)
        if count and imported.search(text):
            ranked.append((path.stem.strip("_") not in file.stem, -count, str(file), file))
    return [file for *_, file in sorted(ranked)[:_MOST_FILES]]


def _listed(path: Path, home: Path) -> Iterator[Path]:
    """The files of tests in a package or folder, and in the folders for tests of the project that it belongs to."""
    folders = [home if home.is_dir() else path.parent]
    if not (path.parent / "__init__.py").is_file():
        folders = [path.parent]
    above = folders[0]
    for _ in range(3):
        if any((above / name).exists() for name in _SETTINGS):
            folders += [folder for name in ("tests", "test") if (folder := above / name).is_dir()]
            break
        above = above.parent
    seen: set[Path] = set()
    for folder in folders:
        for where, below, files in os.walk(folder):
            below[:] = [name for name in below if not name.startswith((".", "__")) and name != "site-packages"]
            for name in files:
                file = Path(where, name)
                if is_test(name) and file not in seen and len(seen) < _MOST_LISTED:
                    seen.add(file)
                    yield file


def is_test(name: str) -> bool:
    """Whether a file of this name holds tests."""
    return name.endswith(".py") and (name.startswith("test_") or name.endswith(("_test.py", "_tests.py")))


def collect(files: Sequence[Path], words: Sequence[str]) -> list[str]:
    """The tests in files that mention most of `words`, as pytest names them; none where there is no pytest."""
    if not files or importlib.util.find_spec("pytest") is None:
        return []
    collector = _Collector(words)
    _pytest([*map(str, files), "--collect-only", "--continue-on-collection-errors"], collector)
    return collector.chosen


def run(test: str, around: Callable[[Body], None]) -> None:
    """Run one test with its fixtures; `around` calls what it gets, which raises what the test raises."""
    _pytest([test], _Runner(around))


def _pytest(arguments: list[str], plugin: object) -> None:
    import pytest

    sys.dont_write_bytecode = True
    os.environ.pop("PYTEST_ADDOPTS", None)
    pytest.main([*_QUIET, *arguments], plugins=[plugin])


class _Collector:
    """A plugin that chooses among the tests that pytest found."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = set(words)
        self.chosen: list[str] = []

    def pytest_collection_finish(self, session: Any) -> None:
        """Those that mention something, the most first, and a few of each that has parameters."""
        scored = [(self._score(item), item) for item in session.items]
        scored = [pair for pair in scored if pair[0]] or [(0, item) for item in session.items]
        count: Counter[str] = Counter()
        for _, item in sorted(scored, key=lambda pair: -pair[0]):
            function = re.sub(r"\d+$", "", item.nodeid.partition("[")[0])
            count[function] += 1
            if count[function] <= _MOST_OF_ONE and len(self.chosen) < _MOST_TESTS:
                self.chosen.append(item.nodeid)
        root = Path(str(session.config.rootpath))
        self.chosen = [str(root / test) for test in self.chosen]

    def _score(self, item: Any) -> int:
        """How many of the words a test mentions; its own name, which a decorator may have lengthened, counts more."""
        function = inspect.unwrap(getattr(item, "obj", None) or (lambda: None))
        names = {getattr(item.cls, "__name__", "")}
        own = any(item.name.startswith(word) for word in self._words if word.startswith("test"))
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        todo = [code] if code is not None else []
        while todo:
            code = todo.pop()
            names.update(code.co_names)
            todo += [part for part in code.co_consts if inspect.iscode(part)]
        return len(names & self._words) + len(self._words) * own


class _Runner:
    """A plugin that hands each test to its caller in place of running it."""

    def __init__(self, around: Callable[[Body], None]) -> None:
        self._around = around

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Replace what runs."""
        for item in items:
            item.runtest = self._wrapped(item)

    def _wrapped(self, item: Any) -> Body:
        original = item.runtest
        failed: list[BaseException] = []

        def noting(_: Any, raised: Any) -> None:
            failed.append(raised[1])

        for name in ("addError", "addFailure"):
            if hasattr(item, name):  # a case of unittest tells its errors and does not raise them
                setattr(item, name, noting)

        def body() -> None:
            original()
            if failed:
                raise failed[0]

        return lambda: self._around(body)
