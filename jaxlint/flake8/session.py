"""One run of flake8: which files it is about, what was found ahead, and what is found on demand.

flake8 hands over one file after the other, in several processes. Where it names more than one, they are analysed
together before it divides them, as the command line does; its processes inherit what was found, or find it in the cache
where they are started afresh. A file that is not as it was then, or that was not foreseen, is analysed on demand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.files.disk import is_file
from jaxlint.files.gate import Gate
from jaxlint.files.importers import ImportGraph

if TYPE_CHECKING:
    from jaxlint.flake8 import Options
    from jaxlint.flake8.analysis import Analysis, Found

_SETTINGS_FILES = (".jaxlint.toml", "jaxlint.toml", "pyproject.toml")
_TEACHING = re.compile(
    rb"known-(?:transforms|samplers|key-parameters)|extend-knowledge|^[ \t]*extend[ \t]*=", re.MULTILINE
)


class Session:
    """Findings by file. `options` are what flake8 was told."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._cwd = Path.cwd()
        self._ahead: dict[Path, tuple[str, list[Found]]] | None = None
        self._graph = cache(ImportGraph)
        self._gate = Gate(self._graph)
        self._taught: dict[Path, bool] = {}

    def findings(self, filename: str, text: str) -> list[Found]:
        """What there is to say about a file that flake8 has read."""
        path = self._path(filename)
        if self._ahead is None:
            self.look_ahead()
        known, found = (self._ahead or {}).get(path, (None, []))
        return found if known == text else self._found({path: text})[path]

    def look_ahead(self) -> None:
        """Find what there is in all files of the run together, when there are several."""
        self._ahead = {}
        try:
            texts = _texts_of(self._foreseen())
            found = self._found(texts)
            self._ahead = {path: (text, found[path]) for path, text in texts.items()}
        except Exception:  # it comes again, and is told, with each file that it concerns
            return

    def _foreseen(self) -> list[Path]:
        """The files that flake8 is about to check; none where it is one, or standard input."""
        from flake8.discover_files import expand_paths  # noqa: PLC0415 (only flake8 itself runs this)

        options = self._options
        if not options.paths or "-" in options.paths:
            return []
        if len(options.paths) == 1 and is_file(Path(options.paths[0])):
            return []
        names = expand_paths(
            paths=options.paths,
            stdin_display_name="stdin",
            filename_patterns=options.patterns,
            exclude=options.excluded,
        )
        return [self._path(name) for name in names]

    def _found(self, texts: Mapping[Path, str]) -> dict[Path, list[Found]]:
        """Findings by path."""
        met = {path: text for path, text in texts.items() if self._needs_analysis(path, text)}
        found = self._analysis.found(met) if met else {}
        return {path: found.get(path, []) for path in texts}

    def _needs_analysis(self, path: Path, text: str) -> bool:
        """Whether JAX is within reach, or what settings and rules of other packages make of other libraries may be."""
        return self._gate.opens(path, text) or self._is_taught(path.parent) or _has_foreign_rules()

    def _is_taught(self, folder: Path) -> bool:
        """Whether the settings of the files in a folder may tell what libraries do."""
        if self._options.isolated:
            return False
        if folder not in self._taught:
            self._taught[folder] = self._reads_knowledge(folder)
        return self._taught[folder]

    def _reads_knowledge(self, folder: Path) -> bool:
        """Told by words, for reading settings takes longer than most files; a wrong yes costs an analysis."""
        if self._options.config:
            return _teaches(self._cwd / self._options.config)
        if any(_teaches(folder / name) for name in _SETTINGS_FILES):
            return True
        return folder.parent != folder and self._is_taught(folder.parent)

    @cached_property
    def _analysis(self) -> Analysis:
        from jaxlint.flake8.analysis import Analysis  # noqa: PLC0415 (it loads the rules, which most files do not need)

        return Analysis(self._options, self._cwd, self._graph)

    def _path(self, filename: str) -> Path:
        return Path(os.path.abspath(self._cwd / filename))  # noqa: PTH100 (symlinks stay as the user names them)


def _texts_of(files: Sequence[Path]) -> dict[Path, str]:
    """The texts as flake8 reads them, of files that can be decoded; none of a file that stands alone."""
    if len(files) < 2:
        return {}
    from jaxlint.source import universal_text  # noqa: PLC0415 (a run over one file does not need it)

    return {path: text for path in files if (text := universal_text(path)) is not None}


def _teaches(path: Path) -> bool:
    """Whether a settings file may tell what libraries do, itself or through one that it extends."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return (path.name != "pyproject.toml" or b"jaxlint" in data) and _TEACHING.search(data) is not None


@cache
def _has_foreign_rules() -> bool:
    """Whether rules of other packages are installed."""
    return any(not point.value.startswith("jaxlint.") for point in entry_points(group="jaxlint.rules"))
