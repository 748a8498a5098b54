"""What holds for every test: JAX, where a test runs it, stays on the CPU."""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
