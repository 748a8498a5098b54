"""The example project has the findings that the README promises, across its files."""

from __future__ import annotations

from tests.support import ROOT, lint

FOLDER = ROOT / "examples" / "digits"
FINDINGS = {
    "data.py": ["JAX202"],
    "model.py": ["JAX201"],
    "optim.py": ["JAX301"],
    "sharding.py": ["JAX801"],
    "train.py": ["JAX101", "JAX201", "JAX601", "JAX602"],
}


def test_examples_have_their_findings() -> None:
    found = lint([FOLDER])
    codes = {path.name: sorted(report.code for report in reports) for path, reports in found.items()}
    assert codes == FINDINGS
