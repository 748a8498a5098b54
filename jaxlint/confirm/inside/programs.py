"""The traced program as evidence: its equations, where two traces differ, what is donated.

What is told here only adds to a verdict that stands: where a program cannot be traced again, or a version of JAX lacks
something, nothing is added.
"""

from __future__ import annotations

import inspect
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import CodeType
from typing import Any

from jaxlint.confirm.inside import traces
from jaxlint.confirm.inside.lab import Lab
from jaxlint.confirm.inside.runs import Mode, Question, Run, time_limit
from jaxlint.confirm.inside.watch import Call

_SECONDS = 2.0
_LONGEST = 90
_MOST = 3
_TRACES = 4
"""Chance may make two traces equal; so many rarely."""
_LINE = re.compile(r"%arg\d+: [^{}()%]*\{[^{}]*(?:tf\.aliasing_output|jax\.buffer_donor)[^{}]*\}")
_ATTRIBUTE = r"{\1}"
_ATTRIBUTES = re.compile(r"\{.*?((?:tf\.aliasing_output|jax\.buffer_donor) = [^,}]*).*\}")


def also(lab: Lab, question: Question, tell: Callable[[], str]) -> str:
    """What `tell` adds to evidence, with the sign between; nothing where it fails or takes too long."""
    left = min(_SECONDS, question.deadline - time.monotonic())
    if left <= 0:
        return ""
    try:
        with time_limit(left):
            text = tell()
    except BaseException:
        # It runs the program once more, which may raise anything.
        return ""
    return f"; {text}" if text else ""


def equation(lab: Lab, run: Run, rows: Sequence[int], primitive: str) -> str:
    """The first equation of a primitive that the rows make, in the jaxpr of what ran."""
    for found in _equations(_of_run(lab, run)):
        if str(found.primitive) == primitive and _rows(found, lab.loaded.path) & set(rows):
            return f"in the jaxpr: {_text(found)}"
    return ""


def repeated(lab: Lab, run: Run, rows: Sequence[int]) -> str:
    """How often the primitives stand in the jaxpr that the rows make, the most frequent first, and one equation."""
    found = [each for each in _equations(_of_run(lab, run)) if _rows(each, lab.loaded.path) & set(rows)]
    counts = Counter(str(each.primitive) for each in found).most_common(_MOST)
    if not counts or counts[0][1] < 2:
        return ""
    example = next(each for each in found if str(each.primitive) == counts[0][0])
    listed = ", ".join(f"{count} of `{name}`" for name, count in counts)
    return f"the jaxpr holds {listed} from rows {rows[0]} to {rows[-1]}, such as {_text(example)}"


def unequal(lab: Lab, run: Run) -> str:
    """The equations in which two traces of what ran differ, though the arguments are the same."""
    import jax

    first: list[str] = []
    for _ in range(_TRACES):
        # Else JAX gives the trace that it kept.
        jax.clear_caches()
        second = _texts(_of_run(lab, run))
        told = _difference(first, second) if first else ""
        if told:
            return told
        first = second
    return ""


def between_calls(lab: Lab, run: Run, name: str) -> str:
    """The equations in which the programs of two calls of a function differ; of any, where its name is not known."""
    traced: dict[CodeType, list[Call]] = {}
    for call in run.watched.calls:
        if call.traced and name in ("", call.code.co_name):
            traced.setdefault(call.code, []).append(call)
    for code, calls in traced.items():
        function = next(_functions(lab, run, code), None)
        if function is None:
            continue
        first: list[str] = []
        for call in calls[:_TRACES]:
            second = _texts([_of_call(function, call)])
            told = _difference(first, second) if first else ""
            if told:
                return told
            first = second
    return ""


def donation(lab: Lab, run: Run) -> str:
    """What a function that ran donates: its `args_info`, and the arguments of `main` in StableHLO that say so."""
    for call in _calls(run):
        for function in _functions(lab, run, call.code):
            if not call.traced or not hasattr(function, "lower"):
                continue
            try:
                args, kwargs = _arguments(function, call)
                lowered = function.lower(*args, **kwargs)
            except Exception:
                # Another function may be the one that donates.
                continue
            donated = _donated(function, lowered.args_info, len(args))
            if not donated:
                continue
            lines = [f"`{_ATTRIBUTES.sub(_ATTRIBUTE, line)}`" for line in _LINE.findall(lowered.as_text())]
            hlo = f"; in StableHLO: {_listed(lines)}" if lines else ""
            return f"`args_info` of `{call.code.co_name}` says donated: {_listed(donated)}{hlo}"
    return ""


def _donated(function: Callable[..., Any], infos: Any, given: int) -> list[str]:
    """The leaves of the arguments that are donated, by name where no static argument is left out of `args_info`."""
    import jax

    from jaxlint.lab.inside.program import short_type

    names = list(inspect.signature(function).parameters)
    found = []
    for path, info in jax.tree_util.tree_flatten_with_path(infos)[0]:
        if not getattr(info, "donated", False):
            continue
        first, second, *rest = path
        named = getattr(first, "idx", 1) == 0 and len(infos[0]) == given
        name = names[second.idx] + jax.tree_util.keystr(tuple(rest)) if named else jax.tree_util.keystr(path)
        found.append(f"`{name}` ({short_type(info._aval)})")
    return found


def _calls(run: Run) -> Iterator[Call]:
    """The calls that were seen; then those of the run once more, in which JAX traces what it kept from before."""
    yield from run.watched.calls
    if run.again is not None:
        yield from run.again(mode=Mode(fresh=True)).watched.calls


def _of_run(lab: Lab, run: Run) -> list[Any]:
    """The jaxpr of what was run; of the program itself, those of the functions that it had traced."""
    if run.entry is not None:
        return [_traced(run.entry.call, run.arguments)]
    found: list[Any] = []
    for code in dict.fromkeys(call.code for call in run.watched.calls if call.traced):
        call = next(each for each in run.watched.calls if each.traced and each.code is code)
        for function in _functions(lab, run, code):
            found.append(_of_call(function, call))
            break
    return found


def _of_call(function: Callable[..., Any], call: Call) -> Any:
    """The jaxpr of a function, with the arguments of a call of it that was seen."""
    args, kwargs = _arguments(function, call)
    return _traced(partial(function, **kwargs), args)


def _traced(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The jaxpr of a function. Arguments that are no arrays keep their values."""
    import jax

    given = [_abstract(value) for value in arguments]
    chosen = [index for index, value in enumerate(arguments) if _is_traceable(value)]

    def of_arrays(*values: Any) -> Any:
        full = list(arguments)
        for index, value in zip(chosen, values, strict=True):
            full[index] = value
        return [leaf for leaf in jax.tree.leaves(function(*full)) if traces.is_tracer(leaf)]

    return jax.make_jaxpr(of_arrays)(*(given[index] for index in chosen))


def _equations(jaxprs: Sequence[Any]) -> list[Any]:
    """The equations that hold no others."""
    from jaxlint.lab.inside.program import equations, inner

    return [each for jaxpr in jaxprs for each, _ in equations(jaxpr, 1) if not any(inner(each))]


def _is_traceable(value: Any) -> bool:
    import jax

    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(
        isinstance(leaf, float | complex) or (hasattr(leaf, "shape") and hasattr(leaf, "dtype")) for leaf in leaves
    )


def _abstract(value: Any) -> Any:
    """Shapes and types in place of arrays, which may be deleted or traced."""
    import jax

    def shaped(leaf: Any) -> Any:
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if isinstance(leaf, jax.Array) else leaf

    return jax.tree.map(shaped, value)


def _functions(lab: Lab, run: Run, code: CodeType) -> Iterator[Any]:
    """Callables that come down to a code: of the module, and of the frames that an exception passed."""
    found: list[Any] = list(lab.entries.names.values())
    trace = run.error.__traceback__ if run.error is not None else None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == lab.loaded.path:
            local = list(trace.tb_frame.f_locals.values())
            found += [*local, *(part for value in local for _, part in traces.parts(value))]
        trace = trace.tb_next
    for value in found:
        if callable(value) and not isinstance(value, type) and lab.entries.code_of(value)[1] == code.co_firstlineno:
            yield value


def _arguments(function: Callable[..., Any], call: Call) -> tuple[list[Any], dict[str, Any]]:
    """What a call had, positional and by name, with shapes and types in place of arrays."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            args.append(_abstract(call.arguments[name]))
        elif parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = _abstract(call.arguments[name])
    return args, kwargs


def _rows(equation: Any, path: str) -> set[int]:
    """The rows of the file that made an equation."""
    frames = getattr(equation.source_info.traceback, "frames", ())
    return {frame.line_num for frame in frames if frame.file_name == path}


def _difference(first: list[str], second: list[str]) -> str:
    """Equations that stand in one program and not in the other."""
    left, right = list(Counter(first) - Counter(second)), list(Counter(second) - Counter(first))
    if not left and not right:
        return ""
    return f"the jaxprs of two traces differ: {_listed(left) or 'nothing'} against {_listed(right) or 'nothing'}"


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return ", ".join(texts[:_MOST]) + more


def _text(equation: Any) -> str:
    """An equation on one line, between backquotes."""
    text = " ".join(str(equation).split())
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


def _texts(jaxprs: Sequence[Any]) -> list[str]:
    """The equations, and the arrays that the programs hold as constants."""
    import jax
    import numpy as np

    from jaxlint.lab.inside.program import constant_values, short_type

    found = [_text(each) for each in _equations(jaxprs)]
    for value in (value for jaxpr in jaxprs for value in constant_values(jaxpr)):
        if getattr(value, "size", 1) > 1 and not jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
            items = " ".join(np.array2string(np.asarray(value), precision=3, threshold=4, edgeitems=2).split())
            found.append(f"`{short_type(value)} constant {items}`")
    return found
