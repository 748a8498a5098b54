"""Applying the fixes of one file to its text: one pass of edits that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlint.findings import Finding, is_applicable
from jaxlint.fixes.imports import add_imports, remove_unused
from jaxlint.fixes.text import Region, Rows, overlap, regions, replaced
from jaxlint.source import Source
from jaxlint.syntax.python import python_tree


@dataclass(slots=True)
class Applied:
    """The text of a file after one pass, and the findings that were mended. broken: what was wrong with the result."""

    text: str
    fixed: list[Finding] = field(default_factory=list)
    broken: str = ""


def apply_fixes(source: Source, findings: Iterable[Finding], *, unsafe: bool) -> Applied:
    """Apply the fixes that may be applied, from the top of the file on; of two that overlap, the first."""
    rows = Rows(source.text)
    chosen: list[tuple[list[Region], Finding]] = []
    for finding in findings:
        if finding.fix is not None and is_applicable(finding, unsafe=unsafe):
            chosen.append((regions(finding.fix.edits, rows, source.newline), finding))
    chosen.sort(key=lambda pair: (pair[0][:1], pair[1].sort_key()))
    taken: list[Region] = []
    applied = Applied(source.text)
    imports: list[str] = []
    for edits, finding in chosen:
        if (
            finding.fix is None
            or overlap(edits, taken)
            or any(overlap([edit], edits[:n]) for n, edit in enumerate(edits))
        ):
            continue
        taken += edits
        imports += finding.fix.imports
        applied.fixed.append(finding)
    if not applied.fixed:
        return applied
    text = replaced(source.text, taken)
    error = _unparsable(text)
    if not error and source.text.strip():
        text = _with_imports(source, text, imports)
        error = _unparsable(text)
    if error:
        codes = ", ".join(sorted({finding.code for finding in applied.fixed}))
        return Applied(source.text, broken=f"the fixes of {codes} would make a file that does not parse ({error})")
    applied.text = text
    return applied


def _with_imports(source: Source, text: str, imports: list[str]) -> str:
    try:
        text = add_imports(text, imports, source.newline)
        # A package offers what it imports; magics of a notebook use names that nobody sees.
        keeps = source.document is not None or source.path.endswith(("__init__.py", ".pyi"))
        return text if keeps else remove_unused(source.text, text)
    except SyntaxError:  # the running Python knows less syntax than the file has
        return text


def _unparsable(text: str) -> str:
    """Why a text is no program; nothing where it is one, to the running Python or to LibCST."""
    try:
        python_tree(text)
    except SyntaxError as error:
        import libcst as cst  # noqa: PLC0415 (a run in which nothing is broken need not load it)

        try:
            cst.parse_module(text)
        except Exception:
            return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return ""
