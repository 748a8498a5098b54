"""The linter itself: JAX0xx."""
