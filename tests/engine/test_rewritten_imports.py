"""The same program spelt otherwise has the same findings: other import forms, other keys, a helper module, a class."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import libcst as cst
import libcst.matchers as m
import pytest

from jaxlint.engine import Engine
from jaxlint.registry import rule_classes
from jaxlint.source import decode_source
from tests.support import FIXTURES, ROOT

CASES = ROOT.parent / "shared" / "cases"
SPELLING = frozenset({"JAX001", "JAX002", "JAX206", "JAX901", "JAX902", "JAX903", "JAX904"})
"""Rules that judge how something is spelt."""

HELPER = "rewritten_helper"
SAMPLERS = (
    "normal",
    "uniform",
    "bernoulli",
    "randint",
    "categorical",
    "exponential",
    "gumbel",
    "choice",
    "permutation",
)
_HELPER_TEXT = "import jax\n\nrandom = jax.random\n" + "".join(
    f"\n\ndef {name}(key, *args, **kwargs):\n    return jax.random.{name}(key, *args, **kwargs)\n" for name in SAMPLERS
)
_RANDOM = m.Attribute(value=m.Name("jax"), attr=m.Name("random"))

Rewritten = tuple[str, Callable[[int], int]]
"""A program, and where its rows went."""


def _bound(tree: cst.Module) -> set[str]:
    return {node.value for node in m.findall(tree, m.Name()) if isinstance(node, cst.Name)}


class _Respell(cst.CSTTransformer):
    """Writes `jax.random` as `name`, and adds an import to the first statement `import jax`."""

    def __init__(self, name: str, import_text: str) -> None:
        super().__init__()
        self.name = name
        self.statement = cst.parse_statement(import_text)
        self.added = False

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return cst.Name(self.name) if m.matches(updated_node, _RANDOM) else updated_node

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        plain = m.Import(names=[m.ImportAlias(name=m.Name("jax"), asname=None)])
        if self.added or len(updated_node.body) != 1 or not m.matches(updated_node.body[0], plain):
            return updated_node
        self.added = True
        assert isinstance(self.statement, cst.SimpleStatementLine)
        return updated_node.with_changes(body=[*updated_node.body, *self.statement.body])


def _respelt(name: str, import_text: str) -> Callable[[cst.Module], Rewritten | None]:
    def rewrite(tree: cst.Module) -> Rewritten | None:
        if name in _bound(tree) - {"random"} or re.search(
            r"^\s*(import random|from .* import .*\brandom\b)", tree.code, re.M
        ):
            return None
        if name == "random" and re.search(r"(?<!\.)\brandom\b", tree.code):
            return None
        transformer = _Respell(name, import_text)
        result = tree.visit(transformer)
        return (result.code, lambda row: row) if transformer.added and result.code != tree.code else None

    return rewrite


class _Behind(_Respell):
    """Calls the samplers of the helper module."""

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        sampler = m.Attribute(value=_RANDOM, attr=m.OneOf(*(m.Name(name) for name in SAMPLERS)))
        return (
            updated_node.with_changes(value=cst.Name(self.name)) if m.matches(updated_node, sampler) else updated_node
        )


def _behind_functions(tree: cst.Module) -> Rewritten | None:
    """Samplers are called through functions of a project's own module."""
    if "draws" in _bound(tree):
        return None
    transformer = _Behind("draws", f"import {HELPER} as draws")
    result = tree.visit(transformer)
    return (result.code, lambda row: row) if transformer.added and "draws." in result.code else None


class _Rename(cst.CSTTransformer):
    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self.old, self.new = old, new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.new) if updated_node.value == self.old else updated_node


def _array_alias(tree: cst.Module) -> Rewritten | None:
    if "xnp" in tree.code or "import jax.numpy as jnp" not in tree.code:
        return None
    return tree.visit(_Rename("jnp", "xnp")).code, lambda row: row


def _other_keys(tree: cst.Module) -> Rewritten | None:
    """Typed keys become legacy ones and the other way round."""
    if "jax.random.key(" in tree.code:
        return tree.code.replace("jax.random.key(", "jax.random.PRNGKey("), lambda row: row
    if "jax.random.PRNGKey(" in tree.code:
        return tree.code.replace("jax.random.PRNGKey(", "jax.random.key("), lambda row: row
    return None


def _as_static(function: cst.FunctionDef) -> cst.FunctionDef:
    return function.with_changes(decorators=[cst.Decorator(cst.Name("staticmethod"))])


def _as_method(function: cst.FunctionDef) -> cst.FunctionDef:
    parameters = function.params
    receiver = cst.Param(cst.Name("this"))
    if parameters.posonly_params:
        parameters = parameters.with_changes(posonly_params=[receiver, *parameters.posonly_params])
    else:
        parameters = parameters.with_changes(params=[receiver, *parameters.params])
    return function.with_changes(params=parameters)


def _in_classes(tree: cst.Module, convert: Callable[[cst.FunctionDef], cst.FunctionDef]) -> Rewritten | None:
    """Functions that the module does not name elsewhere become methods of classes of their own."""
    names = [node.value for node in m.findall(tree, m.Name()) if isinstance(node, cst.Name)]
    body: list[cst.BaseStatement | cst.SimpleStatementLine] = []
    moved: list[str] = []
    for statement in tree.body:
        if (
            isinstance(statement, cst.FunctionDef)
            and not statement.decorators
            and names.count(statement.name.value) == 1
        ):
            method = convert(statement.with_changes(leading_lines=[], lines_after_decorators=[]))
            block = cst.IndentedBlock([method])
            moved.append(statement.name.value)
            body.append(cst.ClassDef(cst.Name(f"Holder{len(moved)}"), block, leading_lines=statement.leading_lines))
        else:
            body.append(statement)
    if not moved:
        return None
    code = tree.with_changes(body=body).code
    starts = [
        row
        for row, line in enumerate(tree.code.split("\n"), 1)
        if re.match(rf"(async )?def ({'|'.join(moved)})\(", line)
    ]
    added = 2 if convert is _as_static else 1
    return code, lambda row: row + added * sum(start <= row for start in starts)


BEHIND = "samplers behind functions"
"""The rewriting after which what is wrong with a sampler's shape or type stands in the helper module."""


REWRITES: dict[str, Callable[[cst.Module], Rewritten | None]] = {
    "import jax.random as jr": _respelt("jr", "import jax.random as jr"),
    "from jax import random": _respelt("random", "from jax import random"),
    "from helper import random": _respelt("hr", f"from {HELPER} import random as hr"),
    "another alias of jax.numpy": _array_alias,
    "the other kind of keys": _other_keys,
    BEHIND: _behind_functions,
    "static methods": lambda tree: _in_classes(tree, _as_static),
    "methods": lambda tree: _in_classes(tree, _as_method),
}


def found(path: Path, text: str, roots: Sequence[Path]) -> set[tuple[int, str]]:
    """The findings in a program, as if it stood at `path`."""
    engine = Engine(rules=[rule() for rule in rule_classes()], roots=roots)
    engine.analyse(decode_source(path, text.encode("utf-8")))
    findings = engine.findings().get(str(path), [])
    return {(finding.span.row, finding.code) for finding in findings} - {
        (finding.span.row, finding.code) for finding in findings if finding.code in SPELLING
    }


def differences(folder: Path, name: str, helper: Path) -> list[str]:
    """Where programs that are rewritten so have other findings, a line each."""
    rewrite, family = REWRITES[name], "JAX2" if name == BEHIND else "JAX"
    problems: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        try:
            text = path.read_text(encoding="utf-8")
            tree = cst.parse_module(text)
        except (UnicodeDecodeError, cst.ParserSyntaxError):
            continue
        rewritten = rewrite(tree)
        if rewritten is None or rewritten[0] == text:
            continue
        program, moved = rewritten
        roots = [path.parent, helper]
        expected = {(moved(row), code) for row, code in found(path, text, roots) if code.startswith(family)}
        actual = {(row, code) for row, code in found(path, program, roots) if code.startswith(family)}
        if expected != actual:
            problems.append(f"{path}: gone {sorted(expected - actual)}, new {sorted(actual - expected)}")
    return problems


@pytest.fixture
def helper(tmp_path: Path) -> Path:
    (tmp_path / f"{HELPER}.py").write_text(_HELPER_TEXT, encoding="utf-8")
    return tmp_path.resolve()


@pytest.mark.parametrize("folder", sorted(path.name for path in FIXTURES.iterdir() if path.is_dir()))
def test_fixtures_have_the_same_findings(folder: str, helper: Path) -> None:
    problems = [f"{name}: {text}" for name in REWRITES for text in differences(FIXTURES / folder, name, helper)]
    assert problems == []


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize("name", REWRITES)
def test_shared_cases_have_the_same_findings(name: str, helper: Path) -> None:
    assert differences(CASES, name, helper) == []
