"""Candidates for arguments: fresh values to try, the likeliest first."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
from collections import Counter, namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from jaxlint.confirm.inside.specs import Spec

AXIS = 4
"""The length of every axis, list and count, so that shapes fit each other. Forced devices make it their number."""

_MOST = 6
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that can be made any number of times, and its name in the report."""

    label: str
    make: Callable[[], Any]
    is_default: bool = False


class Maker:
    """Makes candidates for specs.

    names: the module's namespace. axis: the length of axes. legacy: whether the program makes keys that are plain
    arrays, and may treat them so.
    """

    def __init__(self, names: dict[str, Any], axis: int = AXIS, *, legacy: bool = False) -> None:
        self._names = names
        self.axis = axis
        self._legacy = legacy
        self._keys = itertools.count(11)

    def candidates(self, name: str, spec: Spec, depth: int = 0) -> list[Candidate]:
        """Candidates for a parameter."""
        found: list[Candidate] = []
        if spec.annotation is not None:
            found += self._annotated(spec.annotation, spec, depth)
        if spec.has_default and spec.default is not inspect.Parameter.empty:
            default = spec.default
            known = _default(default)
            found.insert(0 if default is not None and not _is_flag(default) else len(found), known)
            if isinstance(default, bool):
                found.append(_plain(not default))
        found += self._likely(name, spec, depth)
        unique: dict[str, Candidate] = {}
        for candidate in found:
            unique.setdefault(candidate.label, candidate)
        return list(unique.values())[: _MOST if depth == 0 else 2]

    def is_jaxtyping(self, spec: Spec) -> bool:
        """Whether an annotation of jaxtyping says what a parameter is."""
        node = self._read(spec.annotation)
        return node is not None and (_kind(node) in _KEYS or bool(self._jaxtyping(node)))

    def annotated(self, spec: Spec) -> list[Candidate]:
        """Candidates from a parameter's annotation, or its default."""
        found = self._annotated(spec.annotation, Spec(), 0) if spec.annotation is not None else []
        if spec.has_default and not found:
            found = [_default(spec.default)]
        return found

    def _likely(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        votes: Counter[str] = Counter(spec.votes)
        words = set(name.lower().strip("_").split("_"))
        if words & {"key", "rng", "prng", "keys", "rngs"}:
            votes["key"] += 2
        if words & {"n", "num", "count"}:
            votes["int"] += 4
        elif words & {"steps", "size", "depth", "width", "horizon", "epochs", "seed", "rounds"}:
            votes["int"] += 1
        votes["array"] += votes.pop("number", 0)
        order = [kind for kind, _ in votes.most_common() if kind in _KINDS]
        found: list[Candidate] = []
        for kind in order:
            found += getattr(self, f"_make_{kind}")(name, spec, depth)
        for kind in ("array", "int", "key"):
            if kind not in order:
                found += getattr(self, f"_make_{kind}")(name, spec, depth)[:2]
        return found

    def _make_key(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        number = next(self._keys)
        kinds = ["PRNGKey", "key"] if self._legacy else ["key", "PRNGKey"]
        singles = [Candidate(f"{kind}({number})", partial(_key, kind, number)) for kind in kinds]
        rows = Candidate(f"split({singles[0].label}, {self.axis})", partial(_keys, kinds[0], number, self.axis))
        return [rows, *singles] if spec.rank or "keys" in name else [singles[0], rows, singles[1]]

    def _make_array(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        ranks = [spec.exact_rank] if spec.exact_rank is not None else _ranks(spec)
        found: list[Candidate] = []
        for rank in ranks:
            shape = (self.axis,) * rank
            if spec.integral:
                found.append(Candidate(f"int32{list(shape)}", partial(_integers, shape)))
            found.append(Candidate(f"float32{list(shape)}", partial(_floats, shape)))
        if not spec.rank and spec.exact_rank is None:
            found.insert(2, _plain(0.5))
        return found

    def _make_float(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        return [_plain(0.5)]

    def _make_int(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        return [_plain(self.axis), _plain(1)]

    def _make_bool(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        return [_plain(True), _plain(False)]

    def _make_str(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        return [_plain(text) for text in dict.fromkeys(spec.strings)] or [_plain("a")]

    def _make_callable(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        return [
            Candidate("a sum of squares", lambda: _sum_of_squares),
            Candidate("the identity", lambda: _identity),
        ]

    def _make_dict(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        keys = [key for key in spec.items if isinstance(key, str) and not key.startswith(".") and key != "matmul"]
        if not keys and spec.element is not None:
            keys = ["a", "b"]
            parts = {key: self._first(key, spec.element, depth) for key in keys}
            return [_collected(dict, parts)]
        whole = [self.candidates(key, spec.items[key], depth + 1) for key in keys] if depth < _DEPTH else []
        variants = [dict(zip(keys, row, strict=True)) for row in zip(*_even(whole), strict=True)] if keys else [{}]
        return [_collected(dict, variant) for variant in variants]

    def _make_seq(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        element = spec.element
        if element is None or not (element.votes or element.items):
            return self._make_array(name, spec, depth)
        rows = [self._first(f"{name}{index}", element, depth) for index in range(self.axis)]
        as_list = Candidate(f"[{rows[0].label}, …]", lambda: [row.make() for row in rows])
        arrays = [] if element.votes["tuple"] or element.votes["dict"] else self._make_array(name, spec, depth)
        return [as_list, *arrays]

    def _make_tuple(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        count = max((key for key in spec.items if isinstance(key, int)), default=-1) + 1
        if not count or depth >= _DEPTH:
            return []
        whole = [self.candidates(f"{name}{index}", spec.item(index), depth + 1) for index in range(count)]
        variants = [dict(enumerate(row)) for row in zip(*_even(whole), strict=True)]
        return [_collected(lambda parts: tuple(parts.values()), variant) for variant in variants]

    def _make_fields(self, name: str, spec: Spec, depth: int) -> list[Candidate]:
        fields = [key[1:] for key in spec.items if isinstance(key, str) and key.startswith(".")]
        if not fields or depth >= _DEPTH:
            return []
        found: list[Candidate] = []
        for cls in self.classes_with(fields):
            found += self.instances(cls, spec, depth)
        if not found and all(field.isidentifier() and not field.startswith("_") for field in fields):
            made = namedtuple(f"Fields_{name}", fields)  # type: ignore[misc]  # noqa: PYI024
            made.spec = spec  # type: ignore[attr-defined]
            parts = {field: self._first(field, spec.items[f".{field}"], depth) for field in fields}
            found.append(_collected(lambda values: made(**values), parts))
        return found

    def classes_with(self, fields: Sequence[str]) -> Iterator[type]:
        """Classes of the module that have these fields."""
        for value in list(self._names.values()):
            if isinstance(value, type):
                names = set(_fields_of(value)) | {name for name in dir(value) if not name.startswith("__")}
                if _fields_of(value) and set(fields) <= names:
                    yield value

    def instances(self, cls: type, spec: Spec, depth: int) -> list[Candidate]:
        """Instances of a class made from its fields or the parameters of its constructor."""
        if depth >= _DEPTH:
            return []
        try:
            parameters = inspect.signature(cls).parameters
        except (TypeError, ValueError):
            return []
        parts: dict[str, list[Candidate]] = {}
        for name, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if name in ("parent", "name") and parameter.default is not parameter.empty:
                continue
            own = spec.items.get(f".{name}", Spec())
            part = Spec(
                Counter(own.votes), own.rank, own.exact_rank, own.items, own.element, own.arity, own.strings,
                _annotation(parameter.annotation), parameter.default, parameter.default is not parameter.empty,
            )  # fmt: skip
            if name == "rngs":
                parts[name] = [Candidate("nnx.Rngs(0)", _nnx_rngs)]
            else:
                parts[name] = self.candidates(name, part, depth + 1)
        listed = list(parts.values())
        filled = itertools.chain(islice(_defaults(listed), 1), zip(*_even(listed), strict=True))
        rows = [dict(zip(parts, row, strict=True)) for row in filled]
        return [_collected(lambda values: cls(**values), row, cls.__name__) for row in rows or [{}]]

    def _annotated(self, node: ast.expr, spec: Spec, depth: int) -> list[Candidate]:
        read = self._read(node)
        if read is None:
            return []
        node = read
        text = ast.unparse(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._annotated(node.left, spec, depth) + self._annotated(node.right, spec, depth)
        last = _kind(node)
        if last in _ARRAYS:
            # Keys are arrays, too: what is done with the value says more.
            return [] if spec.votes["key"] else self._make_array("", spec, depth)
        if last in _PLAIN:
            return list(getattr(self, f"_make_{_PLAIN[last]}")("", spec, depth))
        if last in ("Optional", "Union") and isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return [candidate for part in parts for candidate in self._annotated(part, spec, depth)]
        typed = self._jaxtyping(node)
        if typed:
            return typed
        value: Any = self._names.get(text)
        if isinstance(value, type) and value.__module__ not in ("builtins", "jax", "typing", "numpy"):
            return self.instances(value, spec, depth)
        return []

    def _read(self, node: ast.expr | None) -> ast.expr | None:
        """An annotation without quotes, and the annotation of jaxtyping that a name of the module stands for."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = _parsed(node.value)
        if isinstance(node, ast.Name):
            value: Any = self._names.get(node.id)
            if hasattr(value, "dim_str") and hasattr(value, "__name__"):
                return _parsed(value.__name__) or node
        return node

    def _jaxtyping(self, node: ast.expr) -> list[Candidate]:
        kind = _kind(node)
        if kind not in _JAXTYPING or not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
            return []
        shape = node.slice.elts[-1]
        if not isinstance(shape, ast.Constant) or not isinstance(shape.value, str):
            return []
        if kind in _KEYS:
            return self._make_key("", Spec(), 0)
        dims: list[int] = []
        for word in shape.value.split():
            if word in ("...",) or word.startswith(("*", "#*")):
                continue
            number = word.lstrip("#_?").partition("=")[2] or word.lstrip("#_?")
            dims.append(int(number) if number.isdigit() else self.axis)
        form = tuple(dims)
        if kind.startswith(("Int", "UInt")):
            return [Candidate(f"int32{list(form)} (its annotation)", lambda: _integers(form))]
        if kind == "Bool":
            return [Candidate(f"bool{list(form)} (its annotation)", lambda: _integers(form) % 2 == 0)]
        return [Candidate(f"float32{list(form)} (its annotation)", lambda: _floats(form))]

    def _first(self, name: str, spec: Spec, depth: int) -> Candidate:
        return (self.candidates(name, spec, depth + 1) or [_plain(0.5)])[0]


_KINDS = frozenset(["key", "array", "float", "int", "bool", "str", "callable", "dict", "seq", "tuple", "fields"])
_PLAIN = {
    "int": "int", "float": "float", "bool": "bool", "str": "str", "Callable": "callable", "PRNGKeyArray": "key",
    "KeyArray": "key", "PRNGKey": "key", "dict": "dict", "Dict": "dict", "Mapping": "dict", "list": "seq",
    "List": "seq", "Sequence": "seq", "tuple": "tuple", "Tuple": "tuple",
}  # fmt: skip
_ARRAYS = frozenset(("Array", "ndarray", "ArrayLike"))
_JAXTYPING = frozenset(
    (
        "Float", "Float32", "Float64", "Int", "Int32", "UInt", "Bool", "Num", "Real", "Inexact", "Complex", "Shaped",
        "Integer", "Key",
    )
)  # fmt: skip


_KEYS = frozenset(("Key", "PRNGKeyArray"))


def combinations(listed: Sequence[Sequence[Candidate]], most: int) -> Iterator[tuple[Candidate, ...]]:
    """Rows of candidates: defaults, then those of equal rank, then those that depart least from the first choices."""
    seen: set[tuple[str, ...]] = set()
    for row in itertools.chain(_defaults(listed), zip(*_even(listed), strict=True), _nearest(listed)):
        if not listed:
            break
        names = tuple(candidate.label for candidate in row)
        if names not in seen:
            seen.add(names)
            yield row
        if len(seen) >= most:
            return
    if not listed:
        yield ()


def _defaults(listed: Sequence[Sequence[Candidate]]) -> Iterator[tuple[Candidate, ...]]:
    """The row with every default, where there is one, and rows in which one of them is another value."""
    if not all(listed) or not any(part.is_default for candidates in listed for part in candidates):
        return
    row = [next((part for part in found if part.is_default), found[0]) for found in listed]
    yield tuple(row)
    others = [(index, part) for index, found in enumerate(listed) if row[index].is_default
              for part in islice((part for part in found if not part.is_default), 1)]  # fmt: skip
    for index, part in others[:_MOST]:
        yield (*row[:index], part, *row[index + 1 :])


def _nearest(listed: Sequence[Sequence[Candidate]]) -> Iterator[tuple[Candidate, ...]]:
    widest = sum(max(len(candidates) - 1, 0) for candidates in listed)
    for total in range(widest + 1):
        for ranks in _with_sum([len(candidates) for candidates in listed], total):
            yield tuple(candidates[rank] for candidates, rank in zip(listed, ranks, strict=True))


def _with_sum(sizes: Sequence[int], total: int) -> Iterator[tuple[int, ...]]:
    if not sizes:
        if total == 0:
            yield ()
        return
    for rank in range(min(sizes[0] - 1, total) + 1):
        for rest in _with_sum(sizes[1:], total - rank):
            yield (rank, *rest)


def _even(listed: Sequence[Sequence[Candidate]]) -> list[list[Candidate]]:
    """Lists of one length; short ones repeat their last."""
    longest = min(max((len(row) for row in listed), default=0), 3)
    return [([*row] + [row[-1]] * longest)[:longest] for row in listed if row]


def _collected(build: Callable[[dict[Any, Any]], Any], parts: dict[Any, Candidate], name: str = "") -> Candidate:
    inside = ", ".join(f"{key}: {part.label}" for key, part in parts.items())
    return Candidate(
        f"{name or ''}{{{inside}}}"[:200], lambda: build({key: part.make() for key, part in parts.items()})
    )


def _ranks(spec: Spec) -> list[int]:
    if "matmul" in spec.items:
        return [rank for rank in (1, 2) if rank >= spec.rank]
    return [rank for rank in (1, 0, 2, 3) if rank >= spec.rank] if spec.rank != 1 else [1, 2, 3]


def _fields_of(cls: type) -> list[str]:
    fields = getattr(cls, "_fields", None)
    if isinstance(fields, tuple):
        return [str(field) for field in fields]
    return [field.name for field in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []


def _annotation(value: Any) -> ast.expr | None:
    if value is inspect.Parameter.empty or value is Any:
        return None
    return _parsed(value if isinstance(value, str) else getattr(value, "__name__", str(value)))


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _kind(node: ast.expr) -> str:
    """The last part of an annotation's name."""
    return ast.unparse(node).split("[")[0].rpartition(".")[2]


def _default(value: Any) -> Candidate:
    return Candidate(f"its default {value!r}"[:60], lambda: value, is_default=True)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _plain(value: Any) -> Candidate:
    return Candidate(repr(value), lambda: value)


def like(value: Any) -> Any:
    """A value with numbers of our own in place of traced ones, of the same shape and type."""
    import jax

    return jax.tree.map(lambda leaf: _of_type(leaf) if isinstance(leaf, jax.core.Tracer) else leaf, value)


def _of_type(leaf: Any) -> Any:
    import jax
    import jax.numpy as jnp

    shape, dtype = tuple(leaf.aval.shape), leaf.aval.dtype
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return jax.random.split(jax.random.key(11), shape) if shape else jax.random.key(11)
    if jnp.issubdtype(dtype, jnp.inexact):
        return _floats(shape).astype(dtype)
    return _integers(shape).astype(dtype)


def _key(kind: str, number: int) -> Any:
    import jax

    return getattr(jax.random, kind)(number)


def _keys(kind: str, number: int, count: int) -> Any:
    import jax

    return jax.random.split(_key(kind, number), count)


def _floats(shape: tuple[int, ...]) -> Any:
    import jax.numpy as jnp
    import numpy as np

    size = int(np.prod(shape))
    values: Any = np.linspace(0.15, 0.95, size, dtype=np.float32) if size > 1 else np.full(size, 0.35, np.float32)
    return jnp.asarray(values.reshape(shape))


def _integers(shape: tuple[int, ...]) -> Any:
    import jax.numpy as jnp
    import numpy as np

    return jnp.asarray((np.arange(int(np.prod(shape)), dtype=np.int32) % 3).reshape(shape))


def _nnx_rngs() -> Any:
    from flax import nnx

    return nnx.Rngs(0)


def _sum_of_squares(*arguments: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return sum((jnp.sum(jnp.asarray(leaf) ** 2) for leaf in jax.tree.leaves(arguments)), start=jnp.float32(0))


def _identity(*arguments: Any) -> Any:
    return arguments[0]
