"""What the text of a compiled or lowered program tells: instructions, fusions, collectives, donation."""

from __future__ import annotations

import re
from collections import Counter

COLLECTIVES = (
    "all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute", "ragged-all-to-all",
    "reduce-scatter",
)  # fmt: skip
# `%name = f32[4]{0} fusion(...)`: the type may be a tuple, and the operation follows it.
_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?[\w.\-]+ = (?:\(.*?\)|\S+) ([a-z][\w\-]*)\(", re.MULTILINE)
_ALIASED_PARAMETER = re.compile(r"\((\d+), \{[^}]*\}")
_STABLE_OPERATION = re.compile(r"= \"?((?:stablehlo|chlo|sdy|mhlo)\.[\w.]+)\"?")
_STABLE_COLLECTIVES = tuple(f"stablehlo.{name.replace('-', '_')}" for name in COLLECTIVES)
_MAIN = re.compile(r"func\.func public @main\((.*?)\) -> ", re.DOTALL)
_ARGUMENT = re.compile(r"%arg(\d+): [^%]*")


def instructions(text: str) -> Counter[str]:
    """The operations of a program in HLO text, those of fused computations included."""
    return Counter(match[1] for match in _INSTRUCTION.finditer(text))


def fusions(text: str) -> int:
    """How many fused kernels the program launches."""
    return instructions(text)["fusion"]


def collectives(text: str) -> dict[str, int]:
    """Communication in HLO text; the halves of an asynchronous one count once."""
    found: Counter[str] = Counter()
    for name, times in instructions(text).items():
        base = name.removesuffix("-start")
        if base in COLLECTIVES:
            found[base] += times
    return dict(sorted(found.items()))


def stable_operations(text: str) -> Counter[str]:
    """The operations of a program in StableHLO text."""
    return Counter(match[1] for match in _STABLE_OPERATION.finditer(text))


def stable_collectives(text: str) -> dict[str, int]:
    """Communication in StableHLO text: what the program asks for itself, before the partitioner adds its own."""
    operations = stable_operations(text)
    return {name: operations[name] for name in _STABLE_COLLECTIVES if operations[name]}


def aliased_parameters(text: str) -> set[int]:
    """The parameters whose memory an output takes over, from the header of HLO text."""
    header = text.partition("\n")[0]
    start = header.find("input_output_alias={")
    if start < 0:
        return set()
    return {int(number) for number in _ALIASED_PARAMETER.findall(_braces(header, start + len("input_output_alias=")))}


def main_arguments(text: str) -> list[str]:
    """For each argument of `main` in StableHLO text what becomes of its memory: `aliased`, `donor` or nothing.

    An aliased one is an output's; a donor is offered, and only the compiler decides.
    """
    main = _MAIN.search(text)
    if main is None:
        return []
    found = {}
    for match in _ARGUMENT.finditer(main[1]):
        argument = match[0]
        aliased, donor = "tf.aliasing_output" in argument, "jax.buffer_donor" in argument
        found[int(match[1])] = "aliased" if aliased else "donor" if donor else ""
    return [found[number] for number in sorted(found)]


def _braces(text: str, start: int) -> str:
    """The text between a brace and the one that closes it."""
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[start + 1 : end]
    return text[start + 1 :]
