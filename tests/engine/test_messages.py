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


_HELD = """
import jax


def evaluate(losses, batches):
    total = 0.0
    for batch in batches:
        total += losses(batch)
    return total


def validate(params, key, batches):
    return evaluate({function}, batches)


def noise(key, scale):
    return jax.random.normal(key) * scale
"""


def test_a_key_that_the_callee_was_made_with_has_its_own_name(tmp_path: Path) -> None:
    for function in ("lambda batch: noise(key, batch)", "lambda batch, key=key: noise(key, batch)"):
        [report] = lint_text(_HELD.format(function=function), tmp_path)
        assert report.code == "JAX202"
        assert report.message.startswith("key `key` is consumed by `losses(batch)`")
