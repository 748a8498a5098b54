"""Walking a LibCST tree without its whitespace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import libcst as cst


@cache
def _space() -> tuple[type[cst.CSTNode], ...]:
    return (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Newline, cst.Comment)


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names: tuple[str, ...] = tuple(getattr(kind, "__dataclass_fields__", ()))
    return tuple(
        name for name in names if "whitespace" not in name and name not in ("leading_lines", "header", "footer")
    )


_known: dict[type, bool] = {}


def _counts(kind: type) -> bool:
    """Whether instances of a class are nodes that mean something; asked once a class, since it is slow to ask."""
    found = _known.get(kind)
    if found is None:
        found = _known[kind] = issubclass(kind, cst.CSTNode) and not issubclass(kind, _space())
    return found


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly inside a node, in the order of their fields."""
    found: list[cst.CSTNode] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        kind = type(value)
        if kind is list or kind is tuple:
            found += [item for item in value if _counts(type(item))]
        elif _counts(kind):
            found.append(value)
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and everything inside it."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(children(current))


def parents(node: cst.CSTNode) -> dict[int, cst.CSTNode]:
    """For each node inside a node, by identity, the node around it."""
    found: dict[int, cst.CSTNode] = {}
    stack = [node]
    while stack:
        current = stack.pop()
        inside = children(current)
        for child in inside:
            found[id(child)] = current
        stack += inside
    return found


def names(node: cst.CSTNode) -> set[str]:
    """Every plain name inside a node."""
    return {found.value for found in walk(node) if isinstance(found, cst.Name)}


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` for a chain of plain names, else nothing."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return ""


def last_name(node: cst.CSTNode) -> str:
    """The last part of a dotted name."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
