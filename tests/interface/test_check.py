"""`jaxlint check` as a user meets it: output, exit codes, standard input, suppressions, failures."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import jaxlint
from jaxlint.cli import progress as progress_module
from jaxlint.cli.main import COMMANDS, main
from jaxlint.cli.progress import Progress
from jaxlint.results import FileResult
from tests.interface.fake import FakeEngine, run, write

FAULT = "fault_JAX201()\n"


def test_exit_codes(tmp_path: Path) -> None:
    write(tmp_path, {"clean.py": "x = 1\n", "bad.py": FAULT, "worse.py": "crash\n"})
    assert run(tmp_path, "clean.py").code == 0
    assert run(tmp_path, "bad.py").code == 1
    assert run(tmp_path, "bad.py", "--exit-zero").code == 0
    assert run(tmp_path, "bad.py", "-e").code == 0
    assert run(tmp_path, "worse.py").code == 2
    assert run(tmp_path, "worse.py", "-e").code == 2
    assert run(tmp_path, "--select", "nonsense").code == 2


def test_check_is_the_default_command(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT})
    outputs = {
        run(tmp_path, *arguments).out
        for arguments in [[], ["check"], ["."], ["check", "."], ["a.py"], ["-v", "check", "a.py"],
                          ["--color", "never", "check"], ["--config", "ignore = []", "check"], ["check", "--", "a.py"]]
    }  # fmt: skip
    assert len(outputs) == 1
    assert "JAX201" in outputs.pop()


def test_options_may_stand_between_paths(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "b.py": FAULT, "c.py": FAULT})
    ran = run(tmp_path, "a.py", "--select", "JAX2", "b.py", "--format=concise", "-q")
    assert [line.split(":")[0] for line in ran.out.splitlines()] == ["a.py", "b.py"]


def test_what_follows_two_dashes_is_a_path(tmp_path: Path) -> None:
    write(tmp_path, {"-a.py": FAULT, "@b.py": FAULT, "c.py": FAULT})
    for arguments in (
        ["--", "-a.py", "@b.py"],
        ["c.py", "--", "-a.py", "@b.py"],
        ["check", "c.py", "--", "-a.py", "@b.py"],
    ):
        ran = run(tmp_path, "--format=concise", "-q", *arguments)
        shown = [line.split(":")[0] for line in ran.out.splitlines()]
        assert shown == ["-a.py", "@b.py", *(["c.py"] if "c.py" in arguments else [])]


def test_findings_are_sorted_and_relative(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "fault_JAX301(); fault_JAX201()\n" + FAULT, "a/z.py": FAULT})
    ran = run(tmp_path, "b.py", "a", "--format", "concise")
    assert [line.split(" ")[0] + line.split(" ")[1] for line in ran.out.splitlines()[:-1]] == [
        "a/z.py:1:1:JAX201", "b.py:1:1:JAX301", "b.py:1:17:JAX201", "b.py:2:1:JAX201",
    ]  # fmt: skip
    assert ran.out.endswith("Found 4 errors.\n")
    assert ran.err == ""


def test_quiet_and_silent(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT + "x  # noqa: because\n"})
    loud = run(tmp_path, "--format", "concise")
    assert "Found 1 error." in loud.out
    assert loud.err == "warning: a.py:2: `noqa:` is followed by no code, so it silences nothing\n"
    quiet = run(tmp_path, "--format", "concise", "--quiet")
    assert (len(quiet.out.splitlines()), quiet.err, quiet.code) == (1, "", 1)
    assert run(tmp_path, "--silent") == (1, "", "")
    assert run(tmp_path, "-s", "nowhere.py").err != ""


def test_json(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "clean.py": "", "worse.py": "crash"})
    ran = run(tmp_path, "--format", "json")
    (found,) = json.loads(ran.out)
    assert found["filename"] == str(tmp_path / "a.py")
    assert ran.code == 2
    assert json.loads(run(tmp_path, "clean.py", "--format", "json").out) == []
    assert json.loads(run(tmp_path, "worse.py", "--format", "json").out) == []
    assert json.loads(run(tmp_path, "--format", "json", "--statistics").out)[0]["count"] == 1


def test_output_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT})
    ran = run(tmp_path, "--format", "json", "-o", "out.json")
    assert (ran.code, ran.out) == (1, "")
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))) == 1
    run(tmp_path, "--output-file", "out.txt", "--color", "auto")
    assert "\033" not in (tmp_path / "out.txt").read_text(encoding="utf-8")
    run(tmp_path, "--output-file", "out.txt", "-s")
    assert "JAX201" in (tmp_path / "out.txt").read_text(encoding="utf-8")
    ran = run(tmp_path, "-o", "none/out.txt")
    assert ran.code == 2
    assert ran.err == "error: none/out.txt: cannot be written: no such file or directory\n"


def test_statistics(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT * 2 + "fault_JAX203()\n"})
    ran = run(tmp_path, "--statistics")
    assert ran.out == "2  JAX201  [ ] key-reuse\n1  JAX203  [ ] discarded-key\nFound 2 errors and 1 warning.\n"
    assert ran.code == 1


def test_a_failure_in_one_file_leaves_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "b.py": "crash\n", "c.py": FAULT})
    ran = run(tmp_path, "--format", "concise")
    assert ran.code == 2
    assert [line.split(":")[0] for line in ran.out.splitlines()[:-1]] == ["a.py", "c.py"]
    assert ran.err == "error: b.py: jaxlint failed here, which is a bug in jaxlint: KeyError: 'x' (-v shows where)\n"
    verbose = run(tmp_path, "-v").err
    assert "Traceback" in verbose
    assert "info: checked 3 files in " in verbose
    assert "the analysis gave up 2 times: unknown callee" in verbose


def test_failures_of_the_engine_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": FAULT})
    monkeypatch.setattr(FakeEngine, "results", lambda _: 1 / 0)
    ran = run(tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: the analysis as a whole: jaxlint failed here")
    monkeypatch.setattr(FakeEngine, "__init__", lambda *_, **__: 1 / 0)
    ran = run(tmp_path, "--format", "json")
    assert (ran.code, ran.out) == (2, "[]\n")
    assert "ZeroDivisionError" in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in run(tmp_path, "-v").err


def test_failures_of_the_command_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxlint.cli.check.discover", lambda *_: 1 / 0)
    ran = run(tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: jaxlint failed, which is a bug in jaxlint: ZeroDivisionError: division by zero\n"
    assert "Traceback" in run(tmp_path, "-v").err


def test_unreadable_files_are_findings(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "b.py": "unclosed (  # noqa: JAX201\n"})
    (tmp_path / "c.py").write_bytes(b"x = 1\ny = '\xff'  # noqa: JAX201\n")
    (tmp_path / "d.py").write_bytes(b"x = \0\n")
    ran = run(tmp_path, "--format", "concise", "-q", "--select", "JAX201,JAX002")
    assert [" ".join(line.split(" ")[:2]) for line in ran.out.splitlines()] == [
        "a.py:1:1: JAX201", "b.py:1:1: JAX001", "c.py:2:6: JAX001", "d.py:1:5: JAX001",
    ]  # fmt: skip
    assert ran.code == 1
    full = run(tmp_path, "c.py").out
    assert "2 | y = '\ufffd'" in full, "what can be decoded is shown"
    assert "JAX001" not in run(tmp_path, "--ignore", "unparsable-file").out


def test_suppressions(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()  # noqa: JAX201\nfault_JAX301(\n)  # noqa: JAX3\nx = 1  # noqa: JAX201\n"})
    ran = run(tmp_path, "--format", "concise", "-q")
    assert ran.out == "a.py:4:8: JAX002 [*] unused suppression of `JAX201`: nothing is reported here\n"
    assert len(run(tmp_path, "--ignore-noqa", "--format", "concise", "-q").out.splitlines()) == 2
    assert run(tmp_path, "--ignore", "JAX002").code == 0


def test_unused_suppressions_can_be_suppressed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": "x = 1  # noqa: JAX201, JAX002\n", "b.py": "# jaxlint: noqa: JAX002\nx = 1  # noqa: JAX201\n"},
    )
    write(tmp_path, {"c.py": "# jaxlint: noqa\nx = 1  # noqa: JAX201\n", "d.py": "x = 1  # noqa: JAX201\n"})
    ran = run(tmp_path, "--format", "concise", "-q", "--per-file-ignores", "d.py:JAX002")
    assert (ran.code, ran.out) == (0, "")


def test_ignored_files_do_not_make_suppressions_unused(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()  # noqa: JAX201\n"})
    assert run(tmp_path, "--per-file-ignores", "a.py:JAX201").code == 0


def test_unused_suppression_of_the_whole_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "# jaxlint: noqa: JAX201, JAX301\nfault_JAX301()\n"})
    (found,) = json.loads(run(tmp_path, "--format", "json").out)
    assert found["message"] == "unused file-level suppression of `JAX201`: nothing is reported in this file"
    assert found["fix"]["applicability"] == "safe"
    assert found["fix"]["edits"][0]["content"] == "JAX301"


def test_only_rules_that_are_on_reach_the_engine(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "sub/b.py": FAULT, "sub/jaxlint.toml": "select = ['JAX301']\n"})
    run(tmp_path, "--select", "JAX203")
    assert set(FakeEngine.instances[0].rules) == {"JAX001", "JAX203"}
    ran = run(tmp_path, "--format", "concise", "-q")
    assert set(FakeEngine.instances[0].rules) == {"JAX001", "JAX002", "JAX201", "JAX203", "JAX301"}
    assert [line.split(":")[0] for line in ran.out.splitlines()] == ["a.py"]


def test_findings_in_files_that_are_not_listed_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": FAULT, "b.py": FAULT})
    results = FakeEngine.results

    def with_other(self: FakeEngine) -> list[FileResult]:
        (own,) = results(self)
        other = [replace(finding, path=str(tmp_path / "b.py")) for finding in own.findings]
        return [FileResult(own.path, own.findings + other, own.depends)]

    monkeypatch.setattr(FakeEngine, "results", with_other)
    assert len(json.loads(run(tmp_path, "a.py", "--format", "json").out)) == 1


class TestStandardInput:
    """`-` and `--stdin-filename`."""

    def test_without_a_name(self, tmp_path: Path) -> None:
        ran = run(tmp_path, "-", "--format", "concise", stdin=FAULT)
        assert ran.out.splitlines()[0].startswith("-:1:1: JAX201")
        assert ran.code == 1
        assert run(tmp_path, "-", stdin="x = 1\n").code == 0

    def test_the_source_is_shown(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": "other\n"})
        assert "1 | fault_JAX201()" in run(tmp_path, "-", "--stdin-filename", "a.py", stdin=FAULT).out

    def test_the_name_decides_the_settings(self, tmp_path: Path) -> None:
        write(tmp_path, {"sub/jaxlint.toml": "[per-file-ignores]\n'gone.py' = ['JAX2']\n"})
        assert run(tmp_path, "-", "--stdin-filename", "sub/gone.py", stdin=FAULT).code == 0
        assert run(tmp_path / "sub", "-", "--stdin-filename", "gone.py", stdin=FAULT).code == 0
        assert run(tmp_path, "--stdin-filename", "sub/here.py", stdin=FAULT).code == 1

    def test_excluded_only_when_forced(self, tmp_path: Path) -> None:
        arguments = ["-", "--stdin-filename", "gen/a.py", "--exclude", "gen", "--format", "json"]
        assert run(tmp_path, *arguments, stdin=FAULT).code == 1
        assert run(tmp_path, *arguments, "--force-exclude", stdin=FAULT)[:2] == (0, "[]\n")

    def test_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        assert "JAX001" in run(tmp_path, "-", stdin=b"\xff").out

    def test_not_together_with_files(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.py": ""})
        assert "cannot be checked together" in run(tmp_path, "-", "a.py").err
        assert "`a.py` is not read" in run(tmp_path, "a.py", "--stdin-filename", "b.py", stdin=FAULT).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--selct", "JAX2"], "unknown option `--selct`; did you mean `--select`?"),
        (["--selct=JAX2"], "unknown option `--selct`; did you mean `--select`?"),
        (["--sel", "JAX2"], "unknown option `--sel`"),
        (["--format", "jsn"], "not `jsn`; did you mean `json`?"),
        (["--color", "alwys"], "--color must be one of auto, always, never, not `alwys`; did you mean `always`?"),
        (["--jobs", "0"], "-j/--jobs: must be a positive number or auto, not `0`"),
        (["--target-jax", "new"], "or a range such as `0.4.30..0.6`, not `new`"),
        (["--target-jax", "0.6..0.4.30"], "--target-jax: the range `0.6..0.4.30` ends before it begins"),
        (["--select"], "--select: expected "),
        (["@none.txt"], "@none.txt: the file of arguments cannot be read: no such file or directory"),
        (["--isolated", "--config", "x.toml"], "exclude each other"),
        (["--config", "x.toml", "--config", "x.toml"], "only one settings file"),
        (["explain", "JAX2O1"], "explain: unknown rule selector `JAX2O1`; did you mean `JAX201`?"),
        (["explain", "JAX403"], "`JAX403` names no rule of this version"),
        (["rules", "--format", "xml"], "--format must be one of text, json, not `xml`"),
        (["rules", "extra"], "unexpected argument `extra`"),
    ],
)
def test_mistakes_in_arguments(tmp_path: Path, arguments: list[str], message: str) -> None:
    write(tmp_path, {"x.toml": ""})
    ran = run(tmp_path, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_options_for_speed_change_no_result(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT})
    for arguments in (["--no-cache"], ["--cache-dir", "c"], ["-j", "2"], ["--jobs", "auto"]):
        assert run(tmp_path, *arguments).code == 1


def test_reserved_codes_are_known(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT + "x = 1  # noqa: JAX403\n"})
    ran = run(tmp_path, "--extend-select", "JAX403,JAX206", "--format", "json")
    assert (ran.code, len(json.loads(ran.out))) == (1, 1)
    assert ran.err == "warning: JAX403: a code of the catalogue that has no rule yet\n"


def test_argument_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULT, "b.py": FAULT, "c.py": FAULT, "list.txt": "a.py\n\n--format\nconcise\nc.py\n"})
    ran = run(tmp_path, "check", "@list.txt", "-q")
    assert [line.split(":")[0] for line in ran.out.splitlines()] == ["a.py", "c.py"]


def test_every_command_has_help(tmp_path: Path) -> None:
    for arguments in (["--help"], ["-h"], ["help"]):
        out = run(tmp_path, *arguments).out
        assert all(command in out for command in COMMANDS)
    for command in COMMANDS:
        ran = run(tmp_path, command, "--help")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"usage: jaxlint {command}" if command != "check" else "usage: jaxlint [check]")


def test_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--version"], ["-V"], ["version"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out == f"jaxlint {jaxlint.__version__}\n"
    assert json.loads(run(tmp_path, "version", "--format", "json").out) == {"version": jaxlint.__version__}


def _modules_of(*arguments: str) -> set[str]:
    program = "import sys; from jaxlint.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return set(ran.stderr.split())


def test_little_is_imported_for_little() -> None:
    heavy = {"argparse", "libcst", "pathspec", "traceback", "tokenize", "jaxlint.runner", "jax", "numpy", "json"}
    assert not heavy & _modules_of("--version")
    assert not {"libcst", "jax", "numpy"} & _modules_of("check", "--help")


def test_reader_of_the_output_may_leave(tmp_path: Path) -> None:
    program = "from jaxlint.cli.main import main; import sys; sys.exit(main(['rules', '--format', 'json']))"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        ran = subprocess.run(
            [sys.executable, "-c", program], stdout=pipe, stderr=subprocess.PIPE, check=False, cwd=tmp_path
        )
    assert ran.stderr == b""
    assert ran.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "jaxlint", "rules"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, b"error: the output cannot be written: no space left on device\n")


def test_output_survives_a_narrow_encoding(tmp_path: Path) -> None:
    (tmp_path / "é.py").write_bytes(b"x = \xff\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(
        [sys.executable, "-m", "jaxlint", "--show-files"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert ran.returncode == 0
    assert rb"\xe9.py" in ran.stdout


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_waits_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress_module, "_columns", lambda: 200)
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(4, stream, enabled=True)
    for name in "abcd":
        progress.file(Path(f"/p/{name}.py"))
        now[0] += 0.6
    assert re.findall(r"\d/4 \w\.py", stream.getvalue()) == ["2/4 c.py", "3/4 d.py"]
    progress.close()
    assert stream.getvalue().endswith("\r\033[K")


@pytest.mark.parametrize(("stream", "enabled"), [(io.StringIO(), True), (Terminal(), False)])
def test_no_progress_without_a_terminal(stream: io.StringIO, enabled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress(1, stream, enabled=enabled)
    now[0] = 5.0
    progress.file(Path("a.py"))
    progress.close()
    assert stream.getvalue() == ""
