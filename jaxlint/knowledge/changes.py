"""What changed in the public interface of JAX: the names, modules and arguments that went or are on their way out.

`data/api_changes.tsv` holds one row a change. kind: `name` (a function, class, constant or configuration option),
`module`, `import` (a module whose name lives on as an attribute: only import statements of it are wrong), `argument`,
`default` (a default that means another thing now), `tuning` (a default that changes speed alone) and `behaviour` (in
words). An argument is written `function(argument=)`, or `function(<words>)` with the number of arguments that may still
be given by position in `limit`. For defaults and behaviours, removed_in is the version of the change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jaxlint.knowledge import rows
from jaxlint.target import Target

TABLE = Path(__file__).parent / "data" / "api_changes.tsv"
_ARGUMENT = re.compile(r"([\w.]+)\((?:(\w+)=|<(.*)>)\)")
_OPTIONS = "jax.config."


@dataclass(frozen=True, slots=True)
class Change:
    """One row. owner and argument: the function and its argument in rows that speak of arguments."""

    name: str
    kind: str
    deprecated_in: str
    removed_in: str
    replacement: str
    drop_in: bool
    limit: int | None
    note: str
    owner: str = ""
    argument: str = ""

    def removed(self, target: Target) -> bool:
        """Whether the newest of the versions lacks it."""
        return bool(self.removed_in) and target.reaches(self.removed_in)

    def deprecated(self, target: Target) -> bool:
        """Whether the newest of the versions still has it and warns."""
        return bool(self.deprecated_in) and target.reaches(self.deprecated_in) and not self.removed(target)

    @property
    def option(self) -> str:
        """The configuration option that the row is about, if it is about one."""
        return self.name.removeprefix(_OPTIONS) if self.name.startswith(_OPTIONS) else ""


class Changes:
    """The table, by what a program can spell."""

    def __init__(self, path: Path = TABLE) -> None:
        self.names: dict[str, Change] = {}
        self.imports: dict[str, Change] = {}
        self.arguments: dict[str, list[Change]] = {}
        self.methods: dict[str, Change] = {}
        for row in rows(path):
            self._add(row)
        whole = [*self.names, *self.arguments]
        self.packages = {name.rpartition(".")[0] for name in whole if name.count(".") > 2}
        self.words = {name.rpartition(".")[2] for name in (*self.names, *self.imports)}

    def _add(self, row: dict[str, str]) -> None:
        match = _ARGUMENT.fullmatch(row["name"])
        change = Change(
            row["name"],
            row["kind"],
            row["deprecated_in"],
            row["removed_in"],
            row["replacement"],
            row["drop_in"] == "yes",
            int(row["limit"]) if row["limit"] else None,
            row["note"],
            match[1] if match else "",
            (match[2] or "") if match else "",
        )
        if change.kind in ("argument", "default") and match is not None:
            self.arguments.setdefault(change.owner, []).append(change)
        elif change.kind in ("name", "module", "import"):
            if change.name.startswith("jax.Array."):
                self.methods[change.name.rpartition(".")[2]] = change
            elif change.kind != "import":
                self.names[change.name] = change
            self.imports[change.name] = change


@lru_cache(maxsize=1)
def public_names() -> dict[str, str]:
    """Where the public interface has what a private module defines (`data/public_names.tsv`)."""
    return {row["private"]: row["public"] for row in rows(TABLE.with_name("public_names.tsv"))}


@lru_cache(maxsize=1)
def load() -> Changes:
    """The shipped table."""
    return Changes()
