"""Completion scripts, run by the shells themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from jaxlint.cli.completion import SHELLS
from jaxlint.cli.main import COMMANDS
from jaxlint.report.formats import FORMATS
from tests.interface.fake import catalogue, run, write

needs = {name: pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed") for name in SHELLS}


def script(folder: Path, shell: str) -> Path:
    """The file with the script for a shell."""
    ran = run(folder, "completion", shell)
    assert (ran.code, ran.err) == (0, "")
    path = folder / "completion"
    path.write_text(ran.out, encoding="utf-8")
    return path


def bash(folder: Path, *words: str) -> list[str]:
    """What bash offers for the last word of a command line; `--x=y` is three words to it."""
    program = 'source completion; COMP_WORDS=(jaxlint "$@"); COMP_CWORD=$#; _jaxlint; printf "%s\\n" "${COMPREPLY[@]}"'
    script(folder, "bash")
    command = ["bash", "--norc", "-c", program, "bash", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    return done.stdout.split()


@needs["bash"]
def test_bash(tmp_path: Path) -> None:
    rules = catalogue()
    assert bash(tmp_path, "") == list(COMMANDS)
    assert bash(tmp_path, "ex") == ["explain"]
    assert bash(tmp_path, "check", "--sel") == ["--select"]
    assert bash(tmp_path, "--no-re") == ["--no-respect-gitignore"]
    assert set(bash(tmp_path, "check", "a.py", "--format", "")) == set(FORMATS)
    assert bash(tmp_path, "--color", "=", "al") == ["always"]
    assert bash(tmp_path, "--color", "=") == ["auto", "always", "never"]
    assert bash(tmp_path, "check", "--ignore", "JAX20") == [code for code in rules.by_code if code.startswith("JAX20")]
    assert bash(tmp_path, "check", "--ignore", "JAX3,key-") == ["JAX3,key-reuse"]
    assert bash(tmp_path, "explain", "branch") == ["branch-on-tracer"]
    assert bash(tmp_path, "completion", "") == list(SHELLS)
    assert bash(tmp_path, "check", "a") == [], "files are the shell's own business"
    (tmp_path / "kept").mkdir()
    write(tmp_path, {"kept.txt": ""})
    assert bash(tmp_path, "clean", "--cache-dir", "ke") == ["kept"]


class Terminal:
    """A shell at a terminal, for which one types."""

    def __init__(self, folder: Path, *command: str) -> None:
        pty = pytest.importorskip("pty")
        self._leader, follower = pty.openpty()
        environment = {**os.environ, "PS1": "$ ", "TERM": "dumb", "INPUTRC": os.devnull}
        self._shell = subprocess.Popen(
            command, stdin=follower, stdout=follower, stderr=follower, cwd=folder, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(follower)

    def type(self, text: str, wanted: str) -> None:
        """Type, and wait for what must appear."""
        os.write(self._leader, text.encode())
        seen = ""
        while wanted not in re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]|[\r\a]", "", seen):
            ready, _, _ = select.select([self._leader], [], [], 60)
            assert ready, seen
            seen += os.read(self._leader, 4096).decode("utf-8", "replace")

    def close(self) -> None:
        self._shell.kill()
        self._shell.wait()
        os.close(self._leader)


@needs["bash"]
def test_bash_while_one_types(tmp_path: Path) -> None:
    path = script(tmp_path, "bash")
    write(tmp_path, {"only_file.py": ""})
    terminal = Terminal(tmp_path, "bash", "--norc", "--noprofile", "-i")
    terminal.type(f"source {path}; echo sour''ced\n", "sourced")
    terminal.type("jaxlint check --targ\t0.6 onl\t", "jaxlint check --target-jax 0.6 only_file.py")
    terminal.close()


@needs["zsh"]
def test_zsh_while_one_types(tmp_path: Path) -> None:
    path = script(tmp_path, "zsh")
    terminal = Terminal(tmp_path, "zsh", "-f", "-i")
    terminal.type(f"autoload -Uz compinit; compinit -D -u; source {path}; echo sour''ced\n", "sourced")
    for line, wanted in [
        ("compl\t", "completion"),
        ("--unfix\t", "--unfixable="),
        ("check --color al\t", "check --color always"),
        ("check --ignore JAX301,key-\t", "check --ignore JAX301,key-reuse"),
        ("explain branch\t", "explain branch-on-tracer"),
    ]:
        terminal.type(f"jaxlint {line}", wanted)
        terminal.type("\x15", "")
    terminal.close()


@needs["fish"]
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("jaxlint ", set(COMMANDS)),
        ("jaxlint check --sel", {"--select"}),
        ("jaxlint --sel", {"--select"}),
        ("jaxlint check --color ", {"auto", "always", "never"}),
        ("jaxlint explain key-", {"key-reuse"}),
        ("jaxlint check --ignore JAX3,key-", {"JAX3,key-reuse"}),
        ("jaxlint completion ", set(SHELLS)),
        ("jaxlint rules --sel", set()),
    ],
)
def test_fish(tmp_path: Path, line: str, offered: set[str]) -> None:
    path = script(tmp_path, "fish")
    empty = tmp_path / "empty"
    empty.mkdir()
    program = f"source {path}; cd {empty}; complete -C '{line}'"
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(["fish", "-c", program], capture_output=True, text=True, check=True, env=home)
    assert done.stderr == ""
    assert {row.split("\t")[0] for row in done.stdout.splitlines()} == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(tmp_path: Path, shell: str) -> None:
    text = script(tmp_path, shell).read_text(encoding="utf-8")
    for word in (*COMMANDS, "unfixable", "watch", "no-cache", "JAX201", "key-reuse"):
        assert word in text


def test_unknown_shell(tmp_path: Path) -> None:
    ran = run(tmp_path, "completion", "bsh")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: SHELL must be `bash`, `zsh` or `fish`, not `bsh`; did you mean `bash`?\n"
