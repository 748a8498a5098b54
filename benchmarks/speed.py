"""Measures jaxlint over a folder of packages in one run, beside the parser alone, flake8 and ruff.

    python benchmarks/speed.py ../corpus [--packages optax distrax] [--small 75000]

Ratios are of CPU time (user and system, with children), so that a busy machine disturbs them less. flake8 and ruff are
measured where they are installed.
"""

from __future__ import annotations

import argparse
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


def python_files(folder: Path, packages: Sequence[str]) -> list[Path]:
    """The files of the packages, of all by default."""
    chosen = [
        path
        for path in sorted(folder.iterdir())
        if path.is_dir() and (not packages or path.name.startswith(tuple(packages)))
    ]
    return [path for package in chosen for path in sorted(package.rglob("*.py"))]


def count_lines(files: Sequence[Path]) -> int:
    """The lines of all files."""
    return sum(path.read_bytes().count(b"\n") for path in files)


def head(files: Sequence[Path], lines: int) -> list[Path]:
    """A spread of the files that has about so many lines."""
    total = max(count_lines(files), 1)
    step = max(total // max(lines, 1), 1)
    return list(files[::step])


class Table:
    """Rows of what was measured, as Markdown."""

    def __init__(self, lines: int) -> None:
        self.lines = lines
        self.parse = 0.0
        print("| | CPU s | clock s | x parse | lines/s of CPU | peak MB |\n|---|---:|---:|---:|---:|---:|", flush=True)

    def row(self, name: str, cost: Cost, lines: int = 0) -> Cost:
        """Add a row."""
        parse = self.parse or cost.cpu
        rate = (lines or self.lines) / max(cost.cpu, 1e-9)
        print(
            f"| {name} | {cost.cpu:.2f} | {cost.clock:.2f} | {cost.cpu / parse:.2f} | {rate:,.0f} | {cost.memory} |",
            flush=True,
        )
        return cost


def over_corpus(files: Sequence[Path], folder: Path, scratch: Path) -> None:
    """The table for a set of files, copied so that one of them can be touched."""
    copies = scratch / "corpus"
    for path in files:
        target = copies / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    listing = scratch / "files.txt"
    listing.write_text("\n".join(str(path) for path in sorted(copies.rglob("*.py"))), encoding="utf-8")
    cache = scratch / "cache"
    jaxlint = [sys.executable, "-m", "jaxlint", "check", "--isolated", "--silent", "--exit-zero"]
    table = Table(count_lines(files))
    parse = table.row("libcst.parse_module alone", measure([sys.executable, "-c", _PARSE, str(listing)], scratch))
    table.parse = parse.cpu
    one = table.row(
        "jaxlint, cold, one process", measure([*jaxlint, "--no-cache", "--jobs", "1", str(copies)], scratch)
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    many = table.row(
        f"jaxlint, cold, {cores} processes",
        measure([*jaxlint, "--no-cache", "--jobs", str(cores), str(copies)], scratch),
    )
    measure([*jaxlint, "--cache-dir", str(cache), str(copies)], scratch)
    warm = table.row("jaxlint, warm", measure([*jaxlint, "--cache-dir", str(cache), str(copies)], scratch))
    touched = sorted(copies.rglob("*.py"))[len(files) // 2]
    touched.write_bytes(touched.read_bytes() + b"\n# touched\n")
    table.row("jaxlint, one file touched", measure([*jaxlint, "--cache-dir", str(cache), str(copies)], scratch))
    for name, cost in _others(scratch, copies, table):
        if name == "flake8":
            print(f"\njaxlint / flake8: {one.cpu / cost.cpu:.2f}")
        else:
            print(f"jaxlint warm / ruff: {warm.cpu / max(cost.cpu, 1e-9):.1f}")
    print(f"two processes against one, by the clock: {one.clock / max(many.clock, 1e-9):.2f}")


def _others(scratch: Path, copies: Path, table: Table) -> Iterator[tuple[str, Cost]]:
    """Other linters, where they are installed."""
    commands: dict[str, list[str]] = {
        "flake8": [sys.executable, "-m", "flake8", "--isolated", "--jobs", "1", str(copies)],
        "ruff": [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", str(copies)],
    }
    measured: list[tuple[str, Cost]] = []
    for name, command in commands.items():
        if measure([*command[:3], "--version"], scratch).status == 0:
            measured.append((name, table.row(name, measure(command, scratch))))
    yield from measured


def small_things(scratch: Path, thousand: Path) -> None:
    """What a user waits for most often."""
    jaxlint = [sys.executable, "-m", "jaxlint"]

    def best(command: Sequence[str], runs: int = 5) -> float:
        return min(measure(command, scratch).cpu for _ in range(runs))

    print(f"\n`jaxlint --version`: {best([*jaxlint, '--version']) * 1000:.0f} ms of CPU")
    alone = scratch / "alone" / "program.py"
    alone.parent.mkdir()
    shutil.copyfile(thousand, alone)
    seconds = best([*jaxlint, "check", "--isolated", "--no-cache", "--silent", str(alone)])
    print(f"`jaxlint check` on one file of {count_lines([thousand])} lines: {seconds * 1000:.0f} ms of CPU")


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
        "--small", type=int, default=0, help="measure a part of so many lines as well, to compare rates"
    )
    options = parser.parse_args()
    folder = options.corpus.resolve()
    files = python_files(folder, options.packages)
    print(f"{len(files)} files, {count_lines(files):,} lines; Python {sys.version.split()[0]}\n")
    for part in [files, head(files, options.small)] if options.small else [files]:
        with tempfile.TemporaryDirectory() as scratch:
            over_corpus(part, folder, Path(scratch))
    with tempfile.TemporaryDirectory() as scratch:
        small_things(Path(scratch), nearest(files, 1_000))
    print(f"peak of any child: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
