"""What git leaves out: `.gitignore` and `.ignore` of every folder, `.git/info/exclude`, and the user's own list."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from jaxlint.config.patterns import relative_text
from jaxlint.files.disk import exists, is_file

_NAMES = (".gitignore", ".ignore")
_EXCLUDES_FILE = re.compile(r"^\s*excludesfile\s*=\s*\"?(.+?)\"?\s*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Rule:
    include: bool
    pattern: re.Pattern[str]
    base: Path


class Ignores:
    """The rules that hold in one folder, the strongest last. A folder inherits those of its parent."""

    def __init__(self, rules: tuple[_Rule, ...] = ()) -> None:
        self._rules = rules

    @classmethod
    def at(cls, start: Path, cwd: Path) -> Ignores:
        """The rules that reach a start folder from above: from the repository's root, else from the current folder."""
        repository = next((folder for folder in (start, *start.parents) if exists(folder / ".git")), None)
        top = repository or (cwd if relative_text(start, cwd) is not None else start)
        ignores = cls()
        if repository is not None:
            for path in _shared_lists(repository):
                ignores = ignores._with_file(path, repository)
        for folder in [f for f in reversed(start.parents) if relative_text(f, top) is not None]:
            ignores = ignores.entering(folder)
        # A start folder that is itself left out was asked for by name: what leaves it out is void inside.
        return cls(tuple(rule for rule in ignores._rules if not _meets(rule, start, folder=True)))

    def entering(self, folder: Path) -> Ignores:
        """The rules inside a folder."""
        ignores = self
        for name in _NAMES:
            ignores = ignores._with_file(folder / name, folder)
        return ignores

    def leaves_out(self, path: Path, *, folder: bool) -> bool:
        """Whether the last rule that meets the path leaves it out."""
        for rule in reversed(self._rules):
            if _meets(rule, path, folder=folder):
                return rule.include
        return False

    def _with_file(self, path: Path, base: Path) -> Ignores:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return self
        return Ignores((*self._rules, *_parse(text, base)))


def _parse(text: str, base: Path) -> list[_Rule]:
    import pathspec  # noqa: PLC0415 (most folders have no list; the library takes longer to load than to use)

    rules = []
    for line in text.split("\n"):
        try:
            compiled = pathspec.GitIgnoreSpec.from_lines([line.rstrip("\r")]).patterns
        except ValueError:  # not a pattern that git knows: git passes over it, too
            continue
        for pattern in compiled:
            regex = getattr(pattern, "regex", None)
            if pattern.include is not None and regex is not None:
                rules.append(_Rule(pattern.include, regex, base))
    return rules


def _meets(rule: _Rule, path: Path, *, folder: bool) -> bool:
    relative = relative_text(path, rule.base)
    return bool(relative) and rule.pattern.match(f"{relative}/" if folder else str(relative)) is not None


def _shared_lists(repository: Path) -> list[Path]:
    """The lists outside the work tree, the weakest first."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()) / "git"
    git = _git_folder(repository)
    own = home / "ignore"
    for settings in (home / "config", Path("~/.gitconfig").expanduser(), git / "config"):  # the last one counts
        with contextlib.suppress(OSError):
            configured = _EXCLUDES_FILE.findall(settings.read_text(encoding="utf-8", errors="replace"))
            if configured:
                own = repository / Path(configured[-1]).expanduser()
    return [own, git / "info" / "exclude"]


def _git_folder(repository: Path) -> Path:
    """The folder with the repository's data; work trees and submodules point to it."""
    git = repository / ".git"
    try:
        if is_file(git):
            git = repository / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            common = git / "commondir"
            if is_file(common):
                git = git / common.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        pass
    return git
