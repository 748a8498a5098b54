"""Numerics and differentiation: JAX7xx."""
