"""The rules that are installed, looked up by the words users select them with."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from jaxlint.config.errors import UsageError, did_you_mean
from jaxlint.rule import Rule

ALL = "ALL"
_CODE_OR_PREFIX = re.compile(r"^([A-Z]+)([0-9]*)$")


@dataclass(frozen=True, slots=True)
class Selector:
    """A word of the user: the codes it stands for, and how specific it is (a code beats `JAX2`, that beats `ALL`)."""

    word: str
    codes: frozenset[str]
    specificity: int


_EXACT = 1000


class Catalogue:
    """Rules by code, by prefix (`JAX2`), by name (`key-reuse`) and `ALL`."""

    def __init__(self, rules: Iterable[Rule], reserved: Callable[[], Mapping[str, str]] | None = None) -> None:
        """`reserved` gives codes that mean a rule which is not there (yet, or any more), with their names."""
        self.rules: tuple[Rule, ...] = tuple(sorted(rules, key=lambda rule: rule.code))
        self.by_code: dict[str, Rule] = {rule.code: rule for rule in self.rules}
        self.by_name: dict[str, Rule] = {rule.name: rule for rule in self.rules}
        self._letters = {_letters(rule.code) for rule in self.rules}
        self._reserved_source = reserved or dict
        self._reserved: Mapping[str, str] | None = None
        self._found: dict[str, Selector | None] = {}

    def __iter__(self) -> Iterator[Rule]:
        """The rules in the order of their codes."""
        return iter(self.rules)

    @property
    def reserved(self) -> Mapping[str, str]:
        """Codes without a rule that are known all the same; asked for only when a word is not a rule's."""
        if self._reserved is None:
            self._reserved = self._reserved_source()
        return self._reserved

    def find(self, word: str) -> Selector | None:
        """What a word selects, or None when it means nothing here."""
        if word not in self._found:
            self._found[word] = self._find(word)
        return self._found[word]

    def select(self, word: str, place: str) -> Selector:
        """What a word selects; a word that means nothing is the user's mistake."""
        selector = self.find(word)
        if selector is None:
            raise UsageError(f"{place}: unknown rule selector `{word}`{self.suggestion(word)}")
        return selector

    def suggestion(self, word: str) -> str:
        """The nearest right word, as the end of a message."""
        return did_you_mean(word, [ALL, *self._letters, *self.by_code, *self.by_name])

    def with_handler(self, method: str) -> Rule | None:
        """The first rule that listens to an event."""
        return next((rule for rule in self.rules if hasattr(rule, method)), None)

    def _find(self, word: str) -> Selector | None:
        upper = word.upper()
        if upper == ALL:
            return Selector(word, frozenset(self.by_code), 0)
        name = word.lower().replace("_", "-")
        if name in self.by_name:
            return Selector(word, frozenset({self.by_name[name].code}), _EXACT)
        if not _CODE_OR_PREFIX.match(upper):
            return Selector(word, frozenset(), _EXACT) if name in self.reserved.values() else None
        codes = frozenset(_with_prefix(upper, self.by_code))
        if upper in self.by_code:
            return Selector(word, codes, _EXACT)
        if codes or any(_with_prefix(upper, self.reserved)):
            return Selector(word, codes, _EXACT if upper in self.reserved else len(upper))
        return None


def load_catalogue() -> Catalogue:
    """The rules of every installed rule package."""
    from jaxlint.registry import rule_classes  # noqa: PLC0415 (loads every rule)

    return Catalogue([rule() for rule in rule_classes()], reserved_codes)


def reserved_codes() -> dict[str, str]:
    """Code to name, from the modules `reserved` that rule packages may carry."""
    from jaxlint.registry import rule_packages  # noqa: PLC0415 (as above)

    reserved: dict[str, str] = {}
    for entry in rule_packages():
        name = f"{entry.module}.reserved"
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            continue
        reserved.update(module.RESERVED)
        reserved.update(getattr(module, "RETIRED", {}))
    return reserved


def _letters(code: str) -> str:
    return code.rstrip("0123456789")


def _with_prefix(prefix: str, codes: Iterable[str]) -> Iterator[str]:
    """Codes that start with the prefix; the letters must be whole, since `J` is nobody's name space."""
    for code in codes:
        if code.startswith(prefix) and len(prefix) >= len(_letters(code)):
            yield code
