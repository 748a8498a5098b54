"""Randomness: JAX2xx."""
