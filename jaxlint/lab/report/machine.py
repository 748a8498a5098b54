"""The line on hardware, versions and precision under each report."""

from __future__ import annotations

from typing import Any

from jaxlint.lab.report.tables import plural


def line(machine: dict[str, Any]) -> str:
    """`cpu: 1 x cpu on an AMD EPYC, 2 cpus; jax 0.12.0; float32, default matmul precision`."""
    device = f"{machine['devices']} x {machine['device_kind']}"
    host = f"{machine['cpu']}, {plural(machine['cpus'], 'cpu')}"
    precision = f"x64 {'on' if machine['x64'] else 'off'}, {machine['matmul_precision']} matmul precision"
    processes = f", {machine['processes']} processes" if machine["processes"] > 1 else ""
    return (
        f"{machine['platform']} ({device}{processes}) on {host}; "
        f"jax {machine['jax']}, jaxlib {machine['jaxlib']}, Python {machine['python']}; {precision}"
    )


def load_warning(machine: dict[str, Any]) -> str | None:
    """What to say when others were working on the machine."""
    load = machine.get("load")
    if load is None or load < 0.8 * machine["cpus"]:
        return None
    return f"the machine was busy before this began: load {load:.1f} on {plural(machine['cpus'], 'cpu')}"
