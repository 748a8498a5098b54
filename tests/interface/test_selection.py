"""Which rules are on."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.config.errors import UsageError
from jaxlint.config.resolver import Resolver, Sources
from jaxlint.config.toml import Layer
from tests.interface.fake import catalogue

CATALOGUE = catalogue()
DEFAULT = {"JAX001", "JAX002", "JAX201", "JAX203", "JAX301"}


def on(tmp_path: Path, options: dict[str, list[str]] | None = None, toml: str = "") -> set[str]:
    if toml:
        (tmp_path / "jaxlint.toml").write_text(toml, encoding="utf-8")
    layer = Layer(dict(options or {}), tmp_path, "--{key}")
    return set(Resolver(CATALOGUE, Sources(layer), tmp_path).for_file(tmp_path / "a.py").rules)


def test_defaults(tmp_path: Path) -> None:
    assert on(tmp_path) == DEFAULT


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"select": ["JAX201"]}, {"JAX001", "JAX201"}),
        ({"select": ["jax2"]}, {"JAX001", "JAX201", "JAX203", "JAX206"}),
        ({"select": ["key-reuse"]}, {"JAX001", "JAX201"}),
        ({"select": ["Key_Reuse"]}, {"JAX001", "JAX201"}),
        ({"select": ["ALL"]}, {*DEFAULT, "JAX206"}),
        ({"select": ["JAX"]}, {*DEFAULT, "JAX206"}),
        ({"select": []}, {"JAX001"}),
        ({"extend-select": ["JAX206"]}, {*DEFAULT, "JAX206"}),
        ({"ignore": ["JAX2"]}, DEFAULT - {"JAX201", "JAX203"}),
        ({"ignore": ["JAX001"]}, DEFAULT - {"JAX001"}),
        ({"select": ["JAX2"], "ignore": ["JAX0"]}, {"JAX201", "JAX203", "JAX206"}),
        ({"extend-ignore": ["JAX2"]}, DEFAULT - {"JAX201", "JAX203"}),
        (
            {"select": ["JAX"], "ignore": ["JAX2"], "extend-select": ["JAX201"]},
            {"JAX001", "JAX002", "JAX201", "JAX301"},
        ),
        ({"select": ["JAX201"], "ignore": ["JAX2"]}, {"JAX001", "JAX201"}),
        ({"select": ["JAX2"], "ignore": ["JAX201"]}, {"JAX001", "JAX203", "JAX206"}),
        ({"select": ["JAX201"], "ignore": ["JAX201"]}, {"JAX001"}),
        ({"select": ["ALL"], "ignore": ["ALL"]}, set()),
        ({"select": ["JAX2"], "ignore": ["ALL"]}, {"JAX201", "JAX203", "JAX206"}),
        ({"select": ["JAX403", "JAX4"]}, {"JAX001"}),
    ],
)
def test_one_source(tmp_path: Path, options: dict[str, list[str]], expected: set[str]) -> None:
    assert on(tmp_path, options) == expected


@pytest.mark.parametrize(
    ("toml", "options", "expected"),
    [
        ("select = ['JAX2']", {"select": ["JAX3"]}, {"JAX001", "JAX301"}),
        ("select = ['JAX201']", {"ignore": ["JAX2"]}, {"JAX001"}),
        ("select = ['JAX2']", {"extend-select": ["JAX301"]}, {"JAX001", "JAX201", "JAX203", "JAX206", "JAX301"}),
        ("ignore = ['JAX201']", {"extend-select": ["JAX201"]}, DEFAULT),
        ("ignore = ['JAX201']", {"select": ["JAX201"]}, {"JAX001", "JAX201"}),
        ("ignore = ['JAX201']", {"select": ["JAX2"]}, {"JAX001", "JAX203", "JAX206"}),
        ("ignore = ['JAX001']", {"select": ["JAX2"]}, {"JAX201", "JAX203", "JAX206"}),
        ("extend-select = ['JAX206']", {}, {*DEFAULT, "JAX206"}),
        ("extend-select = ['JAX206']", {"ignore": ["JAX2"]}, DEFAULT - {"JAX201", "JAX203"}),
    ],
)
def test_the_command_line_beats_the_file(
    tmp_path: Path, toml: str, options: dict[str, list[str]], expected: set[str]
) -> None:
    assert on(tmp_path, options, toml) == expected


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("JAX2O1", "JAX201"),
        ("JAX999", None),
        ("key-reus", "key-reuse"),
        ("J", None),
        ("xyz", None),
        ("JAX2011", "JAX201"),
    ],
)
def test_unknown_words_are_errors(tmp_path: Path, word: str, near: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        on(tmp_path, {"ignore": [word]})
    assert str(caught.value).startswith(f"--ignore: unknown rule selector `{word}`")
    if near:
        assert f"did you mean `{near}`?" in str(caught.value)
