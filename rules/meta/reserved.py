"""Codes of the catalogue that have no rule yet: users may already name them in settings and comments."""

from __future__ import annotations

RESERVED = {
    "JAX501": "jit-in-loop",
    "JAX502": "jit-of-fresh-callable",
    "JAX503": "unrolled-loop",
    "JAX504": "loop-instead-of-vmap",
    "JAX505": "varying-static",
    "JAX506": "captured-constant",
    "JAX701": "where-nan-gradient",
    "JAX702": "truncated-float64",
    "JAX703": "unstable-expression",
    "JAX704": "non-differentiable-loop",
    "JAX705": "custom-derivative-contract",
}
