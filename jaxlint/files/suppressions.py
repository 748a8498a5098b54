"""Comments that silence findings: `# noqa`, `# noqa: JAX201, JAX3`, `# jaxlint: noqa[: CODES]`, `# flake8: noqa`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jaxlint.config.catalogue import ALL, Catalogue
from jaxlint.files.comments import Comment, comments
from jaxlint.findings import Edit, Finding, Span
from jaxlint.source import Source

_LINE = re.compile(r"#\s*noqa\b(?P<colon>\s*:)?", re.IGNORECASE)
_FILE = re.compile(r"#\s*(?P<tool>jaxlint|flake8)\s*[:=]\s*noqa\b(?P<colon>\s*:)?", re.IGNORECASE)
_WORD = re.compile(r"(?P<gap>[\s,]*)(?P<word>[A-Za-z][A-Za-z0-9_-]*)")
_CODE = re.compile(r"[A-Z]+[0-9]+\Z", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Z]+\Z")
_BEFORE_EXPLANATION = " \t,:;.-\N{EN DASH}\N{EM DASH}"


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """Event: a comment names `codes` of rules that are on and report nothing where it stands.

    `edits` take exactly these codes out of the comment, or the comment out of the file.
    """

    path: str
    span: Span
    codes: tuple[str, ...]
    whole_file: bool
    edits: tuple[Edit, ...]


@dataclass(slots=True)
class Directive:
    """One comment that silences. `words` None: everything."""

    comment: Comment
    start: int
    end: int
    words: tuple[re.Match[str], ...] | None
    whole_file: bool
    used: set[str] = field(default_factory=set)

    @property
    def span(self) -> Span:
        """From the `#` to the last code."""
        row, column = self.comment.row, self.comment.column
        return Span(row, column + self.start, row, column + self.end)


class Suppressions:
    """The directives of one file, and which of them were of use."""

    def __init__(self, source: Source, catalogue: Catalogue) -> None:
        self.warnings: list[tuple[int, str]] = []
        self._catalogue = catalogue
        self._source = source
        self._by_row: dict[int, list[Directive]] = {}
        self._whole_file: list[Directive] = []
        if "noqa" not in source.text.lower():
            return
        for comment in comments(source.text):
            if "noqa" in comment.text.lower():
                self._read(comment)

    def silences(self, finding: Finding) -> bool:
        """Whether a comment silences a finding; the comment counts as used."""
        rows = finding.noqa_rows or (finding.span.row,)
        of_rows = (d for row in dict.fromkeys(rows) for d in self._by_row.get(row, ()))
        return self._silenced(finding, (*self._whole_file, *of_rows))

    def silences_in_file(self, finding: Finding) -> bool:
        """Whether a comment that holds for the whole file silences a finding."""
        return self._silenced(finding, self._whole_file)

    def _silenced(self, finding: Finding, directives: Iterable[Directive]) -> bool:
        found = False
        for directive in directives:
            if directive.words is None:
                found = True
                continue
            for match in directive.words:
                selector = self._catalogue.find(match["word"])
                if selector is not None and finding.code in selector.codes:
                    directive.used.add(match["word"])
                    found = True
        return found

    def list_at(self, row: int) -> Directive | None:
        """The comment in a row that lists codes, if there is one."""
        return next((directive for directive in self._by_row.get(row, ()) if directive.words), None)

    def words_at(self, row: int, column: int) -> list[tuple[str, Span]]:
        """The code or name of a comment that a place touches, with its region; at most one."""
        found: list[tuple[str, Span]] = []
        for directive in (*self._whole_file, *self._by_row.get(row, ())):
            comment = directive.comment
            for match in directive.words or ():
                span = Span(
                    comment.row, comment.column + match.start("word"), comment.row, comment.column + match.end()
                )
                if comment.row == row and span.column <= column <= span.end_column:
                    found.append((match["word"], span))
        return found[:1]

    def unused(self, enabled: frozenset[str], judge: str) -> list[UnusedSuppression]:
        """What silenced nothing, once all findings have been through `silences`. `judge` is the code that tells."""
        directives = [*self._whole_file, *(d for row in sorted(self._by_row) for d in self._by_row[row])]
        events = (self._judged(directive, enabled, judge) for directive in directives)
        return [event for event in events if event is not None]

    def _read(self, comment: Comment) -> None:
        whole_file = _FILE.match(comment.text)
        match = whole_file or _LINE.search(comment.text)
        if match is None:
            return
        if whole_file and not comment.alone:
            if whole_file["tool"].lower() == "jaxlint":
                self.warnings.append((comment.row, "a file-level `noqa` must stand on a line of its own"))
            return
        words: tuple[re.Match[str], ...] | None = None
        end = match.end()
        if match["colon"]:
            words = self._words(comment.text, match.end())
            if not words:
                self.warnings.append((comment.row, "`noqa:` is followed by no code, so it silences nothing"))
                return
            end = words[-1].end()
        directive = Directive(comment, match.start(), end, words, whole_file is not None)
        (self._whole_file if whole_file else self._by_row.setdefault(comment.row, [])).append(directive)

    def _words(self, text: str, start: int) -> tuple[re.Match[str], ...]:
        """Codes and names up to the first word that is neither, where an explanation starts."""
        words: list[re.Match[str]] = []
        match = _WORD.match(text, start)
        while match is not None and self._is_listed(match, first=not words):
            words.append(match)
            match = _WORD.match(text, match.end())
        return tuple(words)

    def _is_listed(self, match: re.Match[str], *, first: bool) -> bool:
        word = match["word"]
        if _CODE.match(word):
            return True
        # Explanations hold words such as "all", "jax" and "key-reuse": letters count in capitals, names after commas.
        if not (first or "," in match["gap"]) or word.upper() == ALL:
            return False
        return self._catalogue.find(word) is not None and (bool(_LETTERS.match(word)) or "-" in word or "_" in word)

    def _judged(self, directive: Directive, enabled: frozenset[str], judge: str) -> UnusedSuppression | None:
        if directive.words is None:
            return None
        unused = [
            match for match in directive.words
            if match["word"] not in directive.used and self._can_judge(match["word"], enabled, judge)
        ]  # fmt: skip
        if not unused:
            return None
        kept = [match["word"] for match in directive.words if match not in unused]
        return UnusedSuppression(
            self._source.path,
            directive.span,
            tuple(dict.fromkeys(match["word"] for match in unused)),
            directive.whole_file,
            (self._edit(directive, kept),),
        )

    def _can_judge(self, word: str, enabled: frozenset[str], judge: str) -> bool:
        """Every rule the word means ran here; opt-in rules that are off are not expected to have."""
        selector = self._catalogue.find(word)
        if selector is None or judge in selector.codes:
            return False
        default = {code for code in selector.codes if self._catalogue.by_code[code].default}
        return bool(selector.codes & enabled) and default <= enabled

    def _edit(self, directive: Directive, kept: Sequence[str]) -> Edit:
        comment, words = directive.comment, directive.words or ()
        if kept:
            return self._on_row(directive, words[0].start("word"), words[-1].end(), ", ".join(kept))
        before = comment.text[: directive.start].rstrip()
        after = comment.text[directive.end :]
        rest = after.lstrip(_BEFORE_EXPLANATION)
        if rest:
            return self._on_row(
                directive, directive.start, len(comment.text) - len(rest), "" if rest[0] == "#" else "# "
            )
        if before:
            return self._on_row(directive, len(before), len(comment.text), "")
        rows = self._source.lines
        line = rows[comment.row - 1]
        if comment.alone and comment.row < len(rows):
            return Edit(Span(comment.row, 1, comment.row + 1, 1), "")
        code = line[: comment.column - 1].rstrip()
        return Edit(Span(comment.row, len(code) + 1, comment.row, len(line) + 1), "")

    @staticmethod
    def _on_row(directive: Directive, start: int, end: int, content: str) -> Edit:
        row, column = directive.comment.row, directive.comment.column
        return Edit(Span(row, column + start, row, column + end), content)


def silence(findings: Iterable[Finding], suppressions: Suppressions) -> list[Finding]:
    """The findings that no comment silences."""
    return [finding for finding in findings if not suppressions.silences(finding)]
