"""A project teaches the linter its own wrappers: real programs, whose findings come and go with the settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxlint.cli.main import main
from jaxlint.engine import Engine
from jaxlint.knowledge import load
from jaxlint.knowledge.grammar import EFFECTS
from jaxlint.knowledge.teaching import Table, Teaching, taught
from jaxlint.registry import rule_classes
from jaxlint.source import read_source
from jaxlint.workers import analyse
from tests.interface.fake import write
from tests.support import ROOT

JITTED = """\
from mylib import fast_jit


@fast_jit
def step(x):
    if x > 0:
        return x
    return -x
"""
DRAWN = """\
import mylib


def noise(key, shape):
    return mylib.draw(key, shape) + mylib.draw(key, shape)
"""
PEEKED = """\
import jax
from mylib import peek


def noise(key):
    peek(key)
    return jax.random.normal(key)
"""
MADE = """\
import mylib


def init(noise):
    return mylib.make(rng=noise), mylib.make(rng=noise)
"""
METHOD = """\
import mylib


def act(key):
    agent = mylib.Agent(3)
    agent.reset(key)
    return agent.reset(key)
"""
WRAPPER = "import fastlib\n\nfast_jit = fastlib.wrap('jit')\n\n\ndef draw(key, shape):\n    return fastlib.op(shape)\n"


def findings(folder: Path, *arguments: str) -> list[tuple[str, int, str]]:
    """File, row and code of what is found in a folder."""
    output = folder / "found.json"
    status = main(["check", "--format", "json", "-q", "-o", str(output), *(arguments or ["--no-cache"]), str(folder)])
    assert status in {0, 1}
    found = json.loads(output.read_text(encoding="utf-8"))
    return [(Path(item["filename"]).name, item["location"]["row"], item["code"]) for item in found]


@pytest.mark.parametrize(
    ("program", "settings", "expected"),
    [
        (JITTED, "[known-transforms]\n'mylib.fast_jit' = 'jax.jit'\n", [("a.py", 6, "JAX301")]),
        (JITTED, "[known-transforms]\n'mylib.fast_jit' = 'flax.nnx.jit'\n", [("a.py", 6, "JAX301")]),
        (JITTED, "[known-transforms]\n'otherlib.fast_jit' = 'jax.jit'\n", []),
        (DRAWN, "[known-samplers]\n'mylib.draw' = 0\n", [("a.py", 5, "JAX201")]),
        (DRAWN, "[known-samplers]\n'mylib.draw' = [0, 'key']\n", [("a.py", 5, "JAX201")]),
        (DRAWN, "[known-samplers]\n'mylib.draw' = 'rng'\n", []),
        (METHOD, "[known-key-parameters]\n'mylib.Agent.reset' = 0\n", [("a.py", 7, "JAX201")]),
        (METHOD, "[known-key-parameters]\n'mylib.Agent.reset' = 1\n", []),
        (MADE, "[known-key-parameters]\n'*' = ['rng']\n", [("a.py", 5, "JAX201")]),
        (MADE, "[known-key-parameters]\n'mylib.make' = 'rng'\n", [("a.py", 5, "JAX201")]),
        (MADE, "[known-key-parameters]\n'a.init' = 'noise'\n", [("a.py", 5, "JAX201")]),
        (MADE, "[known-key-parameters]\n'a.init' = 0\n", [("a.py", 5, "JAX201")]),
        (MADE, "[known-key-parameters]\n'*' = 'seed'\n'b.init' = 0\n'a.init' = 1\n", []),
    ],
)
def test_a_library_that_is_not_there(
    tmp_path: Path, program: str, settings: str, expected: list[tuple[str, int, str]]
) -> None:
    write(tmp_path, {"a.py": program})
    assert findings(tmp_path) == []
    write(tmp_path, {"jaxlint.toml": settings})
    assert findings(tmp_path) == expected
    assert findings(tmp_path, "--isolated", "--no-cache") == []


def test_a_wrapper_of_the_project_that_cannot_be_followed(tmp_path: Path) -> None:
    write(tmp_path, {"mylib/__init__.py": WRAPPER, "a.py": JITTED, "b.py": DRAWN})
    assert findings(tmp_path) == []
    known = "[known-transforms]\n'mylib.fast_jit' = 'jax.jit'\n[known-samplers]\n'mylib.draw' = 0\n"
    write(tmp_path, {"jaxlint.toml": known})
    assert findings(tmp_path) == [("a.py", 6, "JAX301"), ("b.py", 5, "JAX201")]


@pytest.mark.parametrize("table", ["known-samplers", "known-key-parameters"])
def test_a_key_that_is_given_in_another_way_is_used_up_all_the_same(tmp_path: Path, table: str) -> None:
    program = DRAWN.replace("def noise(key, shape):\n", "def noise(shape):\n    key = jax.random.key(0)\n")
    write(tmp_path, {"a.py": "import jax\n" + program})
    assert findings(tmp_path) == [("a.py", 7, "JAX201")]
    write(tmp_path, {"jaxlint.toml": f"[{table}]\n'mylib.draw' = 'rng'\n"})
    assert findings(tmp_path) == [("a.py", 7, "JAX201")]


def test_a_wheel_in_the_environment_of_the_project(tmp_path: Path) -> None:
    installed = ".venv/lib/python3.12/site-packages/mylib/__init__.py"
    wrapper = "import jax\n\n\ndef fast_jit(f, **options):\n    return jax.jit(f, **options)\n"
    write(tmp_path, {"pyproject.toml": "", installed: wrapper, "src/pkg/__init__.py": "", "src/pkg/a.py": JITTED})
    assert findings(tmp_path) == []
    write(tmp_path, {"pyproject.toml": "[tool.jaxlint.known-transforms]\n'mylib.fast_jit' = 'jax.jit'\n"})
    assert findings(tmp_path) == [("a.py", 6, "JAX301")]


@pytest.mark.parametrize("parameter", ["'key'", "0", "[0]"])
def test_the_signature_of_a_function_of_the_project_counts(tmp_path: Path, parameter: str) -> None:
    calls = ["mylib.draw(key, 3), mylib.draw(key, 3)", "mylib.draw(shape=3, key=key), mylib.draw(key, 3)"]
    functions = "".join(f"\n\ndef f{number}(key):\n    return {call}\n" for number, call in enumerate(calls))
    write(tmp_path, {"mylib/__init__.py": WRAPPER, "a.py": "import mylib\n" + functions})
    assert findings(tmp_path) == []
    write(tmp_path, {"jaxlint.toml": f"[known-samplers]\n'mylib.draw' = {parameter}\n"})
    assert findings(tmp_path) == [("a.py", 5, "JAX201"), ("a.py", 9, "JAX201")]


def test_tables(tmp_path: Path) -> None:
    aliases = "alias\tcanonical\nmylib.rand\tjax.random\n"
    program = "from mylib import rand\n\n\ndef f(key):\n    return rand.normal(key), rand.uniform(key)\n"
    write(tmp_path, {"a.py": PEEKED, "b.py": program, "mylib/rand.py": "from fastlib import *\n"})
    assert findings(tmp_path) == [("a.py", 7, "JAX201")], "what is given a key is taken to use it up"
    rows = "# of our own\nname\tparams\teffects\treturns\tnote\nmylib.peek\tkey\tinspect(key)\tnone\tlogs it\n"
    write(tmp_path, {"lint/own.tsv": rows, "lint/names.tsv": aliases})
    write(tmp_path, {"lint/base.toml": "extend-knowledge = ['own.tsv']\n"})
    write(tmp_path, {"jaxlint.toml": "extend = 'lint/base.toml'\nextend-knowledge = ['lint/names.tsv']\n"})
    assert findings(tmp_path) == [("b.py", 5, "JAX201")]


def test_rows_may_use_the_spellings_of_other_tables(tmp_path: Path) -> None:
    rows = FUNCTIONS + "short.draw\tkey\tsample(key)\tarray\n"
    names = "alias\tcanonical\nshort\tvery.long.name\nshort.bits\tjax.random.bits\n"
    program = "import short\nfrom very.long import name\n\n\ndef f(key):\n    return short.draw(key), name.draw(key)\n"
    more = "\n\ndef g(key):\n    return short.bits(key), short.bits(key)\n"
    write(tmp_path, {"rows.tsv": rows, "names.tsv": names, "a.py": program + more})
    assert findings(tmp_path) == []
    write(tmp_path, {"jaxlint.toml": "extend-knowledge = ['rows.tsv', 'names.tsv']\n"})
    assert findings(tmp_path) == [("a.py", 6, "JAX201"), ("a.py", 10, "JAX201")]
    sampler = "extend-knowledge = ['names.tsv']\n[known-samplers]\n'short.bits' = 1\n'short.draw' = 0\n"
    write(tmp_path, {"jaxlint.toml": sampler})
    assert findings(tmp_path) == [("a.py", 6, "JAX201"), ("a.py", 10, "JAX201")]


def test_transforms_classes_and_decorators_of_a_table(tmp_path: Path) -> None:
    program = """\
import mylib


def step(carry, x):
    if x > 0:
        carry = carry + x
    return carry, x


def run(xs):
    return mylib.loop(step, 0.0, xs)


class Net(mylib.Module):
    scale: float

    @mylib.traced
    def __call__(self, x):
        return float(x)


run_net = mylib.compiled(lambda net, x: net(x))
"""
    transforms = (
        "name\tparams\tcallables\tmode\tresult\toptions\tfeeds\tgives\n"
        "mylib.loop\tf,init,xs\tf\tabstract\tcall\t\tf: carry=init, elem=xs\ttuple(like(init),stack(item(out,1)))\n"
        "mylib.compiled\tfun\tfun\tabstract\twrapper\t\t\tout\n"
    )
    write(tmp_path, {"a.py": program, "t.tsv": transforms})
    write(tmp_path, {"c.tsv": "name\tkind\nmylib.Module\tequinox_module\n"})
    write(tmp_path, {"d.tsv": "name\teffect\nmylib.traced\ttransparent\n"})
    assert findings(tmp_path) == []
    write(tmp_path, {"jaxlint.toml": "extend-knowledge = ['t.tsv', 'c.tsv', 'd.tsv']\n"})
    assert ("a.py", 5, "JAX301") in findings(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            "[known-transforms]\n'mylib.jit' = 'jax.jitt'",
            "`mylib.jit`: `jax.jitt` is no transformation that jaxlint knows; did you mean `jax.jit`?",
        ),
        (
            "[known-transforms]\njit = 'jax.jit'",
            "jaxlint.toml:1: `known-transforms`: `jit` is no qualified name such as",
        ),
        (
            "known-transforms = ['jax.jit']",
            "must be a table of qualified names to names of transformations, not a list",
        ),
        (
            "[known-transforms]\n'a.b' = 1",
            "must be a table of qualified names to names of transformations, not an integer",
        ),
        ("[known-samplers]\n'a.b' = -1", "`a.b` must give a parameter's name or its position, from 0 on, not `-1`"),
        ("[known-samplers]\n'*' = ['key']", "jaxlint.toml:1: `known-samplers`: `*` is no qualified name"),
        ("[known-key-parameters]\n'*' = [0]", "`*` must give a parameter's name, not `0`"),
        ("known-sampler = {}", "unknown setting `known-sampler`; did you mean `known-samplers`?"),
        ("extend-knowledge = ['none.tsv']", "jaxlint.toml:1: `extend-knowledge` names `none.tsv`, which is not a file"),
        ("extend-knowledge = 'own.tsv'", "`extend-knowledge` must be a list of files, not a string"),
    ],
)
def test_mistakes_in_settings(tmp_path: Path, settings: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"jaxlint.toml": settings, "a.py": ""})
    assert main(["check", "--no-cache", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


FUNCTIONS = "name\tparams\teffects\treturns\n"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "own.tsv: the table is empty; its first row must name the columns"),
        ("nam\tparams\n", "own.tsv:1: unknown column `nam`; did you mean `name`?"),
        (
            "name\tparams\n",
            "own.tsv:1: the columns name, params, divided by tabs, fit no kind of table: name, params, eff",
        ),
        (
            FUNCTIONS + "# fine\na.b\tkey\tsmaple(key)\tarray\n",
            "own.tsv:3: unknown effect `smaple`; did you mean `sample`?",
        ),
        (
            FUNCTIONS + "a.b\tkey\tsample(kee)\tarray\n",
            "unknown parameter in `sample(kee)`: `kee`; did you mean `key`?",
        ),
        (FUNCTIONS + "a.b\tkey\tsample(key\tarray\n", "own.tsv:2: effects: not a term: 'sample(key'"),
        (FUNCTIONS + "a.b\tkey\t\tarrays\n", "own.tsv:2: unknown returned value `arrays`; did you mean `array`?"),
        (FUNCTIONS + "a.b\tkey key\t\tarray\n", "own.tsv:2: params: `key key` is no parameter"),
        (FUNCTIONS + "a.b\tkey,key\t\tarray\n", "own.tsv:2: params: `key` stands twice"),
        (FUNCTIONS + "a b\tkey\t\tarray\n", "own.tsv:2: `a b` is no dotted name"),
        (FUNCTIONS + "a.b\tkey\t\tarray\tnote\tmore\n", "own.tsv:2: the row has 6 cells, the table has 4 columns"),
        (FUNCTIONS + "a.b\t\t\t\na.b\t\t\t\n", "own.tsv:3: `a.b` has a row already, row 2"),
        ("name\tkind\na.B\tpytre\n", "own.tsv:2: unknown kind `pytre`; did you mean `pytree`?"),
        ("name\teffect\na.b\ttransparant\n", "own.tsv:2: unknown effect `transparant`; did you mean `transparent`?"),
        ("alias\tcanonical\na.b\tjax random\n", "own.tsv:2: `jax random` is no dotted name"),
        (
            "name\tparams\tcallables\tmode\tresult\na.b\tfun\tfun\tabstrct\twrapper\n",
            "own.tsv:2: unknown mode `abstrct`; did you mean `abstract`?",
        ),
        (
            "name\tparams\tcallables\tmode\tresult\na.b\tfun\tfunc\tabstract\twrapper\n",
            "own.tsv:2: unknown parameter in callables: `func`; did you mean `fun`?",
        ),
    ],
)
def test_mistakes_in_tables(tmp_path: Path, table: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"jaxlint.toml": "extend-knowledge = ['own.tsv']\n", "own.tsv": table, "a.py": ""})
    assert main(["check", "--no-cache", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_results_are_kept_for_what_was_taught(tmp_path: Path) -> None:
    cache = ("--cache-dir", str(tmp_path / "cache"))
    row = "mylib.peek\tkey\t{}(key)\tnone\n"
    write(tmp_path, {"a.py": PEEKED, "own.tsv": FUNCTIONS + row.format("inspect")})
    assert len(findings(tmp_path, *cache)) == 1
    write(tmp_path, {"jaxlint.toml": "extend-knowledge = ['own.tsv']\n"})
    assert findings(tmp_path, *cache) == []
    write(tmp_path, {"own.tsv": FUNCTIONS + row.format("consume")})
    assert len(findings(tmp_path, *cache)) == 1


def test_folders_of_one_run_are_taught_apart(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.py": JITTED, "two/b.py": JITTED})
    write(tmp_path, {"one/jaxlint.toml": "[known-transforms]\n'mylib.fast_jit' = 'jax.jit'\n"})
    assert findings(tmp_path) == [("a.py", 6, "JAX301")]


def test_every_process_is_taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxlint.workers.SMALL", 0)
    write(tmp_path, {f"{name}/{name}.py": JITTED for name in "abc"})
    teaching = Teaching(transforms=(("mylib.fast_jit", "jax.jit"),))
    paths = [str(tmp_path / name / f"{name}.py") for name in "abc"]
    options = {"rules": [rule() for rule in rule_classes()], "roots": [str(tmp_path)], "teaching": teaching}
    found = analyse(paths, Engine, options, jobs=3)
    assert not found.failures
    assert [len(result.findings) for result in found.results] == [1, 1, 1]


def test_the_shipped_tables_stay_as_they_are(tmp_path: Path) -> None:
    before = set(load().functions), len(load().aliases)
    table = Table("functions", FUNCTIONS + "mylib.f\tx\t\tarray\n")
    known = taught(Teaching(tables=(table,), transforms=(("mylib.jit", "jax.jit"),)))
    assert known.function("mylib.f") is not None
    assert known.canonical("mylib.jit") == "jax.jit"
    assert (set(load().functions), len(load().aliases)) == before
    write(tmp_path, {"a.py": JITTED})
    engine = Engine(rules=[rule() for rule in rule_classes()], roots=[tmp_path])
    engine.analyse(read_source(tmp_path / "a.py"))
    assert engine.findings() == {}


def test_the_documented_settings_are_right(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf-8")
    settings = page.partition("```toml\n")[2].partition("```")[0]
    table = page.partition("```text\n")[2].partition("```")[0]
    program = (
        "import ourlib\n\n\ndef f(key, agent: ourlib.Agent):\n    ourlib.log_key(key)\n    return ourlib.draw(key)\n"
    )
    write(tmp_path, {"pyproject.toml": settings, "lint/ourlib.tsv": table, "a.py": program})
    assert findings(tmp_path) == []
    write(tmp_path, {"a.py": program + "\n\ndef g(key):\n    return ourlib.draw(key), ourlib.draw(key)\n"})
    assert findings(tmp_path) == [("a.py", 10, "JAX201")]
    for word, meaning in EFFECTS.items():
        assert f"| `{word}` | {meaning} |" in page
