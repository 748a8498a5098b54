"""The JSON schema and the page of the settings say what the table of settings says, and agree with the reader."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint.config import schema
from jaxlint.config.settings import KEYS, OPTIONS
from jaxlint.devtools import setting_pages
from tests.interface.fake import run, write
from tests.support import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def errors(toml: str) -> list[str]:
    """What the schema has against the settings of a `jaxlint.toml`."""
    jsonschema = pytest.importorskip("jsonschema")
    document: dict[str, Any] = json.loads(schema.FILE.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(document)
    return [error.message for error in jsonschema.Draft7Validator(document).iter_errors(tomllib.loads(toml))]


def example() -> str:
    """The documented example, as a `jaxlint.toml`."""
    page = (ROOT / setting_pages.PAGE).read_text(encoding="utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    return text.replace("[tool.jaxlint]\n", "").replace("[tool.jaxlint.", "[")


def test_made_from_the_table_of_settings() -> None:
    assert setting_pages.outdated(ROOT) == [], "run `python -m jaxlint.devtools settings`"


def test_outdated_files_are_told_and_mended(tmp_path: Path) -> None:
    for path in (setting_pages.PAGE, setting_pages.SCHEMA):
        write(tmp_path, {str(path): (ROOT / path).read_text(encoding="utf-8")})
    assert setting_pages.outdated(tmp_path) == []
    (tmp_path / setting_pages.SCHEMA).unlink()
    page = tmp_path / setting_pages.PAGE
    page.write_text(page.read_text(encoding="utf-8").replace("#### `select`", "#### `chosen`"), encoding="utf-8")
    assert setting_pages.write(tmp_path) == [page, tmp_path / setting_pages.SCHEMA]
    assert setting_pages.outdated(tmp_path) == []


def test_every_setting_is_on_the_page() -> None:
    page = (ROOT / setting_pages.PAGE).read_text(encoding="utf-8")
    assert all(page.count(f"#### `{key}`\n") == 1 for key in KEYS)
    assert {name for name, option in OPTIONS.items() if not option.kind.schema()} == set()


def test_the_documented_example_is_right(tmp_path: Path) -> None:
    assert errors(example()) == []
    assert len(tomllib.loads(example())) > 9
    table = "name\tparams\teffects\treturns\nourlib.draw\tkey\tsample(key)\tarray\n"
    settings = example().replace("JAX503", "JAX301").replace("JAX204", "JAX203").replace("JAX9", "JAX2")
    write(tmp_path, {"jaxlint.toml": settings.replace("JAX5", "JAX3"), "lint/ourlib.tsv": table})
    assert run(tmp_path, "config").err == ""


RIGHT = [
    "",
    "extend = '../base.toml'",
    "select = ['ALL', 'JAX', 'JAX2', 'jax201', 'key-reuse', 'key_reuse']",
    "per-file-ignores = { 'tests/*' = ['JAX2'], '!src/*' = [] }",
    "target-jax = '0.4.30..0.6'",
    "required-version = '>=0.1,<0.3'",
    "unsafe-fixes = true",
    "known-samplers = { 'a.b' = 0, 'a.c' = 'key', 'a.d' = [0, 'key'] }",
    "known-key-parameters = { '*' = ['rng'], 'a.b' = [0, 'rng'] }",
]


@pytest.mark.parametrize("toml", RIGHT)
def test_what_is_right(tmp_path: Path, toml: str) -> None:
    assert errors(toml) == []
    write(tmp_path, {"sub/jaxlint.toml": toml, "base.toml": ""})
    ran = run(tmp_path / "sub", "config")
    assert ran.code == 0 or "required-version" in ran.err


@pytest.mark.parametrize(
    "toml",
    [
        "selct = ['JAX2']",
        "extend_select = ['JAX2']",
        "select = 'JAX2'",
        "select = [1]",
        "select = ['JAX2O1']",
        "force-exclude = 1",
        "output-format = 'jsn'",
        "target-jax = 0.4",
        "target-jax = 'new'",
        "per-file-ignores = ['JAX2']",
        "per-file-ignores = { 'a.py' = 'JAX2' }",
        "per-file-target-jax = { 'a.py' = 'new' }",
        "required-version = 'new'",
        "extend = ['a.toml']",
        "extend-knowledge = 'a.tsv'",
        "cache-dir = 1",
        "exclude = 'a'",
        "known-transforms = { 'jit' = 'jax.jit' }",
        "known-transforms = { 'a.jit' = 1 }",
        "known-samplers = { 'a.b' = -1 }",
        "known-samplers = { '*' = 'key' }",
        "known-key-parameters = { '*' = 0 }",
    ],
)
def test_mistakes(tmp_path: Path, toml: str) -> None:
    assert errors(toml)
    write(tmp_path, {"jaxlint.toml": toml})
    assert run(tmp_path, "config").code == 2
