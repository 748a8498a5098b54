"""The table of settings. A setting is one field of `Settings`: its kind, default, help text and command-line option."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, cast

from jaxlint.config.catalogue import ALL, Catalogue, Selector
from jaxlint.config.kinds import (
    File,
    Flag,
    Folder,
    Kind,
    OutputFormat,
    PatternList,
    PerFile,
    PerFileTable,
    PerFileText,
    PerFileTexts,
    Selectors,
    Text,
    Versions,
)
from jaxlint.config.patterns import Patterns
from jaxlint.config.teaching import ParameterTable, TableFiles, TransformTable
from jaxlint.knowledge.teaching import Table, Teaching
from jaxlint.report.formats import FORMATS
from jaxlint.source import PAGES
from jaxlint.target import NEWEST

T = TypeVar("T")

DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".jaxlint_cache", ".mypy_cache",
    ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    "__pycache__", "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
DEFAULT_INCLUDE = ("*.py", "*.pyi", "*.ipynb")
TARGET = Versions()


@dataclass(frozen=True, slots=True)
class Option:
    """The record of a setting.

    adds: a later source adds to the earlier ones instead of replacing them. group: the heading in `--help`; without one
    the setting has no command-line option. flags: more spellings of the option. engine: the engine is given the value,
    so files that differ in it are analysed apart.
    """

    kind: Kind[Any]
    doc: str
    adds: bool = False
    group: str = ""
    flags: tuple[str, ...] = ()
    engine: bool = False


def setting(
    kind: Kind[T],
    default: T | None,
    doc: str,
    *,
    adds: bool = False,
    group: str = "",
    flags: tuple[str, ...] = (),
    engine: bool = False,
) -> T:
    """A field of `Settings`."""
    return cast("T", field(default=default, metadata={"option": Option(kind, doc, adds, group, flags, engine)}))


RULES, FIXES, FILES = "Rule selection", "Fixes", "File selection"
OUTPUT, ANALYSIS = "Output", "Analysis"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What holds for one file. `rules` are the codes that are on, `sources` the settings files, nearest first.

    mendable: the codes of which fixes may be applied. isolated: nothing that the project says counts.
    """

    rules: frozenset[str] = frozenset()
    mendable: frozenset[str] = frozenset()
    isolated: bool = False
    sources: tuple[Path, ...] = ()
    origins: dict[str, str] = field(default_factory=dict)

    select: tuple[Selector, ...] = setting(
        Selectors(), (), "rules that are on, in place of the default ones: codes, prefixes, names or ALL", group=RULES
    )
    extend_select: tuple[Selector, ...] = setting(
        Selectors(), (), "rules that are on besides the selected ones", adds=True, group=RULES
    )
    ignore: tuple[Selector, ...] = setting(Selectors(), (), "rules that are off", group=RULES)
    extend_ignore: tuple[Selector, ...] = setting(
        Selectors(), (), "rules that are off besides the ignored ones", adds=True, group=RULES
    )
    per_file_ignores: tuple[PerFile, ...] = setting(
        PerFileTable(), (), "rules that are off in the files that match a pattern", group=RULES
    )
    extend_per_file_ignores: tuple[PerFile, ...] = setting(
        PerFileTable(),
        (),
        "rules that are off in the files that match a pattern, besides the others",
        adds=True,
        group=RULES,
    )
    fixable: tuple[Selector, ...] = setting(
        Selectors(), (), "rules of which findings may be mended: codes, prefixes, names or ALL", group=FIXES
    )
    unfixable: tuple[Selector, ...] = setting(Selectors(), (), "rules of which findings are never mended", group=FIXES)
    unsafe_fixes: bool = setting(
        Flag(), False, "mend also what may change what a program does; counts for the folder that jaxlint runs in",
        group=FIXES,
    )  # fmt: skip
    exclude: tuple[Patterns, ...] = setting(
        PatternList(), (), "files and folders to leave out, in place of the default ones", group=FILES
    )
    extend_exclude: tuple[Patterns, ...] = setting(
        PatternList(), (), "files and folders to leave out besides the excluded ones", adds=True, group=FILES
    )
    include: tuple[Patterns, ...] = setting(PatternList(), (), "files that are found in folders")
    extend_include: tuple[Patterns, ...] = setting(
        PatternList(), (), "files that are found in folders besides the included ones", adds=True
    )
    markdown: bool = setting(Flag(), False, "check the fences of Python in Markdown files, too", group=FILES)
    respect_gitignore: bool = setting(
        Flag(), True, "leave out what .gitignore, .ignore and .git/info/exclude leave out", group=FILES
    )
    force_exclude: bool = setting(
        Flag(), False, "leave out excluded files even when they are named on the command line", group=FILES
    )
    output_format: str = setting(
        OutputFormat(FORMATS, "FORMAT[:FILE]"),
        "full",
        f"how findings are shown, or written to a file; may be repeated: {', '.join(FORMATS)}",
        group=OUTPUT,
        flags=("--format",),
    )
    baseline: str = setting(
        File(), "", "a file of known findings, which are not shown; `--write-baseline` makes it", group=OUTPUT
    )
    cache_dir: str = setting(Folder(), "", "where results are kept between runs", group=ANALYSIS)
    target_jax: str = setting(
        TARGET,
        NEWEST,
        "the JAX version that the code is written for, or a range such as 0.4.30..0.6",
        group=ANALYSIS,
        engine=True,
    )
    per_file_target_jax: tuple[PerFileText, ...] = setting(
        PerFileTexts(TARGET), (), "the JAX version for the files that match a pattern; the first that does counts"
    )
    known_transforms: tuple[tuple[str, str], ...] = setting(
        TransformTable(), (), "names of the project's own that behave like a transformation of JAX", adds=True
    )
    known_samplers: tuple[tuple[str, tuple[str | int, ...]], ...] = setting(
        ParameterTable(), (), "functions that draw from the key in a parameter, given by name or position", adds=True
    )
    known_key_parameters: tuple[tuple[str, tuple[str | int, ...]], ...] = setting(
        ParameterTable(any_function=True),
        (),
        "parameters that hold keys, by function; under `*`, by name, of every function",
        adds=True,
    )
    extend_knowledge: tuple[tuple[Path, Table], ...] = setting(
        TableFiles(), (), "tables of what libraries do, beside the shipped ones", adds=True
    )
    required_version: str = setting(
        Text(
            "a version such as `0.1.0` or a range such as `>=0.1,<0.3`",
            r"^\s*(([<>]=?|==|!=)?\s*\d+(\.\d+)*\s*(,|$)\s*)+$",
        ),
        "",
        "the versions of jaxlint that may read these settings",
    )

    def is_excluded(self, path: Path, *, folder: bool = False) -> bool:
        """Whether a path, or a folder above it, is left out."""
        return any(patterns.match(path, folder=folder) for patterns in (*self.exclude, *self.extend_exclude))

    def is_included(self, path: Path) -> bool:
        """Whether a file that was found in a folder is one to lint."""
        if self.markdown and path.suffix.lower() in PAGES:
            return True
        return any(patterns.match(path) for patterns in (*self.include, *self.extend_include))

    def rules_for(self, path: Path) -> frozenset[str]:
        """The codes that are on in a file."""
        off: set[str] = set()
        for entry in (*self.per_file_ignores, *self.extend_per_file_ignores):
            if entry.applies(path):
                off |= entry.codes
        return self.rules - off

    def target_of(self, path: Path) -> tuple[str, str]:
        """The JAX version that a settings file or an option names for a file, and where; empty when none does."""
        origin = self.origins.get("target_jax", "")
        if not origin.startswith("--"):  # an option is meant for this run and beats what files say of files
            for entry in self.per_file_target_jax:
                if entry.applies(path):
                    return entry.text, self.origins["per_file_target_jax"]
        return (self.target_jax, origin) if origin else ("", "")

    def engine_options(self) -> dict[str, object]:
        """What the engine is told, by the names of its parameters."""
        told = {name: getattr(self, name) for name, option in OPTIONS.items() if option.engine}
        teaching = Teaching(
            self.known_transforms,
            self.known_samplers,
            self.known_key_parameters,
            tuple(table for _, table in self.extend_knowledge),
        )
        return {**told, "teaching": teaching} if teaching else told


OPTIONS: dict[str, Option] = {f.name: f.metadata["option"] for f in fields(Settings) if "option" in f.metadata}
KEYS: dict[str, str] = {name.replace("_", "-"): name for name in OPTIONS}


def defaults(base: Path, catalogue: Catalogue) -> dict[str, Sequence[Patterns | Selector]]:
    """The defaults that depend on the folder of the project and on the rules."""
    return {
        "exclude": (Patterns(base, DEFAULT_EXCLUDE),),
        "include": (Patterns(base, DEFAULT_INCLUDE),),
        "fixable": (catalogue.select(ALL, "fixable"),),
    }


def default_of(name: str) -> object:
    """The default of a setting as TOML holds it."""
    found = {**vars(Settings()), **defaults(Path(), Catalogue(()))}[name]
    return OPTIONS[name].kind.plain(found)
