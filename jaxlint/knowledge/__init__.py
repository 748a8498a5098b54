"""What libraries do, as data: the tables beside this module, read once.

functions (`*.tsv` with the columns name, params, effects, returns): how a function treats its arguments.
transforms.tsv: what traces its callable. classes.tsv: classes that mean something to JAX programs. aliases.tsv: other
public spellings of a name. decorators.tsv: decorators that leave a function what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
_TERM = re.compile(r"(\w+)(?::([\w().,]+))?(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?")

_DISTRIBUTED = frozenset({"collective", "axis", "barrier", "divergent", "spans", "spans_if", "alldevices", "axes_of"})

Term = tuple[str, tuple[str, ...]]


class FunctionInfo:
    """One row of a function table: parameter names in order, effects and what comes back.

    sketch: the row says of some arguments that they are keys, and nothing of the others. The row is parsed when one of
    its parts is first asked for: most programs use few of the functions that the tables know.
    """

    __slots__ = (
        "_row",
        "distributed",
        "effects",
        "keyword_only",
        "keywords",
        "name",
        "params",
        "returns",
        "sketch",
        "star",
        "worldly",
    )

    params: list[str]
    keyword_only: list[str]
    star: str | None
    keywords: str | None
    effects: tuple[Term, ...]
    returns: Term
    worldly: bool
    distributed: bool

    def __init__(self, name: str, params: str, effects: str, returns: str) -> None:
        self.name = name
        self.sketch = False
        self._row = (params, effects, returns)

    def __getattr__(self, name: str) -> object:
        """A part of the row that was not parsed yet."""
        if name not in FunctionInfo.__annotations__:
            raise AttributeError(name)
        self._parse(*self._row)
        return object.__getattribute__(self, name)

    def _parse(self, params: str, effects: str, returns: str) -> None:
        self.params = []
        self.keyword_only = []
        self.star = None
        self.keywords = None
        target = self.params
        for part in filter(None, params.split(",")):
            part = part.strip()
            if part == "*":
                target = self.keyword_only
            elif part.startswith("**"):
                self.keywords = part[2:]
            elif part == "/":
                continue
            elif part.startswith("*"):
                self.star = part[1:]
                target = self.keyword_only
            else:
                target.append(part.rstrip("="))
        self.effects = tuple(term(part) for part in effects.split(";") if part)
        if not any(self.keywords in names for _, names in self.effects):
            self.keywords = None
        self.returns = term(returns) if returns else ("unknown", ())
        self.worldly = any(effect in ("effect", "impure") for effect, _ in self.effects)
        self.distributed = any(effect in _DISTRIBUTED for effect, _ in self.effects)

    def complete(self, parameters: list[str]) -> None:
        """Take in the signature that a sketched function turned out to have; what was a position gets its name."""
        named = dict(zip(self.params, parameters, strict=False))
        self.effects = tuple((effect, tuple(named.get(word, word) for word in args)) for effect, args in self.effects)
        self.params = list(parameters)

    def effect(self, name: str) -> tuple[str, ...] | None:
        """The arguments of the effect `name`, or None."""
        return next((args for effect, args in self.effects if effect == name), None)


class TransformInfo:
    """One row of transforms.tsv."""

    __slots__ = ("callables", "feeds", "gives", "mode", "name", "options", "params", "result")

    def __init__(self, row: dict[str, str]) -> None:
        self.name = row["name"]
        self.params = FunctionInfo(row["name"], row["params"], "", "")
        self.callables = [part.strip() for part in row["callables"].split(";") if part.strip()]
        self.mode = row["mode"]
        self.result = row["result"]
        self.options = {part.strip() for part in re.split(r"[;, ]+", row["options"]) if part.strip()}
        self.feeds = row.get("feeds", "")
        self.gives = row.get("gives", "")


def term(text: str) -> Term:
    """Parse `name(arg,arg)`; nested parentheses stay whole."""
    text = text.strip()
    open_at = text.find("(")
    if open_at < 0:
        return text, ()
    depth, start, args = 0, open_at + 1, []
    for index in range(open_at, len(text)):
        char = text[index]
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                args.append(text[start:index])
                break
        elif char == "," and depth == 1:
            args.append(text[start:index])
            start = index + 1
    return text[:open_at], tuple(arg.strip() for arg in args if arg.strip())


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table, by column name."""
    return rows_of(path.read_text(encoding="utf-8").splitlines())


def rows_of(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The rows of a table of which the lines are given."""
    header: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if not header:
            header = cells
            continue
        yield dict(zip(header, cells + [""] * (len(header) - len(cells)), strict=False))


class Knowledge:
    """All tables, by qualified name.

    own: names for which the project's word counts, also where it defines them itself. key_parameters: parameters that
    hold keys, by function; key_names: by their name, of any function.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.functions: dict[str, FunctionInfo] = {}
        self.prefixes: dict[str, FunctionInfo] = {}
        self.transforms: dict[str, TransformInfo] = {}
        self.classes: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.decorators: dict[str, str] = {}
        self.own: set[str] = set()
        self.key_parameters: dict[str, frozenset[str | int]] = {}
        self.key_names: frozenset[str] = frozenset()
        self._resolved: dict[str, FunctionInfo | None] = {}
        for path in sorted(folder.glob("*.tsv")):
            self.read(path.name, rows(path))

    def read(self, table: str, found: Iterable[dict[str, str]]) -> None:
        """Take in rows; `table` is the file name of a special table, anything else names functions."""
        for row in found:
            if table == "transforms.tsv":
                self.transforms[row["name"]] = TransformInfo(row)
            elif table == "classes.tsv":
                self.classes[row["name"]] = row["kind"]
            elif table == "aliases.tsv":
                self.aliases[row["alias"]] = row["canonical"]
            elif table == "decorators.tsv":
                self.decorators[row["name"]] = row["effect"]
            else:
                info = FunctionInfo(row["name"], row["params"], row["effects"], row["returns"])
                if row["name"].endswith(".*"):
                    self.prefixes[row["name"][:-2]] = info
                else:
                    self.functions[row["name"]] = info

    def forget(self) -> None:
        """Drop answers that were given before rows were added."""
        self._resolved = {}

    def canonical(self, name: str) -> str:
        """The canonical spelling of a public name; aliases of a leading part count too."""
        found = self.aliases.get(name)
        if found is not None:
            return found
        head, _, tail = name.rpartition(".")
        while head:
            found = self.aliases.get(head)
            if found is not None:
                whole = f"{found}.{tail}"
                return self.aliases.get(whole, whole)
            head, _, last = head.rpartition(".")
            tail = f"{last}.{tail}"
        return name

    def function(self, name: str) -> FunctionInfo | None:
        """What is known of the function `name`: its own row, else that of the nearest prefix."""
        if name in self._resolved:
            return self._resolved[name]
        found = self.functions.get(name)
        prefix = name
        while found is None and "." in prefix:
            prefix = prefix.rpartition(".")[0]
            found = self.prefixes.get(prefix)
        self._resolved[name] = found
        return found


@lru_cache(maxsize=1)
def load() -> Knowledge:
    """The shipped tables."""
    return Knowledge()
