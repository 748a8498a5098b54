"""Which rules are on: sources in order, the most specific word of each source first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxlint.config.catalogue import Catalogue, Selector
from jaxlint.rule import Rule


@dataclass(frozen=True, slots=True)
class Selection:
    """What one source (a settings file, the command line) says. `select` None: it keeps what earlier sources chose."""

    select: tuple[Selector, ...] | None
    extend_select: tuple[Selector, ...]
    ignore: tuple[Selector, ...]


def enabled(catalogue: Catalogue, selections: Sequence[Selection]) -> frozenset[str]:
    """The codes that are on after every source, the weakest first."""
    return frozenset(rule.code for rule in catalogue if _is_on(rule, selections))


def fixable(catalogue: Catalogue, selections: Sequence[Selection]) -> frozenset[str]:
    """The codes of which fixes may be applied; all of them unless a source says less."""
    return frozenset(rule.code for rule in catalogue if _after(rule.code, selections, state=True, always=False))


def _is_on(rule: Rule, selections: Sequence[Selection]) -> bool:
    # An unreadable file is told of whatever is selected, or it would look clean; only ignoring the rule hides it.
    always = hasattr(rule, "on_unparsable_file")
    return _after(rule.code, selections, state=rule.default or always, always=always)


def _after(code: str, selections: Sequence[Selection], *, state: bool, always: bool) -> bool:
    """Whether a code is on after every source, from a first state; `always`: what selects others leaves it on."""
    ignored = -1
    for selection in selections:
        on = _specificity(code, (*(selection.select or ()), *selection.extend_select))
        off = _specificity(code, selection.ignore)
        if selection.select is not None:
            state = always and ignored < 0
        # A later source beats an earlier one, but must be as specific as what that one ignored.
        if on >= 0 and on > off and on >= ignored:
            state = True
        elif off >= max(on, 0):
            state = False
        ignored = max(ignored, off)
    return state


def _specificity(code: str, selectors: Sequence[Selector]) -> int:
    return max((selector.specificity for selector in selectors if code in selector.codes), default=-1)
