"""Programs by chance: real ones with something changed, and ones made from a grammar."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypothesis import strategies as st

from jaxlint.engine import Engine
from jaxlint.registry import rule_classes
from jaxlint.source import decode_source

MAX_STEPS = 400_000
"""Statements and calls that no small program may need."""

_WORDS = [
    *(
        "jax",
        "jnp",
        "key",
        "x",
        "y",
        "self",
        "f",
        "lambda: 0",
        "None",
        "0",
        "-1",
        "1.5",
        "'a'",
        "()",
        "[]",
        "{}",
        "...",
    ),
    *(
        "jax.jit",
        "jax.vmap",
        "jax.grad",
        "jax.lax.scan",
        "jax.random.split(key)",
        "jax.random.normal(key)",
        "jnp.zeros(3)",
    ),
    *("yield", "await x", "*x", "**x", "x := 1", "not x", "x if y else key", "[x for x in y]", "{**x}", "f'{x}'"),
]
_LINES = [
    *(
        "return",
        "break",
        "continue",
        "pass",
        "raise",
        "global x",
        "nonlocal x",
        "del x",
        "import jax",
        "from jax import *",
    ),
    *(
        "x = y = key",
        "x, *y = key",
        "key, x = jax.random.split(key)",
        "x += 1",
        "assert x",
        "if x: pass",
        "while x: break",
    ),
    *(
        "for x in y: continue",
        "with x as y: pass",
        "try: x\nexcept: y",
        "def f(*a, **k): return f",
        "class f(f): x = f",
    ),
    *(
        "@jax.jit\ndef f(x): return x",
        "match x:\n case [y, *_]: pass",
        "lambda x=x: f",
        "x: int",
        "async def g(): await x",
    ),
]


def mutants(sources: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """`count` programs that differ from one of the sources in some places; most of them still parse."""
    chooser = random.Random(seed)
    for _ in range(count):
        lines = chooser.choice(sources).split("\n")
        if len(lines) > 80:  # a piece of a large file, from the start of a top-level statement
            starts = [row for row, line in enumerate(lines) if line[:1].isalpha() or line[:1] == "@"]
            first = chooser.choice(starts or [0])
            lines = [*lines[:8], *lines[first : first + 60]]
        for _ in range(chooser.randint(1, 4)):
            _mutate(lines, chooser)
        yield "\n".join(lines)


def _mutate(lines: list[str], chooser: random.Random) -> None:
    if not lines:
        return
    row = chooser.randrange(len(lines))
    line = lines[row]
    kind = chooser.randrange(9)
    if kind == 0:
        del lines[row]
    elif kind == 1:
        lines.insert(row, lines[chooser.randrange(len(lines))])
    elif kind == 2:
        other = chooser.randrange(len(lines))
        lines[row], lines[other] = lines[other], line
    elif kind == 3:
        indent = line[: len(line) - len(line.lstrip())]
        lines[row:row] = [indent + part for part in chooser.choice(_LINES).split("\n")]
    elif kind == 4:
        lines[row] = ("    " + line) if chooser.random() < 0.5 else line[4:]
    elif kind == 5 and line:
        place = chooser.randrange(len(line))
        lines[row] = (
            line[:place] + chooser.choice("()[]{}:,.=*@\"'\\\n\t 0aé€\0\f") + line[place + chooser.randint(0, 1) :]
        )
    else:
        words = list(_names(line))
        if words:
            start, end = chooser.choice(words)
            lines[row] = line[:start] + chooser.choice(_WORDS) + line[end:]


def _names(line: str) -> Iterator[tuple[int, int]]:
    start = None
    for place, character in enumerate(line + " "):
        if character.isidentifier() or (start is not None and character.isdigit()):
            start = place if start is None else start
        elif start is not None:
            yield start, place
            start = None


# ---- grammar -------------------------------------------------------------------------------------------------------

_names_drawn = st.sampled_from(["x", "y", "key", "keys", "f", "g", "C", "self", "jax", "jnp", "random", "n"])
_atoms = st.one_of(
    _names_drawn,
    st.sampled_from(
        ["0", "1", "-1", "2.5", "True", "None", "'a'", "...", "jax.random.key(0)", "jnp.ones(3)", "x.shape"]
    ),
)
_calls = st.sampled_from(
    [
        *("f({0})", "g({0}, {1})", "jax.jit({0})", "jax.vmap({0})({1})", "jax.grad({0})({1})", "C({0})", "{0}.m({1})"),
        *("jax.lax.scan({0}, {1}, {0})", "jax.lax.cond({0}, {1}, {0}, {1})", "jax.lax.fori_loop(0, 3, {0}, {1})"),
        *("jax.random.split({0})", "jax.random.normal({0})", "jax.random.fold_in({0}, {1})", "jnp.where({0}, {1}, 0)"),
        *(
            "jnp.asarray({0})",
            "float({0})",
            "len({0})",
            "list({0})",
            "{0}.at[{1}].set(0)",
            "functools.partial({0}, {1})",
        ),
        *("jax.tree.map({0}, {1})", "map({0}, {1})", "zip({0}, {1})", "isinstance({0}, C)", "{0}(*{1})", "{0}(**{1})"),
        *(
            "print({0})",
            "jax.checkpoint({0})",
            "jax.lax.while_loop({0}, {0}, {1})",
            "dict(a={0})",
            "sorted({0}, key={1})",
        ),
    ]
)
_forms = st.sampled_from(
    [
        *("({0} + {1})", "({0} @ {1})", "({0} < {1} < {0})", "({0} is {1})", "({0} and {1})", "(not {0})", "(-{0})"),
        *(
            "{0}.a",
            "{0}[{1}]",
            "{0}[{1}:]",
            "({0}, {1})",
            "[{0}, {1}]",
            "{{{0}: {1}}}",
            "(lambda x: {0})",
            "(lambda *a: {1})",
        ),
        *(
            "[{0} for x in {1}]",
            "({0} for y in {1} if x)",
            "({0} if {1} else {0})",
            "(y := {0})",
            "f'{{{0}}}'",
            "{{*{0}}}",
        ),
    ]
)


def _filled(form: st.SearchStrategy[str], parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda text, one, two: text.format(one, two), form, parts, parts)


expressions = st.recursive(
    _atoms, lambda parts: st.one_of(_filled(_calls, parts), _filled(_forms, parts)), max_leaves=6
)
_simple = st.one_of(
    st.builds("{} = {}".format, _names_drawn, expressions),
    st.builds("{}, {} = {}".format, _names_drawn, _names_drawn, expressions),
    st.builds("{} += {}".format, _names_drawn, expressions),
    st.builds("{}.a = {}".format, _names_drawn, expressions),
    st.builds("{}[{}] = {}".format, _names_drawn, _atoms, expressions),
    st.builds("return {}".format, expressions),
    expressions,
    st.sampled_from(["pass", "return", "raise", "del x", "global n", "yield x", "x = yield y", "assert x, y"]),
)
_heads = st.sampled_from(
    [
        *(
            "if {0}:",
            "while {0}:",
            "for x in {0}:",
            "for x, y in {0}:",
            "with {0} as y:",
            "def f(x, y=0):",
            "def g(key, *a):",
        ),
        *("class C:", "class C(f):", "@jax.jit\ndef f(x):", "@jax.vmap\ndef g(x, key):", "@property\ndef m(self):"),
        *(
            "@functools.partial(jax.jit, static_argnums=0)\ndef f(x, y):",
            "def m(self, key):",
            "@jax.custom_vjp\ndef f(x):",
        ),
        *("try:", "if {0}:\n    pass\nelse:", "match {0}:\n  case 1: pass\nif {0}:"),
    ]
)


def _block(head: str, test: str, body: list[str]) -> str:
    inner = "\n".join("    " + line for text in body for line in text.split("\n"))
    tail = "\nexcept Exception as y:\n    x = y\nfinally:\n    pass" if head == "try:" else ""
    return head.format(test) + "\n" + inner + tail


_statements = st.recursive(
    _simple,
    lambda parts: st.builds(_block, _heads, expressions, st.lists(parts, min_size=1, max_size=4)),
    max_leaves=12,
)
programs = st.builds(
    lambda body: (
        "import functools\nimport jax\nimport jax.numpy as jnp\nfrom jax import random\n" + "\n".join(body) + "\n"
    ),
    st.lists(_statements, min_size=1, max_size=6),
)


# ---- running -------------------------------------------------------------------------------------------------------


class Subject:
    """The linter under test, over programs that stand alone."""

    def __init__(self) -> None:
        self.rules = [rule() for rule in rule_classes()]
        self.parsed = 0

    def lint(self, text: str) -> list[str]:
        """Analyse a program; returns what jaxlint should not have done."""
        problems: list[str] = []
        engine = Engine(rules=self.rules, roots=["/nowhere"])
        source = decode_source(Path("/nowhere/program.py"), text.encode("utf-8", "surrogatepass"))
        engine.analyse(source)
        found = [finding for result in engine.results() for finding in result.findings]
        rows = text.count("\n") + text.count("\r") + 2
        problems += [f"{f.code} at row {f.span.row} of {rows}" for f in found if not 1 <= f.span.row <= rows]
        if engine.interpreter.work > MAX_STEPS:
            problems.append(f"{engine.interpreter.work} steps")
        broken = [finding for finding in found if finding.code == "JAX001"]
        self.parsed += not broken
        problems += [
            f"refused: {f.message}" for f in broken if "not known to the parser" in f.message and not _odd(text)
        ]
        return problems


def _odd(text: str) -> bool:
    """Whether a text is one of those that Python takes and the parser is known not to."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    # Form feeds, continued rows, and blanks before a tab in an indentation, which Python counts up to the next stop.
    return True if "\f" in text or "\\" in text or "\r" in text or " \t" in text else "f'" in text or 'f"' in text
