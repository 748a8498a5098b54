"""Runs the fuzzer of the tests over many more programs, and counts.

python benchmarks/fuzz.py --count 100000 --seed 1000
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.engine.fuzzing import Subject, mutants, programs  # noqa: E402


def main() -> int:
    """Run; the exit code is 1 when a program made the engine fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="programs; one in ten is made from the grammar")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--sources", nargs="*", type=Path, help="folders of real programs, beside the repository's own")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that fail")
    options = parser.parse_args()
    folders = [ROOT / name for name in ("fixtures", "examples", "jaxlint", "rules")] + list(options.sources or ())
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    sources = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    subject, counts, slowest = Subject(), Counter[str](), 0.0
    started = time.process_time()

    def lint(text: str) -> None:
        nonlocal slowest
        counts["programs"] += 1
        before = time.process_time()
        try:
            problems = subject.lint(text)
        except Exception:
            problems = [traceback.format_exc(limit=-3)]
        slowest = max(slowest, time.process_time() - before)
        for problem in problems:
            counts[problem.strip().rpartition("\n")[2][:100]] += 1
            if options.keep is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{counts['programs']}.py").write_text(text, encoding="utf-8", errors="replace")
                (options.keep / f"{counts['programs']}.txt").write_text(problem, encoding="utf-8")

    for text in mutants(sources, options.count - options.count // 10, options.seed):
        lint(text)

    @settings(
        max_examples=options.count // 10,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs)
    def from_grammar(text: str) -> None:
        lint(text)

    from_grammar()
    total = counts.pop("programs")
    print(f"{total} programs (seed {options.seed}), {subject.parsed} parsed, {sum(counts.values())} failures")
    print(f"{time.process_time() - started:.0f} s of CPU, the slowest program {slowest:.2f} s")
    for problem, count in counts.most_common(20):
        print(f"{count:6} {problem}")
    return 1 if counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
