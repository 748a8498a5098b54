"""`jaxlint explain` with the name of what JAX raised."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from jaxlint.cli.main import main
from jaxlint.cli.triage import codes, section, sections
from jaxlint.registry import rule_classes

if TYPE_CHECKING:
    from collections.abc import Sequence


def _explain(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> tuple[int, str]:
    status = main(["explain", *arguments])
    return status, capsys.readouterr().out


@pytest.mark.parametrize("name", ["TracerBoolConversionError", "jax.errors.tracerboolconversionerror"])
def test_an_exception_is_explained_by_its_section(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out = _explain(capsys, [name])
    assert status == 0
    assert out.startswith("## TracerBoolConversionError")
    assert "JAX301" in out


def test_an_exception_as_json_names_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = _explain(capsys, ["KeyReuseError", "--format", "json"])
    found = json.loads(out)
    assert status == 0
    assert "JAX201" in [rule["code"] for rule in (found if isinstance(found, list) else [found])]


def test_an_exception_beside_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = _explain(capsys, ["UnexpectedTracerError", "JAX801"])
    assert status == 0
    assert out.index("## UnexpectedTracerError") < out.index("# with-mesh (JAX801)")


def test_unknown_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert _explain(capsys, ["NoSuchError"])[0] == 2


def test_sections_name_rules_that_exist() -> None:
    known = {rule.code for rule in rule_classes()}
    named = {heading: codes(text) for heading, text in sections().items()}
    assert set().union(*named.values()) <= known
    assert section("First moves") is not None
