"""Opening a trace: the context in which a transformation runs its callable, and why it is traced there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jaxlint.knowledge import TransformInfo
from jaxlint.semantics.frames import Ctx
from jaxlint.semantics.values import (
    ABSTRACT,
    BATCHED,
    DIFF,
    FLOW,
    Place,
    Why,
    fresh_uid,
)

if TYPE_CHECKING:
    from jaxlint.semantics.interpreter import Interpreter


def trace_flags(info: TransformInfo) -> int:
    """The trace flag of a mode."""
    if info.mode == "diff":
        return DIFF if is_forward(info) else DIFF | FLOW
    return {"abstract": ABSTRACT, "shape": ABSTRACT, "batched": BATCHED}.get(info.mode, 0)


def is_forward(info: TransformInfo) -> bool:
    """Whether a differentiation carries tangents along instead of going back."""
    return short_name(info) in _FORWARD


_FORWARD = frozenset(["jvp", "jacfwd", "linearize", "filter_jvp", "filter_jacfwd", "funm", "assert_numerical_grads"])


def short_name(info: TransformInfo) -> str:
    """The last part of a transformation's name."""
    return info.name.rpartition(".")[2]


def _body_name(info: TransformInfo) -> str:
    """What a message calls the transformation that runs a body; maps over trees are told from those over rows."""
    name = short_name(info)
    return f"tree.{name}" if info.name.startswith("jax.tree.") else name


@contextmanager
def shapes_only(it: Interpreter) -> Iterator[None]:
    """A trace that nothing runs: keys are not consumed in it, and what it does to the state is forgotten."""
    before, muted = it.st, it.muted_keys
    it.st, it.muted_keys = before.fork(), True
    try:
        yield
    finally:
        it.st, it.muted_keys = before, muted


def open_trace(it: Interpreter, info: TransformInfo, place: Place, *, body: bool) -> Ctx:
    """The context in which the transformed function runs."""
    outer = it.fr.ctx
    ctx = Ctx(outer)
    ctx.mark = fresh_uid()
    if info.mode != "eager":
        ctx.depth += 1
        ctx.transform = info.name
        ctx.mode = info.mode
    if info.mode in ("abstract", "shape"):
        ctx.abstract = True
        ctx.why = Why(place, f"traced by `{short_name(info)}` here", outer.why)
    ctx.shape = info.mode == "shape"
    if "mesh" in info.options or "refs" in info.feeds:
        ctx.axes = ctx.axes._replace(open=True)  # the cores of a kernel have names too
    if info.mode == "diff" and not is_forward(info):
        ctx.differentiating = True
    if info.mode == "host":
        ctx.abstract = False
        ctx.depth = 0
        ctx.why = None
        ctx.remembers = False
    elif "remembers" in info.options:
        ctx.remembers = True
        ctx.reads = {}
    if body:
        ctx.bodies = (*outer.bodies, (ctx.mark, _body_name(info), place))
    return ctx


def why_text(info: TransformInfo) -> str:
    """Why a parameter is traced, for the chain of a finding."""
    return f"an argument of the function that `{short_name(info)}` transforms here"
