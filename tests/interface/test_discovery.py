"""Which files are linted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jaxlint.files.roots import import_roots
from tests.interface.fake import FakeEngine, run, write


def shown(folder: Path, *arguments: str) -> list[str]:
    ran = run(folder, "--show-files", *arguments)
    assert ran.code == 0, ran.err
    return [os.path.relpath(line, folder) for line in ran.out.splitlines()]


def test_folders_are_searched(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": "", "a.pyi": "", "c.txt": "", "sub/d.py": "", ".hidden/e.py": "", "f.ipynb": "{}"})
    assert shown(tmp_path) == [".hidden/e.py", "a.pyi", "b.py", "f.ipynb", "sub/d.py"]
    assert shown(tmp_path, "sub", "b.py", "./b.py") == ["b.py", "sub/d.py"]
    assert shown(tmp_path, "c.txt") == ["c.txt"], "a file that is named is linted whatever it is called"


def test_default_excludes(tmp_path: Path) -> None:
    write(
        tmp_path, {f"{name}/x.py": "" for name in [".venv", "venv", "node_modules", ".git", "dist", "__pycache__", "a"]}
    )
    assert shown(tmp_path) == ["a/x.py"]


def test_exclude(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "gen/b.py": "", "sub/gen/c.py": "", "venv/d.py": "", "sub/e_pb2.py": ""})
    assert shown(tmp_path, "--exclude", "gen") == ["a.py", "sub/e_pb2.py", "venv/d.py"]
    assert shown(tmp_path, "--extend-exclude", "gen,*_pb2.py") == ["a.py"]
    assert shown(tmp_path, "--extend-exclude", "sub/gen") == ["a.py", "gen/b.py", "sub/e_pb2.py"]
    assert shown(tmp_path, "--extend-exclude", "./gen/") == ["a.py", "sub/e_pb2.py", "sub/gen/c.py"]
    assert shown(tmp_path, "--extend-exclude", f"{tmp_path}/sub") == ["a.py", "gen/b.py"]


def test_named_paths_are_linted_unless_excludes_are_forced(tmp_path: Path) -> None:
    write(tmp_path, {"venv/a.py": "", "venv/lib/b.py": "", "venv/venv/c.py": "", "venv/dist/d.py": ""})
    assert shown(tmp_path, "venv/a.py") == ["venv/a.py"]
    assert shown(tmp_path, "venv") == ["venv/a.py", "venv/lib/b.py", "venv/venv/c.py"]
    assert shown(tmp_path, "venv", "venv/a.py", "--force-exclude") == []
    assert shown(tmp_path / "venv", "lib/b.py") == ["lib/b.py"]


def test_excludes_of_a_settings_file_are_relative_to_it(tmp_path: Path) -> None:
    write(
        tmp_path, {"jaxlint.toml": "extend-exclude = ['sub/gen']\n", "sub/gen/a.py": "", "sub/b.py": "", "gen/c.py": ""}
    )
    assert shown(tmp_path) == ["gen/c.py", "sub/b.py"]
    assert shown(tmp_path / "sub") == ["b.py"]


def test_include(tmp_path: Path) -> None:
    write(tmp_path, {"jaxlint.toml": "extend-include = ['*.pyw']\n", "a.pyw": "", "b.py": ""})
    assert shown(tmp_path) == ["a.pyw", "b.py"]
    write(tmp_path, {"jaxlint.toml": "include = ['*.pyw']\n"})
    assert shown(tmp_path) == ["a.pyw"]


def test_gitignore(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".git/info/exclude": "secret.py\n",
            ".gitignore": "build/\n*_gen.py\n/top.py\n# comment\n\n",
            ".ignore": "big\n",
            "a.py": "", "build/b.py": "", "c_gen.py": "", "secret.py": "", "top.py": "", "big/d.py": "",
            "sub/top.py": "",
            "sub/.gitignore": "!kept_gen.py\nlocal.py\n",
            "sub/kept_gen.py": "", "sub/other_gen.py": "", "sub/local.py": "", "sub/deep/local.py": "",
        },
    )  # fmt: skip
    assert shown(tmp_path) == ["a.py", "sub/kept_gen.py", "sub/top.py"]
    assert shown(tmp_path, "sub") == ["sub/kept_gen.py", "sub/top.py"]
    assert shown(tmp_path / "sub" / "deep") == []
    assert shown(tmp_path, "build", "sub/local.py") == ["build/b.py", "sub/local.py"], "named, so linted"
    assert len(shown(tmp_path, "--no-respect-gitignore")) == 11
    write(tmp_path, {"jaxlint.toml": "respect-gitignore = false\n"})
    assert len(shown(tmp_path)) == 11


def test_gitignore_of_an_outer_repository_ends_at_its_root(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.py\n", "repo/.git/HEAD": "", "repo/a.py": ""})
    assert shown(tmp_path / "repo") == ["a.py"]


def test_gitignore_without_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "a.py\n", "a.py": "", "sub/a.py": "", "sub/b.py": ""})
    assert shown(tmp_path) == ["sub/b.py"]
    assert shown(tmp_path, "sub") == ["sub/b.py"]


def test_worktree_reads_the_exclude_list_of_its_repository(tmp_path: Path) -> None:
    write(tmp_path, {"main/.git/info/exclude": "x.py\n", "main/.git/worktrees/w/commondir": "../..\n"})
    write(tmp_path, {"w/.git": f"gitdir: {tmp_path}/main/.git/worktrees/w\n", "w/x.py": "", "w/y.py": ""})
    assert shown(tmp_path / "w") == ["y.py"]


def test_the_users_own_ignore_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(tmp_path, {"config/git/ignore": "x.py\n", "repo/.git/HEAD": "", "repo/x.py": "", "repo/y.py": ""})
    assert shown(tmp_path / "repo") == ["y.py"]
    write(tmp_path, {"config/git/config": "[core]\n\texcludesfile = ~/other\n", "home/other": "[xy].py\n"})
    assert shown(tmp_path / "repo") == []
    write(tmp_path, {"home/.gitconfig": "[core]\n\texcludesFile = ~/mine\n", "home/mine": "y.py\n"})
    assert shown(tmp_path / "repo") == ["x.py"]
    write(tmp_path, {"repo/.git/config": "[core]\n\texcludesFile = none\n"})
    assert shown(tmp_path / "repo") == ["x.py", "y.py"]


def test_symlinks(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.py": "", "elsewhere.txt": ""})
    (tmp_path / "real" / "loop").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "again.py").symlink_to(tmp_path / "real" / "a.py")
    (tmp_path / "real" / "other.py").symlink_to(tmp_path / "elsewhere.txt")
    (tmp_path / "real" / ".#lock.py").symlink_to("nobody@nowhere")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert shown(tmp_path) == ["real/a.py", "real/other.py"]
    assert shown(tmp_path, "link") == ["link/a.py", "link/again.py", "link/other.py"]


def test_unreadable_folder_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.py": "", "closed/b.py": ""})
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    stat = os.stat

    def refuse_inside(path: Path, **how: Any) -> object:
        if Path(path).parent.name == "closed":
            raise PermissionError(13, "Permission denied")
        return stat(path, **how)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "stat", refuse_inside)
    ran = run(tmp_path)
    assert ran.code == 0
    assert f"warning: cannot look into {tmp_path}/closed: permission denied" in ran.err


def test_missing_paths_are_errors_and_the_rest_is_checked(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "fault_JAX201()\n"})
    ran = run(tmp_path, "none.py", "a.py", "--format", "concise")
    assert ran.code == 2
    assert ran.err == "error: none.py: no such file or folder\n"
    assert ran.out.startswith("a.py:1:1: JAX201")
    assert "did you mean `rules`?" in run(tmp_path, "rulse").err


def test_no_files_is_a_warning(tmp_path: Path) -> None:
    ran = run(tmp_path)
    assert (ran.code, ran.out) == (0, "All checks passed!\n")
    assert ran.err == "warning: no Python files under the given paths\n"


def test_import_roots(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"pyproject.toml": "", "src/pkg/__init__.py": "", "src/pkg/sub/__init__.py": "", "src/pkg/sub/a.py": "",
         "scripts/b.py": "", "flat/__init__.py": "", "flat/c.py": ""},
    )  # fmt: skip

    def roots(*names: str) -> list[str]:
        return [os.path.relpath(root, tmp_path) for root in import_roots(tmp_path / name for name in names)]

    assert roots("src/pkg/sub/a.py") == ["src", "."]
    assert roots("scripts/b.py") == ["scripts", "src", "."]
    assert roots("flat/c.py") == [".", "src"]
    run(tmp_path, "src")
    assert [str(root) for root in FakeEngine.instances[0].roots] == [str(tmp_path), str(tmp_path / "src")]
