"""JAX002: a `# noqa` comment that silences nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.files.suppressions import UnusedSuppression


class UnusedSuppressionRule(Rule):
    """Tells of codes in suppression comments that match no finding."""

    code = "JAX002"
    name = "unused-suppression"
    severity = Severity.WARNING
    messages: ClassVar[dict[str, str]] = {
        "default": "unused suppression of {codes}: nothing is reported here",
        "file": "unused file-level suppression of {codes}: nothing is reported in this file",
    }
    help = "remove the code, or the comment if no code is left"
    shown_as = "unnecessary"
    reference = "linter"
    explanation = Explanation(
        what=(
            "A `# noqa: JAX…` or `# jaxlint: noqa: JAX…` comment names a rule that reports nothing where the comment "
            "counts: on the finding's first line, on the last line of its statement's header, or, for the second form, "
            "in the whole file. Only codes of rules that are on are judged; a bare `# noqa` and the codes of other "
            "linters are left alone."
        ),
        why=(
            "The comment claims a fault that is no longer there. It misleads readers, and it will hide the next fault "
            "of that kind on the line."
        ),
        wrong=(
            "import jax\n\n\ndef sample(key):\n    left, right = jax.random.split(key)\n"
            "    return jax.random.normal(left) + jax.random.normal(right)  # noqa: JAX201\n"
        ),
        right=(
            "import jax\n\n\ndef sample(key):\n    left, right = jax.random.split(key)\n"
            "    return jax.random.normal(left) + jax.random.normal(right)\n"
        ),
        mend=(
            "Remove the code from the comment, and the comment when no code is left. The fix does this and keeps other "
            "text."
        ),
    )

    def on_unused_suppression(self, event: UnusedSuppression, ctx: object) -> tuple[str, dict[str, str]]:
        """The kind of message and what fills it."""
        return "file" if event.whole_file else "default", {"codes": ", ".join(f"`{code}`" for code in event.codes)}
