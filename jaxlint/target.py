"""The JAX versions that code is judged against: from lowest to highest, both supported."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

NEWEST = "0.12"

_PATCHES = {
    "0.1": 77, "0.2": 28, "0.3": 25, "0.4": 38, "0.5": 3, "0.6": 2, "0.7": 2, "0.8": 3, "0.9": 2, "0.10": 2, "0.11": 2,
    "0.12": 0,
}  # fmt: skip
RELEASES = tuple(f"{minor}.{patch}" for minor, last in _PATCHES.items() for patch in range(last + 1))
"""The releases of JAX, oldest first; numbers that were skipped do no harm."""

Version = tuple[int, ...]


def version(text: str) -> Version:
    """The numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:4])


@dataclass(frozen=True, slots=True)
class Target:
    """A range of JAX versions. A bound of two numbers stands for all patches of that version."""

    lowest: Version
    highest: Version

    @classmethod
    def parse(cls, text: str) -> Target:
        """`0.12`, or `0.4.30..0.12` for a range; nothing stands for the newest known version."""
        low, _, high = (text or NEWEST).partition("..")
        return cls(version(low), version(high or low))

    def __str__(self) -> str:
        low, high = (".".join(map(str, bound)) for bound in (self.lowest, self.highest))
        return low if low == high else f"{low}..{high}"

    def reaches(self, changed: str) -> bool:
        """Whether the highest version has a change that was made in version `changed`."""
        at = version(changed)
        return at[: len(self.highest)] <= self.highest

    def spans(self, changed: str) -> bool:
        """Whether some of the versions have the change and others do not."""
        return self.reaches(changed) and self.lowest < version(changed)[: len(self.lowest)]


def supported(requirements: Iterable[str]) -> Target | None:
    """The range that version specifiers such as `>=0.4.30,<0.6` leave, each of them an alternative.

    None when none of them says anything about versions. A range without an upper bound ends with the newest version.
    """
    bounds: list[tuple[Version, Version]] = []
    for requirement in requirements:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 (few runs meet one)

        try:
            specifiers = SpecifierSet(requirement)
        except InvalidSpecifier:
            continue
        if not len(specifiers):
            continue
        fitting = list(specifiers.filter(RELEASES))
        newest = version(NEWEST)
        if not fitting:  # newer than what is known here
            bounds.append((newest, newest))
            continue
        high = version(fitting[-1])
        bounds.append((version(fitting[0]), newest if high[: len(newest)] == newest else high))
    if not bounds:
        return None
    return Target(min(low for low, _ in bounds), max(high for _, high in bounds))
