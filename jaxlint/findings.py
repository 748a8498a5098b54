"""What the linter reports, as plain data: findings, their places and their fixes."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Severity(enum.Enum):
    """How bad a finding is: wrong whatever the input, very likely unintended, or worth a reviewer's look."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Applicability(enum.Enum):
    """Whether a fix keeps the program's meaning (safe), may change it (unsafe), or is only shown."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A region of a file: rows and columns start at 1, columns count code points, the end column is exclusive."""

    row: int
    column: int
    end_row: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """A place that explains a finding: where the key was first consumed, where the function is traced."""

    path: str
    span: Span
    message: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a region by `content`; an empty region inserts."""

    span: Span
    content: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A mechanical rewrite that mends a finding. `imports` are the import lines it needs, such as `import jax`."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What running the program said of a finding.

    verdict: `confirmed`, `refuted` or `inconclusive`. evidence: what was seen. inputs: with which arguments, and where
    these came from.
    """

    verdict: str
    evidence: str
    inputs: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One report.

    `path` is absolute. `noqa_rows` are the rows where a suppression comment counts: the first row of the finding and
    the last row of its statement's header. `cell` is the 1-based notebook cell, in which rows are then counted; until
    `jaxlint.notebooks.places.located` has told it, rows are those of `Source.text`.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    span: Span
    reference: str
    help: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    noqa_rows: tuple[int, ...] = field(default=())
    cell: int | None = None
    confirmation: Confirmation | None = None

    @property
    def told(self) -> str:
        """The message, with the verdict where the program was run."""
        return self.message if self.confirmation is None else f"{self.message} [{self.confirmation.verdict}]"

    def sort_key(self) -> tuple[str, int, Span, str]:
        """The order in which findings are shown."""
        return (self.path, self.cell or 0, self.span, self.code)


@dataclass(frozen=True, slots=True)
class Failure:
    """What the linter failed on: the file, unless it is the run as a whole, and the message for the user."""

    message: str
    path: str | None = None

    def __str__(self) -> str:
        return self.message


def is_applicable(finding: Finding, *, unsafe: bool) -> bool:
    """Whether a finding has a fix that may be applied; unsafe ones only on demand."""
    if finding.fix is None:
        return False
    applicability = finding.fix.applicability
    return applicability is Applicability.SAFE or (unsafe and applicability is Applicability.UNSAFE)
