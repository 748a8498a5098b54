"""From places of the one program to places that people know: cells of notebooks, rows of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxlint.findings import Edit, Finding, Fix, Related
from jaxlint.source import Source, is_document

if TYPE_CHECKING:
    from jaxlint.notebooks.document import Document


def located(findings: Iterable[Finding], source: Callable[[str], Source]) -> list[Finding]:
    """Findings with their places in cells and pages, in the order in which they are shown.

    `source` gives the file of a path; only documents are asked for.
    """
    known: dict[str, Document | None] = {}

    def document(path: str) -> Document | None:
        if path not in known:
            known[path] = source(path).document if is_document(path) else None
        return known[path]

    return sorted((_located(finding, document) for finding in findings), key=Finding.sort_key)


def _located(finding: Finding, document: Callable[[str], Document | None]) -> Finding:
    related = tuple(_related(place, document(place.path)) for place in finding.related)
    here = document(finding.path)
    if here is None:
        return replace(finding, related=related) if related != finding.related else finding
    cell, span = here.place(finding.span)
    rows = tuple(here.row(row) for row in finding.noqa_rows)
    fix = _fix(finding.fix, here) if finding.fix is not None and here.fixable else None
    return replace(finding, span=span, cell=cell, related=related, noqa_rows=rows, fix=fix)


def _related(related: Related, document: Document | None) -> Related:
    if document is None:
        return related
    cell, span = document.place(related.span)
    return replace(related, span=span, cell=cell)


def _fix(fix: Fix, document: Document) -> Fix:
    edits: list[Edit] = []
    for edit in fix.edits:
        cell, span = document.place(edit.span)
        edits.append(replace(edit, span=span, cell=cell))
    return replace(fix, edits=tuple(edits))
