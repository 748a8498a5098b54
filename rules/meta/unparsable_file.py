"""JAX001: the file is not valid Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule

if TYPE_CHECKING:
    from jaxlint.source import UnparsableFile


class UnparsableFileRule(Rule):
    """Tells of every file of which nothing was checked."""

    code = "JAX001"
    name = "unparsable-file"
    severity = Severity.ERROR
    messages: ClassVar[dict[str, str]] = {"default": "{reason}; nothing else was checked in this file"}
    help = "mend the syntax or the encoding, or exclude the file"
    reference = "linter"
    explanation = Explanation(
        what=(
            "The file cannot be read, cannot be decoded, or is not valid Python, so no other rule has looked at it. "
            "Encodings are read as Python reads them: a byte order mark, else a declaration in the first two lines, "
            "else UTF-8."
        ),
        why=(
            "A file that is passed over in silence looks clean. The rule is therefore on whatever is selected; only "
            "ignoring it turns it off."
        ),
        wrong="import jax\n\n\ndef scale(x):\n    return jax.numpy.multiply(x, 2.0\n",
        right="import jax\n\n\ndef scale(x):\n    return jax.numpy.multiply(x, 2.0)\n",
        mend=(
            "Mend what the message names. A file that is meant to be invalid (a template, a test's input) belongs into "
            "the `exclude` setting."
        ),
    )

    def on_unparsable_file(self, event: UnparsableFile, ctx: object) -> tuple[str, dict[str, str]]:
        """The kind of message and what fills it."""
        return "default", {"reason": event.message}
