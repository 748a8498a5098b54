"""Compact forms that outlive one analysis, for a process that analyses the same project again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.syntax import ir

MOST = 3_000_000
"""Characters of source whose compact forms and trees are kept: some 200 MB."""


class Lowered:
    """Modules by path, each good for one text and one name; those that were asked for longest ago go first.

    Nothing writes to a compact form once it is made, so any number of analyses may share it.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._held = 0
        self._modules: dict[str, tuple[str, ir.ModuleIR]] = {}

    def get(self, path: str, text: str, name: str) -> ir.ModuleIR | None:
        """The module that was made from this text under this name."""
        found = self._modules.get(path)
        if found is None or found[0] != text or found[1].name != name:
            return None
        self._modules[path] = self._modules.pop(path)
        return found[1]

    def put(self, text: str, module: ir.ModuleIR) -> None:
        """Keep a module in place of the one that its path had."""
        self.forget(module.path)
        self._modules[module.path] = (text, module)
        self._held += len(text)
        while self._held > self._most and len(self._modules) > 1:
            self.forget(next(iter(self._modules)))

    def forget(self, path: str) -> None:
        """Drop the module of a path."""
        dropped = self._modules.pop(path, None)
        if dropped is not None:
            self._held -= len(dropped[0])

    def holds(self, path: str, text: str) -> bool:
        """Whether this text of the file could be parsed, when last looked at."""
        found = self._modules.get(path)
        return found is not None and found[0] == text
