"""No input makes jaxlint fail or hang: it says what is wrong with a file, and checks the others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxlint import workers
from jaxlint.engine import Engine
from jaxlint.registry import rule_classes
from jaxlint.semantics import statements
from jaxlint.source import Source
from tests.engine.programs import Run, check, write

GOOD = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n"


def survey(folder: Path, files: dict[str, str | bytes]) -> Run:
    """Check a folder with the given files and one that holds a known finding, which must still be found."""
    folder = folder.resolve()
    write(folder, {"good.py": GOOD, "pyproject.toml": ""})
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    run = check(folder)
    assert "bug in jaxlint" not in run.complaints, run.complaints
    assert run.status == 1, run.complaints
    assert ("good.py", 5, "JAX201") in {(file, row, code) for file, row, _, code, _ in run.findings}
    return run


def unparsable(run: Run, name: str) -> str:
    """The message of the one JAX001 in a file, or nothing."""
    return "; ".join(message for _, _, _, code, message in run.of(name) if code == "JAX001")


# ---- depth ---------------------------------------------------------------------------------------------------------

DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "lists": lambda n: "x = " + "[" * n + "1" + "]" * n,
    "calls": lambda n: "x = " + "f(" * n + "1" + ")" * n,
    "dicts": lambda n: "x = " + "{1:" * n + "0" + "}" * n,
    "targets": lambda n: "(" * n + "x" + ",)" * n + " = y",
    "annotations": lambda n: "x: " + "a[" * n + "0" + "]" * n + " = 1",
    "comprehensions": lambda n: "x = " + "[a for b in " * n + "c" + "]" * n,
    "attributes": lambda n: "x = a" + ".b" * n,
    "methods": lambda n: "x = a" + ".b()" * n,
    "subscripts": lambda n: "x = a" + "[0]" * n,
    "sums": lambda n: "x = 1" + " + 1" * n,
    "powers": lambda n: "x = 1" + " ** 1" * n,
    "nots": lambda n: "x = " + "not " * n + "a",
    "signs": lambda n: "x = " + "-" * n + "a",
    "lambdas": lambda n: "x = " + "lambda: " * n + "a",
    "conditionals": lambda n: "x = " + "1 if a else " * n + "a",
    "ifs": lambda n: "".join(" " * i + "if a:\n" for i in range(n)) + " " * n + "pass",
    "functions": lambda n: "".join(" " * i + "def f():\n" for i in range(n)) + " " * n + "pass",
    "loops": lambda n: "".join(" " * i + "for a in b:\n" for i in range(n)) + " " * n + "pass",
}

LONG: dict[str, Callable[[int], str]] = {
    "ands": lambda n: "x = a" + " and a" * n,
    "comparisons": lambda n: "x = a" + " < a" * n,
    "elifs": lambda n: "if a:\n    pass\n" + "elif a:\n    pass\n" * n,
    "assignments": lambda n: "x = " * n + "y",
    "formatted": lambda n: 'x = f"' + "{a}" * n + '"',
}


def test_five_thousand_levels_are_said_to_be_too_many(tmp_path: Path) -> None:
    run = survey(tmp_path, {f"{name}.py": make(5_000) + "\n" for name, make in DEEP.items()})
    for name in DEEP:
        message = unparsable(run, f"{name}.py")
        assert "too deeply" in message or "too many" in message, name


def test_long_chains_that_python_takes_are_checked(tmp_path: Path) -> None:
    run = survey(tmp_path, {f"{name}.py": make(1_500) + "\n" for name, make in LONG.items()})
    assert {file for file, *_ in run.findings} == {"good.py"}


def test_what_python_still_takes_is_checked(tmp_path: Path) -> None:
    files = {
        f"{name}.py": GOOD + make(90 if name in {"ifs", "functions", "loops"} else 60) + "\n"
        for name, make in DEEP.items()
        if name not in {"functions", "loops", "comprehensions"}  # these multiply what is run; see the budgets
    }
    run = survey(tmp_path, dict(files))
    for name in files:
        assert [code for _, _, _, code, _ in run.of(name)] == ["JAX201"], name


def test_nested_loops_functions_and_comprehensions_are_bounded(tmp_path: Path) -> None:
    survey(tmp_path, {f"{name}.py": DEEP[name](19) + "\n" for name in ("functions", "loops", "comprehensions")})


def test_an_imported_file_that_is_too_deep_is_unknown(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"deep.py": DEEP["sums"](5_000), "user.py": "from deep import x\n" + GOOD}
    assert [code for _, _, _, code, _ in survey(tmp_path, files).of("user.py")] == ["JAX201"]


# ---- size ----------------------------------------------------------------------------------------------------------


def test_a_file_of_fifty_thousand_lines(tmp_path: Path) -> None:
    text = "import jax\n" + "".join(f"x{i} = {i}\n" for i in range(49_990)) + GOOD
    assert [(row, code) for _, row, _, code, _ in survey(tmp_path, {"long.py": text}).of("long.py")] == [
        (49_996, "JAX201")
    ]


def test_one_line_of_two_megabytes(tmp_path: Path) -> None:
    text = 'data = "' + "a" * 1_000_000 + '"; numbers = [' + "1234567, " * 110_000 + "]\n" + GOOD
    assert [code for _, _, _, code, _ in survey(tmp_path, {"wide.py": text}).of("wide.py")] == ["JAX201"]


def test_a_thousand_branches_in_one_function(tmp_path: Path) -> None:
    branches = "".join(
        f"    if a[{i}]:\n        x = {i}\n        key, _ = jax.random.split(key)\n" for i in range(1_000)
    )
    text = "import jax\n\n\ndef f(a, key):\n    x = 0\n" + branches + "    return x, jax.random.normal(key)\n"
    assert survey(tmp_path, {"branches.py": text}).of("branches.py") == []


# ---- modules -------------------------------------------------------------------------------------------------------


def test_functions_that_call_each_other(tmp_path: Path) -> None:
    text = "import jax\n" + "".join(
        f"def f{i}(x, key):\n    return f{(i + 1) % 60}(x, key) + f{(i * 7) % 60}(x, key)\n" for i in range(60)
    )
    survey(tmp_path, {"recursive.py": text})


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    count = 40
    files: dict[str, str | bytes] = {
        f"m{i}.py": f"import m{(i + 1) % count}\nfrom m{(i + 2) % count} import f{(i + 2) % count}\n\n\n"
        f"def f{i}(key):\n    return m{(i + 1) % count}.f{(i + 1) % count}(key)\n"
        for i in range(count)
    }
    survey(tmp_path, files)


def test_chains_of_star_imports(tmp_path: Path) -> None:
    count = 300
    files: dict[str, str | bytes] = {f"s{i}.py": f"from s{i + 1} import *\n" for i in range(count)}
    files[f"s{count}.py"] = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"
    files["user.py"] = "from s0 import *\n\n\ndef f(key):\n    return draw(key) + draw(key)\n"
    assert [code for _, _, _, code, _ in survey(tmp_path, files).of("user.py")] == ["JAX201"]


def test_a_star_import_of_oneself(tmp_path: Path) -> None:
    survey(tmp_path, {"own.py": "from own import *\nimport own\nown.own.own\n", "a/__init__.py": "from . import *\n"})


# ---- files ---------------------------------------------------------------------------------------------------------


def test_encodings(tmp_path: Path) -> None:
    run = survey(
        tmp_path,
        {
            "bom.py": b"\xef\xbb\xbf" + GOOD.encode(),
            "latin.py": b"# coding: latin-1\nname = '\xe9'\n" + GOOD.encode(),
            "undeclared.py": b"name = '\xe9'\n",
            "wide.py": GOOD.encode("utf-16"),
            "null.py": b"x = 1\n\0\n",
            "unknown.py": b"# coding: klingon\n",
            "empty.py": b"",
            "form.py": b"x = 1\n\x0c\ny = 2\n" + GOOD.encode(),
            "returns.py": GOOD.replace("\n", "\r").encode(),
            "open.py": b"x = (1,\n",
        },
    )
    for name in ("bom.py", "latin.py", "form.py", "returns.py"):
        assert [code for _, _, _, code, _ in run.of(name)] == ["JAX201"], name
    assert "0xe9 is not valid utf-8" in unparsable(run, "undeclared.py")
    assert unparsable(run, "wide.py")
    assert "null bytes" in unparsable(run, "null.py")
    assert "klingon" in unparsable(run, "unknown.py")
    assert unparsable(run, "open.py")
    assert run.of("empty.py") == []


def test_links(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    try:
        (folder / "broken.py").symlink_to(folder / "nowhere.py")
        (folder / "loop.py").symlink_to(folder / "loop.py")
        (folder / "inside").mkdir()
        (folder / "inside" / "again").symlink_to(folder, target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    run = survey(folder, {})
    assert {file for file, *_ in run.findings} == {"good.py"}
    named = check(folder, paths=["broken.py", "loop.py", "good.py"])
    assert named.status == 2
    assert named.complaints.count("no such file") == 2
    assert [file for file, *_ in named.findings] == ["good.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unreadable here")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"shut/a.py": GOOD, "b.py": GOOD})
    (tmp_path / "shut").chmod(0)
    (tmp_path / "b.py").chmod(0)
    try:
        run = survey(tmp_path, {})
    finally:
        (tmp_path / "shut").chmod(0o755)
    assert "cannot be read" in unparsable(run, "b.py")
    assert "cannot look into" in run.complaints


def test_a_folder_named_like_a_file(tmp_path: Path) -> None:
    survey(tmp_path, {"folder.py/inside.py": "x = 1\n", "user.py": "import folder\n"})


@pytest.mark.parametrize("victim", ["gone.py", "user.py"])
def test_files_that_vanish_during_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str) -> None:
    folder = tmp_path.resolve()
    analyse = Engine.analyse

    def removing(engine: Engine, source: Source) -> None:
        (folder / victim).unlink(missing_ok=True)
        analyse(engine, source)

    monkeypatch.setattr(Engine, "analyse", removing)
    run = survey(folder, {"gone.py": GOOD, "user.py": "from gone import f\n\n\ndef g(k):\n    return f(k) + f(k)\n"})
    assert all(
        message.startswith("the file cannot be read") for _, _, _, code, message in run.of(victim) if code == "JAX001"
    )


def test_a_failure_in_one_file_leaves_the_others_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"bad.py": "x = 1\n", "good.py": GOOD, "pyproject.toml": ""})
    analyse = Engine.analyse

    def failing(engine: Engine, source: Source) -> None:
        if source.path.endswith("bad.py"):
            raise RecursionError("maximum recursion depth exceeded")
        analyse(engine, source)

    monkeypatch.setattr(Engine, "analyse", failing)
    run = check(tmp_path.resolve())
    assert run.status == 2
    assert "bad.py: jaxlint failed here, which is a bug in jaxlint" in run.complaints
    assert [file for file, *_ in run.findings] == ["good.py"]


def test_syntax_that_only_python_knows_is_said_to_be_that(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "new.py": "def f():\n    (x): int\n",  # Python takes it, and the parser does not
        "many.py": "x = (" + '"a" ' * 4_000 + ")\n",
    }
    run = survey(tmp_path, files)
    assert "valid Python but not known to the parser yet" in unparsable(run, "new.py")
    assert unparsable(run, "many.py") in {"", unparsable(run, "new.py")}


PROGRAMS = {
    "an item of a list that the callee takes for anything": """\
class Line:
    def __init__(self):
        self.lines = []
        self.current = [""]

    def feed(self, text):
        self.current.append(text)
        self.current[-1] += text

    def all(self, texts):
        for text in texts:
            self.feed(text)
            self.feed(text)
        if texts:
            self.current[-1] += "x"
        return self.current[-1] + self.current[-1]


def run(texts, deep):
    line = Line()
    line.all(texts)
    line.feed("a")
    line.current[-1] += "b"
    return line.current[-1] + "c"
""",
    "an item before those that are known": """\
def f(*a):
    return a[-3]


def some(*args):
    return f(1, 2, *args)
""",
}
"""Programs that have made the engine fail."""


@pytest.mark.parametrize("kind", PROGRAMS)
def test_programs_that_the_engine_once_failed_on(tmp_path: Path, kind: str) -> None:
    survey(tmp_path, {"program.py": PROGRAMS[kind]})


# ---- steps ---------------------------------------------------------------------------------------------------------

SHAPES: dict[str, Callable[[int], str]] = {
    "functions": lambda n: "".join(
        f"@jax.jit\ndef f{i}(x, key):\n    if x.shape[0]:\n        x = x + 1\n    return jax.random.normal(key) + x\n"
        for i in range(n)
    ),
    "a chain of calls": lambda n: (
        "def f0(key):\n    return jax.random.normal(key)\n"
        + "".join(f"def f{i}(key):\n    x = f{i - 1}(key)\n    return x + f{i - 1}(key)\n" for i in range(1, n))
    ),
    "everyone calls everyone": lambda n: "".join(
        f"def f{i}(key):\n    return f{(i * 3 + 1) % n}(key) + f{(i * 5 + 2) % n}(key)\n" for i in range(n)
    ),
    "branches": lambda n: (
        "def f(a, key):\n"
        + "".join(f"    if a[{i}]:\n        key = jax.random.fold_in(key, {i})\n" for i in range(n))
        + "    return key\n"
    ),
    "loops": lambda n: (
        "def f(a, key):\n"
        + "".join(f"    for i{j} in a:\n        key = jax.random.fold_in(key, i{j})\n" for j in range(n))
        + "    return key\n"
    ),
    "methods": lambda n: (
        "class C:\n" + "".join(f"    def m{i}(self, key):\n        return self.m{(i + 1) % n}(key)\n" for i in range(n))
    ),
}


def steps(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Statements run, times the paths they are run on."""
    count: Counter[str] = Counter()
    path = folder / "program.py"
    path.write_text("import jax\n" + text, encoding="utf-8")
    with monkeypatch.context() as patch:
        for kind, run in list(statements._EXEC.items()):

            def counted(it: object, stmt: object, run: Callable[..., object] = run) -> object:
                count["statements"] += 1
                return run(it, stmt)

            patch.setitem(statements._EXEC, kind, counted)
        result = workers.analyse_here(
            [str(path)], Engine, {"rules": [rule() for rule in rule_classes()], "roots": [str(folder)]}
        )
    assert result.failures == []
    return count["statements"]


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_grow_with_the_program_and_no_faster(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A cycle of methods is followed for as many calls as summaries may nest: linear, once it is longer than that.
    sizes = (200, 800) if shape == "methods" else (80, 320)
    small, large = (steps(tmp_path, SHAPES[shape](size), monkeypatch) for size in sizes)
    assert 0 < large <= 4 * small * 1.5 + 200, (small, large)


# ---- what Python warns of ------------------------------------------------------------------------------------------


def test_invalid_escapes_are_no_noise(tmp_path: Path) -> None:
    run = survey(tmp_path, {"m.py": 'import jax\n\n\ndef f(key):\n    """Of \\omega."""\n    g = "\\o"\n'})
    assert "SyntaxWarning" not in run.complaints
