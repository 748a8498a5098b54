"""Settings files: which one holds, what it may say, and how mistakes are told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from jaxlint.config.settings import KEYS, OPTIONS
from tests.interface.fake import FakeEngine, run, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FAULTS = "fault_JAX201()\nfault_JAX301()\n"


def codes(out: str) -> list[str]:
    return [line.split()[1] for line in out.splitlines()]


def concise(folder: Path, *arguments: str) -> list[str]:
    ran = run(folder, *arguments, "--output-format", "concise", "-q")
    assert ran.code in {0, 1}, ran.err
    return codes(ran.out)


def test_pyproject(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULTS, "pyproject.toml": "[tool.jaxlint]\nignore = ['JAX2']\n"})
    assert concise(tmp_path) == ["JAX301"]
    assert concise(tmp_path, "--isolated") == ["JAX201", "JAX301"]


def test_dedicated_files_win_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULTS, "pyproject.toml": "[tool.jaxlint]\nignore = ['JAX2']\n"})
    write(tmp_path, {"jaxlint.toml": "ignore = ['JAX3']\n"})
    assert concise(tmp_path) == ["JAX201"]
    write(tmp_path, {".jaxlint.toml": "ignore = ['JAX']\n"})
    assert concise(tmp_path) == []


def test_nearest_file_for_each_file_without_merging(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "jaxlint.toml": "ignore = ['JAX2']\n",
            "a.py": FAULTS,
            "sub/jaxlint.toml": "ignore = ['JAX3']\n",
            "sub/deep/b.py": FAULTS,
            "other/pyproject.toml": "[tool.black]\nline-length = 3\n[project]\nname = 'uses-jaxlint'\n",
            "other/c.py": FAULTS,
        },
    )
    assert concise(tmp_path, "a.py") == ["JAX301"]
    assert concise(tmp_path, "sub") == ["JAX201"]
    assert concise(tmp_path, "other") == ["JAX301"], "a pyproject without our table does not end the search"
    assert concise(tmp_path / "sub" / "deep", "../../a.py") == ["JAX301"]


def test_extend(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "base.toml": "ignore = ['JAX2']\nextend-exclude = ['gen']\n",
            "sub/jaxlint.toml": "extend = '../base.toml'\nextend-select = ['JAX203']\nextend-exclude = ['old']\n",
            "sub/a.py": FAULTS + "fault_JAX203()\n",
            "gen/c.py": FAULTS,
            "sub/old/b.py": FAULTS,
        },
    )
    assert concise(tmp_path, "sub") == ["JAX301", "JAX203"]


def test_extend_must_exist_and_end(tmp_path: Path) -> None:
    write(tmp_path, {"jaxlint.toml": "\nextend = 'none.toml'\n"})
    ran = run(tmp_path)
    assert ran.code == 2
    assert ran.err == "error: jaxlint.toml:2: `extend` names `none.toml`, which is not a file\n"
    write(tmp_path, {"jaxlint.toml": "extend = 'b.toml'\n", "b.toml": "extend = 'jaxlint.toml'\n"})
    ran = run(tmp_path)
    assert ran.code == 2
    assert "extend each other" in ran.err


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("selct = ['JAX2']", "jaxlint.toml:1: unknown setting `selct`; did you mean `select`?"),
        ("\n\nextend_select = []", "jaxlint.toml:3: unknown setting `extend_select`; did you mean `extend-select`?"),
        ("whatever = 1", "jaxlint.toml:1: unknown setting `whatever`"),
        ("confirm = true", "jaxlint.toml:1: unknown setting `confirm`"),
        ("fix = true", "jaxlint.toml:1: unknown setting `fix`"),
        ("[tool.jaxlint]\nignore = []", "in this file settings stand at the top, without `[tool.jaxlint]`"),
        ("select = 'JAX2'", "jaxlint.toml:1: `select` must be a list of rule selectors, not a string"),
        ("select = [1]", "jaxlint.toml:1: `select` must be a list of rule selectors, not an integer"),
        ("select = ['JAX2O1']", "jaxlint.toml:1: `select`: unknown rule selector `JAX2O1`; did you mean `JAX201`?"),
        ("force-exclude = 1", "jaxlint.toml:1: `force-exclude` must be true or false, not an integer"),
        ("output-format = 'jsn'", "did you mean `json`?"),
        (
            "target-jax = 0.4",
            "jaxlint.toml:1: `target-jax` must be a JAX version such as `0.6` or `0.6.2`, or a range",
        ),
        ("target-jax = 'new'", "not `new`"),
        ("[per-file-ignores]\n'a.py' = 'JAX2'", "jaxlint.toml:1: `per-file-ignores`, `a.py`, must be a list"),
        ("[per-file-ignores]\n'a.py' = ['JAX9']", "unknown rule selector `JAX9`"),
        ("per-file-ignores = []", "must be a table of file patterns"),
        ("select = ]", "jaxlint.toml:1:10: invalid TOML: "),
        ("select = [", "jaxlint.toml: invalid TOML: "),
        ("required-version = '>=99'", "`required-version` is `>=99`"),
        ("select-more = []\nrequired-version = '>=99'", "jaxlint.toml:2: `required-version` is `>=99`"),
        ("required-version = 'new'", "must be a version"),
    ],
)
def test_mistakes_name_the_place(tmp_path: Path, toml: str, message: str) -> None:
    write(tmp_path, {"a.py": FAULTS, "jaxlint.toml": toml})
    ran = run(tmp_path)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert message in ran.err


def test_mistakes_in_pyproject_have_their_row(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "[tool.other]\nselct = 1\n\n[tool.jaxlint]\n# selct\nselct = 1\n"})
    assert run(tmp_path).err == "error: pyproject.toml:6: unknown setting `selct`; did you mean `select`?\n"
    write(tmp_path, {"pyproject.toml": "[tool.jaxlint.per-file-ignore]\nx = ['JAX2']\n"})
    assert "pyproject.toml:1: unknown setting `per-file-ignore`; did you mean `per-file-ignores`?" in run(tmp_path).err
    write(tmp_path, {"pyproject.toml": "[tool]\njaxlint = 3\n"})
    assert "`tool.jaxlint` must be a table" in run(tmp_path).err


def test_a_broken_pyproject_of_others_is_none_of_our_business(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULTS, "sub/pyproject.toml": "[[[", "sub/b.py": FAULTS})
    assert run(tmp_path).code == 1


@pytest.mark.parametrize(("version", "code"), [("", 1), (">=0.0", 1), (">=0.0.1,<99", 1), ("<0.0.1", 2), ("==99.0", 2)])
def test_required_version(tmp_path: Path, version: str, code: int) -> None:
    write(tmp_path, {"a.py": FAULTS, "jaxlint.toml": f"required-version = '{version}'\n" if version else ""})
    assert run(tmp_path).code == code


def test_config_option(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": FAULTS, "jaxlint.toml": "ignore = ['JAX2']\n", "ci/other.toml": "ignore = ['JAX3']\n"})
    assert concise(tmp_path, "--config", "ci/other.toml") == ["JAX201"]
    assert concise(tmp_path, "--config", "select = ['JAX301', 'JAX201']") == ["JAX201", "JAX301"]
    assert concise(tmp_path, "--config", "ignore = ['JAX3']") == []
    assert concise(tmp_path, "--config", "ignore = ['JAX3']", "--select", "JAX301") == ["JAX301"]
    for argument, message in [
        ("none.toml", "no such file: none.toml"),
        ("ignore = [", "neither a file nor valid TOML"),
        ("ignor = []", "unknown setting `ignor`; did you mean `ignore`?"),
    ]:
        ran = run(tmp_path, "--config", argument)
        assert (ran.code, ran.out) == (2, "")
        assert message in ran.err


def test_per_file_ignores(tmp_path: Path) -> None:
    files = {"a.py": FAULTS, "tests/b.py": FAULTS, "tests/deep/c.py": FAULTS, "lib/d.py": FAULTS}
    write(tmp_path, files)
    write(tmp_path, {"jaxlint.toml": "[per-file-ignores]\n'tests/*' = ['JAX2']\n'd.py' = ['branch-on-tracer']\n"})
    out = run(tmp_path, "--output-format", "concise", "-q").out
    assert [line.split(":")[0] + line.split()[1] for line in out.splitlines()] == [
        "a.pyJAX201", "a.pyJAX301", "lib/d.pyJAX201", "tests/b.pyJAX301", "tests/deep/c.pyJAX301",
    ]  # fmt: skip
    assert concise(tmp_path, "--per-file-ignores", "a.py:JAX2,JAX3", "a.py", "tests/b.py") == ["JAX201", "JAX301"]
    assert concise(tmp_path, "--extend-per-file-ignores", "a.py:JAX2,b.py:JAX3", "a.py", "tests/b.py") == ["JAX301"]
    assert concise(tmp_path, "--per-file-ignores", "!tests/*:JAX2", "a.py", "tests/b.py") == [
        "JAX301",
        "JAX201",
        "JAX301",
    ]
    assert concise(tmp_path / "tests", "../a.py", "b.py") == ["JAX201", "JAX301", "JAX301"]
    assert concise(tmp_path, "--per-file-ignores", f"{tmp_path}/a.py:ALL", "a.py") == []
    assert "must be `PATTERN:RULES`" in run(tmp_path, "--per-file-ignores", "JAX2").err


def test_targets_are_analysed_apart(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "old/b.py": "", "old/jaxlint.toml": "target-jax = '0.4.30'\n"})
    run(tmp_path)
    assert [engine.target_jax for engine in FakeEngine.instances] == ["0.12", "0.4.30"]
    run(tmp_path, "--target-jax", "0.6")
    assert [engine.target_jax for engine in FakeEngine.instances] == ["0.6"]


def test_show_settings(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "jaxlint.toml": "ignore = ['JAX2']\n[per-file-ignores]\n'a.py' = ['JAX301']\n"})
    ran = run(tmp_path, "--show-settings", "--target-jax", "0.5")
    assert ran.code == 0
    assert f"# from {tmp_path}/jaxlint.toml" in ran.out
    assert 'ignore = ["JAX2"]  # jaxlint.toml' in ran.out
    assert 'per-file-ignores = { "a.py" = ["JAX301"] }  # jaxlint.toml' in ran.out
    assert 'target-jax = "0.5"  # --target-jax' in ran.out
    assert ran.out.endswith("# JAX001 JAX002\n")


def test_config_command(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "base.toml": "# shared\nignore = ['JAX2']\nextend-exclude = ['gen']\nunfixable = ['JAX3']\n",
            "pyproject.toml": "[tool.jaxlint]\nextend = 'base.toml'\nextend-exclude = ['old']\n",
            "sub/jaxlint.toml": "target-jax = '0.6'\n",
        },
    )
    ran = run(tmp_path, "config", "--select", "JAX201,JAX301")
    assert (ran.code, ran.err) == (0, "")
    assert f"# settings of {tmp_path}\n# from {tmp_path}/pyproject.toml\n# from {tmp_path}/base.toml\n" in ran.out
    for line in (
        'select = ["JAX201", "JAX301"]  # --select',
        'ignore = ["JAX2"]  # base.toml:2',
        'extend-exclude = ["gen", "old"]  # base.toml:3, pyproject.toml:3',
        '# target-jax = "0.12"',
        '# fixable = ["ALL"]',
    ):
        assert f"{line}\n" in ran.out
    assert set(tomllib.loads(ran.out)) == {"select", "ignore", "unfixable", "extend-exclude"}
    found = json.loads(run(tmp_path, "config", "sub/none.py", "--format", "json").out)
    assert found["path"] == str(tmp_path / "sub" / "none.py")
    assert found["files"] == [str(tmp_path / "sub" / "jaxlint.toml")]
    assert found["settings"]["target-jax"] == {"value": "0.6", "source": "sub/jaxlint.toml:1"}
    assert found["settings"]["ignore"] == {"value": [], "source": "default"}
    assert list(found["settings"]) == list(KEYS)
    assert found["rules"] == ["JAX001", "JAX002", "JAX201", "JAX203", "JAX301"]
    isolated = json.loads(run(tmp_path, "config", "sub", "--isolated", "--format", "json").out)
    assert isolated["files"] == []
    inline = run(tmp_path, "config", "--config", "ignore = ['JAX3']").out
    assert 'ignore = ["JAX3"]  # --config `ignore`\n' in inline
    write(tmp_path, {"sub/jaxlint.toml": "target = '0.6'\n"})
    assert run(tmp_path, "config", "sub") == (
        2,
        "",
        "error: sub/jaxlint.toml:1: unknown setting `target`; did you mean `target-jax`?\n",
    )


def test_the_requirements_of_a_project_are_a_source(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": "[project]\nname = 'x'\ndependencies = ['jax>=0.4.30,<0.6']\n"})
    assert 'target-jax = "0.4.30..0.5.3"  # what the project requires\n' in run(tmp_path, "config").out


def test_targets_by_file(tmp_path: Path) -> None:
    settings = "target-jax = '0.5..0.6'\n[per-file-target-jax]\n'old/*' = '0.4.30'\n'*/new.py' = '0.12'\n"
    write(tmp_path, {"a.py": "", "old/b.py": "", "old/new.py": "", "lib/new.py": "", "jaxlint.toml": settings})
    run(tmp_path)
    judged = {
        engine.target_jax: sorted(Path(source.path).name for source in engine.sources)
        for engine in FakeEngine.instances
    }
    assert judged == {"0.5..0.6": ["a.py"], "0.4.30": ["b.py", "new.py"], "0.12": ["new.py"]}
    assert 'target-jax = "0.4.30"  # jaxlint.toml:2\n' in run(tmp_path, "config", "old/new.py").out
    run(tmp_path, "--target-jax", "0.7")
    assert len(FakeEngine.instances) == 1, "an option beats every settings file"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[per-file-target-jax]\n'a.py' = 'new'", "`per-file-target-jax`, `a.py`, must be a JAX version"),
        ("per-file-target-jax = '0.4'", "must be a table of file patterns to texts, not a string"),
        ("fixable = ['JAX2O1']", "`fixable`: unknown rule selector `JAX2O1`; did you mean `JAX201`?"),
        ("unsafe-fixes = 'yes'", "`unsafe-fixes` must be true or false, not a string"),
    ],
)
def test_mistakes_in_newer_settings(tmp_path: Path, toml: str, message: str) -> None:
    write(tmp_path, {"jaxlint.toml": toml})
    ran = run(tmp_path)
    assert ran.code == 2
    assert message in ran.err


def test_every_setting_is_documented() -> None:
    assert list(KEYS.values()) == list(OPTIONS)
    for name, option in OPTIONS.items():
        assert option.doc, name
        assert option.doc[0].islower(), name
        assert option.doc[-1] != ".", name
