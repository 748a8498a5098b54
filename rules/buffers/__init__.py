"""Buffers: JAX6xx."""
