"""`jaxlint env` says what is needed and keeps what is private."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

import pytest

from jaxlint.cli.main import main
from jaxlint.lab.redaction import everywhere, relevant_names, scrub, without_people
from tests.lab.support import jaxlint, needs_jax, write

SECRET = "hunter2xyzzy"


@needs_jax
def test_it_reports_and_keeps_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / f"home_{SECRET}"
    cache = home / "cache"
    cache.mkdir(parents=True)
    values = {
        "HOME": str(home),
        "USER": SECRET,
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_DUMP_IR_TO": str(home / "dumps"),
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "987654321",
        "JAX_ENABLE_X64": "1",
        "TF_CPP_VMODULE": f"{SECRET}=1",
        "LIBTPU_INIT_ARGS": f"--{SECRET}",
        "XLA_FLAGS": f"--xla_dump_to={home}/xla --xla_force_host_platform_device_count=3",
        "PYTHONPATH": str(home / "lib"),
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    text, run = jaxlint("env"), jaxlint("env", "--format", "json")
    for output in (text.out, text.err, run.out, run.err):
        assert SECRET not in output and "987654321" not in output
        assert "--xla_dump_to" not in output
    report = run.report
    assert run.code == text.code == 0 and report["ok"]
    assert set(values) - {"HOME", "USER"} <= set(report["environment_variables"])
    assert report["backend"]["devices"] == [{"count": 3, "kind": "cpu"}]
    assert report["python"]["executable"].startswith(("~", "/")) and report["settings"]["x64"] is True
    assert report["compilation_cache"]["enabled"] is True and report["compilation_cache"]["writable"] is True
    assert [test["name"] for test in report["smoke"]] == ["matmul", "jit", "grad", "key"]
    assert all(test["ok"] for test in report["smoke"])
    for word in ("backend", "devices", "processes", "x64", "matmul", "keys", "cache", "XLA_FLAGS", "JAX works here."):
        assert word in text.out


@needs_jax
def test_a_missing_backend_fails_without_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", SECRET)
    run = jaxlint("env")
    assert run.code == 1
    assert "backend failed" in run.out and "JAX does not work here." in run.out
    assert SECRET not in run.out + run.err


@needs_jax
def test_a_crash_of_the_process_is_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", f"--xla_{SECRET}=1")
    run = jaxlint("env", "--format", "json")
    assert run.code == 1
    assert SECRET not in run.out + run.err
    assert run.report["failures"][0]["stage"] == "process"


@needs_jax
def test_an_import_that_fails_is_a_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(tmp_path, "raise ImportError('jaxlib is broken')\n", "jax.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = jaxlint("env", "--format", "json")
    assert run.code == 1
    assert run.report["failures"] == [{"stage": "import", "error": "ImportError", "message": "jaxlib is broken"}]


@pytest.mark.parametrize(
    "command", [["env"], ["probe", "{}::f"], ["recompiles", "{}::f", "--factory", "f"], ["bench", "{}::f"]]
)
def test_without_jax_it_says_what_to_install(command: list[str], tmp_path: Path) -> None:
    path = write(tmp_path, "def f():\n    return (), {}\n")
    shim = tmp_path / "python"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        code = main([word.format(path) for word in command] + ["--python", str(shim)])
    assert code == 2
    assert "jax-linter[confirm]" in err.getvalue()


def test_homes_and_users_are_redacted_unless_asked() -> None:
    redact = without_people({"HOME": "/srv/people/ada", "USER": "ada"})
    assert redact("/srv/people/ada/venv/bin/python") == "~/venv/bin/python"
    assert redact("/srv/people/ada2/x") == "/srv/people/ada2/x"
    assert redact("/data/ada/models") == "/data/<user>/models"
    assert redact("/home/grace/x and C:\\Users\\grace\\y") == "/home/<user>/x and C:\\Users\\<user>\\y"
    assert redact("an adage") == "an adage"
    assert everywhere({"a": ["/data/ada"], "n": 1}, redact) == {"a": ["/data/<user>"], "n": 1}


@needs_jax
def test_no_redact_shows_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(Path(sys.executable).parent))
    assert jaxlint("env", "--no-redact", "--format", "json").report["python"]["executable"] == sys.executable


def test_messages_are_scrubbed_in_whole_and_in_part() -> None:
    environ = {"XLA_FLAGS": "--xla_one=alpha --two", "JAX_X": "beta", "API_TOKEN": "gamma delta", "JAX_N": "1"}
    message = "unknown flag --xla_one=alpha, xla_one, --two; beta; alphabet; gamma delta; 1"
    assert scrub(message, environ) == (
        "unknown flag <XLA_FLAGS>=<XLA_FLAGS>, <XLA_FLAGS>, <XLA_FLAGS>; <JAX_X>; alphabet; <API_TOKEN>; 1"
    )


def test_relevant_names_are_those_of_jax_and_below() -> None:
    names = ["JAX_PLATFORMS", "XLA_FLAGS", "LD_LIBRARY_PATH", "PYTHONPATH", "CUDA_VISIBLE_DEVICES", "NPROC"]
    others = ["HOME", "SHELL", "EDITOR", "AWS_SECRET_ACCESS_KEY", "LDAP_PASSWORD", "TFTP"]
    assert relevant_names(dict.fromkeys([*names, *others], "")) == sorted(names)
