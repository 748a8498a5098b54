"""Compilation and loop structure: JAX5xx."""
