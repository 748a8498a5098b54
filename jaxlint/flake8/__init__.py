"""The plugin for flake8. Loaded on each of its runs, so what the analysis needs is imported when a file asks for it."""

from __future__ import annotations

import multiprocessing
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from jaxlint import __version__

if TYPE_CHECKING:
    import argparse
    import ast
    from collections.abc import Iterator, Sequence

    from jaxlint.flake8.session import Session

FAILED = "JAX000"
"""The code of a file on which jaxlint itself failed, or could not start: flake8 goes on with its other plugins."""

Report = tuple[int, int, str, type]

_LIBRARY = "flake8.api.legacy"
"""Loaded where another program uses flake8 as a library and tells of files later; without paths means `.` elsewhere."""


@dataclass(frozen=True)
class Options:
    """What flake8 says that concerns the analysis.

    enable: rules that are on besides the default ones. chosen: codes that flake8's own selection names. paths, patterns
    and excluded tell which files the run is about. raw: comments silence nothing.
    """

    enable: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    target: str = ""
    config: str = ""
    cache_dir: str = ""
    no_cache: bool = False
    isolated: bool = False
    raw: bool = False
    jobs: int | None = 1
    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


class Plugin:
    """Runs the analysis on one file of flake8's, and hands on what it finds as it is: flake8 selects and silences."""

    name = "jaxlint"
    version = __version__

    options: ClassVar[Options] = Options()
    session: ClassVar[Session | None] = None

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        """The tree makes flake8 call once a file, and only for files that Python can parse."""
        self._text = "".join(lines)
        self._filename = filename

    def run(self) -> Iterator[Report]:
        """The findings as (row from 1, column from 0, text, type)."""
        kind = type(self)
        try:
            for row, column, text in self._session().findings(self._filename, self._text):
                yield row, column, text, kind
        except Exception as error:  # it would end flake8's run, with what the other plugins found
            yield 1, 0, f"{FAILED} {_reason(error)}", kind

    @classmethod
    def add_options(cls, manager: Any) -> None:
        """The options, each of which may also stand in flake8's settings."""
        manager.add_option(
            "--jax-enable", default="", metavar="RULES", comma_separated_list=True, parse_from_config=True,
            help="opt-in rules of jaxlint that are on besides the default ones: codes, prefixes, names or ALL",
        )  # fmt: skip
        manager.add_option(
            "--jax-target-jax", default="", metavar="VERSION", parse_from_config=True,
            help="the JAX version that the code is written for, in place of what the project says",
        )  # fmt: skip
        manager.add_option(
            "--jax-config", default="", metavar="FILE", normalize_paths=True, parse_from_config=True,
            help="a settings file of jaxlint in place of those beside the code",
        )  # fmt: skip
        manager.add_option(
            "--jax-isolated", default=False, action="store_true", parse_from_config=True,
            help="read no settings file of jaxlint, and not what the project requires",
        )  # fmt: skip
        manager.add_option(
            "--jax-cache-dir", default="", metavar="FOLDER", normalize_paths=True, parse_from_config=True,
            help="where jaxlint keeps results between runs",
        )  # fmt: skip
        manager.add_option(
            "--jax-no-cache", default=False, action="store_true", parse_from_config=True,
            help="neither read nor write results of earlier runs of jaxlint",
        )  # fmt: skip

    @classmethod
    def parse_options(cls, manager: Any, options: argparse.Namespace, paths: Sequence[str]) -> None:
        """Keep the options, and look ahead where flake8 is about to share out files among processes."""
        cls.options = _options(options, paths)
        cls.session = None
        if "-" in cls.options.paths or multiprocessing.parent_process() is not None or options.bug_report:
            return
        if cls.options.jobs != 1:
            cls._session().look_ahead()

    @classmethod
    def _session(cls) -> Session:
        from jaxlint.flake8.session import Session  # noqa: PLC0415 (see above)

        if cls.session is None:
            cls.session = Session(cls.options)
        return cls.session


class Prefix:
    """Makes flake8 select codes with other letters than `JAX`.

    A rule package whose codes are `ABC001` and so on enters this class as `ABC` in the group `flake8.extension`; its
    findings come from `Plugin`.
    """

    name = "jaxlint-rules"
    version = __version__

    def __init__(self, tree: ast.AST) -> None:
        """Flake8 asks for a parameter that it knows."""

    def run(self) -> Iterator[Report]:
        """Nothing."""
        return iter(())


def _options(options: argparse.Namespace, paths: Sequence[str]) -> Options:
    jobs = options.jobs
    return Options(
        enable=tuple(options.jax_enable),
        chosen=(*(options.select or ()), *(options.extend_select or ())),
        target=options.jax_target_jax,
        config=options.jax_config,
        cache_dir=options.jax_cache_dir,
        no_cache=options.jax_no_cache,
        isolated=options.jax_isolated,
        raw=options.disable_noqa,
        jobs=None if jobs.is_auto else max(jobs.n_jobs, 1),
        paths=tuple(paths) or (() if _LIBRARY in sys.modules else (".",)),
        patterns=tuple(options.filename),
        excluded=(*options.exclude, *options.extend_exclude),
    )


def _reason(error: Exception) -> str:
    """One line for the user: what is wrong with the settings, or with jaxlint."""
    from jaxlint.config.errors import UsageError  # noqa: PLC0415 (see above)

    if isinstance(error, UsageError):
        return " ".join(str(error).split())
    name = type(error).__name__
    what = " ".join(f"{name}: {error}".split()) if str(error) else name
    return f"jaxlint failed here, which is a bug in jaxlint: {what}"
