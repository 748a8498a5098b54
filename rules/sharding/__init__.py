"""Sharding and distribution: JAX8xx."""
