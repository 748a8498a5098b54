"""The task of the child: import the file, try each finding, tell the verdicts."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jaxlint.child.loading import Loaded, LoadError, load, parse
from jaxlint.confirm.inside.lab import Lab
from jaxlint.confirm.inside.recorders import Recorder
from jaxlint.confirm.inside.runs import Mode, Run, TooLongError, describe, time_limit
from jaxlint.confirm.inside.soften import Softener
from jaxlint.confirm.inside.target import Finding
from jaxlint.confirm.inside.verdict import INCONCLUSIVE, Verdict, inconclusive
from jaxlint.confirm.inside.watch import Watcher

if TYPE_CHECKING:
    from jaxlint.child.channel import Channel

TRIALS = "jaxlint.confirm.trials"


def work(request: dict[str, Any], channel: Channel) -> None:
    """Try every finding of one file."""
    os.environ["JAX_TRACEBACK_FILTERING"] = "off"
    path = Path(request["path"])
    try:
        import jax
    except Exception as error:
        channel.tell({"kind": "failed", "reason": f"JAX cannot be imported: {describe(error)}"})
        return
    findings = [Finding(**{**item, "related": tuple(item.get("related", ()))}) for item in request["findings"]]
    watcher = Watcher(str(path))
    recorder = Recorder(watcher)
    recorder.install()
    channel.tell({"kind": "importing", "jax": jax.__version__})
    lab = prepare(path, watcher, recorder, request)
    reason = ""
    if isinstance(lab, str):
        reason = lab
        try:
            tree = parse(path)
        except LoadError:
            channel.tell({"kind": "failed", "reason": reason})
            return
        # Names can be looked up without the module; the failed import counts as one of its statements.
        loaded = Loaded(ModuleType("unimported"), tree, str(path), [(0, ImportError(reason))])
        lab = Lab(loaded, watcher, recorder, request)
    for finding in findings:
        channel.tell({"kind": "trying", "index": finding.index})
        verdict = attempt(lab, finding) if not reason or _looks_up(finding) else inconclusive(reason)
        channel.tell(
            {
                "kind": "verdict", "index": finding.index, "verdict": verdict.kind, "evidence": verdict.evidence,
                "inputs": verdict.inputs, "blocked": sorted(lab.blocked),
            }
        )  # fmt: skip


def prepare(path: Path, watcher: Watcher, recorder: Recorder, request: dict[str, Any]) -> Lab | str:
    """Import the file, watched; the text says why that failed."""
    recorder.events, recorder.enabled = [], True
    softener = Softener(set(request.get("soften", ())))
    try:
        with watcher.watching() as watched, time_limit(0.9 * request.get("seconds", 30.0)):
            loaded = load(path, tolerant=True, rewrite=softener.rewrite)
    except TooLongError:
        return f"importing the module was not done within {request.get('seconds', 30.0):g} s"
    except SystemExit as error:
        return f"importing the module calls `sys.exit({error.code!r})`"
    except LoadError as error:
        return str(error)
    except BaseException as error:
        return f"the module cannot be imported: {describe(error)}"
    finally:
        recorder.enabled = False
    lab = Lab(loaded, watcher, recorder, request)
    first = loaded.failures[0][1] if loaded.failures else None
    lab.sources.imported = Run("importing the module", "its own", True, first, None, watched, recorder.events, Mode())
    return lab


def _looks_up(finding: Finding) -> bool:
    """Whether a trial can do without the module."""
    return bool(getattr(importlib.import_module(_module(finding)), "LOOKS_UP", False))


def _module(finding: Finding) -> str:
    return finding.trial if "." in finding.trial else f"{TRIALS}.{finding.trial}"


def attempt(lab: Lab, finding: Finding) -> Verdict:
    """The verdict on one finding; whatever goes wrong on the way makes it inconclusive."""
    lab.blocked = set()
    try:
        verdict: Verdict = importlib.import_module(_module(finding)).decide(lab, finding)
    except LoadError as error:
        return inconclusive(str(error))
    except SystemExit as error:
        return inconclusive(f"the program calls `sys.exit({error.code!r})`")
    except TooLongError as error:
        return inconclusive(str(error))
    except BaseException as error:
        return inconclusive(f"the test itself failed: {describe(error)}")
    if verdict.kind == INCONCLUSIVE and lab.loaded.failures:
        row, cause = lab.loaded.failures[0]
        return inconclusive(
            f"{verdict.evidence}; importing the module failed at row {row}: {describe(cause)}", verdict.inputs
        )
    return verdict
