"""PRNG keys: deriving them, using them up, and noticing the second time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxlint.semantics import repeats
from jaxlint.semantics.compiles import nodes
from jaxlint.semantics.events import GlobalKeyUsed, KeyCaptured, KeyReused, RawKeyMade, SubkeyUnused, Use
from jaxlint.semantics.properties import renewed
from jaxlint.semantics.state import CUT
from jaxlint.semantics.values import (
    ABSTRACT,
    Array,
    Const,
    ExtObj,
    Key,
    Many,
    Opaque,
    Place,
    Ref,
    SliceV,
    Trace,
    TupleV,
    Union,
    Value,
    ancestors,
    fingerprint,
    is_none,
)
from jaxlint.syntax import ir

if TYPE_CHECKING:
    from jaxlint.semantics.frames import Frame
    from jaxlint.semantics.interpreter import Interpreter

CONSUMING = frozenset({"sample", "split", "call", "init", "unknown"})
"""Ways of use after which a key must not be used again."""

ORDER = ("order",)
"""Detail of a use that draws an order: each leaf of a tree must be put in the same one."""


# ---- deriving -------------------------------------------------------------------------------------------------------


def make_key(it: Interpreter, seed: Value | None, place: Place, function: str) -> Key:
    """The key that `key(seed)` or `PRNGKey(seed)` makes."""
    constant = isinstance(seed, Const)
    key = Key(place, tag=function, constant=constant, trace=_trace(it, None))
    if constant:
        repeats.made(it, key, place)
    if function == "PRNGKey":
        it.emit(RawKeyMade(place, function))
    return key


def _trace(it: Interpreter, parent: Value | None) -> Trace | None:
    """The trace of a key that is made or derived here."""
    ctx = it.fr.ctx
    if ctx.abstract:
        return Trace(ABSTRACT, ctx.why)
    return parent.trace if parent is not None else None


def split(it: Interpreter, key: Value, num: Value | None, place: Place) -> Value:
    """The keys that `split(key, num)` makes; the parent is used up."""
    rows: int | None = 2 if num is None else None
    if isinstance(num, Const) and isinstance(num.value, int):
        rows = num.value
    consume(it, key, "split", place, detail=rows)
    return Key(place, many=True, tag="split", rows=rows, trace=_trace(it, key))


def fold_in(it: Interpreter, key: Value, data: Value, place: Place) -> Value:
    """The key that `fold_in(key, data)` derives: the same data give the same key. Nobody draws from a dropped one."""
    if it.dropped is None or it.place(it.dropped) != place:
        consume(it, key, "fold", place, detail=data)
    return fold_child(it, key, data, place)


def fold_child(it: Interpreter, key: Value, data: Value, place: Place) -> Value:
    """The key that folding `data` in derives, without using the parent."""
    found = fingerprint(data)
    if found is None or not key.uid:
        return Key(place, parent=key, tag=("fold", data), trace=_trace(it, key))
    trace = _trace(it, key)
    return it.child((key.uid, "fold", found), lambda: Key(place, parent=key, tag=("fold", data), trace=trace))


def row(it: Interpreter, key: Key, index: Value) -> Value:
    """`keys[index]`: a key of its own for each index."""
    if isinstance(index, Const) and isinstance(index.value, int) and index.value < 0 and key.rows is not None:
        index = Const(index.value + key.rows)
    found = fingerprint(index)
    if found is None:
        return Key(key.place, parent=key, tag=("row", index), trace=key.trace)
    return it.child((key.uid, "row", found), lambda: Key(key.place, parent=key, tag=("row", index), trace=key.trace))


def part(it: Interpreter, key: Key, lower: int, upper: int | None) -> Value:
    """`keys[lower:upper]` with known bounds: its rows are rows of `keys`."""
    rows = None
    if upper is not None and upper >= 0:
        rows = upper - lower
    elif key.rows is not None:
        rows = key.rows - lower + (upper or 0)
    if rows is not None and rows < 0:
        rows = None

    def element(index: Any) -> Value:
        return row(it, key, Const(index + lower) if isinstance(index, int) else index)

    return it.child((key.uid, "part", lower, upper), lambda: Many("keys", element, rows, key))


def sliced(it: Interpreter, key: Key, index: SliceV) -> Value:
    """`keys[a:b]`."""
    lower, upper, step = index.lower, index.upper, index.step
    constant = all(isinstance(bound, Const) for bound in (lower, upper, step))
    if constant and step.value in (None, 1):  # type: ignore[attr-defined]
        low = lower.value or 0  # type: ignore[attr-defined]
        high = upper.value  # type: ignore[attr-defined]
        if low == 0 and high is None:
            return key
        if isinstance(low, int) and low >= 0 and (high is None or isinstance(high, int)):
            return part(it, key, low, high)
    return Key(key.place, many=True, parent=key, tag=("slice", index), trace=key.trace)


# ---- using up -------------------------------------------------------------------------------------------------------


def is_key(it: Interpreter, value: Value) -> bool:
    """Whether there is evidence that a value is a key."""
    if isinstance(value, Key):
        return True
    if isinstance(value, Opaque):
        if value.hint == "key":
            return True
        uses = it.st.res.get(value.uid)
        return isinstance(uses, tuple) and any(isinstance(use, Use) and use.definite for use in uses)
    return False


def consume(
    it: Interpreter,
    value: Value,
    how: str,
    place: Place,
    *,
    detail: Any = None,
    definite: bool = True,
    inner: Use | None = None,
    alone: bool = True,
) -> None:
    """Use a key up at `place`; `inner` is the use inside the callee that the call at `place` stands for.

    alone: whether it certainly is this value; where others are left unused, one of them may be what the path leads to.
    """
    if it.muted_keys:
        return
    if isinstance(value, Union):
        used = all(it.st.res.get(member.uid) for member in value.members if not is_none(member))
        for member in value.members:
            consume(it, member, how, place, detail=detail, definite=definite, inner=inner, alone=alone and used)
        return
    if isinstance(value, Many) and value.source is not None and isinstance(value.source, Key):
        for index in range(min(value.length or 1, 4)):
            consume(it, value.element(index), how, place, detail=detail, definite=definite, inner=inner)
        return
    if not isinstance(value, Key | Opaque | Array) or (isinstance(value, Opaque) and value.static):
        return
    if isinstance(value, Array) and value.lib == "numpy":
        return
    if _is_global(it, value, place) or renewed(it, value):
        return
    if it.constant_keys and how in CONSUMING:
        repeats.used(it, value, place)
    definite = definite or is_key(it, value)
    use = Use(value, how, place, it.stack(place), tuple(it.passes), detail, definite, inner, alone)
    captured = _captured_event(it, value, place, use) if definite else False
    uses = it.st.res.get(value.uid, ())
    if uses is CUT:
        return
    if not captured and alone:
        _check(it, value, use, uses)
        parent = getattr(value, "parent", None)
        if isinstance(value, Key) and isinstance(parent, Key) and parent.many and _tag(value) in ("row", "slice"):
            parent_uses = it.st.res.get(parent.uid, ())
            if parent_uses is not CUT:
                _check(it, value, use, tuple(u for u in parent_uses if u.how != "fold"))
    it.st.set_res(value.uid, (*uses, use)[-4:])


def consume_deep(it: Interpreter, value: Value, how: str, place: Place, *, keys: bool = False, depth: int = 0) -> None:
    """Use up the keys inside a container; `keys` says that it holds nothing else."""
    if depth > 3:
        return
    if isinstance(value, TupleV):
        for item in value.items:
            consume_deep(it, item, how, place, keys=keys, depth=depth + 1)
    elif isinstance(value, Ref) and value.kind in ("dict", "list"):
        content = it.st.content(value)
        items = content.items.values() if isinstance(content.items, dict) else content.items
        for item in items:
            consume_deep(it, item, how, place, keys=keys, depth=depth + 1)
    elif isinstance(value, Key) or is_key(it, value) or (keys and depth and isinstance(value, Opaque)):
        consume(it, value, how, place)


def _tag(key: Key) -> str:
    return key.tag[0] if isinstance(key.tag, tuple) else ""


def _is_global(it: Interpreter, value: Value, place: Place) -> bool:
    fr = it.fr
    if fr.fn.parent is None or _body_of_script(it, value):
        return False
    if place in it.captured_keys and fr.env.state == "done":
        return False  # the script itself hands the body over: that was told
    for item in ancestors(value):
        found = it.global_keys.get(item.uid)
        if found is not None:
            name, defined, _ = found
            it.emit(GlobalKeyUsed(place, value, name, fr.ctx.depth > 0, defined))
            return True
    return False


def _body_of_script(it: Interpreter, value: Value) -> bool:
    """Whether a module's own statements, and no function, run the body that captured the key."""
    for mark, _, _ in reversed(it.fr.ctx.bodies):
        if captured(value, mark):
            fr: Frame | None = it.fr
            while fr is not None and fr.fid > mark:
                fr = fr.parent
            return fr is not None and fr.fn.parent is None and fr.env.state == "running"
    return False


def captured(value: Value, mark: int) -> bool:
    """Whether a key is older than the body whose mark is given, and nothing of the body varies it."""
    for item in ancestors(value):
        if isinstance(item, Key) and isinstance(item.tag, tuple):
            data = item.tag[1]
            if data.uid >= mark:
                return False
            if isinstance(data, Opaque) and data.expr is not None:
                return False
            if item.tag[0] == "row" and not isinstance(data, Const):
                return False
            continue
        if isinstance(item, Opaque) and item.parent is not None and _fixed_part(item.tag):
            continue
        return item.uid < mark
    return False


def _fixed_part(tag: Any) -> bool:
    """Whether a part of a value is the same part on every step: an attribute, a constant index."""
    return isinstance(tag, tuple) and (
        tag[0] == "attr"
        or (tag[0] == "i" and isinstance(tag[1], int))
        or (tag[0] == "item" and isinstance(tag[1], Const))
    )


def _captured_event(it: Interpreter, value: Value, place: Place, use: Use) -> bool:
    if use.how == "fold":
        return False
    ordered = _innermost(use).detail is ORDER
    for mark, name, body_place in reversed(it.fr.ctx.bodies):
        if ordered and name.startswith("tree."):
            continue
        if captured(value, mark):
            it.emit(KeyCaptured(place, value, name, body_place, use))
            it.captured_keys.add(place)
            return True
    return False


def used_in_next_pass(it: Interpreter, value: Value, use: Use) -> None:
    """What the body of a loop received was used; it is `value`, which the pass before handed on."""
    earlier_uses = it.st.res.get(value.uid, ())
    for earlier in earlier_uses if isinstance(earlier_uses, tuple) else ():
        if isinstance(earlier, Use) and _other_pass(use, earlier) and conflict(earlier, use):
            it.emit(KeyReused(use.place, value, use, earlier, earlier.place, loop=True))
            return


def _innermost(use: Use) -> Use:
    while use.inner is not None:
        use = use.inner
    return use


def _check(it: Interpreter, value: Value, use: Use, previous: Any) -> None:
    for earlier in reversed(previous):
        if isinstance(earlier, Use) and conflict(earlier, use):
            _report(it, value, use, earlier)
            return


def conflict(a: Use, b: Use) -> bool:
    """Whether two uses of one key draw from the same stream."""
    if not (a.definite or b.definite):
        return False
    if a.how == "fold" and b.how == "fold":
        return False
    if a.how == "fold" or b.how == "fold":
        fold, other = (a, b) if a.how == "fold" else (b, a)
        data = fold.detail
        if other.how == "sample":
            return True
        if isinstance(data, Const) and isinstance(data.value, int):
            rows = other.detail if other.how == "split" else None
            return rows is None or data.value < rows
        return isinstance(data, Opaque) and data.hint == "range"
    return a.how in CONSUMING and b.how in CONSUMING


def _report(it: Interpreter, value: Value, use: Use, earlier: Use) -> None:
    place, earlier_place, depth = diverge(use, earlier)
    loop = _other_pass(use, earlier)
    if loop and "fold" in (use.how, earlier.how) and not _older_than_loop(value, use, earlier):
        loop = False  # each pass derives its own key; the one that the next derives from was used up as well
    if place == earlier_place and not loop:
        return
    if loop and place == earlier_place and 0 < depth < len(use.stack):
        place = earlier_place = _written_in_loop(it, use.stack[depth - 1], use.stack[depth][1])
    it.emit(KeyReused(place, value, use, earlier, earlier_place, loop))


def diverge(use: Use, earlier: Use) -> tuple[Place, Place, int]:
    """Where two uses part: the places in the innermost call that both happened in."""
    depth = 0
    for (fid, _), (earlier_fid, _) in zip(use.stack, earlier.stack, strict=False):
        if fid != earlier_fid:
            break
        depth += 1
    if depth == 0:
        return use.place, earlier.place, 0
    place, earlier_place = use.stack[depth - 1][1], earlier.stack[depth - 1][1]
    if place[0] is not use.place[0] or use.place == earlier.place:
        return place, earlier_place, depth
    return place, earlier_place, depth


def _written_in_loop(it: Interpreter, outer: tuple[int, Place], inner: Place) -> Place:
    """The innermost place that the loop itself holds: inside a function that its body defines, else the call of it."""
    fr: Frame | None = it.fr
    while fr is not None and fr.fid != outer[0]:
        fr = fr.parent
    if fr is None or not fr.loops or inner[0] is not outer[1][0]:
        return outer[1]
    start = fr.loops[-1].start
    body = next((node for node in nodes(fr.fn.body) if isinstance(node, ir.For | ir.While) and node.id == start), None)
    found = body is not None and any(node.id == inner[1] for node in nodes(body.body))
    return inner if found else outer[1]


def _older_than_loop(value: Value, use: Use, earlier: Use) -> bool:
    theirs = dict(earlier.passes)
    return all(captured(value, loop) for loop, number in use.passes if theirs.get(loop, number) != number)


def _other_pass(use: Use, earlier: Use) -> bool:
    theirs = dict(earlier.passes)
    return any(theirs.get(loop, number) != number for loop, number in use.passes)


# ---- subkeys that nobody uses ---------------------------------------------------------------------------------------


def note_subkeys(it: Interpreter, target: ir.Seq, value: Key, stmt: ir.Assign, source: ir.Expr) -> None:
    """Remember the names that `key, sub = split(key)` binds, to tell at the end which were never used."""
    if value.tag != "split" or type(source) is not ir.Call or not source.args:
        return
    parent = _text(source.args[0])
    names = [_text(item) for item in target.items]
    if parent is None:
        return
    rebound: Value
    if parent in names:
        rebound = row(it, value, Const(names.index(parent)))
    else:
        from jaxlint.semantics.expressions import evaluate

        rebound = evaluate(it, source.args[0])
    for position, item in enumerate(target.items):
        if type(item) is ir.Name and not item.name.startswith("_") and item.name != parent:
            child = row(it, value, Const(position))
            if isinstance(child, Key):
                it.fr.subkeys.append((it.place(stmt), position, item.name, child, rebound))


def note_derived(it: Interpreter, target: ir.Expr, value: Key, stmt: ir.Assign) -> None:
    """Remember the name that `sub = fold_in(key, data)` binds."""
    fresh = value.place is not None and value.place == it.place(stmt.value) if stmt.value is not None else False
    if type(target) is not ir.Name or target.name.startswith("_"):
        return
    if fresh and _tag(value) == "fold" and value.parent is not None:
        it.fr.subkeys.append((it.place(stmt), 0, target.name, value, value.parent))


def _text(expr: ir.Expr) -> str | None:
    if type(expr) is ir.Name:
        return expr.name
    if type(expr) is ir.Attr:
        base = _text(expr.obj)
        return f"{base}.{expr.attr}" if base is not None else None
    return None


def finish_subkeys(it: Interpreter, frame: Frame) -> None:
    """Tell which subkeys were never used while the key rebound as their parent was."""
    if not frame.subkeys or not frame.exits:
        return
    used = {(place, position) for place, position, _, child, _ in frame.subkeys if child.uid in it.touched}
    told: set[Any] = set()
    for place, position, name, _child, rebound in frame.subkeys:
        if (place, position) in used or (place, position) in told:
            continue
        if frame.fn.loads.get(name, -1) > place[1] and not _rebound_later(frame, place, name):
            continue
        for _, state in frame.exits:
            uses = state.res.get(rebound.uid, ())
            found = next(
                (
                    u
                    for u in uses
                    if isinstance(u, Use) and u.how in CONSUMING and u.definite and not _same_statement(u.place, place)
                ),
                None,
            )
            if found is not None:
                told.add((place, position))
                it.emit(SubkeyUnused(place, name, found))
                break


def _same_statement(a: Place, b: Place) -> bool:
    return a[0] is b[0] and a[0].statement_of[a[1]] == b[0].statement_of[b[1]]


def _rebound_later(frame: Frame, place: Place, name: str) -> bool:
    """Whether a later split binds the same name, so that later reads may belong to it."""
    return any(other[0][1] > place[1] and other[2] == name for other in frame.subkeys)


__all__ = ["ExtObj", "consume", "consume_deep", "fold_in", "is_key", "make_key", "row", "split"]
