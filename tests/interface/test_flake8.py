"""The plugin in the real flake8, of both major versions that it is made for."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.programs import PROJECT, write
from tests.support import FIXTURES, ROOT
from tests.tools import FLAKE8_MAJORS, flake8, flake8_environment, run

if TYPE_CHECKING:
    from collections.abc import Iterable

Found = tuple[str, int, int, str]
"""(file, row, column, code and message) of a finding."""

REUSED = """\
import os

import jax


def draw(key):
    first = jax.random.normal(key)
    return first + jax.random.normal(key)
"""
ON_REUSED = "8:20: JAX201"

pytestmark = pytest.mark.usefixtures("no_cache_folder")
majors = pytest.mark.parametrize("major", FLAKE8_MAJORS)


@pytest.fixture
def no_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAXLINT_CACHE_DIR", str(tmp_path / "cache"))


def found_by_flake8(output: str, folder: Path) -> list[Found]:
    found = []
    for line in output.splitlines():
        match = re.fullmatch(r"(.+?):(\d+):(\d+): (\S+ .*)", line)
        assert match, line
        path = (folder / match[1]).resolve()
        found.append((str(path), int(match[2]), int(match[3]), match[4]))
    return sorted(found)


def found_by_command_line(folder: Path, paths: Iterable[Path], *arguments: str) -> list[Found]:
    command = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--ignore-noqa", "--format", "json"]
    done = run([*command, *arguments, *map(str, paths)], folder)
    assert done.returncode in {0, 1}, done.stderr
    return sorted(
        (
            item["filename"],
            item["location"]["row"],
            item["location"]["column"],
            f"{item['code']} {item['message']}",
        )
        for item in json.loads(done.stdout)
    )


def codes(output: str) -> list[str]:
    return [line.split(": ")[1].split()[0] for line in output.splitlines()]


@majors
def test_flake8_knows_the_plugin(major: str, tmp_path: Path) -> None:
    done = flake8(major, tmp_path, "--version")
    assert done.stdout.startswith(f"{major}.")
    assert "jax-linter: " in done.stdout


@majors
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_finds_what_the_command_line_finds(major: str, jobs: str) -> None:
    folder = ROOT / "examples"
    done = flake8(major, ROOT, "--select", "JAX", "--disable-noqa", "--jobs", jobs, "examples")
    assert done.returncode == 1
    assert found_by_flake8(done.stdout, ROOT) == found_by_command_line(ROOT, [folder])


def parsed(path: Path) -> bool:
    """Whether Python can read a file, so that flake8 calls plugins for it."""
    try:
        compile(path.read_bytes(), str(path), "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def test_finds_what_the_command_line_finds_in_all_fixtures() -> None:
    done = flake8("7", ROOT, "--select", "JAX", "--disable-noqa", "--jax-enable", "ALL", "fixtures")
    readable = {str(path) for path in FIXTURES.rglob("*.py") if parsed(path)}
    expected = [
        found
        for found in found_by_command_line(ROOT, [FIXTURES], "--select", "ALL", "--no-cache")
        if found[0] in readable
    ]
    found = found_by_flake8(done.stdout, ROOT)
    assert found == expected
    assert len({text.partition(" ")[0] for *_, text in found}) > 40


@majors
def test_one_file_has_the_findings_it_has_in_the_project(major: str, tmp_path: Path) -> None:
    folder = write((tmp_path / "project").resolve(), PROJECT)
    whole = found_by_command_line(folder, [folder])
    for name in ("model.py", "train.py"):
        own = [found for found in whole if found[0] == str(folder / name)]
        assert own
        text = (folder / name).read_text(encoding="utf-8")
        for given in ([name], ["--stdin-display-name", name, "-"]):
            done = flake8(major, folder, "--select", "JAX", *given, stdin=text)
            assert found_by_flake8(done.stdout, folder) == own


@majors
def test_standard_input_is_what_counts(major: str, tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "", "draw.py": "x = 1\n", "gone.py": ""})
    for name in ("draw.py", "new.py", "folder/new.py"):
        done = flake8(major, tmp_path, "--select", "JAX", "--stdin-display-name", name, "-", stdin=REUSED)
        assert done.stdout.startswith(f"{name}:{ON_REUSED} ")
    (tmp_path / "draw.py").write_text(REUSED, encoding="utf-8")
    silent = flake8(major, tmp_path, "--select", "JAX", "--stdin-display-name", "draw.py", "-", stdin="import jax\n")
    assert (silent.stdout, silent.returncode) == ("", 0)
    nameless = flake8(major, tmp_path, "--select", "JAX", "-", stdin=REUSED)
    assert nameless.stdout.startswith(f"stdin:{ON_REUSED} ")


@majors
def test_flake8_silences_and_selects(major: str, tmp_path: Path) -> None:
    comments = {"a.py": "# noqa", "b.py": "# noqa: JAX201", "c.py": "# noqa: JAX2", "d.py": "# noqa: JAX301"}
    comments |= {"f.py": "# noqa: key-reuse", "g.py": "#noqa: JAX201"}
    write(tmp_path, {name: f"{REUSED.rstrip()}  {comment}\n" for name, comment in comments.items()})
    write(tmp_path, {"e.py": "# flake8: noqa\n" + REUSED})

    def ours(*arguments: str) -> list[str]:
        done = flake8(major, tmp_path, *arguments, ".")
        return sorted(line[2:6] for line in done.stdout.splitlines() if ": JAX201 " in line)

    assert ours() == ["d.py", "g.py"]
    assert ours("--disable-noqa") == ["a.py", "b.py", "c.py", "d.py", "e.py", "f.py", "g.py"]
    assert ours("--select", "F") == ours("--extend-ignore", "JAX2") == []
    assert ours("--per-file-ignores", "d.py:JAX201 e.py:F401") == ["g.py"]


def test_our_own_comment_for_a_whole_file_counts(tmp_path: Path) -> None:
    write(tmp_path, {"all.py": "# jaxlint: noqa\n" + REUSED, "one.py": "# jaxlint: noqa: key-reuse\n" + REUSED})
    write(tmp_path, {"other.py": "# jaxlint: noqa: JAX301\n" + REUSED})
    assert codes(flake8("7", tmp_path, "all.py", "one.py").stdout) == ["F401", "F401"]
    assert codes(flake8("7", tmp_path, "other.py").stdout) == ["F401", "JAX201"]
    assert codes(flake8("7", tmp_path, "--disable-noqa", "all.py").stdout) == ["F401", "JAX201"]


def test_an_unused_comment_is_not_our_business(tmp_path: Path) -> None:
    write(tmp_path, {"draw.py": "import jax\n\n\ndef f(x):\n    return jax.numpy.sin(x)  # noqa: JAX201\n"})
    assert flake8("7", tmp_path, "--jax-enable", "ALL", "draw.py").stdout == ""


OPT_IN = "import jax\n\nKEY = jax.random.key_data(jax.random.PRNGKey(0))\n"


@majors
def test_opt_in_rules_have_an_enabled_set_of_their_own(major: str, tmp_path: Path) -> None:
    write(tmp_path, {"key.py": OPT_IN})

    def on(*arguments: str, isolated: bool = True) -> bool:
        return "JAX206" in codes(flake8(major, tmp_path, *arguments, "key.py", isolated=isolated).stdout)

    assert not on("--ignore", "E203")
    assert not on("--select", "JAX2")
    assert on("--jax-enable", "key-reuse,legacy-prng-key")
    assert on("--extend-select", "JAX206")
    write(tmp_path, {".flake8": "[flake8]\njax-enable = JAX206\n"})
    assert on(isolated=False)


@majors
def test_processes_change_nothing(major: str, tmp_path: Path) -> None:
    folder = write((tmp_path / "project").resolve(), {**PROJECT, "draw.py": REUSED, "plain.py": "import os\n"})
    alone = flake8(major, folder, "--jobs", "1", ".")
    assert alone.stdout.count("JAX") > 5
    for jobs in ("2", "auto"):
        shared = flake8(major, folder, "--jobs", jobs, ".")
        assert shared.stdout == alone.stdout
    spawn = (
        "import multiprocessing as m, sys; m.set_start_method('spawn'); import flake8.main.cli as f; sys.exit(f.main())"
    )
    script = tmp_path / "spawning.py"
    script.write_text("if __name__ == '__main__':\n    " + spawn + "\n", encoding="utf-8")
    command = [sys.executable, str(script), "--isolated", "--jax-isolated", "--jobs", "2", "."]
    spawned = run(command, folder, environment=dict(flake8_environment(major)))
    assert spawned.stdout == alone.stdout


LIBRARY = """\
from flake8.api import legacy
style = legacy.get_style_guide(select=["JAX"])
print(style.check_files(["draw.py"]).total_errors)
"""


@majors
def test_flake8_as_a_library(major: str, tmp_path: Path) -> None:
    write(tmp_path, {"draw.py": REUSED, "other.py": REUSED})
    done = run([sys.executable, "-c", LIBRARY], tmp_path, environment=dict(flake8_environment(major)))
    assert done.stdout.splitlines()[0].startswith(f"draw.py:{ON_REUSED} ")
    assert done.stdout.splitlines()[1:] == ["1"], done.stdout + done.stderr


@majors
def test_a_file_that_python_cannot_parse_is_flake8s_to_tell(major: str, tmp_path: Path) -> None:
    write(tmp_path, {"broken.py": "import jax\ndef f(:\n", "draw.py": REUSED})
    done = flake8(major, tmp_path, ".")
    assert [code for code in codes(done.stdout) if code.startswith(("E9", "JAX"))] == ["E999", "JAX201"]


FAILING = """\
import sys
from jaxlint.engine import Engine
def fail(self, source):
    if source.path.endswith("draw.py"):
        raise KeyError("a key\\nof two lines")
    return true(self, source)
true, Engine.analyse = Engine.analyse, fail
from flake8.main.cli import main
sys.exit(main())
"""


@majors
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failure_costs_one_line(major: str, jobs: str, tmp_path: Path) -> None:
    write(tmp_path, {"draw.py": REUSED, "other.py": REUSED})
    command = [sys.executable, "-c", FAILING, "--isolated", "--jax-isolated", "--jobs", jobs, "draw.py", "other.py"]
    done = run(command, tmp_path, environment=dict(flake8_environment(major)))
    assert codes(done.stdout) == ["JAX000", "F401", "F401", "JAX201"]
    assert "draw.py:1:1: JAX000 jaxlint failed here, which is a bug in jaxlint: KeyError" in done.stdout
    assert done.returncode == 1
    assert not done.stderr


@majors
def test_settings_that_are_wrong_cost_one_line_a_file(major: str, tmp_path: Path) -> None:
    write(tmp_path, {"good/draw.py": REUSED, "bad/draw.py": REUSED})
    write(tmp_path, {"bad/jaxlint.toml": "\ntarget_jax = 3\n", "good/jaxlint.toml": ""})
    done = flake8(major, tmp_path, "--jobs", "1", ".", isolated=False)
    assert codes(done.stdout) == ["JAX000", "F401", "F401", "JAX201"]
    assert "bad/draw.py:1:1: JAX000 bad/jaxlint.toml:2: unknown setting `target_jax`" in done.stdout
    wrong = flake8(major, tmp_path, "--jax-enable", "JAX206,key-resue", "good/draw.py")
    assert codes(wrong.stdout) == ["JAX000", "F401"]
    assert "JAX000 --jax-enable: unknown rule selector `key-resue`; did you mean `key-reuse`?" in wrong.stdout
    wrong = flake8(major, tmp_path, "--jax-config", "good/jaxlint.toml", "good/draw.py")
    assert "JAX000 --jax-config and --jax-isolated exclude each other" in wrong.stdout
    wrong = flake8(major, tmp_path, "--jax-target-jax", "new", "good/draw.py")
    assert "JAX000 --jax-target-jax must be a JAX version" in wrong.stdout


def test_the_settings_beside_the_code_count_but_not_their_selection(tmp_path: Path) -> None:
    old = "import jax\n\n\ndef f(x):\n    return jax.tree_map(abs, x)\n"
    files = {"draw.py": REUSED, "old.py": old, "vendored/draw.py": REUSED, "key.py": OPT_IN, "pyproject.toml": ""}
    folder = write(tmp_path.resolve(), files)

    def found() -> list[tuple[str, str]]:
        done = flake8("7", folder, "--select", "JAX", ".", isolated=False)
        reports = found_by_flake8(done.stdout, folder)
        return [(Path(path).relative_to(folder).as_posix(), text[:6]) for path, _, _, text in reports]

    assert found() == [("draw.py", "JAX201"), ("old.py", "JAX901"), ("vendored/draw.py", "JAX201")]
    settings = """\
        [tool.jaxlint]
        target-jax = "0.4.20"
        extend-exclude = ["vendored"]
        select = ["JAX301"]
        extend-select = ["JAX206"]

        [tool.jaxlint.per-file-ignores]
        "draw.py" = ["JAX201"]
        """
    (folder / "pyproject.toml").write_text(textwrap.dedent(settings), encoding="utf-8")
    assert found() == [("draw.py", "JAX201")]


def test_what_settings_teach_counts_without_jax(tmp_path: Path) -> None:
    ours = "import ours\n\n\n@ours.compiled\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"
    taught = '[tool.jaxlint.known-transforms]\n"ours.compiled" = "jax.jit"\n'
    write(tmp_path, {"a/step.py": ours, "b/step.py": ours, "b/pyproject.toml": taught, "a/pyproject.toml": ""})
    write(tmp_path, {"c/deep/step.py": ours, "c/jaxlint.toml": 'extend = "../b/pyproject.toml"\n'})
    done = flake8("7", tmp_path, "--select", "JAX", ".", isolated=False)
    assert [line.partition(": ")[0] for line in sorted(done.stdout.splitlines())] == [
        "./b/step.py:6:5",
        "./c/deep/step.py:6:5",
    ]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_newlines_and_byte_order_marks_move_nothing(prefix: bytes, newline: str, tmp_path: Path) -> None:
    text = REUSED.replace("first", "größe").replace("\n", newline)
    (tmp_path / "draw.py").write_bytes(prefix + text.encode())
    (tmp_path / "same.py").write_bytes(prefix + text.encode())
    done = flake8("7", tmp_path, "--select", "JAX", "draw.py", "same.py")
    assert codes(done.stdout) == ["JAX201", "JAX201"]
    assert f"draw.py:{ON_REUSED} " in done.stdout


def test_what_was_found_is_remembered(tmp_path: Path) -> None:
    folder = write((tmp_path / "project").resolve(), PROJECT)
    first = flake8("7", folder, ".")
    assert list((tmp_path / "cache").rglob("*.json"))
    counting = FAILING.replace('source.path.endswith("draw.py")', "True")
    command = [sys.executable, "-c", counting, "--isolated", "--jax-isolated", "."]
    assert run(command, folder, environment=dict(flake8_environment("7"))).stdout == first.stdout
    shutil.rmtree(tmp_path / "cache")
    flake8("7", folder, "--jax-no-cache", ".")
    assert not (tmp_path / "cache").exists()
    flake8("7", folder, "--jax-cache-dir", str(tmp_path / "elsewhere"), ".")
    assert list((tmp_path / "elsewhere").rglob("*.json"))
