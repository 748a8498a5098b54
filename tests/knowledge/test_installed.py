"""The knowledge tables agree with the packages that are installed: names resolve, parameters stand where they say.

Rows are compared only with the versions that the table's header comment names; packages that are missing are skipped.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import re
import warnings
from functools import cache

import pytest

from jaxlint.knowledge import grammar
from tests.knowledge import tables

DISTRIBUTIONS = {"haiku": "dm-haiku", "orbax": "orbax-checkpoint"}
TABLES = [name for name in tables.table_names() if name not in ("aliases.tsv", "stdlib.tsv", "decorators.tsv")]


@cache
def resolve(name: str) -> object | None:
    """The object of a dotted name, or None."""
    parts = name.split(".")
    for length in [*range(len(parts) - 1, 0, -1), len(parts)]:
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
            for part in parts[length:]:
                found = getattr(found, part)
        except Exception:
            continue
        return found
    return None


@cache
def installed_version(package: str) -> str | None:
    """Version of an importable package that has one."""
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(package, package))
    except importlib.metadata.PackageNotFoundError:
        return None


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def wanted_versions(row: tables.Row, table: str, package: str) -> set[str]:
    """The minor versions that a row speaks of: those its note names, else those of the table's header comment."""
    found = re.search(r"(?:^|; )in ((?:\d+\.\d+\.\d+ ?)+)(?:;|$)", row["note"]) if package == "jax" else None
    if found is None:
        distribution = DISTRIBUTIONS.get(package, package)
        found = re.search(rf"\b{distribution} ((?:\d[\d.]*(?:, (?=\d))?)+)", tables.checked_versions(table))
    return {minor(text) for text in re.findall(r"\d+\.\d+\.\d+", found.group(1))} if found else set()


def comparable(row: tables.Row, table: str) -> bool:
    """Whether the installed packages are of a version that this row speaks of."""
    package, note = row["name"].split(".")[0], row["note"]
    version = installed_version(package)
    if version is None or row["name"].endswith(".*") or "not in the checked versions" in note or "private" in note:
        return False
    only = re.search(r"numpy (\d) only", note)
    if f"not in {minor(version)}" in note or (only and only.group(1) != version.split(".")[0]):
        return False
    return minor(version) in wanted_versions(row, table, package)


def compared_rows(table: str) -> list[tables.Row]:
    found = [row for row in tables.rows(table) if comparable(row, table)]
    if not found:
        pytest.skip("no package of a checked version is installed")
    return found


def is_attribute_of_a_field(name: str) -> bool:
    """Whether the owner is a class whose field (no class attribute) the last part names."""
    owner = resolve(name.rpartition(".")[0])
    last = name.rpartition(".")[2]
    if inspect.isclass(owner):
        fields = {field for base in owner.__mro__ for field in vars(base).get("__annotations__", {})}
        return last in fields or last in getattr(owner, "_fields", ()) or last in ("replace",) or is_array(owner)
    return (callable(owner) and not inspect.isroutine(owner)) or last == "replace"


def is_array(owner: type) -> bool:
    return owner.__name__ in ("Array", "Ref") or owner.__name__ in ("Wrapped", "PjitFunction")


@pytest.mark.parametrize("table", TABLES)
def test_names_resolve(table: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [
            row["name"]
            for row in compared_rows(table)
            if resolve(row["name"]) is None
            and not is_attribute_of_a_field(row["name"])
            and row["name"] not in ("jax.numpy.newaxis", "numpy.newaxis")
            and not row["name"].startswith(("jax.Array.at.", "jax.config."))
        ]
    assert not missing


def signature_names(found: object) -> tuple[list[str], set[str]] | None:
    """Positional names in order and all names that can be used as keywords; None where Python cannot tell."""
    try:
        parameters = list(inspect.signature(found).parameters.values())  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    kinds = [parameter.kind for parameter in parameters]
    if kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return None
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return positional, {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}


def disagreement(row: tables.Row) -> str | None:
    """What is wrong with the params cell of a row, if the installed object says so."""
    found = resolve(row["name"])
    if found is None or not callable(found) or not row["params"] or "property()" in row.get("effects", ""):
        return None
    names = signature_names(found)
    if names is None:
        return None
    positional, everything = names
    cell, cell_positional = grammar.parameter_names(row["params"]), grammar.positional_names(row["params"])
    if cell_positional[:1] == ["self"]:  # the first parameter of a method, whatever its name
        everything -= set(positional[:1])
        positional = ["self", *positional[1:]]
    elif positional[:1] == ["self"]:
        positional = positional[1:]
    unknown = {name for name in everything - set(cell) if not name.startswith("_")} - {"self"}
    if unknown and "**" not in row["params"]:
        return f"{row['name']}: {sorted(unknown)} not in {row['params']}"
    if "positions differ" in row["note"] or "renamed" in row["note"]:
        return None
    for index, name in enumerate(positional):
        if name in cell_positional and cell_positional.index(name) != index:
            return f"{row['name']}: {name} is parameter {index}, not {cell_positional.index(name)}"
    return None


@pytest.mark.parametrize("table", [name for name in TABLES if name != "classes.tsv"])
def test_parameters_agree(table: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not [found for row in compared_rows(table) if (found := disagreement(row))]


def test_aliases_are_the_same_object() -> None:
    """Every alias that resolves is either the very object or a wrapper that was named by hand."""
    by_hand = re.compile(r"jax\.(tree_util\.tree_|tree_|api\b|remat$|ad_checkpoint|sharding\.Mesh|soft_pmap|jacobian$)")
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in tables.rows("aliases.tsv"):
            if installed_version(row["alias"].split(".")[0]) is None or by_hand.match(row["alias"]):
                continue
            alias, canonical = resolve(row["alias"]), resolve(row["canonical"])
            if inspect.ismodule(alias) or alias is None or canonical is None:
                continue
            if alias is not canonical:
                wrong.append(row["alias"])
    assert not wrong


@pytest.mark.parametrize("package", ["jax", "flax", "equinox"])
def test_a_package_is_not_named_without_reason(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    assert any(row["name"].startswith(package + ".") for table in TABLES for row in tables.rows(table))
