"""A NaN reaches the gradient through the side that `where` rejects.

The gradient is taken at zeros, ones and the like. Where it is NaN though the value is finite, it is taken again without
a gradient through the flagged `where`: if that is finite, the `where` let the NaN in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jaxlint.confirm.inside.runs import Mode
from jaxlint.confirm.inside.verdict import confirmed, refuted

if TYPE_CHECKING:
    from jaxlint.confirm.inside.lab import Lab
    from jaxlint.confirm.inside.runs import Run
    from jaxlint.confirm.inside.target import Finding
    from jaxlint.confirm.inside.verdict import Verdict

_POINTS = (0.0, 1.0, -1.0)


def decide(lab: Lab, finding: Finding) -> Verdict:
    """Differentiate what leads to the line."""
    question = lab.question(finding)
    first, last = question.rows.start, question.rows.stop - 1

    def examine(run: Run) -> Verdict | None:
        if run.entry is None or run.error is not None or not run.watched.row(first, last).ran:
            return None
        function = run.entry.call
        tried = 0
        for where, arguments in _variants(run.arguments):
            for what, call in (("its result", _values), ("its gradient", _gradients)):
                plain = lab.call(run.what, where, call(function), arguments, {}, Mode(fresh=True))
                if plain.error is not None or plain.result is None:
                    continue
                tried += 1
                if not _has_nan(plain.result):
                    continue
                stopped = lab.call(run.what, where, call(function), arguments, {}, Mode(stop=True))
                if stopped.error is None and not _has_nan(stopped.result):
                    return confirmed(
                        f"{what} is NaN with {where}, and finite when no gradient passes the flagged `where`"
                    )
        return refuted(f"no NaN in {tried} results and gradients, at zeros and ones among others") if tried else None

    return lab.search(question, examine, ours_refute=False)


def _variants(arguments: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The arguments as they are; then with every, or one, argument of floating-point numbers at a point."""
    import jax

    floats = [index for index, value in enumerate(arguments) if _is_float(value)]
    yield "the arguments as they are", arguments
    for point in _POINTS:
        for chosen in [floats] if len(floats) < 2 else [*([index] for index in floats), floats]:
            changed = list(arguments)
            for index in chosen:
                changed[index] = jax.tree.map(lambda leaf, point=point: _full(leaf, point), arguments[index])
            yield (
                f"{'argument ' + str(chosen[0]) if len(chosen) == 1 else 'all arguments'} at {point:g}",
                tuple(changed),
            )


def _full(leaf: Any, point: float) -> Any:
    import jax.numpy as jnp

    if isinstance(leaf, float):
        return point
    return jnp.full_like(leaf, point) if _is_float(leaf) else leaf


def _values(function: Any) -> Any:
    return function


def _gradients(function: Any) -> Any:
    """The gradient of the sum of a function's results, and nothing where that is not finite itself."""
    import jax
    import jax.numpy as jnp

    def gradients(*arguments: Any) -> Any:
        floats = [index for index, value in enumerate(arguments) if _is_float(value)]

        def total(*values: Any) -> Any:
            given = list(arguments)
            for index, value in zip(floats, values, strict=True):
                given[index] = value
            leaves = [leaf for leaf in jax.tree.leaves(function(*given)) if _is_float(leaf)]
            return sum((jnp.sum(jnp.real(leaf)) for leaf in leaves), start=jnp.float32(0))

        values = [arguments[index] for index in floats]
        if not floats or not bool(jnp.isfinite(total(*values))):
            return None
        return jax.grad(total, argnums=tuple(range(len(values))))(*values)

    return gradients


def _is_float(value: Any) -> bool:
    import jax
    import jax.numpy as jnp

    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(
        isinstance(leaf, float) or (hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating))
        for leaf in leaves
    )


def _has_nan(value: Any) -> bool:
    import jax
    import jax.numpy as jnp

    return any(_is_float(leaf) and bool(jnp.isnan(jnp.asarray(leaf)).any()) for leaf in jax.tree.leaves(value))
