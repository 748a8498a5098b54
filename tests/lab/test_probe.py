"""`jaxlint probe` shows the program at each stage, compares, and says what failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.support import PROGRAM, jaxlint, needs_jax, write

pytestmark = needs_jax

LIGHT = """
TABLE = 3


def step(x):
    return x


def make_inputs():
    return (1.0,), {}


def no_pair():
    return 1.0
"""


@pytest.fixture(name="program")
def _program(tmp_path: Path) -> str:
    return write(tmp_path, PROGRAM)


def test_a_jitted_function_compiled(program: str) -> None:
    run = jaxlint("probe", f"{program}::step", "--factory", "make_inputs", "--compile", "--format", "json")
    assert run.code == 0, run.err
    (report,) = run.report["programs"]
    assert report["jitted_by"] == "program" and report["static"] == ["n"]
    assert [(leaf["name"], leaf["type"]) for leaf in report["inputs"]] == [
        ("params['b']", "float32[3]"),
        ("params['w']", "float32[4,3]"),
        ("x", "float32[8,4]"),
        ("unused", "float32[7]"),
    ]
    assert [leaf["type"] for leaf in report["outputs"]] == ["float32[3]", "float32[4,3]", "float32[]"]
    donation = {leaf["name"]: leaf["donation_used"] for leaf in report["inputs"] if leaf["donated"]}
    assert donation == {"params['b']": True, "params['w']": True, "unused": False}
    jaxpr = report["jaxpr"]
    assert jaxpr["primitives"]["dot_general"] == 2 and jaxpr["primitives"]["sin"] == 2
    assert jaxpr["equations_nested"] > jaxpr["equations"] and jaxpr["depth"] == 2
    assert jaxpr["constants"] == [{"type": "float32[100]", "bytes": 400}] and jaxpr["effects"] == []
    assert report["stablehlo"]["operations"] > 10 and report["hlo"]["instructions"] > 10
    compiled = report["compiled"]
    assert compiled["fusions"] >= 1 and compiled["collectives"] == {} and compiled["aliased"] == 2
    assert compiled["flops"] >= 2 * 2 * 8 * 4 * 3
    assert compiled["memory"]["argument"] >= 4 * (3 + 12 + 32) and compiled["memory"]["alias"] == 4 * (3 + 12)
    times = {stage["name"]: stage["seconds"] for stage in report["stages"]}
    assert all(times[name] > 0 for name in ("trace", "lowering", "compilation"))


def test_the_text_names_each_part(program: str) -> None:
    run = jaxlint("probe", f"{program}::step", "--factory", "make_inputs", "--compile")
    assert run.code == 0
    for words in ("in ", "out ", "jaxpr", "constants   1 array, 400 B", "effects     none", "StableHLO", "compiled"):
        assert words in run.out
    assert "donation    params['b']: used" in run.out and "unused: NOT used" in run.out
    assert "times       trace" in run.out


def test_two_functions_and_files(program: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run = jaxlint(
        "probe", f"{program}::step", "--factory", "make_inputs", "--compare", f"{program}::plain",
        "--write-dir", str(folder),
    )  # fmt: skip
    assert run.code == 0, run.err
    assert f"from {program}::step to {program}::plain" in run.out
    assert "- scan[" in run.out and "primitive scan" in run.out
    names = {"jaxpr.txt", "stablehlo.mlir", "hlo.txt"}
    for side in ("first", "second"):
        assert {path.name for path in (folder / side).iterdir()} == names
    assert "scan" in (folder / "first" / "jaxpr.txt").read_text(encoding="utf-8")
    assert "\n- scan[" in (folder / "equations.diff").read_text(encoding="utf-8")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert {"name": "primitive scan", "first": 1, "second": None} in report["difference"]["figures"]


def test_two_inputs(program: str) -> None:
    arguments = ["probe", f"{program}::step", "--factory", "make_inputs", "--format", "json"]
    changed = jaxlint(*arguments, "--compare-factory", "make_larger").report["difference"]
    assert {"name": "input x", "first": "float32[8,4]", "second": "float32[80,4]"} in changed["figures"]
    assert any(line.startswith("+") and "float32[80,4]" in line for line in changed["equations"])
    same = jaxlint(*arguments, "--compare-factory", "make_inputs").report["difference"]
    assert same["figures"] == [] and same["same_equations"]


def test_what_cannot_be_traced_fails_in_part(program: str) -> None:
    run = jaxlint("probe", f"{program}::branch", "--factory", "make_inputs", "--compile")
    assert run.code == 1
    assert "trace FAILED: TracerBoolConversionError" in run.out and "if x.sum() > 0" in run.out
    assert "compilation skipped" in run.out


def test_what_cannot_be_compiled_still_shows_its_jaxpr(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import jax.extend\nimport jax.numpy as jnp\n\nprimitive = jax.extend.core.Primitive('odd')\n"
        "primitive.def_abstract_eval(lambda x: x)\n\n\ndef f(x):\n    return primitive.bind(x)\n\n\n"
        "def make():\n    return (jnp.ones(3),), {}\n",
    )
    run = jaxlint("probe", f"{program}::f", "--factory", "make", "--compile", "--format", "json")
    assert run.code == 1
    (report,) = run.report["programs"]
    status = {stage["name"]: stage["status"] for stage in report["stages"]}
    assert (status["trace"], status["lowering"], status["compilation"]) == ("done", "failed", "skipped")
    assert report["jaxpr"]["primitives"] == {"odd": 1}


def test_static_arguments_of_a_plain_function(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import jax.numpy as jnp\n\n\ndef f(x, kind, flip, n, scale):\n"
        "    x = jnp.tile(x, n) if kind == 'tile' else x\n    return -x * scale if flip else x\n\n\n"
        "def make():\n    return (jnp.ones(3), 'tile'), {'flip': True, 'n': 2, 'scale': 0.5}\n",
    )
    run = jaxlint("probe", f"{program}::f", "--factory", "make", "--static", "n", "--format", "json")
    assert run.code == 0, run.out + run.err
    (report,) = run.report["programs"]
    assert report["jitted_by"] == "jaxlint" and report["static"] == ["flip", "kind", "n"]
    assert [leaf["name"] for leaf in report["inputs"]] == ["x", "scale"]
    assert report["inputs"][1]["weak_type"] and report["outputs"][0]["type"] == "float32[6]"


def test_static_arguments_by_position(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import jax.numpy as jnp\n\n\ndef f(x, n, kind, *flips):\n"
        "    x = jnp.tile(x, n) if kind == 'tile' else x\n    return -x if flips and flips[0] == 'flip' else x\n\n\n"
        "def make():\n    return (jnp.ones(3), 2, 'tile'), {}\n\n\n"
        "def more():\n    return (jnp.ones(3), 2, 'tile', 'flip'), {}\n",
    )
    for factory, static in (("make", ["kind", "n"]), ("more", ["args[3]", "kind", "n"])):
        run = jaxlint("probe", f"{program}::f", "--factory", factory, "--static", "n", "--format", "json")
        assert run.code == 0, run.out + run.err
        (report,) = run.report["programs"]
        assert report["static"] == static
        assert report["outputs"][0]["type"] == "float32[6]"


def test_numbers_beside_functions_are_traced(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import jax.numpy as jnp\n\n\ndef apply(layer, x):\n    weight, act = layer['w'], layer['act']\n"
        "    return act(weight @ x), {'w': 2 * weight, 'act': act}\n\n\n"
        "def make():\n    return ({'w': jnp.ones((2, 3)), 'act': jnp.tanh}, jnp.ones(3)), {}\n",
    )
    run = jaxlint("probe", f"{program}::apply", "--factory", "make", "--format", "json")
    assert run.code == 0, run.out
    (report,) = run.report["programs"]
    assert [leaf["name"] for leaf in report["inputs"]] == ["layer['w']", "x"] and report["static"] == []
    assert [leaf["type"] for leaf in report["outputs"]] == ["float32[2]", "float32[2,3]"]
    timed = jaxlint("bench", f"{program}::apply", "--factory", "make", "--jit", "--rounds", "5", "--format", "json")
    assert timed.code == 0 and timed.report["functions"][0]["compiled_when_steady"] == 0, timed.out


def test_without_a_factory_likely_inputs_are_tried(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import jax\nimport jax.numpy as jnp\n\n\ndef noisy(params, x, key):\n"
        "    return x @ params['w'] + jax.random.normal(key, x.shape)\n\n\n"
        "def never(x):\n    raise ValueError('never')\n",
    )
    run = jaxlint("probe", f"{program}::noisy", "--format", "json")
    assert run.code == 0, run.out
    (report,) = run.report["programs"]
    assert report["factory"].startswith("a guess: ") and "key=key(" in report["factory"]
    failed = jaxlint("probe", f"{program}::never")
    assert (
        failed.code == 1 and "inputs from a guess: x=" in failed.out and "trace FAILED: ValueError: never" in failed.out
    )


def test_collectives(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"
        "from jax.sharding import Mesh, NamedSharding, PartitionSpec as P\n\n\n"
        "@functools.partial(jax.jit, donate_argnums=(0, 1))\ndef total(x, y):\n    return x.sum(), 2 * y\n\n\n"
        "def make():\n    placed = NamedSharding(Mesh(np.array(jax.devices()), ('d',)), P('d'))\n"
        "    return (jax.device_put(jnp.ones(8), placed), jax.device_put(jnp.ones(8), placed)), {}\n",
    )
    run = jaxlint("probe", f"{program}::total", "--factory", "make", "--compile", "--devices", "2", "--format", "json")
    assert run.code == 0, run.err
    (report,) = run.report["programs"]
    assert report["compiled"]["collectives"] == {"all-reduce": 1}
    assert sorted(leaf["donation_used"] for leaf in report["inputs"]) == [False, True], "one output has their shape"


def test_the_comment_names_the_factory(program: str) -> None:
    run = jaxlint("probe", f"{program}::plain", "--format", "json")
    assert run.code == 0, run.err
    assert run.report["programs"][0]["factory"] == "make_inputs"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}"], "names no function"),
        (["{}.missing.py::f"], "no such file"),
        (["{}::missing", "--factory", "make_inputs"], "has no `missing`"),
        (["{}::TABLE", "--factory", "make_inputs"], "no function"),
        (["{}::step", "--factory", "nowhere"], "has no `nowhere`"),
        (["{}::step", "--factory", "step"], "program failed: TypeError"),
        (["{}::step", "--factory", "no_pair"], "must return `(args, kwargs)`, not float"),
        (["{}::step", "--factory", "make_inputs", "--static", "m"], "no parameter `m`"),
        (["no_such_package.mod::f", "--factory", "g"], "neither a file nor a module"),
        (["{}::step", "--time-limit", "soon"], "--time-limit"),
    ],
)
def test_bad_requests_are_told(tmp_path: Path, arguments: list[str], words: str) -> None:
    program = write(tmp_path, LIGHT)
    run = jaxlint("probe", *(argument.format(program) for argument in arguments))
    assert run.code == 2 and words in run.err and run.out == ""


def test_a_program_that_ends_its_process(tmp_path: Path) -> None:
    program = write(tmp_path, "import sys\n\nprint('last words')\nsys.exit(3)\n")
    run = jaxlint("probe", f"{program}::f", "--factory", "make")
    assert run.code == 2 and "with status 3" in run.err and "last words" in run.err


def test_a_hang_is_ended(tmp_path: Path) -> None:
    program = write(
        tmp_path,
        "import time\n\n\ndef f(x):\n    while True:\n        time.sleep(0.1)\n\n\n"
        "def make():\n    return (1.0,), {}\n",
    )
    run = jaxlint("probe", f"{program}::f", "--factory", "make", "--time-limit", "6")
    assert run.code == 2 and "not done within 6 s" in run.err
