"""The starting points: each runs as it stands, without a warning, and is silent under jaxlint."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.references.documents import TEMPLATES, environment
from tests.support import lint

if TYPE_CHECKING:
    from pathlib import Path

template_by_template = pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.py")), ids=lambda path: path.stem)


@template_by_template
def test_template_runs(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    child = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    assert child.stdout, "a template shows a result"


@template_by_template
def test_template_is_silent(path: Path) -> None:
    pytest.importorskip("jaxlint.engine")
    assert lint([path]) == {}
