"""What a child does for each of the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.child.loading import LoadError
from jaxlint.lab.wire import parts

if TYPE_CHECKING:
    from jaxlint.child.channel import Channel
    from jaxlint.lab.inside.bench import Factory
    from jaxlint.lab.inside.callables import Subject


def environment(request: dict[str, Any], channel: Channel) -> None:
    """`jaxlint env`."""
    from jaxlint.lab.inside.environment import collect

    _send(channel, collect(request["variables"], redacted=request["redacted"]))


def probe(request: dict[str, Any], channel: Channel) -> None:
    """`jaxlint probe`."""
    _guarded(channel, lambda: _probe(request, channel))


def recompiles(request: dict[str, Any], channel: Channel) -> None:
    """`jaxlint recompiles`."""
    _guarded(channel, lambda: _recompiles(request, channel))


def bench(request: dict[str, Any], channel: Channel) -> None:
    """`jaxlint bench`."""
    _guarded(channel, lambda: _bench(request, channel))


def _probe(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    from jaxlint.lab.inside.targets import sides

    asked = list(sides(request["sides"]))  # what is missing shows before JAX is imported

    from jaxlint.lab.difference import difference
    from jaxlint.lab.inside import machine
    from jaxlint.lab.inside.callables import jitted
    from jaxlint.lab.inside.guesses import guess
    from jaxlint.lab.inside.probe import prepare, probe

    programs = []
    for side, found in zip(request["sides"], asked, strict=True):
        static = request["static"]
        factory_name, make = found.factory or guess(found.loaded, found.name, found.function, static)
        args, kwargs = make()
        subject = jitted(found.name, found.function, args, kwargs, static)
        prepare()
        report = probe(
            subject, args, kwargs, optimised=request["compile"], folder=Path(side["folder"]) if side["folder"] else None
        )
        programs.append({"label": side["label"], "target": side["target"], "factory": factory_name, **report})
        channel.tell({"kind": "progress", "text": side["label"]})
    result: dict[str, Any] = {"machine": machine.describe(), "programs": programs}
    if len(programs) == 2:
        result["difference"] = difference(*programs)
        folder = request["sides"][0]["folder"]
        if folder:
            text = "\n".join([*result["difference"]["equations"], ""])
            (Path(folder).parent / "equations.diff").write_text(text, encoding="utf-8")
    for program in programs:
        program.pop("outline", None)
    result["ok"] = not any(stage["status"] != "done" for program in programs for stage in program["stages"])
    return result


def _recompiles(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    from jaxlint.lab.inside.targets import target

    loaded, function = target(request["target"])

    from jaxlint.lab.inside import machine
    from jaxlint.lab.inside.callables import as_it_is, jitted
    from jaxlint.lab.inside.cases import batches
    from jaxlint.lab.inside.compilations import explains
    from jaxlint.lab.inside.recompiles import run

    made = batches(loaded, request["factory"], request["cases"], request["repeat"])
    name = request["target"].partition("::")[2]
    if request["jit"]:
        first = next(iter(made))()
        if not first:
            raise LoadError("there are no cases")
        subject = jitted(name, function, first[0].args, first[0].kwargs, request["static"])
    else:
        subject = as_it_is(name, function)
    calls = run(subject, made, lambda call: channel.tell({"kind": "progress", "text": f"call {call['call']}"}))
    if not calls:
        raise LoadError("there are no cases")
    return {
        "machine": machine.describe(),
        "target": request["target"],
        "jitted_by": subject.jitted_by,
        "static": sorted(name for name in subject.static if not name.startswith("#")),
        "explained_by_jax": explains(),
        "calls": calls,
        "ok": not any("error" in call for call in calls),
    }


def _bench(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    from jaxlint.lab.inside.targets import sides

    asked = [(side.function, side.required()) for side in sides(request["sides"])]

    from jaxlint.lab.inside import machine
    from jaxlint.lab.inside.bench import Plan, bench, train
    from jaxlint.lab.inside.callables import as_it_is, jitted
    from jaxlint.lab.inside.inputs import InputError
    from jaxlint.lab.inside.probe import prepare
    from jaxlint.lab.inside.stages import describe

    subjects: list[Subject] = []
    factories: list[Factory] = []
    for side, (function, make) in zip(request["sides"], asked, strict=True):
        if request["jit"]:
            args, kwargs = make()
            subjects.append(jitted(side["label"], function, args, kwargs, request["static"]))
        else:
            subjects.append(as_it_is(side["label"], function))
        factories.append(make)
    prepare()
    plan = Plan(request["rounds"], request["seconds"], request["steps"])
    report: dict[str, Any] = {"machine": machine.describe(), "ok": True}
    measure = train if request["state"] else bench
    try:
        report |= measure(subjects, factories, plan, lambda told: channel.tell({"kind": "progress", **told}))
    except InputError:
        raise
    except Exception as error:
        report |= {"ok": False, "error": describe(error)}
    return report


def _guarded(channel: Channel, work: Callable[[], dict[str, Any]]) -> None:
    """Do the work and send its report; what keeps it from starting is told in one message."""
    from jaxlint.lab.inside.stages import describe

    try:
        report = work()
    except LoadError as error:
        channel.tell({"kind": "refused", "message": str(error)})
    except Exception as error:
        channel.tell({"kind": "refused", "error": describe(error), "message": str(error)[:4000]})
    else:
        _send(channel, report)


def _send(channel: Channel, report: dict[str, Any]) -> None:
    for part in parts(report):
        channel.tell(part)
