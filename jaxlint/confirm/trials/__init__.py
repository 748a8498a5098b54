"""One module a dynamic test, found by its name.

Each has a function `decide(lab, finding)` that returns a `Verdict`. A module may say `DEVICES = n` when it needs that
many CPU devices, and `LOOKS_UP = True` when it can answer though the program cannot be imported. Modules import JAX
inside functions only: the linter asks them for what they need, too.
"""
