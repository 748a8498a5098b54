"""JUnit's XML, as test reports of CI show it: one suite a file, one failing case a finding."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from jaxlint.findings import Failure, Finding
from jaxlint.report.formats import Report
from jaxlint.report.paths import well_formed

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> Iterator[str]:
    """`--format junit`. Without any case a report counts as broken, so a clean run has one that passes."""
    failures, errors = len(report.findings), len(report.failures)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    counts = {"tests": max(failures + errors, 1), "skipped": 0, "failures": failures, "errors": errors}
    yield f"<testsuites {_attributes(name='jaxlint', **counts)}>\n"
    for path, group in groupby(report.findings, key=lambda finding: finding.path):
        findings = list(group)
        yield _suite_start(path, failures=len(findings))
        for finding in findings:
            yield from _case(finding)
        yield "    </testsuite>\n"
    for failure in report.failures:
        yield from _error(failure)
    if not failures and not errors:
        yield _suite_start("jaxlint", failures=0)
        yield f"        <testcase {_attributes(name='No errors found', classname='jaxlint')}/>\n"
        yield "    </testsuite>\n"
    yield "</testsuites>\n"


def _suite_start(name: str, *, failures: int, errors: int = 0) -> str:
    counts = {"tests": max(failures + errors, 1), "skipped": 0, "errors": errors, "failures": failures}
    return f"    <testsuite {_attributes(name=name, **counts, package='org.jaxlint')}>\n"


def _case(finding: Finding) -> Iterator[str]:
    row, column = finding.span.row, finding.span.column
    place = {"line": row, "column": column} if finding.cell is None else {}
    cell = f"cell {finding.cell}, " if finding.cell is not None else ""
    name = {"name": f"org.jaxlint.{finding.code}", "classname": os.path.splitext(finding.path)[0]}  # noqa: PTH122
    yield f"        <testcase {_attributes(**name, **place)}>\n"
    yield "            <properties>\n"
    yield f"                <property {_attributes(name='severity', value=finding.severity.value)}/>\n"
    if finding.confirmation is not None:
        for part, value in asdict(finding.confirmation).items():
            yield f"                <property {_attributes(name=f'confirmation.{part}', value=value)}/>\n"
    yield "            </properties>\n"
    text = _text(f"{cell}line {row}, col {column}, {finding.told}")
    yield f"            <failure {_attributes(message=finding.message)}>{text}</failure>\n"
    yield "        </testcase>\n"


def _error(failure: Failure) -> Iterator[str]:
    """A file that the linter failed on is an error, which is not a finding."""
    name = failure.path or "jaxlint"
    yield _suite_start(name, failures=0, errors=1)
    yield f"        <testcase {_attributes(name='org.jaxlint', classname=os.path.splitext(name)[0])}>\n"  # noqa: PTH122
    yield f"            <error {_attributes(message=failure.message)}>{_text(failure.message)}</error>\n"
    yield "        </testcase>\n"
    yield "    </testsuite>\n"


def _attributes(**values: str | int) -> str:
    return " ".join(f"{name}={_ascii(quoteattr(_legal(str(value))))}" for name, value in values.items())


def _text(text: str) -> str:
    return _ascii(escape(_legal(text)))


def _legal(text: str) -> str:
    """Text without the characters that XML cannot express."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", well_formed(text))


def _ascii(text: str) -> str:
    """The same in ASCII, so that the document is valid in whatever encoding the stream has."""
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
