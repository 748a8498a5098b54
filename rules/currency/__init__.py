"""API currency: JAX9xx."""
