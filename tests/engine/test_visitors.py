"""Rules may visit nodes of the shared tree as well as listen to events."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from jaxlint.engine import Engine
from jaxlint.findings import Severity
from jaxlint.rule import Explanation, Rule
from jaxlint.source import decode_source

if TYPE_CHECKING:
    from pathlib import Path

    import libcst as cst

    from jaxlint.rule import RuleContext
    from jaxlint.semantics.values import Place


class _LambdaRule(Rule):
    code = "JAX999"
    name = "lambda-present"
    severity = Severity.INFO
    messages: ClassVar[dict[str, str]] = {"default": "`{text}` is a lambda"}
    help = "name it"
    reference = "linter"
    explanation = Explanation("", "", "", "", "")

    def visit_Lambda(self, node: cst.Lambda, place: Place, ctx: RuleContext) -> None:
        """Each lambda, once."""
        assert node.params is not None
        ctx.report(self, place, text=ctx.text(place))


def test_visits_each_node_once(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    source = decode_source(path, b"f = lambda x: x\n\n\ndef g(items):\n    return sorted(items, key=lambda i: -i)\n")
    engine = Engine(rules=[_LambdaRule()], roots=[tmp_path])
    engine.analyse(source)
    found = engine.findings()[str(path)]
    assert sorted((finding.span.row, finding.message) for finding in found) == [
        (1, "`lambda x: x` is a lambda"),
        (5, "`lambda i: -i` is a lambda"),
    ]
