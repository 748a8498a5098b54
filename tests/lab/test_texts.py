"""Reading programs in text form, and writing numbers: without JAX."""

from __future__ import annotations

import json

import pytest

from jaxlint.lab import hlo
from jaxlint.lab.difference import difference
from jaxlint.lab.report.tables import count, seconds, size, table
from jaxlint.lab.wire import joined, parts

HLO = """HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (2, {}, must-alias) }, \
buffer_donor={ (1, {}) }, entry_computation_layout={(f32[4]{0})->(f32[4]{0}, f32[])}

%fused_computation (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %sine.1 = f32[4]{0} sine(f32[4]{0} %p), metadata={op_name="all-gather(x)"}
}

ENTRY %main {
  %a = f32[4]{0:T(8,128)} parameter(0)
  %fusion.1 = f32[4]{0} fusion(%a), kind=kLoop, calls=%fused_computation
  %all-reduce-start.1 = f32[4]{0} all-reduce-start(%fusion.1), replica_groups={}
  %all-reduce-done.1 = f32[4]{0} all-reduce-done(%all-reduce-start.1)
  %six = (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[]) all-to-all(%x1, %x2)
  ROOT %t = (f32[4]{0}, f32[]) tuple(%all-reduce-done.1, %a)
}
"""
STABLE = """module @jit_f {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32> {jax.buffer_donor = \
true, sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}, %arg2: tensor<f32>) -> (tensor<4xf32> {jax.result_info = "r"}) {
    %0 = stablehlo.sine %arg0 : tensor<4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1>}> ({
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
"""


def test_compiled_text() -> None:
    found = hlo.instructions(HLO)
    assert found["fusion"] == 1 and found["parameter"] == 2 and found["tuple"] == 1 and "all-gather" not in found
    assert hlo.collectives(HLO) == {"all-reduce": 1, "all-to-all": 1}
    assert hlo.aliased_parameters(HLO) == {0, 2}
    assert hlo.aliased_parameters("HloModule jit_f, entry_computation_layout={()->f32[]}\n") == set()


def test_lowered_text() -> None:
    assert hlo.main_arguments(STABLE) == ["aliased", "donor", ""]
    assert hlo.main_arguments("module {}") == []
    assert hlo.stable_operations(STABLE)["stablehlo.sine"] == 1
    assert hlo.stable_collectives(STABLE) == {"stablehlo.all_reduce": 1}


def test_differences_ignore_nesting() -> None:
    first = {"label": "a", "outline": ["sin f32[3] -> f32[3]", "neg f32[3] -> f32[3]"], "jaxpr": {"equations": 2}}
    nested = ["jit f f32[3] -> f32[3]", "  sin f32[3] -> f32[3]", "  neg f32[3] -> f32[3]"]
    second = {"label": "b", "outline": nested, "jaxpr": {"equations": 1}}
    found = difference(first, second)
    assert found["equations"] == ["+ jit f f32[3] -> f32[3]", "    sin f32[3] -> f32[3]", "    neg f32[3] -> f32[3]"]
    assert found["figures"] == [{"name": "equations", "first": 2, "second": 1}] and not found["same_equations"]
    assert difference(first, first)["same_equations"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (seconds(None), "-"), (seconds(0), "0 s"), (seconds(12.34), "12.3 s"), (seconds(0.00123), "1.23 ms"),
        (seconds(4.5e-8), "45.0 ns"), (size(17), "17 B"), (size(1536), "1.50 KiB"), (size(3 * 2**40), "3.00 TiB"),
        (count(1234567), "1,234,567"), (count(2.5), "2.50"), (count(1.5e12), "1.5e+12"), (count(None), "-"),
    ],
)  # fmt: skip
def test_numbers_have_units(written: str, expected: str) -> None:
    assert written == expected


def test_columns_are_aligned() -> None:
    assert table([["a", "1"], ["bcd", "22", "x"]], right=(1,), indent=" ") == [" a     1", " bcd  22  x"]
    assert table([]) == []


def test_reports_travel_in_parts() -> None:
    report = {"text": "é" * 40_000, "numbers": [1.5, float("inf"), float("nan")], "deep": {"a": (1, 2)}}
    messages = list(parts(report))
    assert len(messages) > 1 and all(len(json.dumps(message)) < 64 * 1024 for message in messages)
    assert joined([message["text"] for message in messages]) == {
        "text": "é" * 40_000, "numbers": [1.5, "inf", "nan"], "deep": {"a": [1, 2]},
    }  # fmt: skip
