"""What holds for every test: JAX, where a test runs it, stays on the CPU."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("JAX_PLATFORMS", "cpu")

# CI tries the same examples each time, so that it judges the change; everyone else tries new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
