"""What a function's text says about its parameters, and what is tried for them."""

from __future__ import annotations

import ast
import math
from types import SimpleNamespace
from typing import Any

import pytest

from jaxlint.confirm.inside.lab import uncovered
from jaxlint.confirm.inside.soften import Softener
from jaxlint.confirm.inside.specs import Reader
from jaxlint.confirm.inside.target import Finding, functions_by_row, outline, target_of
from jaxlint.confirm.inside.values import Maker, combinations


def labels(text: str, **names: Any) -> dict[str, list[str]]:
    """The candidates for the parameters of the last function."""
    random = SimpleNamespace(__name__="jax.random")
    functions = functions_by_row(ast.parse(text))
    everything = {"jr": random, **names}
    specs = Reader(functions, everything).read(list(functions.values())[-1])
    maker = Maker(everything)
    return {name: [part.label for part in maker.candidates(name, spec)] for name, spec in specs.items()}


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ("return jr.normal(p, (3,))", "key(11)"),
        ("return jr.normal(q, (p, 3))", "4"),
        ("for i in range(p): pass", "4"),
        ("return jnp.zeros((p, 3))", "4"),
        ("return p['w'] @ p['b']", "{w: float32[4], b: float32[4]}"),
        ("a, b = p", "{0: float32[4], 1: float32[4]}"),
        ("rows, columns = p.shape", "float32[4, 4]"),
        ("return p[0, 1:]", "float32[4, 4]"),
        ("return 'x' if p == 'mean' else 'y'", "'mean'"),
        ("return p(q)", "a sum of squares"),
        ("for x, y in p: pass", "[{0: float32[4], 1: float32[4]}, …]"),
        ("return q[p]", "int32[4]"),
        ("return p + 1", "float32[4]"),
        ("return helper(q, p)", "4"),
        ("return p.speed + p.mass", "Fields_p"),
    ],
)
def test_use_says_what_a_parameter_is(body: str, first: str) -> None:
    text = f"def helper(a, n):\n    return jnp.ones(n)\n\n\ndef f(p, q):\n    {body}\n"
    found = labels(text)["p"][0]
    assert found == first or (first.startswith("Fields") and found.startswith("{speed: "))


def test_annotations_come_first() -> None:
    found = labels("def f(x: Float[Array, 'n 3'], n: int, flag: bool, p: 'str'): pass\n")
    assert found["x"][0] == "float32[4, 3] (its annotation)"
    assert (found["n"][0], found["flag"][0], found["p"][0]) == ("4", "True", "'a'")


def test_programs_with_legacy_keys_get_them() -> None:
    spec = Reader({}, {}).read(ast.parse("def f(key): pass").body[0])["key"]  # type: ignore[arg-type]
    found = [part.label for part in Maker({}).candidates("key", spec)]
    assert found[:3] == ["key(11)", "split(key(11), 4)", "PRNGKey(11)"]
    found = [part.label for part in Maker({}, legacy=True).candidates("key", spec)]
    assert found[:3] == ["PRNGKey(11)", "split(PRNGKey(11), 4)", "key(11)"]


def test_rows_of_equal_rank_come_first() -> None:
    maker = Maker({})
    specs = Reader({}, {}).read(ast.parse("def f(a, b): return a * b").body[0])  # type: ignore[arg-type]
    rows = list(combinations([maker.candidates(name, spec) for name, spec in specs.items()], 12))
    assert [part.label for part in rows[0]] == ["float32[4]", "float32[4]"]
    assert [part.label for part in rows[1]] == ["float32[]", "float32[]"]
    assert len({tuple(part.label for part in row) for row in rows}) == len(rows) == 12
    assert list(combinations([], 5)) == [()]


TEXT = """\
import jax

@jax.jit
def f(x):
    if x.ndim:
        x = x + 1
    for i in range(3):
        x = g(x)
    return [y for y in x if y > 0]

class C:
    def m(self):
        return f(self.a)

g = jax.jit(f)
f.defvjp(g)
"""


def finding(row: int, column: int, end_row: int | None = None) -> Finding:
    return Finding(0, "X", "t", "m", row, end_row or row, column, column + 3)


def test_the_surroundings_of_a_place() -> None:
    tree = ast.parse(TEXT)
    target = target_of(tree, finding(8, 12))
    assert (target.chain, ast.unparse(target.statement or tree)) == (("f",), "x = g(x)")
    assert target_of(tree, finding(13, 15)).chain == ("C", "m")
    assert target_of(tree, finding(3, 1)).chain == ()
    nested = ast.parse("def outer(x):\n    @jit\n    def inner(y): return y\n    return inner(x)\n")
    assert target_of(nested, finding(2, 5)).chain == ("outer",)
    loop = target_of(tree, finding(7, 4, 8))
    assert (loop.first_row, loop.last_row) == (7, 7)
    assert uncovered(target, {5, 7}) == [6]
    assert uncovered(target, {5, 6, 7}) == []


def test_what_leads_to_a_definition() -> None:
    assert list(outline(ast.parse(TEXT)).leading_to({"f"}))[:3] == ["f", "C", "g"]


def test_lines_that_are_known_to_fail_are_passed() -> None:
    text = "import math\ndef f(x, y):\n    a = math.sqrt(x)\n    if a.real > y:\n        return 'in'\n    return a\n"
    names: dict[str, Any] = {}
    exec(compile(Softener({3, 4}).rewrite(ast.parse(text)), "m", "exec"), names)
    assert names["f"](4.0, 1.0) == "in"
    assert names["f"](9.0, 100.0) == math.sqrt(9.0)
    assert names["f"]("text", 1.0) == "in"
