"""A child is heard, bounded and ended, whatever it does."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jaxlint.child.places import interpreter, require_jax
from jaxlint.child.process import Child, ChildEndedError, Limits, Setting
from jaxlint.config.errors import UsageError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups")


def run(task: str, *, limits: Limits | None = None, **request: Any) -> tuple[list[dict[str, Any]], str]:
    setting = Setting(variables={"PYTHONPATH": str(Path(__file__).parent)})
    with Child(f"tasks:{task}", request, setting, limits or Limits(seconds=20)) as child:
        return list(child.messages()), child.output


def ending(task: str, limits: Limits | None = None) -> ChildEndedError:
    with pytest.raises(ChildEndedError) as caught:
        run(task, limits=limits)
    return caught.value


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_messages_come_in_order() -> None:
    assert run("echo", value=[1, "ä"])[0] == [{"kind": "echo", "value": [1, "ä"]}]


def test_silence_beyond_the_limit_ends_the_child() -> None:
    setting = Setting(variables={"PYTHONPATH": str(Path(__file__).parent)})
    with Child("tasks:silent", {}, setting, Limits(seconds=1)) as child:
        messages = child.messages()
        pid = next(messages)["pid"]
        with pytest.raises(ChildEndedError, match="not done within 1 s"):
            next(messages)
    assert not is_alive(pid)


def test_an_exit_is_told() -> None:
    end = ending("exits")
    assert (end.kind, str(end)) == ("exit", "the program ended its process with status 7")


@pytest.mark.parametrize(("task", "name"), [("ends_by_signal", "SIGTERM"), ("segfaults", "SIGSEGV")])
def test_a_signal_is_told(task: str, name: str) -> None:
    end = ending(task)
    assert (end.kind, str(end)) == ("signal", f"the program was ended by {name}")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_is_bounded() -> None:
    end = ending("allocates", Limits(seconds=20, memory=300 << 20))
    assert end.kind == "memory"
    assert "of memory" in str(end)


def test_output_is_read_and_only_its_end_is_kept() -> None:
    messages, output = run("prints")
    assert messages == [{"kind": "printed"}]
    assert output.endswith("last words\n")
    assert len(output) <= Limits().output


@pytest.mark.skipif(sys.platform != "linux", reason="descendants are found in /proc")
def test_descendants_are_ended() -> None:
    messages, _ = run("leaves_children")
    deadline = time.monotonic() + 10
    while any(map(is_alive, messages[0]["pids"])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in messages[0]["pids"] if is_alive(pid)] == []


def test_replaced_builtins_do_not_silence_the_channel() -> None:
    assert run("replaces_builtins")[0] == [{"kind": "told"}]


def test_words_of_the_program_on_our_descriptor_are_dropped() -> None:
    assert run("speaks_out_of_turn")[0] == [{"kind": "told"}]


def test_threads_do_not_keep_the_child() -> None:
    assert run("leaves_threads")[0] == []


def test_there_is_no_input() -> None:
    assert run("reads_input")[0] == [{"kind": "input", "text": ""}]


def test_a_fork_of_the_program_says_nothing() -> None:
    assert run("forks_and_tells")[0] == [{"kind": "parent speaks"}]


def test_a_long_message_is_cut() -> None:
    assert run("tells_too_much")[0] == [{"kind": "long", "text": "w" * 1000, "cut": True}]


def test_an_interpreter_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no such interpreter: nopython"):
        interpreter("nopython")


def test_an_interpreter_that_is_no_python(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho sorry\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(UsageError, match=r"cannot run programs for jaxlint: .*status 3: sorry"):
        require_jax(str(script))


def test_an_interpreter_without_jax_says_what_to_install(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    script.chmod(0o755)
    with pytest.raises(UsageError, match=r"pip install 'jax-linter\[confirm\]'"):
        require_jax(str(script))


def test_the_cpu_is_used_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setenv("XLA_FLAGS", "--xla_a=1")
    environment = Setting(devices=8).environment()
    assert environment["JAX_PLATFORMS"] == "cpu"
    assert environment["XLA_FLAGS"] == "--xla_a=1 --xla_force_host_platform_device_count=8"
    assert Setting(platform="cuda").environment()["JAX_PLATFORMS"] == "cuda"
    assert os.environ["XLA_FLAGS"] == "--xla_a=1"
