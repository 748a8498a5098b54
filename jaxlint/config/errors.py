"""What the user got wrong, said so that it can be mended."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """A mistake in the command line or a settings file; its text names the place. The exit code is 2."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean `x`?` with the nearest candidate, or nothing when none is near."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    wanted = word.lower().replace("_", "-")
    near = difflib.get_close_matches(wanted, by_lower, n=1, cutoff=0.6)
    return f"; did you mean `{by_lower[near[0]]}`?" if near else ""


def one_of(candidates: Iterable[str]) -> str:
    """A list for messages: `a`, `b` or `c`."""
    words = [f"`{candidate}`" for candidate in candidates]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
