"""What can be done about a finding: its fix, all safe fixes, or a comment that silences it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from lsprotocol import types

from jaxlint.config.catalogue import Catalogue
from jaxlint.files.silencing import silencing
from jaxlint.files.suppressions import Suppressions
from jaxlint.findings import Applicability, Finding, Span
from jaxlint.fixes.apply import apply_fixes
from jaxlint.fixes.text import Rows, regions, replaced
from jaxlint.report.reference import rule_url
from jaxlint.server.diagnostics import SOURCE, is_offered
from jaxlint.source import Source

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


@dataclass(frozen=True)
class Action:
    """An action before its edits are made. `what` is "fix" or "noqa", for the finding, or "all"."""

    title: str
    kind: str
    what: str
    finding: Finding | None = None
    preferred: bool = False


def actions(
    findings: Iterable[Finding], span: Span, only: Sequence[str] | None, named: Collection[tuple[str, int]] = ()
) -> list[Action]:
    """What is offered for the findings that a region touches, and for those that the client names by code and row.

    `only` are the kinds that the client wants.
    """
    known = list(findings)
    here = [finding for finding in known if _touches(finding.span, span) or (finding.code, finding.span.row) in named]
    found: list[Action] = []
    if _wanted(types.CodeActionKind.QuickFix.value, only):
        found += [_fix(finding) for finding in here if is_offered(finding)]
        for code, finding in {finding.code: finding for finding in reversed(here)}.items():
            title = f"Disable {code} for this line"
            found.append(Action(title, types.CodeActionKind.QuickFix.value, "noqa", finding))
    if _wanted(FIX_ALL, only) and any(_is_safe(finding) for finding in known):
        found.append(Action("Fix all safe jaxlint findings", FIX_ALL, "all"))
    return found


def data_of(action: Action) -> dict[str, object]:
    """What tells an action again when the client asks for its edit, without null members, which clients may drop."""
    finding = action.finding
    told: dict[str, object] = {"what": action.what}
    return told if finding is None else {**told, "finding": [finding.code, *astuple(finding.span)]}


def meant(data: Mapping[str, Any], findings: Iterable[Finding]) -> Action | None:
    """The action that such data tell of; None when its finding is no longer there."""
    if "finding" not in data:
        return Action("", FIX_ALL, data["what"])
    code, *place = data["finding"]
    same = (finding for finding in findings if finding.code == code and finding.span == Span(*place))
    finding = next(same, None)
    return None if finding is None else Action("", types.CodeActionKind.QuickFix.value, data["what"], finding)


def _fix(finding: Finding) -> Action:
    assert finding.fix is not None
    safe = _is_safe(finding)
    message = finding.fix.message
    title = f"{message[:1].upper()}{message[1:]} ({finding.code}{'' if safe else ', unsafe'})"
    return Action(title, types.CodeActionKind.QuickFix.value, "fix", finding, preferred=safe)


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


def _touches(one: Span, other: Span) -> bool:
    return (one.row, one.column) <= (other.end_row, other.end_column) and (other.row, other.column) <= (
        one.end_row,
        one.end_column,
    )


def _wanted(kind: str, only: Sequence[str] | None) -> bool:
    """A kind is wanted under its own name and under those of the kinds above it."""
    return only is None or any(kind == wanted or kind.startswith(wanted + ".") or not wanted for wanted in only)


def fixed_text(source: Source, finding: Finding) -> str:
    """The text with one finding mended."""
    return apply_fixes(source, [finding], unsafe=True).text


def silenced_text(source: Source, finding: Finding, catalogue: Catalogue) -> str:
    """The text with a comment that silences one finding; unchanged where no comment can."""
    edits = silencing(source, [finding], Suppressions(source, catalogue)).edits
    return replaced(source.text, regions(edits, Rows(source.text), source.newline))


def hover_text(words: Iterable[str], catalogue: Catalogue) -> str:
    """What the codes or names of a suppression comment stand for, as Markdown; nothing where they mean no rule."""
    parts: list[str] = []
    for word in words:
        selector = catalogue.find(word)
        codes = sorted(selector.codes) if selector is not None else []
        for code in codes:
            rule = catalogue.by_code[code]
            url = rule_url(rule.code, rule.reference)
            name = f"[{code}]({url})" if url else code
            if len(codes) == 1:
                parts.append(f"**{name}** `{rule.name}`\n\n{rule.explanation.what}\n\n{rule.help}")
            else:
                parts.append(f"- **{name}** `{rule.name}`")
    return "\n".join(parts)
