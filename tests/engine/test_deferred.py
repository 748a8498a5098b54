"""Modules that are loaded when something of them is first used."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from jaxlint.config.catalogue import load_catalogue
load_catalogue()
assert "libcst._nodes" not in sys.modules, "rules load the parser before they need it"
{use}
assert "libcst._nodes" in sys.modules
import libcst
assert type(libcst).__name__ == "module" and libcst.metadata.PositionProvider
"""


def _runs(use: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(use=use)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_parser_is_loaded_when_it_is_used() -> None:
    _runs("import libcst; libcst.parse_module('x = 1')")


def test_the_parser_is_loaded_by_an_import_below_it() -> None:
    _runs("from libcst.metadata import PositionProvider")
