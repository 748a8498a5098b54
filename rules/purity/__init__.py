"""Purity and state: JAX1xx."""
