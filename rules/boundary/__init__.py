"""The static/dynamic boundary: JAX3xx."""
