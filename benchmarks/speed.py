"""Measures jaxlint over a folder of packages in one run, beside the parser alone, flake8 and ruff.

    python benchmarks/speed.py ../corpus [--packages optax distrax] [--parts 75000]

Ratios are of CPU time (user and system, with children), so that a busy machine disturbs them less. Every program is run
once before it is measured, so that none is charged for compiling its modules. flake8 runs without jaxlint's plugin. It
and ruff are measured where they are installed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jaxlint.references
import jaxlint.rules

_PARSE = """
import gc, sys, libcst
gc.disable()
for path in open(sys.argv[1], encoding="utf-8").read().split("\\n"):
    try:
        with open(path, encoding="utf-8") as file:
            libcst.parse_module(file.read())
    except (libcst.ParserSyntaxError, UnicodeDecodeError):
        pass
"""

_PLAIN_FLAKE8 = """
import importlib.metadata as metadata
own, found = {"flake8", "pycodestyle", "pyflakes", "mccabe"}, metadata.distributions
metadata.distributions = lambda **only: (each for each in found(**only) if each.metadata["Name"] in own)
from flake8.main.cli import main
raise SystemExit(main())
"""
"""flake8 that sees no plugin but those it comes with, whatever is installed beside it."""


@dataclass(frozen=True)
class Cost:
    """What one command took: seconds of CPU and of the clock, and the peak memory of its largest process in MB."""

    cpu: float
    clock: float
    memory: int
    status: int


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command and wait for it and its children."""
    before = time.perf_counter()
    with tempfile.TemporaryFile() as sink:
        process = subprocess.Popen(command, cwd=folder, stdout=sink, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    clock = time.perf_counter() - before
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * unit // 2**20, process.returncode)


def packages_of(folder: Path, chosen: Sequence[str]) -> dict[Path, list[Path]]:
    """The Python files of each package, of all by default."""
    folders = [
        path
        for path in sorted(folder.iterdir())
        if path.is_dir() and (not chosen or path.name.startswith(tuple(chosen)))
    ]
    return {package: sorted(package.rglob("*.py")) for package in folders}


def count_lines(files: Sequence[Path]) -> int:
    """The lines of all files."""
    return sum(path.read_bytes().count(b"\n") for path in files)


def parts(packages: dict[Path, list[Path]], lines: int) -> list[list[Path]]:
    """The packages in parts of about so many lines; a package stays whole."""
    sizes = {package: count_lines(files) for package, files in packages.items()}
    found: list[list[Path]] = []
    weights: list[int] = []
    for package in sorted(packages, key=lambda package: -sizes[package]):
        fits = [index for index, weight in enumerate(weights) if weight + sizes[package] <= lines * 1.1]
        if fits:
            fullest = max(fits, key=lambda index: weights[index])
            found[fullest].append(package)
            weights[fullest] += sizes[package]
        else:
            found.append([package])
            weights.append(sizes[package])
    return found


class Table:
    """Rows of what was measured, as Markdown."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        self.parse = 0.0
        print("| | CPU s | clock s | x parse | lines/s of CPU | peak MB |\n|---|---:|---:|---:|---:|---:|", flush=True)

    def row(self, name: str, cost: Cost) -> Cost:
        """Add a row."""
        parse = self.parse or cost.cpu
        rate = self.lines / max(cost.cpu, 1e-9)
        print(
            f"| {name} | {cost.cpu:.2f} | {cost.clock:.2f} | {cost.cpu / parse:.2f} | {rate:,.0f} | {cost.memory} |",
            flush=True,
        )
        return cost


_JAXLINT = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--silent", "--exit-zero"]
_FLAKE8 = [sys.executable, "-c", _PLAIN_FLAKE8, "--isolated", "--jobs", "1"]
_RUFF = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]


def over_corpus(packages: dict[Path, list[Path]], folder: Path, scratch: Path, part: int) -> None:
    """The table for the packages, copied so that a file can be touched."""
    copies = scratch / "corpus"
    for path in (path for files in packages.values() for path in files):
        target = copies / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    copied = sorted(copies.rglob("*.py"))
    listing = scratch / "files.txt"
    listing.write_text("\n".join(map(str, copied)), encoding="utf-8")
    cache = ["--cache-dir", str(scratch / "cache"), str(copies)]
    table = Table(count_lines(copied))
    parse = table.row("`libcst.parse_module` alone", measure([sys.executable, "-c", _PARSE, str(listing)], scratch))
    table.parse = parse.cpu
    cold = [*_JAXLINT, "--no-cache", "--jobs"]
    one = table.row("jaxlint, cold, one process", measure([*cold, "1", str(copies)], scratch))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    many = table.row(f"jaxlint, cold, {cores} processes", measure([*cold, str(cores), str(copies)], scratch))
    measure([*_JAXLINT, *cache], scratch)
    warm = table.row("jaxlint, warm", measure([*_JAXLINT, *cache], scratch))
    touched = copied[len(copied) // 2]
    touched.write_bytes(touched.read_bytes() + b"\n# touched\n")
    name = touched.relative_to(copies)
    table.row(f"jaxlint, `{name}` touched", measure([*_JAXLINT, *cache], scratch))
    others = {name: table.row(name, measure([*command, str(copies)], scratch)) for name, command in _others(scratch)}
    print(f"\ntwo processes against one, by the clock: {one.clock / max(many.clock, 1e-9):.2f}")
    if "flake8" in others:
        print(f"jaxlint cold / flake8: {one.cpu / others['flake8'].cpu:.2f}")
    if "ruff" in others:
        print(f"jaxlint warm / ruff: {warm.cpu / max(others['ruff'].cpu, 1e-9):.1f}")
    if part:
        divided = [[copies / package.name for package in group] for group in parts(packages, part)]
        costs = [measure([*cold, "1", *map(str, group)], scratch) for group in divided]
        whole = sum(cost.cpu for cost in costs)
        print(
            f"in {len(costs)} runs over parts of about {part:,} lines: {whole:.2f} s of CPU; "
            f"a line of the whole costs {one.cpu / whole:.2f} times one of the parts; "
            f"peaks {', '.join(str(cost.memory) for cost in costs)} MB"
        )


def _others(scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Other linters, where they are installed."""
    for name, command in {"flake8": _FLAKE8, "ruff": _RUFF}.items():
        if measure([*command[:3], "--version"], scratch).status == 0:
            yield name, command


def small_things(scratch: Path, thousand: Path) -> None:
    """What a user waits for most often."""
    jaxlint = [sys.executable, "-m", "jaxlint"]

    def best(command: Sequence[str], runs: int = 5) -> float:
        return min(measure(command, scratch).cpu for _ in range(runs))

    print(f"\n`jaxlint --version`: {best([*jaxlint, '--version']) * 1000:.0f} ms of CPU")
    alone = scratch / "alone" / "program.py"
    alone.parent.mkdir()
    shutil.copyfile(thousand, alone)
    seconds = best([*_JAXLINT, "--no-cache", str(alone)])
    print(
        f"`jaxlint check` on `{thousand.name}` alone, {count_lines([thousand])} lines: {seconds * 1000:.0f} ms of CPU"
    )


def warm_up(scratch: Path) -> None:
    """Compile the modules of every program that is measured."""
    for package in (jaxlint, jaxlint.rules, jaxlint.references):
        for folder in package.__path__:
            compileall.compile_dir(folder, quiet=2)
    program = scratch / "first.py"
    program.write_text("import jax\n", encoding="utf-8")
    for command in (_JAXLINT, _FLAKE8, _RUFF):
        measure([*command, str(program)], scratch)


def nearest(files: Sequence[Path], lines: int) -> Path:
    """The file whose length is nearest to `lines`."""
    distance: Callable[[Path], int] = lambda path: abs(path.read_bytes().count(b"\n") - lines)  # noqa: E731
    return min(files, key=distance)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a folder with a folder a package")
    parser.add_argument("--packages", nargs="*", default=[], help="only packages whose names begin so")
    parser.add_argument(
        "--parts", type=int, default=0, metavar="LINES", help="measure parts of so many lines as well, to compare rates"
    )
    options = parser.parse_args()
    folder = options.corpus.resolve()
    packages = packages_of(folder, options.packages)
    files = [path for found in packages.values() for path in found]
    print(f"{len(files)} files, {count_lines(files):,} lines; Python {sys.version.split()[0]}\n")
    with tempfile.TemporaryDirectory() as scratch:
        warm_up(Path(scratch))
        over_corpus(packages, folder, Path(scratch), options.parts)
        small_things(Path(scratch), nearest(files, 1_000))
    print(f"peak of any child: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
