"""The table of measured precision comes from judgements of findings that are still reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint.devtools import precision
from tests.interface.fake import write

FAULTY = "import jax\n\n\ndef f(key):\n    return jax.random.normal(key) + jax.random.normal(key)\n"


def test_only_what_is_still_reported_counts(tmp_path: Path) -> None:
    head = "package\tversion\tfile\tline\tcode\tverdict\treason\n"
    rows = "p\t1.0\tp/a.py\t5\tJAX201\tright\tx\np\t1.0\tp/a.py\t1\tJAX301\twrong\tmended since\n"
    files = {str(precision.JUDGEMENTS): head + rows, "code/p-1.0/p/a.py": FAULTY, "jaxlint/report/x": ""}
    write(tmp_path, files)
    verdicts = precision.judgements(tmp_path / precision.JUDGEMENTS)
    assert verdicts[precision.Place("p-1.0", "p/a.py", 5, "JAX201")] == "right"
    table = precision.write(tmp_path, tmp_path / "code")
    assert table.read_text(encoding="utf-8").splitlines()[1:] == ["code\tright\twrong", "JAX201\t1\t0"]


def test_a_package_that_is_not_there_is_told(tmp_path: Path) -> None:
    verdicts = {precision.Place("p-1.0", "a.py", 1, "JAX201"): "right"}
    with pytest.raises(FileNotFoundError, match="p-1\\.0 is not there"):
        precision.counts(verdicts, tmp_path)
