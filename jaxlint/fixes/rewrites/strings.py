"""Text with values in it, as a format string and arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.findings import Edit, Span
from jaxlint.fixes import tree
from jaxlint.target import version

if TYPE_CHECKING:
    from jaxlint.findings import Fix
    from jaxlint.fixes.editor import Editor
    from jaxlint.semantics.values import Place

_STATIC = frozenset({"shape", "ndim", "dtype", "size", "__name__", "sharding"})
_OPTIONS = frozenset({"ordered", "partitioned", "skip_format_check"})
_ANY_VALUE = "0.7"
"""From which version on `jax.debug.print` shows values of every kind; before, arrays only."""

_PERCENT = re.compile(r"%(?P<spec>[-+ 0#]*\d*(?:\.\d+)?)(?P<kind>[a-zA-Z%(])")


class _Arguments:
    """Values that move out of a text: plain names by keyword, the rest by position."""

    def __init__(self) -> None:
        self.positional: list[str] = []
        self.named: dict[str, str] = {}

    def add(self, text: str, node: cst.BaseExpression) -> str:
        """The name of the field for a value, empty for one by position."""
        if isinstance(node, cst.Name) and node.value not in ("fmt", "ordered", "partitioned", "skip_format_check"):
            self.named[node.value] = text
            return node.value
        self.positional.append(text)
        return ""

    def pieces(self) -> list[str]:
        return [*self.positional, *(f"{name}={text}" for name, text in self.named.items())]


def debug_print_arguments(editor: Editor, place: Place) -> Fix | None:
    """The values of a text that `jax.debug.print` is given as its arguments."""
    call = editor.node(place)
    if not isinstance(call, cst.Call) or not call.args or call.args[0].star or call.args[0].keyword is not None:
        return None
    if any(argument.keyword is None for argument in call.args[1:]):
        return None
    text = call.args[0].value
    arguments = _Arguments()
    formatted = _format_call(editor, text) or _percent(editor, text)
    code = formatted[0] if formatted is not None else _pieces(editor, text, arguments)
    if code is None:
        return None
    given = (formatted[1] if formatted is not None else []) + arguments.pieces()
    taken = {argument.keyword.value for argument in call.args if argument.keyword is not None}
    if not given or taken & arguments.named.keys():
        return None
    if _has_braces(text) and (arguments.positional or formatted is not None or taken - _OPTIONS):
        return None  # fields for arguments that are there already; and JAX 0.12 prints `{{}} {}` as it stands
    edit = editor.replace(call.args[0], ", ".join([code, *given]))
    return editor.fix("pass the values as arguments", edit, safe=editor.target.lowest >= version(_ANY_VALUE))


def _pieces(editor: Editor, node: cst.BaseExpression, arguments: _Arguments) -> str | None:
    """An f-string, or a chain of strings with f-strings in it, as a plain format string."""
    if isinstance(node, cst.ConcatenatedString):
        left, right = _pieces(editor, node.left, arguments), _pieces(editor, node.right, arguments)
        if left is None or right is None:
            return None
        first, second = editor.span(node.left), editor.span(node.right)
        between = editor.slice(Span(first.end_row, first.end_column, second.row, second.column))
        return left + between + right
    if isinstance(node, cst.SimpleString):
        return _literal(editor.text(node))
    return _fstring(editor, node, arguments) if isinstance(node, cst.FormattedString) else None


def _has_braces(node: cst.BaseExpression) -> bool:
    """Whether the text itself shows braces."""
    for piece in tree.walk(node):
        if isinstance(piece, cst.FormattedStringText) and ("{{" in piece.value or "}}" in piece.value):
            return True
        if isinstance(piece, cst.SimpleString) and "{{" in piece.value:
            return True
        if isinstance(piece, cst.ConcatenatedString):
            sides = (piece.left, piece.right)
            if any(isinstance(side, cst.SimpleString) and "{" in side.value for side in sides):
                return True
    return False


def _literal(text: str) -> str | None:
    """A plain string as a format string for the same text."""
    if "\\N{" in text or "b" in text[: text.find(text[-1])].lower():
        return None
    return text.replace("{", "{{").replace("}", "}}")


def _fstring(editor: Editor, node: cst.FormattedString, arguments: _Arguments) -> str | None:
    """What is static stays an f-string's part, with the fields of the others doubled."""
    static = [part for part in node.parts if isinstance(part, cst.FormattedStringExpression) and _is_static(part)]
    prefix = node.prefix if static else re.sub("f", "", node.prefix, flags=re.IGNORECASE)
    pieces = [prefix + node.quote]
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            if "\\N{" in part.value:
                return None
            pieces.append(part.value.replace("{{", "{{{{").replace("}}", "}}}}") if static else part.value)
        elif isinstance(part, cst.FormattedStringExpression):
            if part in static:
                pieces.append(editor.text(part))
                continue
            field = _field(editor, part, arguments)
            if field is None:
                return None
            lead, braced = field
            pieces.append(f"{lead}{{{braced}}}" if static else lead + braced)
    return "".join([*pieces, node.end])


def _field(editor: Editor, part: cst.FormattedStringExpression, arguments: _Arguments) -> tuple[str, str] | None:
    """What stands before the field (of `{x=}`), and the field."""
    value = editor.text(part.expression)
    if "\n" in value or isinstance(part.expression, cst.Yield | cst.Await | cst.NamedExpr):
        return None
    spec = ""
    for piece in part.format_spec or ():
        if not isinstance(piece, cst.FormattedStringText):
            return None
        spec += piece.value
    field = arguments.add(value, part.expression)
    conversion = f"!{part.conversion}" if part.conversion else ""
    lead = f"{value}=" if part.equal is not None else ""
    if "{" in lead:
        return None
    return lead, f"{{{field}{conversion}{':' + spec if part.format_spec else ''}}}"


def _is_static(part: cst.FormattedStringExpression) -> bool:
    """Whether a value is known while JAX traces, by how it is written."""
    node: cst.BaseExpression = part.expression
    while isinstance(node, cst.Subscript):
        node = node.value
    if isinstance(node, cst.Attribute):
        return node.attr.value in _STATIC
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value in ("len", "type")
    return isinstance(node, cst.SimpleString | cst.BaseNumber)


def _format_call(editor: Editor, node: cst.BaseExpression) -> tuple[str, list[str]] | None:
    """`"…".format(a, b=c)`."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value != "format":
        return None
    text = node.func.value
    if not isinstance(text, cst.SimpleString | cst.ConcatenatedString) or not node.args:
        return None
    return editor.text(text), [editor.slice(editor.between(node.args[0], node.args[-1]))]


def _percent(editor: Editor, node: cst.BaseExpression) -> tuple[str, list[str]] | None:
    """`"…" % (a, b)`."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Modulo):
        return None
    if not isinstance(node.left, cst.SimpleString) or isinstance(node.right, cst.Dict):
        return None
    values = [e.value for e in node.right.elements] if isinstance(node.right, cst.Tuple) else [node.right]
    text = _literal(editor.text(node.left))
    if text is None or any(isinstance(value, cst.StarredElement) for value in values):
        return None
    fields: list[str] = []
    for match in _PERCENT.finditer(text):
        field = _percent_field(match["kind"], match["spec"])
        if field is None:
            return None
        fields.append(field)
    if sum(field != "%" for field in fields) != len(values):
        return None
    found = iter(fields)
    code = _PERCENT.sub(lambda _: next(found), text)
    return code, [editor.argument(value) for value in values]


def _percent_field(kind: str, spec: str) -> str | None:
    if kind == "%":
        return "%" if not spec else None
    if kind in "sri" and not spec:
        return {"s": "{}", "r": "{!r}", "i": "{:d}"}[kind]
    if kind in "dfegFEG" and re.fullmatch(r"0?\d*(\.\d+)?", spec):
        return f"{{:{spec}{kind}}}"
    return None


# ---- print ----------------------------------------------------------------------------------------------------------


def debug_print(editor: Editor, place: Place) -> Fix | None:
    """`jax.debug.print` for `print`, which shows the values of each call instead of the tracers of the first."""
    call = editor.node(place)
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name) or call.func.value != "print":
        return None
    values = [argument.value for argument in call.args]
    if not values or any(argument.star or argument.keyword is not None for argument in call.args):
        return None
    spelled = editor.name("jax.debug.print", call)
    arguments = _Arguments()
    text = _joined(editor, values, arguments)
    if text is None or spelled is None:
        return None
    code, imports = spelled
    pieces = ", ".join([text, *arguments.pieces()])
    span = editor.span(call)
    edit = Edit(span, f"{code}({pieces})")
    return editor.fix(f"use `{code}`", edit, safe=False, imports=imports)


def _joined(editor: Editor, values: list[cst.BaseExpression], arguments: _Arguments) -> str | None:
    """One format string for the values of a `print`, divided by spaces."""
    if len(values) == 1 and isinstance(values[0], cst.FormattedString | cst.ConcatenatedString):
        return _pieces(editor, values[0], arguments)
    strings = [value for value in values if isinstance(value, cst.SimpleString | cst.FormattedString)]
    quotes = {string.quote for string in strings}
    prefixes = {string.prefix.lower().replace("f", "") for string in strings}
    if len(quotes) > 1 or len(prefixes) > 1:
        return None
    quote, prefix = (quotes or {'"'}).pop(), (prefixes or {""}).pop()
    if prefix not in ("", "r"):
        return None
    pieces: list[str] = []
    for value in values:
        piece: str | None
        if isinstance(value, cst.SimpleString | cst.FormattedString):
            piece = _pieces(editor, value, arguments)
            if piece is None or not piece.startswith(prefix + quote):
                return None
            piece = piece[len(prefix + quote) : -len(quote)]
        else:
            arguments.positional.append(editor.argument(value))
            piece = "{}"
        pieces.append(piece)
    return f"{prefix}{quote}{' '.join(pieces)}{quote}"
