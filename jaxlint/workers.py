"""Running the engine over many files, in this process or in several.

Each file is analysed on its own terms and the results are united, so how files are dealt out changes nothing but the
time it takes.
"""

from __future__ import annotations

import atexit
import gc
import os
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.source import Source, read_source

if TYPE_CHECKING:
    from jaxlint.results import FileResult

SMALL = 300_000
"""Bytes below which a second process costs more than it saves."""

MOST = 8_000_000
"""Characters of files that are checked in one analysis before the next file gets a new one."""

_STACK = 512 * 2**20
"""Bytes of address space for the stack of the analysis; only what is used becomes memory."""


class Abandoned(BaseException):
    """Nobody waits for the analysis any more. It passes through whatever keeps one file's failure from the others."""


@dataclass(slots=True)
class Analysed:
    """Results by file, and what went wrong: (file or None, message, traceback)."""

    results: list[FileResult] = field(default_factory=list)
    failures: list[tuple[str | None, str, str]] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)

    def add(self, other: Analysed) -> None:
        """Take in what another process found."""
        self.results += other.results
        self.failures += other.failures
        self.counters.update(other.counters)


def available_cores() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def analyse(
    paths: Sequence[str],
    engine: Callable[..., Any],
    options: dict[str, Any],
    *,
    jobs: int = 1,
    unsaved: Mapping[str, Source] | None = None,
    on_file: Callable[[Path], None] = lambda _: None,
) -> Analysed:
    """Analyse files with up to `jobs` processes; `unsaved` holds, by path, what stands in for files."""
    sizes = {path: _size(path) for path in paths}
    shares = deal(sizes, jobs) if jobs > 1 and sum(sizes.values()) > SMALL else [list(paths)]
    if len(shares) == 1:
        return analyse_here(shares[0], engine, options, unsaved, on_file)
    import multiprocessing  # noqa: PLC0415 (most runs find their results in the cache, or need no second process)
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    whole = Analysed()
    with ProcessPoolExecutor(max_workers=len(shares), mp_context=context) as pool:
        running = [pool.submit(analyse_here, share, engine, options, unsaved) for share in shares]
        for share, future in zip(shares, running, strict=True):
            try:
                whole.add(future.result())
            except Exception as error:  # a worker that died takes its share with it: say so and go on
                whole.failures.append((None, f"a worker process ended early: {error}", ""))
            for path in share:
                on_file(Path(path))
    return whole


def analyse_here(
    paths: Sequence[str],
    engine: Callable[..., Any],
    options: dict[str, Any],
    unsaved: Mapping[str, Source] | None = None,
    on_file: Callable[[Path], None] = lambda _: None,
) -> Analysed:
    """Analyse files in this process, on a stack that deeply nested programs do not exhaust.

    What is raised to end the analysis, such as `Abandoned`, reaches the caller.
    """
    found: list[Analysed] = []
    ended: list[BaseException] = []

    def run() -> None:
        try:
            found.append(_analyse(paths, engine, options, unsaved, on_file))
        except BaseException as end:
            ended.append(end)

    before = threading.stack_size()
    for size in (_STACK, _STACK // 8, before):
        thread = threading.Thread(target=run, daemon=True)
        try:
            threading.stack_size(size)
            thread.start()
            break
        except (ValueError, RuntimeError):  # the platform has no such stack to give
            continue
        finally:
            threading.stack_size(before)
    thread.join()
    if ended:
        raise ended[0]
    return found[0] if found else Analysed(failures=[(None, "the analysis ended early", "")])


def _analyse(
    paths: Sequence[str],
    engine: Callable[..., Any],
    options: dict[str, Any],
    unsaved: Mapping[str, Source] | None,
    on_file: Callable[[Path], None],
) -> Analysed:
    found = Analysed()
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)  # a process that ends need not look for garbage: that took a third of a cold run
    collecting = gc.isenabled()
    gc.disable()  # most that the analysis makes it keeps until its end
    try:
        if unsaved:
            options = {**options, "unsaved": unsaved}
        left = list(reversed(paths))
        while left:
            _batch(left, engine, options, found, on_file)
            if left:
                gc.collect()
    finally:
        if collecting:
            gc.enable()
    return found


def _batch(
    left: list[str],
    engine: Callable[..., Any],
    options: dict[str, Any],
    found: Analysed,
    on_file: Callable[[Path], None],
) -> None:
    """Analyse files from the end of `left` until they are many: an analysis keeps their compact forms."""
    try:
        running = engine(**options)
    except Exception as error:
        left.clear()
        found.failures.append((None, _text(error), traceback.format_exc()))
        return
    size = 0
    while left and size <= MOST:
        path = left.pop()
        on_file(Path(path))
        source = options.get("unsaved", {}).get(path) or read_source(Path(path))
        size += len(source.text)
        try:
            running.analyse(source)
        except Exception as error:
            found.failures.append((path, _text(error), traceback.format_exc()))
    try:
        found.results += running.results()
    except Exception as error:
        found.failures.append((None, _text(error), traceback.format_exc()))
    found.counters.update(running.counters)


def deal(sizes: dict[str, int], jobs: int) -> list[list[str]]:
    """Deal files out by folder, so that files that import each other tend to meet in one process."""
    total = sum(sizes.values())
    most = max(total // (jobs * 4), 1)
    groups: dict[str, list[str]] = {}
    for path in sizes:
        groups.setdefault(str(Path(path).parent), []).append(path)
    merged = _merge(groups, sizes, most)
    shares: list[list[str]] = [[] for _ in range(jobs)]
    weights = [0] * jobs
    for group in sorted(merged, key=lambda files: (-sum(sizes[path] for path in files), files)):
        lightest = weights.index(min(weights))
        shares[lightest] += group
        weights[lightest] += sum(sizes[path] for path in group)
    return [sorted(share) for share in shares if share]


def _merge(groups: dict[str, list[str]], sizes: dict[str, int], most: int) -> list[list[str]]:
    """Folders next to each other, as long as they stay under `most` bytes together."""
    merged: list[list[str]] = []
    weight = 0
    for folder in sorted(groups):
        files = groups[folder]
        size = sum(sizes[path] for path in files)
        if merged and weight + size <= most:
            merged[-1] += files
            weight += size
        else:
            merged.append(list(files))
            weight = size
    return merged


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _text(error: Exception) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name
