"""Measures what the plugin adds to flake8: to a file without JAX, to one in a JAX project, and to one that uses JAX.

    python benchmarks/flake8_startup.py [--runs 15] [--project ../corpus/distrax-0.1.9]

Each file is checked with the plugin and without it in turns; medians of CPU time (with children) are compared, so that
a busy machine disturbs them less.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# flake8 finds its plugins among the installed distributions; the one that is left out is as if it were not there.
_RUN = """
import importlib.metadata as metadata, sys
hidden = sys.argv.pop(1)
every = metadata.distributions
metadata.distributions = lambda **given: (each for each in every(**given) if each.metadata["name"] != hidden)
from flake8.main.cli import main
sys.exit(main())
"""
_PLAIN = "import os\n\n\ndef size(path):\n    return os.stat(path).st_size\n"
_USING = "import jax\n\n\ndef draw(key):\n    return jax.random.normal(key)\n"


def cpu_ms(folder: Path, file: str, *, plugin: bool) -> float:
    """The CPU time of one run of flake8."""
    command = [sys.executable, "-c", _RUN, "nothing" if plugin else "jax-linter", "--isolated", file]
    environment = {**os.environ, "JAXLINT_CACHE_DIR": str(folder / ".benchmark_cache")}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 1}:
        sys.exit(f"flake8 ended with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def compare(name: str, folder: Path, file: str, runs: int) -> None:
    """One row: medians without and with the plugin."""
    without, with_plugin = [], []
    cpu_ms(folder, file, plugin=True)
    for _ in range(runs):
        without.append(cpu_ms(folder, file, plugin=False))
        with_plugin.append(cpu_ms(folder, file, plugin=True))
    before, after = statistics.median(without), statistics.median(with_plugin)
    print(f"| {name} | {before:.0f} | {after:.0f} | {after - before:+.0f} | {after / before:.2f} |", flush=True)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--project", type=Path, help="a JAX project to put a file without JAX into")
    options = parser.parse_args()
    print("| file | without, ms | with, ms | added, ms | ratio |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "plain.py").write_text(_PLAIN, encoding="utf-8")
        compare("without JAX, alone", folder, "plain.py", options.runs)
        project = folder / "project"
        project.mkdir()
        (project / "pyproject.toml").touch()
        for index in range(300):
            (project / f"module_{index}.py").write_text(_PLAIN * 40, encoding="utf-8")
        compare("without JAX, in a project of 300 files without it", project, "module_0.py", options.runs)
        if options.project is not None:
            copy = folder / "jax"
            subprocess.run(["cp", "-r", str(options.project.resolve()), str(copy)], check=True)
            (copy / "pyproject.toml").touch()
            (copy / "plain.py").write_text(_PLAIN, encoding="utf-8")
            count = sum(1 for _ in copy.rglob("*.py"))
            compare(f"without JAX, in a JAX project of {count} files", copy, "plain.py", options.runs)
        (folder / "using.py").write_text(_USING, encoding="utf-8")
        compare("5 lines with JAX, remembered from an earlier run", folder, "using.py", options.runs)


if __name__ == "__main__":
    main()
