"""Chooses functions of real code in which the linter finds nothing, for people to read: what they find was missed.

What was read stands in `corpus/recall.tsv`: a row a function, with the verdict of its reader.
"""

from __future__ import annotations

import ast
import csv
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from jaxlint.devtools.precision import Place, reported

SAMPLE = Path("corpus/recall.tsv")
COLUMNS = ("kind", "package", "version", "file", "line", "function", "verdict", "reason")
VERDICT = re.compile(r"clean|undecided|missed (?P<code>JAX\d{3}) at (?P<line>\d+), (?P<state>mended|open)")
"""What a reader may say: nothing is wrong, it cannot be decided from what is there, or which rule missed which line."""

SIZES = {"keys": 100, "traced": 60, "buffers": 40}
_KEY = re.compile(r"(^|_)(key|keys|rng|rngs|prng|prngkey|rngkey)\d*($|_)", re.IGNORECASE)
_TRACING = frozenset(
    ["jit", "filter_jit", "pmap", "vmap", "filter_vmap", "scan", "while_loop", "fori_loop", "cond", "switch", "map",
     "grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "checkpoint", "remat", "shard_map",
     "associative_scan", "jvp", "vjp", "linearize", "jacfwd", "jacrev", "hessian"]
)  # fmt: skip
_RANDOM_MODULES = frozenset({"random", "jr", "jrandom", "jax_random"})
_DONATING = frozenset({"donate_argnums", "donate_argnames", "donate"})
_LONGEST = 150

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Row(NamedTuple):
    """A function that was chosen, or has been read."""

    kind: str
    package: str
    version: str
    file: str
    line: int
    function: str
    verdict: str = ""
    reason: str = ""


def read(table: Path) -> list[Row]:
    """The rows of a table."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [_row(row) for row in rows]


def _row(cells: dict[str, str]) -> Row:
    kind, package, version, file, line, function, verdict, reason = (cells[name] for name in COLUMNS)
    return Row(kind, package, version, file, int(line), function, verdict, reason)


def check(root: Path, corpus: Path) -> tuple[list[str], list[str]]:
    """What a run over the corpus says of the misses: those marked as mended that it misses, open ones that it finds."""
    misses = [
        (row, match) for row in read(root / SAMPLE) if (match := VERDICT.fullmatch(row.verdict)) and match["code"]
    ]
    packages = {f"{row.package}-{row.version}" for row, _ in misses}
    found = {place for package in sorted(packages) for place in reported(package, corpus / package)}
    lost: list[str] = []
    gained: list[str] = []
    for row, match in misses:
        place = Place(f"{row.package}-{row.version}", row.file, int(match["line"]), match["code"])
        if (place in found) != (match["state"] == "mended"):
            (gained if place in found else lost).append(f"{place.package}/{place.file}:{place.row}: {place.code}")
    return lost, gained


def choose(corpus: Path, seed: int) -> Iterator[Row]:
    """A sample of each kind, in turn from each package, of functions in which nothing is reported."""
    packages = sorted(folder.name for folder in corpus.iterdir() if folder.is_dir())
    silent = {package: list(_silent(package, corpus / package)) for package in packages}
    for kind, holds in _KINDS.items():
        pools: list[list[Row]] = []
        for package, functions in silent.items():
            name, _, version = package.rpartition("-")
            rows = [Row(kind, name, version, file, fn.lineno, path) for file, path, fn in functions if holds(fn)]
            random.Random(f"{seed} {kind} {package}").shuffle(rows)
            pools.append(rows)
        yield from _in_turn(pools, SIZES[kind])


def _in_turn(pools: list[list[Row]], count: int) -> Iterator[Row]:
    while count and any(pools):
        for pool in pools:
            if pool and count:
                count -= 1
                yield pool.pop()


def _silent(package: str, folder: Path) -> Iterator[tuple[str, str, Function]]:
    """File, qualified name and definition of each function without a finding; tests are not read."""
    found: dict[str, set[int]] = {}
    for place in reported(package, folder):
        found.setdefault(place.file, set()).add(place.row)
    for path in sorted(folder.rglob("*.py")):
        file = path.relative_to(folder).as_posix()
        if re.search(r"(^|[/_])tests?[/_.]|test_utils", file):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except SyntaxError:
            continue
        rows = found.get(file, set())
        for name, fn in _functions(tree, ""):
            end = fn.end_lineno or fn.lineno
            if end - fn.lineno <= _LONGEST and not any(fn.lineno <= row <= end for row in rows):
                yield file, name, fn


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + child.name, child
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _calls(fn: Function) -> Iterable[ast.Call]:
    return (node for node in ast.walk(fn) if isinstance(node, ast.Call))


def _handles_keys(fn: Function) -> bool:
    """Whether random keys are given to two calls at least, or to one in a loop."""
    given, random_keys, loops = 0, False, False
    for node in ast.walk(fn):
        if isinstance(node, ast.Call):
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            given += any(_KEY.search(_last(value)) for value in values)
        elif isinstance(node, ast.Attribute):
            random_keys |= _last(node.value) in _RANDOM_MODULES
        elif isinstance(node, ast.Name | ast.arg):
            random_keys |= "rng" in (node.id if isinstance(node, ast.Name) else node.arg).lower()
        loops |= isinstance(node, ast.For | ast.While | ast.comprehension)
    return random_keys and given >= (1 if loops else 2)


def _is_traced(fn: Function) -> bool:
    """Whether a transformation is applied to the function, or to a function inside, and helpers are called there."""
    parts = (item for decorator in fn.decorator_list for item in ast.walk(decorator))
    names = {_last(item) for item in parts if isinstance(item, ast.expr)}
    inner = {node.name for node in ast.walk(fn) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for call in _calls(fn):
        if _last(call.func) in _TRACING and any(_last(value) in inner for value in call.args):
            names.add(_last(call.func))
    helpers = sum(isinstance(call.func, ast.Name) or _of_self(call.func) for call in _calls(fn))
    return bool(names & _TRACING) and helpers >= 2


def _of_self(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self"


def _handles_buffers(fn: Function) -> bool:
    """Whether a buffer is donated or left unwritten here."""
    for call in _calls(fn):
        if any(keyword.arg in _DONATING for keyword in call.keywords):
            return True
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in ("empty", "empty_like") and _last(func.value) == "jnp":
            return True
    return False


_KINDS: dict[str, Callable[[Function], bool]] = {
    "keys": _handles_keys,
    "traced": _is_traced,
    "buffers": _handles_buffers,
}


def write(rows: Iterable[Row], file: TextIO) -> None:
    """Write a table, for people to put their verdicts into."""
    for cells in (COLUMNS, *rows):
        file.write("\t".join(map(str, cells)) + "\n")


__all__ = ["COLUMNS", "SAMPLE", "SIZES", "VERDICT", "Row", "check", "choose", "read", "write"]
