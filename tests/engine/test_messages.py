"""Messages name what their reader sees at the place."""

from pathlib import Path

from tests.support import lint_text

_DONATED = """
import jax

step = jax.jit(lambda p, x: p - x, donate_argnums=0)


def train(params, x):
    best = params
    params = step(params, x)
    return {returned}
"""


def _message(returned: str, folder: Path) -> str:
    [report] = lint_text(_DONATED.format(returned=returned), folder)
    return report.message


def test_the_name_in_a_returned_tuple_is_that_of_the_dead_item(tmp_path: Path) -> None:
    assert _message("params, best", tmp_path).startswith("`best` is read")
    assert _message("best, params", tmp_path).startswith("`best` is read")


def test_a_returned_tuple_without_a_name_for_the_item_names_the_buffer(tmp_path: Path) -> None:
    assert _message("params, (lambda kept: kept)(best)", tmp_path).startswith("`params` is read")
