"""The public API of rules: what a rule module carries and what it may ask.

A rule is a class with its record as class attributes and one method for each thing it listens to:
`on_<event>(event, ctx)` for the engine's semantic events (see `jaxlint.semantics.events`) and
`visit_<Node>(node, place, ctx)` for LibCST nodes of the shared tree, such as `visit_With`. Rule modules hold no
analysis of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from jaxlint.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place, Why
    from jaxlint.target import Target

    FixMaker = Callable[[Editor], Fix | None]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `jaxlint explain` shows. `wrong` and `right` are whole programs; a test lints both."""

    what: str
    why: str
    wrong: str
    right: str
    mend: str


class Rule:
    """One rule. Subclasses set every attribute below; a test demands it.

    code: `JAX` and three digits. name: kebab-case. default: on unless selected otherwise.
    messages: templates by kind of report, filled with `str.format`; the key `"default"` must exist. Lower case, no
    final stop, names in backticks. help: one line that says how to mend it. shown_as: how editors show the place beside
    underlining it: faded as "unnecessary", or struck through as "deprecated". reference: an anchor of
    references/CODE-REVIEW-RUBRIC.md; rules of other packages give the web address of their page. confirm: the dynamic
    test that `--confirm` runs, a module of `jaxlint.confirm.trials` or the dotted name of another; None is no test.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    default: ClassVar[bool] = True
    messages: ClassVar[dict[str, str]]
    help: ClassVar[str]
    shown_as: ClassVar[str] = ""
    reference: ClassVar[str]
    explanation: ClassVar[Explanation]
    confirm: ClassVar[str | None] = None


class RuleContext(Protocol):
    """What a rule may ask and tell while it handles an event or a node."""

    @property
    def target(self) -> Target:
        """The JAX versions that the code is judged against."""

    def report(
        self,
        rule: Rule,
        place: Place,
        kind: str = "default",
        *,
        related: Sequence[tuple[Place, str]] = (),
        fix: FixMaker | None = None,
        **fields: object,
    ) -> None:
        """Report `rule` at `place` with the message of that kind, filled with `fields`.

        `fix` makes the fix, or None where none is certain, from an editor of the file that `place` lies in.
        """

    def text(self, place: Place) -> str:
        """The source text of a node on one line, shortened where it is long."""

    def line(self, place: Place) -> int:
        """The row on which a node begins, for messages that name another place of the same file."""

    def chain(self, why: Why | None) -> list[tuple[Place, str]]:
        """The places that say why a value is traced, outermost first."""

    def class_kind(self, name: str) -> str:
        """What the knowledge tables take a library's class for; empty when they do not know it."""
