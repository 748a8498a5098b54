"""jaxlint: a linter that knows what JAX does to a Python program."""

__version__ = "0.1.0"
