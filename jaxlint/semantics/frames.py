"""What one run of a function stands in: its trace (`Ctx`), its loops and its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics.axes import NO_AXES, Axes
from jaxlint.semantics.events import Event
from jaxlint.semantics.project import ModuleEnv
from jaxlint.semantics.state import State
from jaxlint.semantics.values import (
    ClassV,
    Closure,
    Func,
    Key,
    Place,
    Value,
    Why,
    Wrapped,
    fresh_uid,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.captures import Read, Variable


class Ctx:
    """How the running code is traced.

    abstract: everything JAX computes is a tracer, as under `jit`. depth: how many traces are open. mark: values with a
    smaller uid are older than the innermost trace. bodies: the loop bodies and maps being run, as (mark, name,
    place).
    mode: the mode of the innermost transformation, as in the table of transformations.
    shape: only shapes are asked for, as by `eval_shape`.
    differentiating: a derivative will come back through what runs, in reverse mode.
    remembers: JAX keeps the trace for later calls. reads: the outer variables that it has read, where this context is
    that of a remembered function, or of a summary (boundary: what is read inside is noted for each call of it).
    axes: the named axes around the running code.
    arguments: uids of the values that the innermost traced function received; shared: those of them that the caller
    sees changed.
    """

    __slots__ = (
        "abstract",
        "arguments",
        "axes",
        "bodies",
        "boundary",
        "depth",
        "differentiating",
        "mark",
        "mode",
        "parent",
        "pending",
        "reads",
        "remembers",
        "shape",
        "shared",
        "transform",
        "why",
    )

    def __init__(self, parent: Ctx | None = None) -> None:
        self.parent = parent
        self.abstract: bool = parent.abstract if parent is not None else False
        self.why: Why | None = parent.why if parent is not None else None
        self.depth: int = parent.depth if parent is not None else 0
        self.mark: int = parent.mark if parent is not None else 0
        self.bodies: tuple[tuple[int, str, Place | None], ...] = parent.bodies if parent is not None else ()
        self.transform: str = parent.transform if parent is not None else ""
        self.mode: str = parent.mode if parent is not None else ""
        self.shape: bool = parent.shape if parent is not None else False
        self.differentiating: bool = parent.differentiating if parent is not None else False
        self.arguments: set[int] = set()
        self.shared: set[int] = set()
        self.pending: list[tuple[frozenset[int], Event]] = []
        self.remembers: bool = parent.remembers if parent is not None else False
        self.reads: dict[Variable, Read] | None = None
        self.boundary = False
        self.axes: Axes = parent.axes if parent is not None else NO_AXES

    def eager(self) -> Ctx:
        """The same place of the program, where what JAX computes is no tracer."""
        ctx = Ctx(self)
        ctx.abstract = False
        ctx.arguments, ctx.shared, ctx.pending = self.arguments, self.shared, self.pending
        return ctx


class Loop:
    """A running Python loop: the paths that broke out and those that went on to the next pass."""

    __slots__ = ("breaks", "continues", "start")

    def __init__(self, start: int) -> None:
        self.breaks: list[State] = []
        self.continues: list[State] = []
        self.start = start


class Frame:
    """A running call."""

    __slots__ = (
        "call_place",
        "cls",
        "compiled",
        "ctx",
        "defaulting",
        "env",
        "exits",
        "fid",
        "fn",
        "func",
        "handlers",
        "local_functions",
        "loops",
        "mark",
        "own",
        "parent",
        "passes",
        "received",
        "subkeys",
        "wrappers",
        "yields",
    )

    def __init__(
        self,
        fn: ir.FunctionIR,
        env: ModuleEnv,
        ctx: Ctx,
        parent: Frame | None,
        call_place: Place | None,
        closure: Closure | None,
        func: Func | None,
    ) -> None:
        self.fid = fresh_uid()
        self.fn = fn
        self.env = env
        self.ctx = ctx
        self.parent = parent
        self.call_place = call_place
        self.func = func
        self.cls: ClassV | None = func.cls if func is not None else None
        self.own = Closure(self.fid, fn, closure, ctx.depth, self.fid)
        self.exits: list[tuple[Value, State]] = []
        self.loops: list[Loop] = []
        self.handlers: list[list[State]] = []
        self.yields: list[Value] = []
        self.local_functions: list[Func] = []
        self.subkeys: list[tuple[Place, int, str, Key, Value]] = []
        self.wrappers: list[tuple[Wrapped, dict[Any, Any]]] = []
        self.compiled: dict[Place, tuple[list[Place | None], Wrapped]] = {}
        self.passes = 0
        self.defaulting = 0
        self.mark = self.fid
        self.received: set[int] = set()

    @property
    def outermost(self) -> bool:
        """Whether the call is one that nothing in the analysed code makes: an entry or a summary."""
        return self.parent is None or self.parent.fn.parent is None
